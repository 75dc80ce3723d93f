#pragma once

#include "fixed_reference.hpp"
#include "unary_spec.hpp"

#include <kompakt/graph/ops/rsqrt.hpp>

namespace kompakt_test {

// Newton's iteration for 1 / sqrt(x) with 28 fractional bits, on x scaled by a power of 4.
inline double rsqrt_integer(std::int64_t q, const op_arguments& a) {
    const quantization &in = *a.tensor(0).quantization, &to = *a.output().quantization;
    std::int64_t x = q - in.zero_point();
    if (x <= 0) return 32767;
    const double root = std::sqrt(static_cast<double>(in.scale()));
    const float product = static_cast<float>(root) * to.scale();
    std::int64_t y = 2147483647;
    int exponent = 0;
    if (x > 1) {
        exponent = -11;
        while (x < 134217728) x *= 4, ++exponent;
        y = 268435456;
        const std::int64_t half = fixed_divide(x / 2, 2);
        for (int i = 0; i < 5; ++i) {
            const std::int64_t cube = fixed_product(fixed_product(y, y), y) * 64;
            y = (fixed_product(402653184, y) - fixed_product(half, cube)) * 8;
        }
        y = fixed_product(y, fixed_constant(std::sqrt(0.5), 2147483648.0));
        while (exponent > 0) y *= 2, --exponent; // int32 holds it: small x have small exponents
    }
    // 1 / sqrt(x) with 20 fractional bits.
    const std::int64_t fine = fixed_divide(
        fixed_product(std::int64_t{1} << (20 + exponent > 0 ? 20 + exponent : 0), wrapped(y)), 1);
    const reference_multiplier m(1.0 / static_cast<double>(product) / 1048576.0);
    return static_cast<double>(m.apply(fine) + to.zero_point());
}

inline op_spec rsqrt_spec() {
    const auto real = [](double x, const op_arguments&) { return 1 / std::sqrt(x); };
    op_spec s{"rsqrt", {}, unary_reference(real, rsqrt_integer)};
    add_float_cases(s, kompakt::ops::rsqrt{});
    add_int8_cases(s, kompakt::ops::rsqrt{});
    add_int16_cases(s, kompakt::ops::rsqrt{});
    return s;
}

} // namespace kompakt_test
