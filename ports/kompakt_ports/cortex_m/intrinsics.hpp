// The instructions of the DSP extension that the kernels use, and what they compute as plain C++.
#pragma once

#include <kompakt_ports/cortex_m/tags.hpp>

#include <cstring>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// Two int16 in one word, the first in the low half.
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t low_half(std::uint32_t x) noexcept {
    return static_cast<std::int16_t>(x & 0xffffu);
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t high_half(std::uint32_t x) noexcept {
    return static_cast<std::int16_t>(x >> 16);
}
KOMPAKT_ALWAYS_INLINE constexpr std::uint32_t halves(std::int32_t low, std::int32_t high) noexcept {
    return (static_cast<std::uint32_t>(low) & 0xffffu) | static_cast<std::uint32_t>(high) << 16;
}

// Any alignment.
KOMPAKT_ALWAYS_INLINE std::uint32_t load_word(const void* from) noexcept {
    std::uint32_t x;
    std::memcpy(&x, from, 4);
    return x;
}

#if KOMPAKT_DETAIL_CORTEX_M_DSP

// Bytes 0 and 2, sign-extended to halves.
KOMPAKT_ALWAYS_INLINE std::uint32_t sxtb16(std::uint32_t x) noexcept {
    std::uint32_t r;
    __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(x));
    return r;
}
// Bytes 1 and 3.
KOMPAKT_ALWAYS_INLINE std::uint32_t sxtb16_odd(std::uint32_t x) noexcept {
    std::uint32_t r;
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(x));
    return r;
}
// The halves of `sum` plus bytes 0 and 2, plus bytes 1 and 3; wrapping.
KOMPAKT_ALWAYS_INLINE std::uint32_t sxtab16(std::uint32_t sum, std::uint32_t x) noexcept {
    std::uint32_t r;
    __asm__("sxtab16 %0, %1, %2" : "=r"(r) : "r"(sum), "r"(x));
    return r;
}
KOMPAKT_ALWAYS_INLINE std::uint32_t sxtab16_odd(std::uint32_t sum, std::uint32_t x) noexcept {
    std::uint32_t r;
    __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(r) : "r"(sum), "r"(x));
    return r;
}
// sum + low * low + high * high, wrapping
KOMPAKT_ALWAYS_INLINE std::int32_t smlad(std::uint32_t x, std::uint32_t y,
                                         std::int32_t sum) noexcept {
    std::int32_t r;
    __asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
    return r;
}
// sum + round(a * b / 2^32), half up, wrapping
KOMPAKT_ALWAYS_INLINE std::int32_t smmlar(std::int32_t a, std::int32_t b,
                                          std::int32_t sum) noexcept {
    std::int32_t r;
    __asm__("smmlar %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
    return r;
}
// x / 2, down, limited to int8.
KOMPAKT_ALWAYS_INLINE std::int32_t half_as_i8(std::int32_t x) noexcept {
    std::int32_t r;
    __asm__("ssat %0, #8, %1, asr #1" : "=r"(r) : "r"(x));
    return r;
}
// x * 2^n and x / 2^n, down, with n of any value: shifts by 32 and more leave zeros or the sign.
KOMPAKT_ALWAYS_INLINE std::int32_t shift_left(std::int32_t x, std::uint32_t n) noexcept {
    std::int32_t r;
    __asm__("lsl %0, %1, %2" : "=r"(r) : "r"(x), "r"(n));
    return r;
}
KOMPAKT_ALWAYS_INLINE std::int32_t shift_right(std::int32_t x, std::uint32_t n) noexcept {
    std::int32_t r;
    __asm__("asr %0, %1, %2" : "=r"(r) : "r"(x), "r"(n));
    return r;
}

#else

KOMPAKT_ALWAYS_INLINE constexpr std::int32_t byte_of(std::uint32_t x, int i) noexcept {
    return static_cast<std::int8_t>(x >> 8 * i & 0xffu);
}
KOMPAKT_ALWAYS_INLINE constexpr std::uint32_t sxtb16(std::uint32_t x) noexcept {
    return halves(byte_of(x, 0), byte_of(x, 2));
}
KOMPAKT_ALWAYS_INLINE constexpr std::uint32_t sxtb16_odd(std::uint32_t x) noexcept {
    return halves(byte_of(x, 1), byte_of(x, 3));
}
KOMPAKT_ALWAYS_INLINE constexpr std::uint32_t sxtab16(std::uint32_t sum, std::uint32_t x) noexcept {
    return halves(low_half(sum) + byte_of(x, 0), high_half(sum) + byte_of(x, 2));
}
KOMPAKT_ALWAYS_INLINE constexpr std::uint32_t sxtab16_odd(std::uint32_t sum,
                                                          std::uint32_t x) noexcept {
    return halves(low_half(sum) + byte_of(x, 1), high_half(sum) + byte_of(x, 3));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t smlad(std::uint32_t x, std::uint32_t y,
                                                   std::int32_t sum) noexcept {
    const std::int64_t products =
        std::int64_t{low_half(x)} * low_half(y) + std::int64_t{high_half(x)} * high_half(y);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                     static_cast<std::uint32_t>(products));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t smmlar(std::int32_t a, std::int32_t b,
                                                    std::int32_t sum) noexcept {
    const std::int64_t rounded = (std::int64_t{a} * b + (std::int64_t{1} << 31)) >> 32;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                     static_cast<std::uint32_t>(rounded));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t half_as_i8(std::int32_t x) noexcept {
    const std::int32_t half = x >> 1;
    return half < -128 ? -128 : half > 127 ? 127 : half;
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t shift_left(std::int32_t x, std::uint32_t n) noexcept {
    return n > 31 ? 0 : static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << n);
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t shift_right(std::int32_t x, std::uint32_t n) noexcept {
    return x >> (n > 31 ? 31 : n);
}

#endif

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
