// exp, reciprocal and logistic function of int32 fixed-point numbers, in integers only.
//
// A number with m integer bits ("Qm") is raw * 2^(m - 31), so Q0 is [-1, 1) and the largest raw
// value stands for 1. Products are `rounding_doubling_high_mul`, whose integer bits add up. Every
// rounding is part of the result: int8 SOFTMAX and LOGISTIC of TensorFlow Lite Micro are defined by
// them (docs/arithmetic.md 9 and 10).
// Source: gemmlowp's fixed-point functions: a Taylor polynomial on a quarter, one factor exp(-2^k)
// for each further bit, and Newton's iteration for the division.
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

// 1 / (1 + x) for x in [0, 1), both Q0: three steps of Newton's iteration.
constexpr std::int32_t one_over_one_plus(std::int32_t x) noexcept {
    constexpr std::int32_t q2_48_over_17 = 1515870810, q2_32_over_17 = 1010580540,
                           q2_one = std::int32_t{1} << 29;
    const auto half = static_cast<std::int32_t>((std::int64_t{x} + (std::int64_t{1} << 31)) >> 1);
    std::int32_t y = q2_48_over_17 + rounding_doubling_high_mul(half, -q2_32_over_17);
    for (int i = 0; i < 3; ++i) {
        const std::int32_t error = q2_one - rounding_doubling_high_mul(half, y);
        y += saturating_shl(rounding_doubling_high_mul(y, error), 2); // Q4 to Q2
    }
    // y is the inverse of the half denominator: half of it, in Q0, is raw Q1.
    return saturating_shl(y, 1);
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

} // namespace KOMPAKT_ABI
} // namespace kompakt
