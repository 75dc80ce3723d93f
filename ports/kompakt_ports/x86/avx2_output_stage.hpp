// The output stage of int8 kernels on AVX2: eight channels of some pixels at once.
#pragma once

#include <kompakt/kernel/requantize.hpp>
#include <kompakt_ports/x86/avx2_target.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t tile = 8;   // channels that are computed together
inline constexpr std::int32_t pixels = 4; // output pixels that share a load of weights

// Multipliers and shifts of one tile. q31 is at least 0 and shifts are in -31 … 30
// (check_multiplier).
struct stage_tile {
    __m256i q31, q31_odd; // the second: channels 1, 3, 5, 7 in the low halves of 64 bits
    __m256i left, right;  // shifts
    __m256i mask, half;   // of the bits that `right` shifts out

    KOMPAKT_DETAIL_AVX2_INLINE void load(const output_stage& stage, std::int32_t channel,
                                         std::int32_t n) noexcept {
        alignas(32) std::int32_t multipliers[tile] = {}, shifts[tile] = {};
        for (std::int32_t i = 0; i < n; ++i) {
            multipliers[i] = stage.multipliers()[(channel + i) * stage.step()];
            shifts[i] = stage.shifts()[(channel + i) * stage.step()];
        }
        set(_mm256_load_si256(reinterpret_cast<const __m256i*>(multipliers)),
            _mm256_load_si256(reinterpret_cast<const __m256i*>(shifts)));
    }
    // One for all channels.
    KOMPAKT_DETAIL_AVX2_INLINE void load(const multiplier& m) noexcept {
        set(_mm256_set1_epi32(m.q31), _mm256_set1_epi32(m.shift));
    }

    // double_rounding::apply. The nudge and the truncating division of rounding_doubling_high_mul
    // are together floor((product + 2^30) / 2^31) for both signs, of which 32 bits are the result.
    KOMPAKT_DETAIL_AVX2_INLINE __m256i apply(__m256i sums) const noexcept {
        const __m256i x = _mm256_sllv_epi32(sums, left);
        const __m256i nudge = _mm256_set1_epi64x(std::int64_t{1} << 30);
        const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, q31), nudge);
        const __m256i odd =
            _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), q31_odd), nudge);
        const __m256i high =
            _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xaa);
        // rounding_divide_by_pot; a comparison gives -1 for true.
        const __m256i threshold = _mm256_sub_epi32(half, _mm256_srai_epi32(high, 31));
        const __m256i above = _mm256_cmpgt_epi32(_mm256_and_si256(high, mask), threshold);
        return _mm256_sub_epi32(_mm256_srav_epi32(high, right), above);
    }

  private:
    KOMPAKT_DETAIL_AVX2_INLINE void set(__m256i multipliers, __m256i shifts) noexcept {
        const __m256i zero = _mm256_setzero_si256();
        q31 = multipliers;
        q31_odd = _mm256_srli_epi64(q31, 32);
        left = _mm256_max_epi32(shifts, zero);
        right = _mm256_sub_epi32(zero, _mm256_min_epi32(shifts, zero));
        const __m256i one = _mm256_set1_epi32(1);
        mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, right), one);
        half = _mm256_srli_epi32(mask, 1);
    }
};

// Zero point and clamp of outputs.
struct clamping {
    __m256i zero_point, lo, hi;

    KOMPAKT_DETAIL_AVX2_INLINE explicit clamping(const output_stage_params& p) noexcept
        : zero_point(_mm256_set1_epi32(p.zero_point)), lo(_mm256_set1_epi32(p.min)),
          hi(_mm256_set1_epi32(p.max)) {}
    // Eight bytes, twice.
    KOMPAKT_DETAIL_AVX2_INLINE __m128i bytes(__m256i scaled) const noexcept {
        const __m256i y =
            _mm256_min_epi32(_mm256_max_epi32(_mm256_add_epi32(scaled, zero_point), lo), hi);
        const __m128i words =
            _mm_packs_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
        return _mm_packs_epi16(words, words);
    }
};

// Bias of n channels from `channel` on, zeros beyond.
KOMPAKT_DETAIL_AVX2_INLINE __m256i load_bias(const output_stage& stage, std::int32_t channel,
                                             std::int32_t n) noexcept {
    if (stage.bias_data() == nullptr) return _mm256_setzero_si256();
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i used = _mm256_cmpgt_epi32(_mm256_set1_epi32(n), lane);
    return _mm256_maskload_epi32(stage.bias_data() + channel, used);
}

// The outputs of one tile for `count` pixels that lie `out_c` apart.
KOMPAKT_DETAIL_AVX2_INLINE void finish(const output_stage& stage, std::int32_t channel,
                                       std::int32_t n, const __m256i* sums, std::int32_t count,
                                       std::int8_t* out, std::int32_t out_c) noexcept {
    stage_tile s;
    s.load(stage, channel, n);
    const clamping clamped(stage.params());
    for (std::int32_t p = 0; p < count; ++p) {
        const __m128i bytes = clamped.bytes(s.apply(sums[p]));
        std::int8_t* to = out + static_cast<std::ptrdiff_t>(p) * out_c + channel;
        if (n == tile) {
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), bytes);
        } else {
            alignas(16) std::int8_t part[16];
            _mm_store_si128(reinterpret_cast<__m128i*>(part), bytes);
            for (std::int32_t i = 0; i < n; ++i) to[i] = part[i];
        }
    }
}

} // namespace avx2_code
} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
