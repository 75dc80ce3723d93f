// float16 (IEEE 754 binary16) and bfloat16, held in 16 bits, from and to float32: half to even,
// beyond the largest number infinity; NaN stays NaN, of the same sign.
#pragma once

#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline std::uint16_t half_of_float(float x) noexcept {
    const std::uint32_t bits = float_bits(x);
    const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
    // From 65520 on, half way beyond the largest number.
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
    const std::uint32_t exponent = magnitude >> 23;
    // Below half of the smallest number; at the half itself the even neighbour is 0.
    if (exponent < 102) return static_cast<std::uint16_t>(sign);
    std::uint32_t mantissa, drop;
    if (exponent < 113) { // subnormal: counts of 2^-24
        mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        drop = 126 - exponent;
    } else {
        mantissa = magnitude - (112u << 23);
        drop = 13;
    }
    // The carry of the rounding runs into the exponent as it should.
    const std::uint32_t rest = mantissa & ((1u << drop) - 1), half = 1u << (drop - 1);
    std::uint32_t kept = mantissa >> drop;
    if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
    return static_cast<std::uint16_t>(sign | kept);
}
inline float float_of_half(std::uint16_t h) noexcept {
    const std::uint32_t sign = (h & 0x8000u) << 16, exponent = (h >> 10) & 0x1fu, m = h & 0x3ffu;
    if (exponent == 31) return float_of_bits(sign | 0x7f800000u | m << 13);
    if (exponent != 0) return float_of_bits(sign | (exponent + 112) << 23 | m << 13);
    // Subnormal: m * 2^-24, exact.
    return copy_sign_f32(static_cast<float>(m) * 0x1p-24f, float_of_bits(sign));
}

inline std::uint16_t bfloat_of_float(float x) noexcept {
    const std::uint32_t bits = float_bits(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    }
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float float_of_bfloat(std::uint16_t h) noexcept {
    return float_of_bits(static_cast<std::uint32_t>(h) << 16);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
