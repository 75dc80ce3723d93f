// The float32 matrix product that training runs on, on AVX2 with fused multiply-add.
//
// A tile of 6 x 16 sums stays in registers while it runs over k; each sum is taken in the order of
// k, as in the portable kernel, with one rounding a step instead of two.
#pragma once

#include <kompakt/kernel/gemm.hpp>
#include <kompakt_ports/x86/avx2_target.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t float_rows = 6, float_columns = 16;

// The first `n` of eight lanes.
KOMPAKT_DETAIL_AVX2_INLINE __m256i first_lanes(std::int32_t n) noexcept {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
template <bool Masked>
KOMPAKT_DETAIL_AVX2_INLINE __m256 load_lanes(const float* p, __m256i mask) noexcept {
    if constexpr (Masked) return _mm256_maskload_ps(p, mask);
    static_cast<void>(mask);
    return _mm256_loadu_ps(p);
}
template <bool Masked>
KOMPAKT_DETAIL_AVX2_INLINE void store_lanes(float* p, __m256i mask, __m256 x) noexcept {
    if constexpr (Masked) {
        _mm256_maskstore_ps(p, mask, x);
    } else {
        _mm256_storeu_ps(p, x);
    }
}

// Rows of sums, written out: compilers keep arrays of them in memory. `Wide`: two vectors a row,
// of which the last may be masked.
template <std::int32_t Rows, bool Wide, bool Masked>
KOMPAKT_DETAIL_AVX2 inline void float_tile(const gemm_shape& s, const float* a, const float* b,
                                           float* c, __m256i mask) noexcept {
    constexpr bool masked_low = Masked && !Wide;
    const std::ptrdiff_t row = s.a_row, step = s.a_depth, next = s.b_row, out = s.c_row;
    __m256 l0 = _mm256_setzero_ps(), h0 = _mm256_setzero_ps();
    __m256 l1 = _mm256_setzero_ps(), h1 = _mm256_setzero_ps();
    __m256 l2 = _mm256_setzero_ps(), h2 = _mm256_setzero_ps();
    __m256 l3 = _mm256_setzero_ps(), h3 = _mm256_setzero_ps();
    __m256 l4 = _mm256_setzero_ps(), h4 = _mm256_setzero_ps();
    __m256 l5 = _mm256_setzero_ps(), h5 = _mm256_setzero_ps();
    if (s.add) {
        l0 = load_lanes<masked_low>(c + 0 * out, mask);
        if constexpr (Wide) h0 = load_lanes<Masked>(c + 0 * out + 8, mask);
        if constexpr (Rows > 1) l1 = load_lanes<masked_low>(c + 1 * out, mask);
        if constexpr (Wide && Rows > 1) h1 = load_lanes<Masked>(c + 1 * out + 8, mask);
        if constexpr (Rows > 2) l2 = load_lanes<masked_low>(c + 2 * out, mask);
        if constexpr (Wide && Rows > 2) h2 = load_lanes<Masked>(c + 2 * out + 8, mask);
        if constexpr (Rows > 3) l3 = load_lanes<masked_low>(c + 3 * out, mask);
        if constexpr (Wide && Rows > 3) h3 = load_lanes<Masked>(c + 3 * out + 8, mask);
        if constexpr (Rows > 4) l4 = load_lanes<masked_low>(c + 4 * out, mask);
        if constexpr (Wide && Rows > 4) h4 = load_lanes<Masked>(c + 4 * out + 8, mask);
        if constexpr (Rows > 5) l5 = load_lanes<masked_low>(c + 5 * out, mask);
        if constexpr (Wide && Rows > 5) h5 = load_lanes<Masked>(c + 5 * out + 8, mask);
    }
    for (std::int32_t k = 0; k < s.k; ++k, a += step, b += next) {
        const __m256 low = load_lanes<masked_low>(b, mask);
        __m256 high = _mm256_setzero_ps();
        if constexpr (Wide) high = load_lanes<Masked>(b + 8, mask);
        const __m256 x0 = _mm256_broadcast_ss(a);
        l0 = _mm256_fmadd_ps(x0, low, l0);
        if constexpr (Wide) h0 = _mm256_fmadd_ps(x0, high, h0);
        if constexpr (Rows > 1) {
            const __m256 x = _mm256_broadcast_ss(a + 1 * row);
            l1 = _mm256_fmadd_ps(x, low, l1);
            if constexpr (Wide) h1 = _mm256_fmadd_ps(x, high, h1);
        }
        if constexpr (Rows > 2) {
            const __m256 x = _mm256_broadcast_ss(a + 2 * row);
            l2 = _mm256_fmadd_ps(x, low, l2);
            if constexpr (Wide) h2 = _mm256_fmadd_ps(x, high, h2);
        }
        if constexpr (Rows > 3) {
            const __m256 x = _mm256_broadcast_ss(a + 3 * row);
            l3 = _mm256_fmadd_ps(x, low, l3);
            if constexpr (Wide) h3 = _mm256_fmadd_ps(x, high, h3);
        }
        if constexpr (Rows > 4) {
            const __m256 x = _mm256_broadcast_ss(a + 4 * row);
            l4 = _mm256_fmadd_ps(x, low, l4);
            if constexpr (Wide) h4 = _mm256_fmadd_ps(x, high, h4);
        }
        if constexpr (Rows > 5) {
            const __m256 x = _mm256_broadcast_ss(a + 5 * row);
            l5 = _mm256_fmadd_ps(x, low, l5);
            if constexpr (Wide) h5 = _mm256_fmadd_ps(x, high, h5);
        }
    }
    store_lanes<masked_low>(c, mask, l0);
    if constexpr (Wide) store_lanes<Masked>(c + 8, mask, h0);
    if constexpr (Rows > 1) {
        store_lanes<masked_low>(c + 1 * out, mask, l1);
        if constexpr (Wide) store_lanes<Masked>(c + 1 * out + 8, mask, h1);
    }
    if constexpr (Rows > 2) {
        store_lanes<masked_low>(c + 2 * out, mask, l2);
        if constexpr (Wide) store_lanes<Masked>(c + 2 * out + 8, mask, h2);
    }
    if constexpr (Rows > 3) {
        store_lanes<masked_low>(c + 3 * out, mask, l3);
        if constexpr (Wide) store_lanes<Masked>(c + 3 * out + 8, mask, h3);
    }
    if constexpr (Rows > 4) {
        store_lanes<masked_low>(c + 4 * out, mask, l4);
        if constexpr (Wide) store_lanes<Masked>(c + 4 * out + 8, mask, h4);
    }
    if constexpr (Rows > 5) {
        store_lanes<masked_low>(c + 5 * out, mask, l5);
        if constexpr (Wide) store_lanes<Masked>(c + 5 * out + 8, mask, h5);
    }
}

template <bool Wide, bool Masked>
KOMPAKT_DETAIL_AVX2 inline void float_panel(const gemm_shape& s, const float* a, const float* b,
                                            float* c, __m256i mask) noexcept {
    std::int32_t i = 0;
    for (; i + float_rows <= s.m; i += float_rows) {
        float_tile<float_rows, Wide, Masked>(s, a + i * s.a_row, b, c + i * s.c_row, mask);
    }
    a += i * s.a_row;
    c += i * s.c_row;
    switch (s.m - i) {
    case 1:
        float_tile<1, Wide, Masked>(s, a, b, c, mask);
        break;
    case 2:
        float_tile<2, Wide, Masked>(s, a, b, c, mask);
        break;
    case 3:
        float_tile<3, Wide, Masked>(s, a, b, c, mask);
        break;
    case 4:
        float_tile<4, Wide, Masked>(s, a, b, c, mask);
        break;
    case 5:
        float_tile<5, Wide, Masked>(s, a, b, c, mask);
        break;
    default:
        break;
    }
}

KOMPAKT_DETAIL_AVX2 inline void float_product(const gemm_shape& s, const float* a, const float* b,
                                              float* c) noexcept {
    const __m256i all = _mm256_set1_epi32(-1);
    std::int32_t j = 0;
    for (; j + float_columns <= s.n; j += float_columns) {
        float_panel<true, false>(s, a, b + j, c + j, all);
    }
    const std::int32_t left = s.n - j;
    if (left > 8) {
        float_panel<true, true>(s, a, b + j, c + j, first_lanes(left - 8));
    } else if (left == 8) {
        float_panel<false, false>(s, a, b + j, c + j, all);
    } else if (left > 0) {
        float_panel<false, true>(s, a, b + j, c + j, first_lanes(left));
    }
}

} // namespace avx2_code

template <class Port>
void gemm(avx2, Port, const gemm_shape& s, const float* a, const float* b, float* c) noexcept {
    avx2_code::float_product(s, a, b, c);
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
