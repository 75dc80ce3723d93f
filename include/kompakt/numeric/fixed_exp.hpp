// exp, log, reciprocals, roots, logistic function and tanh of int32 fixed-point numbers, in
// integers only.
//
// A number with m integer bits ("Qm") is raw * 2^(m - 31), so Q0 is [-1, 1) and the largest raw
// value stands for 1. Products are `rounding_doubling_high_mul`, whose integer bits add up. Every
// rounding is part of the result: int8 SOFTMAX, LOGISTIC, TANH, LOG_SOFTMAX and RSQRT of TensorFlow
// Lite Micro are defined by them (docs/arithmetic.md 9 and 10).
// Source: gemmlowp's fixed-point functions: a Taylor polynomial on a quarter, one factor exp(-2^k)
// for each further bit, and Newton's iteration for division and root.
#pragma once

#include <kompakt/numeric/fixed_point.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// exp(x) for x in [-1/4, 0), both Q0: the polynomial of degree four around -1/8.
constexpr std::int32_t exp_of_last_quarter(std::int32_t x) noexcept {
    constexpr std::int32_t exp_of_minus_eighth = 1895147668, third = 715827883;
    const std::int32_t d = x + (std::int32_t{1} << 28);
    const std::int32_t d2 = rounding_doubling_high_mul(d, d);
    const std::int32_t d3 = rounding_doubling_high_mul(d2, d);
    const std::int32_t d4 = rounding_doubling_high_mul(d2, d2);
    // ((d^4 / 4 + d^3) / 3 + d^2) / 2 = d^4 / 24 + d^3 / 6 + d^2 / 2
    const std::int32_t cubic =
        rounding_doubling_high_mul(rounding_divide_by_pot(d4, 2) + d3, third);
    const std::int32_t rest = rounding_divide_by_pot(cubic + d2, 1);
    return exp_of_minus_eighth + rounding_doubling_high_mul(exp_of_minus_eighth, d + rest);
}

} // namespace detail

// exp(x) in Q0 for x <= 0 with `IntegerBits` integer bits, 0 to 5. exp(0) is INT32_MAX.
template <int IntegerBits>
constexpr std::int32_t exp_of_negative(std::int32_t x) noexcept {
    static_assert(IntegerBits >= 0 && IntegerBits <= 5, "exp below -32 is not in the table");
    // exp(-2^k) in Q0, k from -2 on
    constexpr std::int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                        39332535,   720401,     242};
    constexpr int quarter_bit = 31 - IntegerBits - 2;
    if (x == 0) return INT32_MAX;
    // x = last - whole, with last in [-1/4, 0) and whole a multiple of 1/4.
    constexpr std::int32_t quarter = std::int32_t{1} << quarter_bit;
    const std::int32_t last = (x & (quarter - 1)) - quarter;
    const std::int32_t whole = wrap_sub(last, x);
    std::int32_t result = detail::exp_of_last_quarter(last * (std::int32_t{1} << IntegerBits));
    for (int k = 0; k < IntegerBits + 2; ++k) {
        if (((whole >> (quarter_bit + k)) & 1) != 0) {
            result = rounding_doubling_high_mul(result, factors[k]);
        }
    }
    return result;
}

namespace detail {

// 2 / (1 + x) in Q2 for x in [0, 1) in Q0: three steps of Newton's iteration.
constexpr std::int32_t two_over_one_plus(std::int32_t x) noexcept {
    constexpr std::int32_t q2_48_over_17 = 1515870810, q2_32_over_17 = 1010580540,
                           q2_one = std::int32_t{1} << 29;
    const auto half = static_cast<std::int32_t>((std::int64_t{x} + (std::int64_t{1} << 31)) >> 1);
    std::int32_t y = q2_48_over_17 + rounding_doubling_high_mul(half, -q2_32_over_17);
    for (int i = 0; i < 3; ++i) {
        const std::int32_t error = q2_one - rounding_doubling_high_mul(half, y);
        y += saturating_shl(rounding_doubling_high_mul(y, error), 2); // Q4 to Q2
    }
    return y;
}

} // namespace detail

// 1 / (1 + x) for x in [0, 1), both Q0. The quotient is half of `two_over_one_plus`, whose raw
// number is in Q1.
constexpr std::int32_t one_over_one_plus(std::int32_t x) noexcept {
    return saturating_shl(detail::two_over_one_plus(x), 1);
}

// 1 / x for x > 0 with `IntegerBits` integer bits: `mantissa` * 2^-`exponent`, the mantissa in Q0
// and within [1/2, 1].
struct fixed_reciprocal {
    std::int32_t mantissa;
    int exponent;
};
template <int IntegerBits>
constexpr fixed_reciprocal reciprocal(std::int32_t x) noexcept {
    int leading_zeros = 0;
    auto u = static_cast<std::uint32_t>(x);
    while ((u >> 31) == 0 && leading_zeros < 31) {
        u <<= 1;
        ++leading_zeros;
    }
    return {one_over_one_plus(static_cast<std::int32_t>(u & 0x7fffffffu)),
            IntegerBits - leading_zeros};
}

