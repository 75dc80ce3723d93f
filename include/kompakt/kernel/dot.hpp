// Dot products: the innermost loop of convolution and matrix kernels, and the least that a port may
// overload to make them all faster: dot_i8, dot4_i8, dot_i16, dot4_i16, dot_f32.
#pragma once

#include <kompakt/core/dtype.hpp>
#include <kompakt/core/port.hpp>
#include <kompakt/numeric/fixed_point.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// sum + a[0] * (b[0] - zero_point) + … + a[n - 1] * (b[n - 1] - zero_point), wrapping
template <class Port>
KOMPAKT_ALWAYS_INLINE std::int32_t dot_i8(portable, Port, const std::int8_t* a,
                                          const std::int8_t* b, std::int32_t n,
                                          std::int32_t zero_point, std::int32_t sum) noexcept {
    for (std::int32_t i = 0; i < n; ++i) sum = wrap_add(sum, a[i] * (b[i] - zero_point));
    return sum;
}

// Four such sums at once, over rows of `a` that lie `stride` apart: each b is loaded once for all.
template <class Sum>
struct four {
    Sum value[4];
};
using four_sums = four<std::int32_t>;
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4_i8(portable, Port, const std::int8_t* a, std::int32_t stride,
                                   const std::int8_t* b, std::int32_t n, std::int32_t zero_point,
                                   four_sums& sums) noexcept {
    const std::int8_t *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    std::int32_t s0 = sums.value[0], s1 = sums.value[1], s2 = sums.value[2], s3 = sums.value[3];
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t x = b[i] - zero_point;
        s0 = wrap_add(s0, a[i] * x);
        s1 = wrap_add(s1, a1[i] * x);
        s2 = wrap_add(s2, a2[i] * x);
        s3 = wrap_add(s3, a3[i] * x);
    }
    sums = {{s0, s1, s2, s3}};
}

// int8 weights by int16 values, whose zero point is 0.
template <class Port>
KOMPAKT_ALWAYS_INLINE std::int32_t dot_i16(portable, Port, const std::int8_t* a,
                                           const std::int16_t* b, std::int32_t n,
                                           std::int32_t sum) noexcept {
    for (std::int32_t i = 0; i < n; ++i) sum = wrap_add(sum, a[i] * b[i]);
    return sum;
}
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4_i16(portable, Port, const std::int8_t* a, std::int32_t stride,
                                    const std::int16_t* b, std::int32_t n,
                                    four_sums& sums) noexcept {
    const std::int8_t *a1 = a + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    std::int32_t s0 = sums.value[0], s1 = sums.value[1], s2 = sums.value[2], s3 = sums.value[3];
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t x = b[i];
        s0 = wrap_add(s0, a[i] * x);
        s1 = wrap_add(s1, a1[i] * x);
        s2 = wrap_add(s2, a2[i] * x);
        s3 = wrap_add(s3, a3[i] * x);
    }
    sums = {{s0, s1, s2, s3}};
}

