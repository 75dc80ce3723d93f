// Pad: one value before and after the elements of each axis, for any element type.
//
//     in and out of one rank, at most 6; out[i] = before[i] + in[i] + after[i], no negative pads;
//     a second input of one element, if there is one, is the value
#pragma once

#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Axes are those of a tensor of rank 6: one of a lower rank has leading dimensions of one. What
// comes after follows from the output's extents.
struct pad_params {
    std::int32_t before[max_rank] = {};
    std::uint32_t value[2] = {}; // bits of one element, the low word first

    template <class F>
    static constexpr void fields(F&& f) {
        f("before_0"), f("before_1"), f("before_2"), f("before_3"), f("before_4"), f("before_5");
        f("value_low"), f("value_high");
    }
};

// Writes `bytes` bytes of the repeated element `value` of `size` bytes, and returns their end.
inline std::byte* fill_elements(std::byte* to, std::size_t bytes, const std::byte* value,
                                std::size_t size) noexcept {
    for (std::size_t i = 0; i < bytes; i += size) {
        for (std::size_t k = 0; k < size; ++k) *to++ = value[k];
    }
    return to;
}

// `value` points to one element of `size` bytes.
template <class Port, class InE, class OutE>
void pad_elements(portable, Port, const tensor<const std::byte, InE>& in,
                  const tensor<std::byte, OutE>& out, std::size_t size, const std::byte* value,
                  const pad_params& p) noexcept {
    constexpr std::size_t rank = OutE::rank(), lead = max_rank - rank, last = rank - 1;
    static_assert(rank >= 1 && InE::rank() == rank);
    const std::size_t row = static_cast<std::size_t>(out.dim(last)) * size;
    const std::size_t before = static_cast<std::size_t>(p.before[max_rank - 1]) * size;
    const std::size_t copied = static_cast<std::size_t>(in.dim(last)) * size;
    const std::byte* from = in.data();
    std::byte* to = out.data();
    std::byte* const end = to + out.size() * size;
    std::int32_t index[rank] = {};
    while (to != end) {
        bool inside_input = true;
        for (std::size_t i = 0; i < last; ++i) {
            const std::int32_t at = index[i] - p.before[lead + i];
            inside_input = inside_input && at >= 0 && at < in.dim(i);
        }
        if (inside_input) {
            fill_elements(to, before, value, size);
            std::memmove(to + before, from, copied);
            from += copied;
            fill_elements(to + before + copied, row - before - copied, value, size);
            to += row;
        } else {
            to = fill_elements(to, row, value, size);
        }
        for (std::size_t i = last; i-- > 0;) {
            if (++index[i] < out.dim(i)) break;
            index[i] = 0;
        }
    }
}

struct pad {
    using params = pad_params;
    static constexpr kernel_id id = kernel_id::pad;
    static constexpr const char* name = "pad";

    static status check(const call& c) noexcept {
        const bool given = c.inputs() == 2;
        KOMPAKT_TRY(check_one_to_one(c, given ? 2 : 1));
        if (given) {
            KOMPAKT_TRY(check_movable(c.input_record(1), "value", c.output_record(0).type));
        }
        const auto p = c.params<params>();
        const auto in = c.input<std::byte, max_rank>(0);
        const auto out = c.output<std::byte, max_rank>(0);
        for (std::size_t i = 0; i < max_rank; ++i) {
            const std::int64_t after = std::int64_t{out.dim(i)} - in.dim(i) - p.before[i];
            if (p.before[i] < 0 || after < 0) {
                return fail(errc::unsupported, "pads ", p.before[i], " and ", after,
                            ", needed 0 or more");
            }
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        std::byte value[8];
        const std::size_t size = element_bytes(c.output_record(0));
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t k = KOMPAKT_BIG_ENDIAN ? size - 1 - i : i;
            value[i] = static_cast<std::byte>(p.value[k / 4] >> 8 * (k % 4));
        }
        pad_elements(port, port, c.input<std::byte, max_rank>(0), c.output<std::byte, max_rank>(0),
                     size, c.inputs() == 2 ? c.input_data<std::byte>(1) : value, p);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
