// Dot products: the innermost loop of convolution and matrix kernels, and the least that a port may
// overload to make them all faster.
#pragma once

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
struct four_sums {
    std::int32_t value[4];
};
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

// sum + a[0] * b[0] + … + a[n - 1] * b[n - 1]
template <class Port>
KOMPAKT_ALWAYS_INLINE float dot_f32(portable, Port, const float* a, const float* b, std::int32_t n,
                                    float sum) noexcept {
    for (std::int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

KOMPAKT_ALWAYS_INLINE constexpr float limit(float x, float lo, float hi) noexcept {
    return x < lo ? lo : x > hi ? hi : x;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
