// The exponential function for float kernels: no libm (newlib's works in double, which small cores
// emulate), and the same bits on every machine that rounds as IEEE says.
#pragma once

#include <kompakt/core/config.hpp>

#include <cstring>
#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// e^x within 2 units in the last place; infinity above 88.73, 0 below -104, NaN for NaN.
inline float exp_f32(float x) noexcept {
    if (x != x) return x;
    if (x > 88.73f) return std::numeric_limits<float>::infinity();
    if (x < -104.0f) return 0.0f;
    // x = n ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts, of which n times the first is exact.
    const float scaled = x * 1.44269504f;
    const auto n = static_cast<std::int32_t>(scaled < 0.0f ? scaled - 0.5f : scaled + 0.5f);
    const auto f = static_cast<float>(n);
    const float r = (x - f * 0.693359375f) + f * 2.12194440e-4f;
    // Taylor's series to the seventh power: the rest is below 2^-27 of the sum.
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    // 2^n in two factors, so that results below the normal range round once.
    const auto power = [](std::int32_t e) {
        const std::uint32_t bits = static_cast<std::uint32_t>(e + 127) << 23;
        float v;
        std::memcpy(&v, &bits, sizeof v);
        return v;
    };
    const std::int32_t half = n / 2;
    return p * power(half) * power(n - half);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