// sum + a[0] * b[0] + … + a[n - 1] * b[n - 1]
template <class Port>
KOMPAKT_ALWAYS_INLINE float dot_f32(portable, Port, const float* a, const float* b, std::int32_t n,
                                    float sum) noexcept {
    for (std::int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// Weights of 1, 2 or 4 bits, the first in the low bits: a pointer to their elements. Two's
// complement; a single bit is the sign: +1 where it is clear, -1 where it is set.
template <unsigned Bits>
struct packed_weights {
    static_assert(Bits == 1 || Bits == 2 || Bits == 4, "packed_weights: 1, 2 or 4 bits");
    static constexpr std::uint32_t per_byte = 8 / Bits, mask = (1u << Bits) - 1;
    const std::byte* bytes = nullptr;
    std::int32_t at = 0;

    KOMPAKT_ALWAYS_INLINE constexpr packed_weights operator+(std::int32_t n) const noexcept {
        return {bytes, at + n};
    }
    constexpr packed_weights& operator+=(std::int32_t n) noexcept {
        at += n;
        return *this;
    }
    KOMPAKT_ALWAYS_INLINE constexpr std::int32_t operator[](std::int32_t i) const noexcept {
        const auto k = static_cast<std::uint32_t>(at + i);
        const std::uint32_t element =
            static_cast<std::uint32_t>(bytes[k / per_byte]) >> (k % per_byte * Bits) & mask;
        if constexpr (Bits == 1) return 1 - 2 * static_cast<std::int32_t>(element);
        constexpr std::uint32_t sign = 1u << (Bits - 1);
        return static_cast<std::int32_t>(element ^ sign) - static_cast<std::int32_t>(sign);
    }
};
using packed_i4 = packed_weights<4>;

// Element types of packed weights, which name what the bytes hold; std::byte stands for int4.
enum class packed_i2 : std::uint8_t {};
enum class packed_signs : std::uint8_t {};

// The weights of a filter, by what its elements are stored as: the one thing that a kernel written
// for several encodings asks.
KOMPAKT_ALWAYS_INLINE constexpr const std::int8_t* weights_of(const std::int8_t* data) noexcept {
    return data;
}
KOMPAKT_ALWAYS_INLINE constexpr const float* weights_of(const float* data) noexcept {
    return data;
}
KOMPAKT_ALWAYS_INLINE constexpr packed_weights<4> weights_of(const std::byte* data) noexcept {
    return {data, 0};
}
KOMPAKT_ALWAYS_INLINE packed_weights<2> weights_of(const packed_i2* data) noexcept {
    return {reinterpret_cast<const std::byte*>(data), 0};
}
KOMPAKT_ALWAYS_INLINE packed_weights<1> weights_of(const packed_signs* data) noexcept {
    return {reinterpret_cast<const std::byte*>(data), 0};
}

template <class Weight>
inline constexpr dtype weight_type = dtype_of<Weight>;
template <>
inline constexpr dtype weight_type<std::byte> = dtype::i4;

// The same two functions for every pair of weights and values and every width of their sums, for
// kernels that are written once for all of them.
namespace detail {

template <class Port>
KOMPAKT_ALWAYS_INLINE std::int32_t dot(Port port, const std::int8_t* a, const std::int8_t* b,
                                       std::int32_t n, std::int32_t zero_point,
                                       std::int32_t sum) noexcept {
    return dot_i8(port, port, a, b, n, zero_point, sum);
}
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4(Port port, const std::int8_t* a, std::int32_t stride,
                                const std::int8_t* b, std::int32_t n, std::int32_t zero_point,
                                four_sums& sums) noexcept {
    dot4_i8(port, port, a, stride, b, n, zero_point, sums);
}

// Packed weights are unpacked by blocks that stay on the stack.
inline constexpr std::int32_t unpacked_block = 32;

inline void unpack(packed_weights<4> from, std::int32_t n, std::int8_t* to) noexcept {
    std::int32_t i = 0;
    if (from.at % 2 != 0 && n > 0) to[i++] = static_cast<std::int8_t>(from[0]);
    const std::byte* pair = from.bytes + (from.at + i) / 2;
    for (; i + 2 <= n; i += 2, ++pair) {
        // Shifts keep the sign: one bit-field instruction each.
        const auto both = static_cast<std::uint32_t>(*pair);
        to[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(both << 28) >> 28);
        to[i + 1] = static_cast<std::int8_t>(static_cast<std::int32_t>(both << 24) >> 28);
    }
    if (i < n) to[i] = static_cast<std::int8_t>(from[i]);
}
template <unsigned Bits>
void unpack(packed_weights<Bits> from, std::int32_t n, std::int8_t* to) noexcept {
    constexpr std::int32_t per_byte = 8 / Bits;
    std::int32_t i = 0;
    for (; (from.at + i) % per_byte != 0 && i < n; ++i) to[i] = static_cast<std::int8_t>(from[i]);
    const std::byte* at = from.bytes + (from.at + i) / per_byte;
    for (; i + per_byte <= n; i += per_byte, ++at) {
        auto rest = static_cast<std::uint32_t>(*at);
        for (std::int32_t k = 0; k < per_byte; ++k, rest >>= Bits) {
            const auto sign = static_cast<std::int32_t>(rest << (32 - Bits)) >> (32 - Bits);
            to[i + k] = static_cast<std::int8_t>(Bits == 1 ? sign | 1 : sign);
        }
    }
    for (; i < n; ++i) to[i] = static_cast<std::int8_t>(from[i]);
}
template <class Port, unsigned Bits>
std::int32_t dot(Port port, packed_weights<Bits> a, const std::int8_t* b, std::int32_t n,
                 std::int32_t zero_point, std::int32_t sum) noexcept {
    std::int8_t block[unpacked_block];
    for (std::int32_t i = 0; i < n; i += unpacked_block) {
        const std::int32_t length = n - i < unpacked_block ? n - i : unpacked_block;
        unpack(a + i, length, block);
        sum = dot_i8(port, port, block, b + i, length, zero_point, sum);
    }
    return sum;
}
template <class Port, unsigned Bits>
void dot4(Port port, packed_weights<Bits> a, std::int32_t stride, const std::int8_t* b,
          std::int32_t n, std::int32_t zero_point, four_sums& sums) noexcept {
    std::int8_t block[4 * unpacked_block];
    for (std::int32_t i = 0; i < n; i += unpacked_block) {
        const std::int32_t length = n - i < unpacked_block ? n - i : unpacked_block;
        for (std::int32_t k = 0; k < 4; ++k) {
            unpack(a + k * stride + i, length, block + k * unpacked_block);
        }
        dot4_i8(port, port, block, unpacked_block, b + i, length, zero_point, sums);
    }
}

template <class Port>
KOMPAKT_ALWAYS_INLINE std::int32_t dot(Port port, const std::int8_t* a, const std::int16_t* b,
                                       std::int32_t n, std::int32_t, std::int32_t sum) noexcept {
    return dot_i16(port, port, a, b, n, sum);
}
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4(Port port, const std::int8_t* a, std::int32_t stride,
                                const std::int16_t* b, std::int32_t n, std::int32_t,
                                four_sums& sums) noexcept {
    dot4_i16(port, port, a, stride, b, n, sums);
}

// Sums of 64 bits, in blocks whose sums fit 32: a product is at most 2^22.
inline constexpr std::int32_t wide_block = 256;

template <class Port>
KOMPAKT_ALWAYS_INLINE std::int64_t dot(Port port, const std::int8_t* a, const std::int16_t* b,
                                       std::int32_t n, std::int32_t, std::int64_t sum) noexcept {
    for (std::int32_t i = 0; i < n; i += wide_block) {
        const std::int32_t length = n - i < wide_block ? n - i : wide_block;
        sum = wrap_add_wide(sum, dot_i16(port, port, a + i, b + i, length, 0));
    }
    return sum;
}
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4(Port port, const std::int8_t* a, std::int32_t stride,
                                const std::int16_t* b, std::int32_t n, std::int32_t,
                                four<std::int64_t>& sums) noexcept {
    for (std::int32_t i = 0; i < n; i += wide_block) {
        const std::int32_t length = n - i < wide_block ? n - i : wide_block;
        four_sums block{};
        dot4_i16(port, port, a + i, stride, b + i, length, block);
        for (int k = 0; k < 4; ++k) {
            sums.value[k] = wrap_add_wide(sums.value[k], block.value[k]);
        }
    }
}

template <class Port>
KOMPAKT_ALWAYS_INLINE float dot(Port port, const float* a, const float* b, std::int32_t n,
                                std::int32_t, float sum) noexcept {
    return dot_f32(port, port, a, b, n, sum);
}
template <class Port>
KOMPAKT_ALWAYS_INLINE void dot4(Port port, const float* a, std::int32_t stride, const float* b,
                                std::int32_t n, std::int32_t, four<float>& sums) noexcept {
    for (std::int32_t k = 0; k < 4; ++k) {
        sums.value[k] = dot_f32(port, port, a + k * stride, b, n, sums.value[k]);
    }
}

} // namespace detail

KOMPAKT_ALWAYS_INLINE constexpr float limit(float x, float lo, float hi) noexcept {
    return x < lo ? lo : x > hi ? hi : x;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
