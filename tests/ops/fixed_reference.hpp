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

// 1 / (1 + x) for a 31-bit fraction x.
inline std::int64_t fixed_inverse(std::int64_t x) {
    constexpr double one = 536870912.0;
    const std::int64_t half = (x + 2147483648) / 2;
    std::int64_t y =
        fixed_constant(48.0 / 17, one) + fixed_product(half, -fixed_constant(32.0 / 17, one));
    for (int i = 0; i < 3; ++i) {
        y += fixed_saturate(fixed_product(y, 536870912 - fixed_product(half, y)) * 4);
    }
    return fixed_saturate(y * 2);
}

} // namespace kompakt_test
