// Elementwise remainder of the quotient rounded down, with broadcasting, float32: its sign is the
// divisor's. Exact but for the one addition that brings it there.
#pragma once

#include <kompakt/kernel/floor_div.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The remainder of the quotient rounded toward zero, with the sign of `a`: C's fmod, in integers.
// NaN for a divisor of zero.
inline float truncated_remainder(float a, float b) noexcept {
    if (!(b < 0.0f || b > 0.0f) || !(a - a == 0.0f)) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    if (!(b - b == 0.0f)) return a; // an infinite divisor
    float_parts x = float_parts::of(a);
    const float_parts y = float_parts::of(b);
    std::int32_t left = x.exponent - y.exponent;
    if (left < 0) return a; // then |a| < |b|, since only normal numbers lie above 2^-149
    x.mantissa %= y.mantissa;
    // Eight bits at a time: the mantissa is below 2^24.
    while (left > 0 && x.mantissa != 0) {
        const std::int32_t bits = left < 8 ? left : 8;
        x.mantissa = (x.mantissa << bits) % y.mantissa;
        left -= bits;
    }
    x.exponent = y.exponent;
    return x.value();
}

struct floor_mod_f32 : binary_kernel<floor_mod_f32, float> {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::floor_mod_f32;
    static constexpr const char* name = "floor_mod_f32";

    static status check(const call& c) noexcept { return check_binary(c, dtype::f32); }
    static float apply(float a, float b, const params&) noexcept {
        const float r = truncated_remainder(a, b);
        return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
