// int8 addition on AVX2, bit for bit what the portable kernel computes: eight sums at once.
#pragma once

#include <kompakt/kernel/add.hpp>
#include <kompakt_ports/x86/avx2_output_stage.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

// Eight neighbours, or one for all eight, at the common scale.
KOMPAKT_DETAIL_AVX2_INLINE __m256i operand(const std::int8_t* q, std::int32_t step,
                                           __m256i zero_point, const stage_tile& scale) noexcept {
    const __m256i x =
        step == 0 ? _mm256_set1_epi32(*q)
                  : _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(q)));
    return scale.apply(
        _mm256_slli_epi32(_mm256_sub_epi32(x, zero_point), add_left_shift<std::int8_t>));
}

// How many it has done, a multiple of eight.
KOMPAKT_DETAIL_AVX2 inline std::int32_t add(const std::int8_t* a, std::int32_t step_a,
                                            const std::int8_t* b, std::int32_t step_b,
                                            std::int8_t* out, std::int32_t n,
                                            const add_i8_params& p) noexcept {
    stage_tile scale_a, scale_b, result;
    scale_a.load(p.a), scale_b.load(p.b), result.load(p.result);
    const __m256i zero_a = _mm256_set1_epi32(p.zero_point_a);
    const __m256i zero_b = _mm256_set1_epi32(p.zero_point_b);
    const clamping to(p.output);
    std::int32_t i = 0;
    for (; i + tile <= n; i += tile) {
        const __m256i sum = _mm256_add_epi32(operand(a + i * step_a, step_a, zero_a, scale_a),
                                             operand(b + i * step_b, step_b, zero_b, scale_b));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i), to.bytes(result.apply(sum)));
    }
    return i;
}

} // namespace avx2_code

template <class Port>
void elementwise_row(avx2, Port port, add_i8 family, const std::int8_t* a, std::int32_t step_a,
                     const std::int8_t* b, std::int32_t step_b, std::int8_t* out, std::int32_t n,
                     const add_i8_params& p) noexcept {
    const std::int32_t i = avx2_code::add(a, step_a, b, step_b, out, n, p);
    kompakt::elementwise_row(portable{}, port, family, a + i * step_a, step_a, b + i * step_b,
                             step_b, out + i, n - i, p);
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
