// What the float32 kernels of the AVX2 port share: sums of 8 channels from their first value, the
// bias, to the output.
#pragma once

#include <kompakt_ports/x86/avx2_target.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t lanes = 8;

// The first `count` values, zeros behind them; touches nothing else.
KOMPAKT_DETAIL_AVX2_INLINE __m256 load_floats(const float* from, std::int32_t count) noexcept {
    if (count >= lanes) return _mm256_loadu_ps(from);
    alignas(32) float part[lanes] = {};
    for (std::int32_t i = 0; i < count; ++i) part[i] = from[i];
    return _mm256_load_ps(part);
}
KOMPAKT_DETAIL_AVX2_INLINE void store_floats(__m256 x, std::int32_t count, float* to) noexcept {
    if (count >= lanes) return _mm256_storeu_ps(to, x);
    alignas(32) float part[lanes];
    _mm256_store_ps(part, x);
    for (std::int32_t i = 0; i < count; ++i) to[i] = part[i];
}

// The end of a float32 layer: bias before, limits behind.
struct float_stage {
    const float* bias; // null: none
    float min, max;

    KOMPAKT_DETAIL_AVX2_INLINE __m256 start(std::int32_t channel,
                                            std::int32_t count) const noexcept {
        return bias != nullptr ? load_floats(bias + channel, count) : _mm256_setzero_ps();
    }
    // As `limit` does: NaN stays NaN.
    KOMPAKT_DETAIL_AVX2_INLINE void finish(__m256 sum, std::int32_t count,
                                           float* to) const noexcept {
        const __m256 above = _mm256_max_ps(_mm256_set1_ps(min), sum);
        store_floats(_mm256_min_ps(_mm256_set1_ps(max), above), count, to);
    }
};

} // namespace avx2_code
} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
