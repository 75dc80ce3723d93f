// float32 depthwise convolution on AVX2: 32 or 8 channels of a pixel at once, their sums in
// registers. Weights are read as they are. The last 8 channels overlap those before them.
#pragma once

#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt_ports/x86/avx2_float.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

struct float_window {
    const float* in;      // the first tap inside, first channel
    const float* weights; // of that tap
    std::ptrdiff_t in_row, in_column, weights_row, weights_column;
    std::int32_t rows, columns;
};

KOMPAKT_DETAIL_AVX2_INLINE void four_tiles(const float_window& t, std::int32_t channel,
                                           const float_stage& stage, float* out) noexcept {
    __m256 a = stage.start(channel, lanes), b = stage.start(channel + lanes, lanes),
           c = stage.start(channel + 2 * lanes, lanes), d = stage.start(channel + 3 * lanes, lanes);
    for (std::int32_t i = 0; i < t.rows; ++i) {
        const float *x = t.in + i * t.in_row + channel,
                    *w = t.weights + i * t.weights_row + channel;
        for (std::int32_t j = 0; j < t.columns; ++j, x += t.in_column, w += t.weights_column) {
            a = _mm256_fmadd_ps(_mm256_loadu_ps(w), _mm256_loadu_ps(x), a);
            b = _mm256_fmadd_ps(_mm256_loadu_ps(w + lanes), _mm256_loadu_ps(x + lanes), b);
            c = _mm256_fmadd_ps(_mm256_loadu_ps(w + 2 * lanes), _mm256_loadu_ps(x + 2 * lanes), c);
            d = _mm256_fmadd_ps(_mm256_loadu_ps(w + 3 * lanes), _mm256_loadu_ps(x + 3 * lanes), d);
        }
    }
    stage.finish(a, lanes, out + channel);
    stage.finish(b, lanes, out + channel + lanes);
    stage.finish(c, lanes, out + channel + 2 * lanes);
    stage.finish(d, lanes, out + channel + 3 * lanes);
}
KOMPAKT_DETAIL_AVX2_INLINE void one_tile(const float_window& t, std::int32_t channel,
                                         const float_stage& stage, float* out) noexcept {
    __m256 a = stage.start(channel, lanes);
    for (std::int32_t i = 0; i < t.rows; ++i) {
        const float *x = t.in + i * t.in_row + channel,
                    *w = t.weights + i * t.weights_row + channel;
        for (std::int32_t j = 0; j < t.columns; ++j, x += t.in_column, w += t.weights_column) {
            a = _mm256_fmadd_ps(_mm256_loadu_ps(w), _mm256_loadu_ps(x), a);
        }
    }
    stage.finish(a, lanes, out + channel);
}

// One output pixel of at least 8 channels.
KOMPAKT_DETAIL_AVX2 inline void depthwise_pixel(const float_window& t, std::int32_t channels,
                                                const float_stage& stage, float* out) noexcept {
    std::int32_t c = 0;
    for (; c + 4 * lanes <= channels; c += 4 * lanes) four_tiles(t, c, stage, out);
    for (; c < channels; c += lanes) {
        one_tile(t, c + lanes <= channels ? c : channels - lanes, stage, out);
    }
}

} // namespace avx2_code

template <class Port, class InE, class FilterE, class OutE>
void depthwise_conv2d(avx2, Port port, const tensor<const float, InE>& in,
                      const tensor<const float, FilterE>& filter, const float* bias,
                      const tensor<float, OutE>& out,
                      const depthwise_conv2d_f32_params& p) noexcept {
    const std::int32_t channels = out.template dim<3>(), in_w = in.template dim<2>();
    if (channels < avx2_code::lanes || in.template dim<3>() != channels) {
        return kompakt::depthwise_conv2d(portable{}, port, in, filter, bias, out, p);
    }
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>();
    const avx2_code::float_stage stage{bias, p.min, p.max};
    avx2_code::float_window at{};
    at.weights_row = static_cast<std::ptrdiff_t>(kernel_w) * channels;
    at.weights_column = channels;
    const float* image = in.data();
    float* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const inside_taps t = taps_of(p.window, kernel_h, kernel_w, in.template dim<1>(),
                                              in_w, y0, x * p.window.stride_w - p.window.pad_left);
                at.in = image + static_cast<std::ptrdiff_t>(t.input_at) * channels;
                at.weights = filter.data() + static_cast<std::ptrdiff_t>(t.filter_at) * channels;
                at.in_row = static_cast<std::ptrdiff_t>(t.input_row) * channels;
                at.in_column = static_cast<std::ptrdiff_t>(t.input_column) * channels;
                at.rows = t.rows, at.columns = t.columns;
                avx2_code::depthwise_pixel(at, channels, stage, to);
                to += channels;
            }
        }
        image += static_cast<std::ptrdiff_t>(in.template dim<1>()) * in_w * channels;
    }
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
