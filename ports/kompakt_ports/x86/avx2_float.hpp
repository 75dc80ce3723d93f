// Float32 products on AVX2 with fused multiply-add: the matrix product that training runs on, and
// the forward passes of convolution and fully connected, as products over tiles of windows
// (kernel/columns.hpp).
//
// A tile of 6 x 16 sums stays in registers while it runs over k; each sum is taken in the order of
// k, as in the portable kernel, with one rounding a step instead of two.
#pragma once

#include <kompakt/kernel/columns.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/kernel/gemm.hpp>
#include <kompakt_ports/x86/avx2_target.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

#define KOMPAKT_DETAIL_AVX2_FMA __attribute__((target("avx2,fma")))
#define KOMPAKT_DETAIL_AVX2_FMA_INLINE inline __attribute__((always_inline, target("avx2,fma")))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t float_rows = 6, float_columns = 16;

// The first `n` of eight lanes.
KOMPAKT_DETAIL_AVX2_FMA_INLINE __m256i first_lanes(std::int32_t n) noexcept {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
template <bool Masked>
KOMPAKT_DETAIL_AVX2_FMA_INLINE __m256 load_lanes(const float* p, __m256i mask) noexcept {
    if constexpr (Masked) return _mm256_maskload_ps(p, mask);
    static_cast<void>(mask);
    return _mm256_loadu_ps(p);
}
template <bool Masked>
KOMPAKT_DETAIL_AVX2_FMA_INLINE void store_lanes(float* p, __m256i mask, __m256 x) noexcept {
    if constexpr (Masked) {
        _mm256_maskstore_ps(p, mask, x);
    } else {
        _mm256_storeu_ps(p, x);
    }
}

// Rows of sums, written out: compilers keep arrays of them in memory. `Wide`: two vectors a row,
// of which the last may be masked.
template <std::int32_t Rows, bool Wide, bool Masked>
KOMPAKT_DETAIL_AVX2_FMA inline void float_tile(const gemm_shape& s, const float* a, const float* b,
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
KOMPAKT_DETAIL_AVX2_FMA inline void float_panel(const gemm_shape& s, const float* a, const float* b,
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

KOMPAKT_DETAIL_AVX2_FMA inline void float_product(const gemm_shape& s, const float* a,
                                                  const float* b, float* c) noexcept {
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

// to[j][i] = from[i][j]: weights OI as the product wants them.
KOMPAKT_DETAIL_AVX2_FMA inline void transpose_floats(const float* from, std::int32_t rows,
                                                     std::int32_t columns, float* to) noexcept {
    // In blocks, so that both sides stay in the cache.
    for (std::int32_t i0 = 0; i0 < rows; i0 += 16) {
        const std::int32_t i1 = rows - i0 < 16 ? rows : i0 + 16;
        for (std::int32_t j = 0; j < columns; ++j) {
            for (std::int32_t i = i0; i < i1; ++i) to[j * rows + i] = from[i * columns + j];
        }
    }
}

// Adds the bias and limits rows of `n` sums.
KOMPAKT_DETAIL_AVX2_FMA inline void finish_floats(float* c, std::int32_t rows, std::int32_t n,
                                                  const float* bias, float min,
                                                  float max) noexcept {
    const __m256 low = _mm256_set1_ps(min), high = _mm256_set1_ps(max);
    for (std::int32_t r = 0; r < rows; ++r, c += n) {
        for (std::int32_t i = 0; i < n; i += 8) {
            const std::int32_t left = n - i;
            const __m256i mask = first_lanes(left);
            __m256 x = _mm256_maskload_ps(c + i, mask);
            if (bias != nullptr) x = _mm256_add_ps(x, _mm256_maskload_ps(bias + i, mask));
            // In this order NaN stays NaN: the second operand is what comes out for one.
            x = _mm256_min_ps(high, _mm256_max_ps(low, x));
            _mm256_maskstore_ps(c + i, mask, x);
        }
    }
}

// Whether a product pays for its transposed weights.
inline constexpr std::int32_t least_product_rows = 8;

struct float_convolution {
    kompakt::detail::window_columns columns;
    std::int32_t out_c;
    bool product; // without groups, large enough

    std::size_t weight_floats() const noexcept {
        return static_cast<std::size_t>(columns.width()) * static_cast<std::size_t>(out_c);
    }
    std::size_t tile_floats() const noexcept {
        return columns.is_input() ? 0
                                  : static_cast<std::size_t>(columns.tile()) *
                                        static_cast<std::size_t>(columns.width());
    }
};
template <class Call>
float_convolution float_convolution_of(const Call& c) noexcept {
    const auto p = c.template params<conv2d_f32_params>();
    const auto in = c.template input<float, 4>(arg<0>), filter = c.template input<float, 4>(arg<1>);
    const auto out = c.template output<float, 4>(arg<0>);
    float_convolution f{{p.window, in.dim(1), in.dim(2), in.dim(3), filter.dim(1), filter.dim(2),
                         in.dim(0), out.dim(1), out.dim(2)},
                        out.dim(3),
                        false};
    f.product = filter.dim(3) == in.dim(3) && f.columns.pixels() >= least_product_rows;
    return f;
}

} // namespace avx2_code

template <class Port>
void gemm(avx2, Port, const gemm_shape& s, const float* a, const float* b, float* c) noexcept {
    avx2_code::float_product(s, a, b, c);
}

inline std::size_t kernel_scratch_bytes(avx2, conv2d_f32, const call& c) noexcept {
    const auto f = avx2_code::float_convolution_of(c);
    // By rows the portable kernel runs.
    if (c.by_rows() || !f.product) return row_buffer_bytes(c);
    return static_cast<std::size_t>(
        round_up((f.weight_floats() + f.tile_floats()) * sizeof(float), block_bytes));
}
template <class Port, class Call>
void run_kernel(avx2, conv2d_f32, Port port, const Call& c) noexcept {
    const auto f = avx2_code::float_convolution_of(c);
    if (c.by_rows() || !f.product) return conv2d_f32::run_portable(port, c);
    const auto p = c.template params<conv2d_f32_params>();
    const float *in = c.template input<float, 4>(arg<0>).data(),
                *bias = c.template input_data<float>(2);
    float *weights = reinterpret_cast<float*>(c.scratch().data()),
          *columns = weights + f.weight_floats(), *out = c.template output<float, 4>(arg<0>).data();
    const std::int32_t width = f.columns.width(), pixels = f.columns.pixels();
    avx2_code::transpose_floats(c.template input<float, 4>(arg<1>).data(), f.out_c, width, weights);
    const std::int32_t tile = f.columns.tile();
    for (std::int32_t first = 0; first < pixels; first += tile) {
        const std::int32_t n = pixels - first < tile ? pixels - first : tile;
        const float* rows = in + static_cast<std::ptrdiff_t>(first) * width;
        if (!f.columns.is_input()) {
            kompakt::detail::gather_columns(f.columns, in, first, n, columns);
            rows = columns;
        }
        float* to = out + static_cast<std::ptrdiff_t>(first) * f.out_c;
        avx2_code::float_product({n, f.out_c, width, width, 1, f.out_c, f.out_c}, rows, weights,
                                 to);
        avx2_code::finish_floats(to, n, f.out_c, bias, p.min, p.max);
    }
}

inline std::size_t kernel_scratch_bytes(avx2, fully_connected_f32, const call& c) noexcept {
    const auto weights = c.input<float, 2>(1);
    const std::size_t n = c.elements(c.output_record(0)) / static_cast<std::size_t>(weights.dim(0));
    if (n < avx2_code::least_product_rows) return 0;
    return static_cast<std::size_t>(
        round_up(c.elements(c.input_record(1)) * sizeof(float), block_bytes));
}
template <class Port, class Call>
void run_kernel(avx2, fully_connected_f32, Port port, const Call& c) noexcept {
    const auto weights = c.template input<float, 2>(arg<1>);
    const std::int32_t o = weights.dim(0), k = weights.dim(1);
    const auto out = kompakt::detail::batches_out<float>(c, o);
    if (out.dim(0) < avx2_code::least_product_rows) {
        return fully_connected_f32::run_portable(port, c);
    }
    const auto p = c.template params<fully_connected_f32_params>();
    auto* turned = reinterpret_cast<float*>(c.scratch().data());
    avx2_code::transpose_floats(weights.data(), o, k, turned);
    avx2_code::float_product({out.dim(0), o, k, k, 1, o, o},
                             kompakt::detail::batches_in<float>(c, k).data(), turned, out.data());
    avx2_code::finish_floats(out.data(), out.dim(0), o, c.template input_data<float>(2), p.min,
                             p.max);
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#undef KOMPAKT_DETAIL_AVX2_FMA
#undef KOMPAKT_DETAIL_AVX2_FMA_INLINE

#endif
