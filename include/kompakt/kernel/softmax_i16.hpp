// Softmax of int16 along the last axis, by tables that the host computed.
//
//     in [..., depth], exp [513], reciprocal [513], out [..., depth], which may lie over in
//
// The difference to the row's maximum is scaled so that 65535 steps are 10; `exp` holds e^x from
// -10 to 0, `reciprocal` 1 / (1 + x) from 0 to 1, both as 15-bit fractions at every 128th step.
#pragma once

#include <kompakt/kernel/softmax.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct softmax_i16_params {
    multiplier scale; // beta * input scale, to 65535 / 10

    template <class F>
    static constexpr void fields(F&& f) {
        f("multiplier"), f("shift");
    }
};

// Between the table's entries by a line; steps of 128 from -32768 on.
constexpr std::int16_t interpolate(std::int32_t x, const std::int16_t* table) noexcept {
    const std::int32_t at = 256 + (x >> 7);
    const auto slope = static_cast<std::int16_t>(table[at + 1] - table[at]);
    return static_cast<std::int16_t>(table[at] + ((slope * (x & 127) + 64) >> 7));
}

template <class Port>
void softmax_by_tables(portable, Port, const std::int16_t* in, const std::int16_t* exp,
                       const std::int16_t* reciprocals, std::int16_t* out, std::int32_t rows,
                       std::int32_t depth, const multiplier& scale) noexcept {
    for (std::int32_t row = 0; row < rows; ++row, in += depth, out += depth) {
        std::int32_t largest = -32768;
        for (std::int32_t i = 0; i < depth; ++i) largest = in[i] > largest ? in[i] : largest;
        std::int32_t sum = 0; // of 15-bit fractions
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t diff = requantize(in[i] - largest, scale);
            const std::int16_t e = interpolate(clamp(wrap_add(diff, 32767), -32768, 32767), exp);
            out[i] = e;
            sum = saturate_i32(std::int64_t{sum} + e);
        }
        // The greatest has about 32767; only a wrong table gives less.
        if (sum < 2) sum = 2;
        int zeros = 0;
        while ((static_cast<std::uint32_t>(sum) << zeros >> 31) == 0) ++zeros;
        // The sum is 2^n (1 + x); x of 16 bits, centred for the table.
        const auto above =
            static_cast<std::int32_t>(((std::int64_t{sum} << (zeros - 1)) + (1 << 13)) >> 14);
        const std::int32_t x = clamp(above - (1 << 15) - (1 << 16), -32768, 32767);
        const std::int32_t reciprocal = interpolate(x, reciprocals);
        const int shift = 31 - zeros;
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t y = (out[i] * reciprocal + (1 << (shift - 1))) >> shift;
            out[i] = static_cast<std::int16_t>(clamp(y, 0, 32767));
        }
    }
}

struct softmax_i16 {
    using params = softmax_i16_params;
    static constexpr kernel_id id = kernel_id::softmax_i16;
    static constexpr const char* name = "softmax_i16";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        if (c.inputs() != 3 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs three inputs and one output");
        }
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::i16, max_rank));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::i16, max_rank));
        for (std::size_t i : {1u, 2u}) {
            const tensor_record& table = c.input_record(i);
            KOMPAKT_TRY(check_operand(table, "table", dtype::i16, 1));
            if (table.where != place::constant || c.elements(table) != 513) {
                return fail(errc::bad_file, "table: needed a constant of 513 elements, given ",
                            c.elements(table));
            }
        }
        if (c.elements(c.input_record(0)) != c.elements(c.output_record(0))) {
            return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                        " elements, input ", c.elements(c.input_record(0)));
        }
        KOMPAKT_TRY(detail::check_rows(c));
        const auto p = c.params<params>();
        return check_multiplier(p.scale.q31, p.scale.shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto rows = detail::rows_of(c, c.input_record(0));
        softmax_by_tables(port, port, c.input_data<std::int16_t>(0), c.input_data<std::int16_t>(1),
                          c.input_data<std::int16_t>(2), c.output_data<std::int16_t>(0), rows[0],
                          rows[1], c.params<params>().scale);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
