// Elementwise addition of int8 on ARMv6-M: as for the DSP port (add.hpp), with the products of
// v6m_panels.hpp. A value on the common scale has 20 zero bits, so one half of it is enough.
#pragma once

#include <kompakt_ports/cortex_m/add.hpp>
#include <kompakt_ports/cortex_m/v6m_panels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

template <bool Both>
KOMPAKT_NOINLINE void v6m_add_row(const ordered_operands& o, std::int8_t* out, std::int32_t n,
                                  const multiplier& result, std::int32_t zero_point) noexcept {
    constexpr int half_bits = add_left_shift<std::int8_t> - 1;
    const std::int8_t *a = o.a, *b = o.b, *const end = a + n;
    const std::int32_t zero_a = o.zero_a, zero_b = o.zero_b, q31 = result.q31;
    const std::int32_t high = o.m_b.q31 >> 16, low = o.m_b.q31 & 0xffff;
    const auto shift_b = static_cast<std::uint32_t>(-o.m_b.shift);
    const auto shift = static_cast<std::uint32_t>(-result.shift);
    const std::int32_t round_b = Both ? 0 : shift_left(1, shift_b - 1);
    while (a != end) {
        std::int32_t sum = wrap_shl(*a++ - zero_a, half_bits);
        if constexpr (Both) {
            sum += wrap_shl(*b++ - zero_b, half_bits);
        } else {
            const std::int32_t x = wrap_shl(*b++ - zero_b, add_left_shift<std::int8_t> - 16);
            const std::int32_t product = 2 * x * high + ((x * low + (1 << 14)) >> 15);
            sum += shift_right(product + (x >> 31) + round_b, shift_b);
        }
        *out++ = v6m_output(sum, q31, shift, zero_point);
    }
}

template <class Port>
void elementwise_row(v6m, Port port, add_i8 family, const std::int8_t* a, std::int32_t step_a,
                     const std::int8_t* b, std::int32_t step_b, std::int8_t* out, std::int32_t n,
                     const add_i8_params& p) noexcept {
    const ordered_operands x = exact_first(a, step_a, b, step_b, p);
    if (!x.possible) {
        return kompakt::elementwise_row(portable{}, port, family, a, step_a, b, step_b, out, n, p);
    }
    auto* const row = x.both ? v6m_add_row<true> : v6m_add_row<false>;
    row(x, out, n, p.result, p.output.zero_point);
    if (limits_outputs(p.output)) limit_outputs(out, n, 1, p.output);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
