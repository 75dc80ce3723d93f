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