// 1 / (1 + exp(-x)) in Q0 for any x with `IntegerBits` integer bits.
template <int IntegerBits>
constexpr std::int32_t fixed_logistic(std::int32_t x) noexcept {
    if (x == 0) return std::int32_t{1} << 30;
    const std::int32_t upper = one_over_one_plus(exp_of_negative<IntegerBits>(x > 0 ? -x : x));
    return x > 0 ? upper : INT32_MAX - upper;
}

// The hyperbolic tangent in Q0 for any x with `IntegerBits` integer bits, 0 to 4: with e =
// exp(-2|x|) it is (1 - e) / (1 + e) = 2 / (1 + e) - 1.
template <int IntegerBits>
constexpr std::int32_t fixed_tanh(std::int32_t x) noexcept {
    if (x == 0) return 0;
    // Twice a number is the same raw number with one more integer bit.
    const std::int32_t e = exp_of_negative<IntegerBits + 1>(x > 0 ? -x : x);
    const std::int32_t y =
        saturating_shl(detail::two_over_one_plus(e) - (std::int32_t{1} << 29), 2);
    return x > 0 ? y : -y;
}

// ln(x) with `OutBits` integer bits for x of at least 1 with `InBits` integer bits. x is a power of
// two, or that and sqrt(1/2), times r near 1; ln r is a quotient of polynomials of r.
template <int OutBits, int InBits>
constexpr std::int32_t fixed_log(std::int32_t x) noexcept {
    constexpr std::int32_t ln_2 = 1488522236, sqrt_half = 1518500250, fourth_root_half = 1805811301;
    constexpr std::int32_t alpha_n = 117049297, alpha_d = 127690142, alpha_i = 1057819769,
                           alpha_f = 638450708;
    constexpr int one_bit = 31 - (OutBits + 1); // sums have a bit of headroom
    constexpr std::int32_t quarter = std::int32_t{1} << (one_bit - 2);
    const auto mul = [](std::int32_t a, std::int32_t b) {
        return rounding_doubling_high_mul(a, b);
    };
    const auto leading_zeros = [](std::int32_t v) {
        int n = 0;
        for (auto u = static_cast<std::uint32_t>(v); n < 31 && (u >> (31 - n)) == 0;) ++n;
        return n;
    };
    const auto sum = [](std::int32_t a, std::int32_t b) {
        return saturate_i32(std::int64_t{a} + b);
    };
    const int zeros_a = leading_zeros(x) - 1;
    const std::int32_t r_a = saturating_shl(mul(saturating_shl(x, zeros_a), sqrt_half), 1);
    const std::int32_t power_a = sum(saturating_shl(InBits - zeros_a - 1, one_bit), quarter);
    const int zeros_b = leading_zeros(mul(x, sqrt_half)) - 1;
    const std::int32_t r_b = saturating_shl(x, zeros_b);
    const std::int32_t power_b = sum(saturating_shl(InBits - zeros_b, one_bit), -quarter);
    const std::int32_t r = r_a < r_b ? r_a : r_b, power = power_a > power_b ? power_a : power_b;

    const auto p = static_cast<std::int32_t>((std::int64_t{r} + fourth_root_half + 1) / 2);
    const std::int32_t q = wrap_mul(wrap_sub(r, fourth_root_half), 2);
    const std::int32_t square = mul(q, q);
    const std::int32_t above = wrap_add(mul(q, r), mul(mul(q, square), alpha_n));
    const std::int32_t below =
        wrap_add(mul(p, wrap_add(wrap_add(alpha_i, q), mul(alpha_d, square))), mul(alpha_f, q));
    const std::int32_t quotient =
        mul(rounding_divide_by_pot(above, OutBits + 1), one_over_one_plus(below));
    return saturating_shl(wrap_add(mul(power, ln_2), quotient), 1);
}

// 1 / sqrt(x) for an integer x > 0: five steps of Newton's iteration from 1, in Q3.
constexpr multiplier inverse_sqrt(std::int32_t x) noexcept {
    if (x <= 1) return {INT32_MAX, 0};
    int right = 11;
    while (x >= std::int32_t{1} << 29) {
        x /= 4;
        ++right;
    }
    while (x < std::int32_t{1} << 27) { // to 2^27 … 2^29
        x *= 4;
        --right;
    }
    constexpr std::int32_t three_halves = (1 << 28) + (1 << 27), half_of_sqrt_2 = 1518500250;
    const auto mul = [](std::int32_t a, std::int32_t b) {
        return rounding_doubling_high_mul(a, b);
    };
    const std::int32_t half = rounding_divide_by_pot(x >> 1, 1);
    std::int32_t y = std::int32_t{1} << 28;
    for (int i = 0; i < 5; ++i) {
        const std::int32_t cube = saturating_shl(mul(mul(y, y), y), 6); // Q9 to Q3
        y = saturating_shl(wrap_sub(mul(three_halves, y), mul(half, cube)), 3);
    }
    y = mul(y, half_of_sqrt_2);
    return right < 0 ? multiplier{wrap_shl(y, -right), 0} : multiplier{y, -right};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
