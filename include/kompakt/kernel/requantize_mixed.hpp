// From one integer type and scale to another: int8, uint8, int16 and int32, in any combination.
#pragma once

#include <kompakt/kernel/integers.hpp>
#include <kompakt/kernel/quantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct requantize_mixed_params {
    std::int32_t input_zero_point = 0;
    multiplier scale; // input scale / output scale
    std::int32_t output_zero_point = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), f("multiplier"), f("shift"), f("output_zero_point");
    }
};

struct requantize_mixed {
    using params = requantize_mixed_params;
    static constexpr kernel_id id = kernel_id::requantize_mixed;
    static constexpr const char* name = "requantize_mixed";
    static constexpr bool in_place = true;

    static constexpr bool knows(dtype t) noexcept {
        return t == dtype::i8 || t == dtype::u8 || t == dtype::i16 || t == dtype::i32;
    }
    static status check(const call& c) noexcept {
        if (c.inputs() != 1 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs one input and one output");
        }
        const dtype in = c.input_record(0).type, out = c.output_record(0).type;
        if (!knows(in) || !knows(out)) {
            return fail(errc::unsupported, "from ", name_of(in), " to ", name_of(out));
        }
        KOMPAKT_TRY(check_unary(c, in, out));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_any_zero_point("input", p.input_zero_point, in));
        KOMPAKT_TRY(check_any_zero_point("output", p.output_zero_point, out));
        return check_multiplier(p.scale.q31, p.scale.shift);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        run_all(c);
    }

  private:
    static void run_all(const call& c) noexcept {
        const tensor_record &from = c.input_record(0), &to = c.output_record(0);
        const auto p = c.params<params>();
        const integer_range r = range_of_type(to.type);
        const auto* in = c.input_data<std::byte>(0);
        auto* out = c.output_data<std::byte>(0);
        const std::size_t n = c.elements(to), in_size = bits_of(from.type) / 8,
                          out_size = bits_of(to.type) / 8;
        for (std::size_t i = 0; i < n; ++i, in += in_size, out += out_size) {
            const auto x = static_cast<std::int32_t>(load_integer(in, from.type));
            const std::int32_t y =
                wrap_add(requantize(wrap_sub(x, p.input_zero_point), p.scale), p.output_zero_point);
            store_integer(out, to.type, clamp(y, r.qmin, r.qmax));
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
