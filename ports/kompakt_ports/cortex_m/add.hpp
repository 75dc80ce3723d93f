// Elementwise addition of int8 in some fifteen instructions an element.
//
// The operand of the larger scale is multiplied by one half exactly (q31 = 2^30, shift 0), which is
// a shift; the other by less than one half. What is not so is left to the portable kernel.
#pragma once

#include <kompakt/kernel/add.hpp>
#include <kompakt_ports/cortex_m/output_stage.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// What addition needs of its parameters, the exact operand being the first.
struct addition {
    std::int32_t zero_a, zero_b, q31, c_b, q31_result, c;
    std::uint32_t shift_b, e1;
};

constexpr bool is_half(const multiplier& m) noexcept {
    return m.q31 == std::int32_t{1} << 30 && m.shift == 0;
}
constexpr bool is_less(const multiplier& m) noexcept {
    return m.shift >= least_shift && m.shift <= greatest_shift;
}

// The operands with the exact one first.
struct ordered_operands {
    const std::int8_t *a, *b;
    std::int32_t zero_a, zero_b;
    multiplier m_b;
    bool both;     // b is multiplied by one half, too
    bool possible; // else the portable kernel adds
};
inline ordered_operands exact_first(const std::int8_t* a, std::int32_t step_a, const std::int8_t* b,
                                    std::int32_t step_b, const add_i8_params& p) noexcept {
    ordered_operands r{a, b, p.zero_point_a, p.zero_point_b, p.b, is_half(p.b), false};
    if (!is_half(p.a)) r = {b, a, p.zero_point_b, p.zero_point_a, p.a, false, false};
    r.possible = step_a == 1 && step_b == 1 && (is_half(p.a) || is_half(p.b)) &&
                 (r.both || is_less(r.m_b)) && is_less(p.result);
    return r;
}

template <bool BothExact>
KOMPAKT_NOINLINE void add_row(const std::int8_t* a, const std::int8_t* b, std::int8_t* out,
                              std::int32_t n, const addition& given) noexcept {
    const addition v = given; // not in memory that `out` might be
    const std::int8_t* const end = a + n;
    while (a != end) {
        // Twice the values on the common scale; |q - zero point| <= 255.
        std::int32_t sum2 = wrap_sub(wrap_shl(*a++, add_left_shift<std::int8_t>), v.zero_a);
        if constexpr (BothExact) {
            sum2 = wrap_add(sum2, wrap_sub(wrap_shl(*b++, add_left_shift<std::int8_t>), v.zero_b));
        } else {
            const std::int32_t x2 =
                wrap_sub(wrap_shl(*b++, add_left_shift<std::int8_t> + 1), v.zero_b);
            const std::int32_t scaled =
                shift_right(smmlar(x2, v.q31, wrap_add(v.c_b, x2 >> 31)), v.shift_b);
            sum2 = wrap_add(sum2, wrap_shl(scaled, 1));
        }
        *out++ = static_cast<std::int8_t>(stage_output(sum2, v.q31_result, v.c, v.e1));
    }
}

template <class Port>
void elementwise_row(dsp, Port port, add_i8 family, const std::int8_t* a, std::int32_t step_a,
                     const std::int8_t* b, std::int32_t step_b, std::int8_t* out, std::int32_t n,
                     const add_i8_params& p) noexcept {
    const ordered_operands x = exact_first(a, step_a, b, step_b, p);
    if (!x.possible) {
        return kompakt::elementwise_row(portable{}, port, family, a, step_a, b, step_b, out, n, p);
    }
    constexpr int bits = add_left_shift<std::int8_t>;
    addition v{};
    v.zero_a = x.zero_a * (1 << bits);
    v.zero_b = x.zero_b * (1 << (x.both ? bits : bits + 1));
    v.q31 = x.m_b.q31;
    v.shift_b = static_cast<std::uint32_t>(-x.m_b.shift);
    v.c_b = x.both ? 0 : 1 << (v.shift_b - 1);
    v.q31_result = p.result.q31;
    v.e1 = static_cast<std::uint32_t>(-p.result.shift - 1);
    v.c = stage_constant(p.output.zero_point, v.e1);
    if (x.both) {
        add_row<true>(x.a, x.b, out, n, v);
    } else {
        add_row<false>(x.a, x.b, out, n, v);
    }
    if (limits_outputs(p.output)) limit_outputs(out, n, 1, p.output);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
