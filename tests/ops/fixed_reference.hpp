// exp, reciprocal and logistic in the fixed point that defines int8 softmax and logistic, in int64
// and with every constant computed from what it stands for.
#pragma once

#include "reference.hpp"

namespace kompakt_test {

inline std::int64_t fixed_product(std::int64_t a, std::int64_t b) {
    return reference_multiplier::floor_of(a * b + 1073741824, 2147483648);
}
inline std::int64_t fixed_divide(std::int64_t x, std::int64_t divisor) {
    const std::int64_t magnitude = ((x < 0 ? -x : x) + divisor / 2) / divisor;
    return x < 0 ? -magnitude : magnitude;
}
inline std::int64_t fixed_constant(double value, double one) {
    return static_cast<std::int64_t>(std::floor(value * one + 0.5));
}
inline std::int64_t fixed_saturate(std::int64_t x) {
    return (std::min)((std::max)(x, std::int64_t{-2147483648}), std::int64_t{2147483647});
}

// exp(x) as a 31-bit fraction, for x <= 0 with `fraction` fractional bits.
inline std::int64_t fixed_exp(std::int64_t x, int fraction) {
    constexpr double one = 2147483648.0;
    if (x == 0) return 2147483647;
    const std::int64_t quarter = std::int64_t{1} << (fraction - 2);
    std::int64_t quarters = 0; // below the last
    while (x < -quarter) x += quarter, ++quarters;
    // What is left is in [-1/4, 0): a polynomial around -1/8.
    const std::int64_t d = x * (std::int64_t{1} << (31 - fraction)) + fixed_constant(0.125, one);
    const std::int64_t d2 = fixed_product(d, d), d3 = fixed_product(d2, d),
                       d4 = fixed_product(d2, d2);
    const std::int64_t sixth =
        fixed_product(fixed_divide(d4, 4) + d3, fixed_constant(1.0 / 3, one));
    const std::int64_t eighth = fixed_constant(std::exp(-0.125), one);
    std::int64_t y = eighth + fixed_product(eighth, d + fixed_divide(sixth + d2, 2));
    for (int k = 0; k < 7; ++k) {
        if ((quarters >> k & 1) != 0) {
            y = fixed_product(y, fixed_constant(std::exp(-std::ldexp(0.25, k)), one));
        }
    }
    return y;
}

// 2 / (1 + x) with 29 fractional bits for a 31-bit fraction x, and 1 / (1 + x) with 31.
inline std::int64_t fixed_twice_inverse(std::int64_t x) {
    constexpr double one = 536870912.0;
    const std::int64_t half = (x + 2147483648) / 2;
    std::int64_t y =
        fixed_constant(48.0 / 17, one) + fixed_product(half, -fixed_constant(32.0 / 17, one));
    for (int i = 0; i < 3; ++i) {
        y += fixed_saturate(fixed_product(y, 536870912 - fixed_product(half, y)) * 4);
    }
    return y;
}
inline std::int64_t fixed_inverse(std::int64_t x) {
    return fixed_saturate(fixed_twice_inverse(x) * 2);
}

// ln(x) with 26 fractional bits for x >= 1 with 19: x = 2^n r or 2^n sqrt(1/2) r, of which that
// with the smaller r is taken; ln r by a quotient of polynomials around r = sqrt(sqrt(1/2)).
inline std::int64_t fixed_log_of_sum(std::int64_t x) {
    constexpr double one = 2147483648.0;
    const double root = std::pow(2.0, 0.25);
    const auto c = [&](double v) { return fixed_constant(v, one); };
    const auto up = [](std::int64_t v, int& n) { // to [2^30, 2^31)
        n = 0;
        while (v < 1073741824) v *= 2, ++n;
        return v;
    };
    int n_a = 0, n_b = 0;
    const std::int64_t r_a = fixed_product(up(x, n_a), c(std::sqrt(0.5))) * 2;
    up(fixed_product(x, c(std::sqrt(0.5))), n_b);
    const std::int64_t r_b = fixed_saturate(x * (std::int64_t{1} << n_b));
    // Whole powers of two, and a quarter to either side, with 25 fractional bits.
    const std::int64_t power_a = (11 - n_a) * std::int64_t{33554432} + 8388608,
                       power_b = (12 - n_b) * std::int64_t{33554432} - 8388608;
    const std::int64_t r = (std::min)(r_a, r_b), power = (std::max)(power_a, power_b);
    const std::int64_t p = (r + c(1 / root) + 1) / 2, q = 2 * (r - c(1 / root));
    const std::int64_t q2 = fixed_product(q, q);
    const std::int64_t above =
        fixed_product(q, r) + fixed_product(fixed_product(q, q2), c(11.0 / 240 * root));
    const std::int64_t below =
        fixed_product(p, c(2 / root - root) + q + fixed_product(c(root / 20), q2)) +
        fixed_product(c(root / 4), q);
    const std::int64_t quotient = fixed_product(fixed_divide(above, 64), fixed_inverse(below));
    return 2 * (fixed_product(power, c(std::log(2.0))) + quotient);
}

} // namespace kompakt_test
