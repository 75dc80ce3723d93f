// Elementary functions for float kernels: no libm (newlib's works in double, which small cores
// emulate), and the same bits on every machine that rounds as IEEE says.
//
// Errors are in units in the last place (ulp) of the exact value, over all of float32; tests hold
// them against double.
//
//     exp 2    expm1 2    log 1    sqrt 0.5    sin, cos 3    tanh, sigmoid 3    erfc 8
#pragma once

#include <kompakt/core/config.hpp>

#include <cstring>
#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline std::uint32_t float_bits(float x) noexcept {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float float_of_bits(std::uint32_t bits) noexcept {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline float abs_f32(float x) noexcept {
    return float_of_bits(float_bits(x) & 0x7fffffffu);
}
// The magnitude of `x` with the sign of `sign`.
inline float copy_sign_f32(float x, float sign) noexcept {
    return float_of_bits((float_bits(x) & 0x7fffffffu) | (float_bits(sign) & 0x80000000u));
}

// e^x; infinity above 88.73, 0 below -104, NaN for NaN.
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
        return float_of_bits(static_cast<std::uint32_t>(e + 127) << 23);
    };
    const std::int32_t half = n / 2;
    return p * power(half) * power(n - half);
}

// e^x - 1, exact to the last places also where e^x is near 1.
inline float expm1_f32(float x) noexcept {
    if (!(x > -0.5f && x < 0.5f)) return exp_f32(x) - 1.0f;
    // Taylor's series to the eighth power: the rest is below 2^-26 of the sum.
    float p = 1.0f / 40320.0f;
    p = p * x + 1.0f / 5040.0f;
    p = p * x + 1.0f / 720.0f;
    p = p * x + 1.0f / 120.0f;
    p = p * x + 1.0f / 24.0f;
    p = p * x + 1.0f / 6.0f;
    p = p * x + 0.5f;
    return p * x * x + x;
}

// The natural logarithm; minus infinity for 0, NaN below 0.
inline float log_f32(float x) noexcept {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (x != x || x == infinity) return x;
    if (x == 0.0f) return -infinity;
    if (x < 0.0f) return std::numeric_limits<float>::quiet_NaN();
    std::int32_t exponent = 0;
    if (x < std::numeric_limits<float>::min()) { // subnormal
        x *= 8388608.0f;
        exponent = -23;
    }
    // x = 2^exponent * m with m between sqrt(1/2) and sqrt(2).
    constexpr std::uint32_t sqrt_half = 0x3f3504f3u;
    const std::uint32_t bits = float_bits(x) - sqrt_half;
    exponent += static_cast<std::int32_t>(bits) >> 23;
    const float f = float_of_bits((bits & 0x007fffffu) + sqrt_half) - 1.0f;
    // log(1 + f) = 2 atanh(s) with s = f / (2 + f) = f - f^2 / 2 + s (f^2 / 2 + rest), which keeps
    // the leading terms exact.
    const float s = f / (2.0f + f), z = s * s;
    float rest = 2.0f / 11.0f;
    rest = rest * z + 2.0f / 9.0f;
    rest = rest * z + 2.0f / 7.0f;
    rest = rest * z + 2.0f / 5.0f;
    rest = rest * z + 2.0f / 3.0f;
    rest *= z;
    const float half_square = 0.5f * f * f, e = static_cast<float>(exponent);
    // ln 2 in two parts, of which the exponent times the first is exact.
    return e * 0.693359375f - ((half_square - (s * (half_square + rest) - e * 2.12194440e-4f)) - f);
}

// The square root, correctly rounded; NaN below 0. One bit at a time in integers: as fast as
// Newton's iteration where floats are emulated, and exact.
inline float sqrt_f32(float x) noexcept {
    if (!(x > 0.0f) || x == std::numeric_limits<float>::infinity()) {
        return x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : x; // also 0, -0 and NaN
    }
    std::int32_t exponent = 0;
    if (x < std::numeric_limits<float>::min()) { // subnormal
        x *= 16777216.0f;
        exponent = -24;
    }
    const std::uint32_t bits = float_bits(x);
    exponent += static_cast<std::int32_t>(bits >> 23) - 127;
    std::uint32_t rest = (bits & 0x007fffffu) | 0x00800000u;
    if ((exponent & 1) != 0) rest *= 2;
    rest *= 2;
    // 24 bits of the root and one to round by; `rest` is what the root's square leaves.
    std::uint32_t root = 0, twice = 0;
    for (std::uint32_t bit = 0x01000000u; bit != 0; bit >>= 1) {
        const std::uint32_t sum = twice + bit;
        if (sum <= rest) {
            twice = sum + bit;
            rest -= sum;
            root += bit;
        }
        rest *= 2;
    }
    // No root lies halfway between two floats, so the extra bit decides.
    root = (root + 1) >> 1;
    return float_of_bits(root + (static_cast<std::uint32_t>((exponent >> 1) + 126) << 23));
}

namespace detail {

// x = quadrant * pi / 2 + rest with |rest| <= pi / 4 and the quadrant modulo 4, for any finite x
// beyond pi / 4. Payne and Hanek: only those 96 bits of 2 / pi that matter are multiplied with the
// 24 bits of x, so that even the largest numbers lose nothing.
struct quadrant_and_rest {
    std::uint32_t quadrant;
    float rest;
};
inline quadrant_and_rest reduce_angle(float x) noexcept {
    // 2 / pi after 32 zeros.
    constexpr std::uint32_t two_over_pi[] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                             0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
    const std::uint32_t bits = float_bits(x);
    const std::uint32_t m = (bits & 0x007fffffu) | 0x00800000u;
    // |x| = m 2^e. Bits of 2 / pi up to number e - 2 give multiples of 4 and are left out.
    const std::uint32_t first = ((bits >> 23) & 0xffu) - 150 - 2 + 32;
    const std::uint32_t word = first / 32, shift = first % 32;
    const auto window = [&](std::uint32_t i) {
        const std::uint64_t two =
            std::uint64_t{two_over_pi[word + i]} << 32 | two_over_pi[word + i + 1];
        return static_cast<std::uint32_t>(two << shift >> 32);
    };
    // The upper 64 of the lower 96 bits of the product: 2 bits of quadrant, 62 of fraction.
    std::uint64_t turns = std::uint64_t{m} * window(2) >> 32;
    turns += std::uint64_t{m} * window(1);
    turns += std::uint64_t{m * window(0)} << 32;
    auto quadrant = static_cast<std::uint32_t>(turns >> 62);
    const std::uint64_t fraction = turns << 2;
    // To the nearest quadrant; 2^-64 pi / 2.
    bool below = false;
    std::uint64_t magnitude = fraction;
    if (fraction >> 63 != 0) {
        ++quadrant;
        below = true;
        magnitude = 0 - fraction;
    }
    float rest = static_cast<float>(magnitude) * 8.51530395e-20f;
    if (below) rest = -rest;
    return (bits >> 31) != 0 ? quadrant_and_rest{(0 - quadrant) & 3, -rest}
                             : quadrant_and_rest{quadrant & 3, rest};
}
// Taylor's series, within pi / 4.
inline float sin_of_rest(float x) noexcept {
    const float z = x * x;
    if (z < 1e-7f) return x; // also -0, which the sum would lose
    float p = 1.0f / 362880.0f;
    p = p * z - 1.0f / 5040.0f;
    p = p * z + 1.0f / 120.0f;
    p = p * z - 1.0f / 6.0f;
    return x + x * z * p;
}
inline float cos_of_rest(float x) noexcept {
    const float z = x * x;
    float p = -1.0f / 3628800.0f;
    p = p * z + 1.0f / 40320.0f;
    p = p * z - 1.0f / 720.0f;
    p = p * z + 1.0f / 24.0f;
    return 1.0f - (0.5f * z - z * z * p);
}
// The sine of x and `quarters` right angles.
inline float sin_shifted(float x, std::uint32_t quarters) noexcept {
    const float a = abs_f32(x);
    if (!(a <= (std::numeric_limits<float>::max)())) return x - x; // NaN for infinity and NaN
    quadrant_and_rest r{0, x};
    if (a > 0.785398185f) r = reduce_angle(x);
    const std::uint32_t q = (r.quadrant + quarters) & 3;
    const float y = (q & 1) != 0 ? cos_of_rest(r.rest) : sin_of_rest(r.rest);
    return (q & 2) != 0 ? -y : y;
}

} // namespace detail

// Sine and cosine of an angle in radians, however large; NaN for infinity.
inline float sin_f32(float x) noexcept {
    return detail::sin_shifted(x, 0);
}
inline float cos_f32(float x) noexcept {
    return detail::sin_shifted(x, 1);
}

// The hyperbolic tangent.
inline float tanh_f32(float x) noexcept {
    const float a = abs_f32(x);
    if (a > 9.5f) return copy_sign_f32(1.0f, x); // 1 - tanh is below half a step of 1 from 9.02 on
    const float t = expm1_f32(2.0f * a);
    return copy_sign_f32(t / (t + 2.0f), x);
}

// 1 / (1 + e^-x). The exponential of a negative number only, so that nothing overflows.
inline float sigmoid_f32(float x) noexcept {
    const float e = exp_f32(x < 0.0f ? x : -x);
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// The complementary error function, 2 / sqrt(pi) times the integral of e^-t^2 from x on.
inline float erfc_f32(float x) noexcept {
    if (x != x) return x;
    const float a = abs_f32(x);
    if (a > 10.1f) return x < 0.0f ? 2.0f : 0.0f;
    // erfc(a) = e^-a^2 t g(t) with t = 1 / (1 + a / 2); g fitted to its value at Chebyshev's nodes
    // for a from 0 to 10.9, relative error 5.5e-8.
    const float t = 1.0f / (1.0f + 0.5f * a);
    float g = -0.0602050743f;
    g = g * t + 0.290056353f;
    g = g * t - 0.498363391f;
    g = g * t + 0.290544594f;
    g = g * t - 0.0349531726f;
    g = g * t + 0.206065847f;
    g = g * t + 0.242294526f;
    g = g * t + 0.28247933f;
    g = g * t + 0.282080944f;
    // a^2 exactly, in two parts: rounding it would cost up to 50 units in the last place.
    const float head = float_of_bits(float_bits(a) & 0xfffff000u);
    const float y = exp_f32(-head * head) * (exp_f32((head - a) * (head + a)) * t * g);
    return x < 0.0f ? 2.0f - y : y;
}

// Toward minus and plus infinity. -0 and what rounds to it keep their sign.
inline float floor_f32(float x) noexcept {
    if (!(abs_f32(x) < 8388608.0f)) return x; // has no fraction, or is not a number
    const auto whole = static_cast<float>(static_cast<std::int32_t>(x));
    return copy_sign_f32(whole > x ? whole - 1.0f : whole, x);
}
inline float ceil_f32(float x) noexcept {
    return -floor_f32(-x);
}
// To the nearest integer, halves to the even one. What rounds up to 0 from below is +0, as in
// TensorFlow Lite.
inline float round_half_even_f32(float x) noexcept {
    const float below = floor_f32(x), rest = x - below;
    if (rest < 0.5f) return below;
    if (rest == 0.5f && (static_cast<std::int32_t>(below) & 1) == 0) return below;
    return below + 1.0f;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
