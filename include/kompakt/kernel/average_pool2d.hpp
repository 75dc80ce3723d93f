// Average pooling; padding counts for nothing, neither in the sum nor in the number of elements.
//
//     in NHWC [n, h, w, c], out NHWC [n, oh, ow, c]
//
// int8 and int16: input and output share scale and zero point; the mean of the raw numbers, half
// away from zero (TensorFlow Lite).
#pragma once

#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class Port, class T, class InE, class OutE>
void average_pool2d(portable, Port, const tensor<const T, InE>& in, const tensor<T, OutE>& out,
                    const pool2d_i8_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       channels = in.template dim<3>();
    const T* image = in.data();
    T* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, p.kernel_h, p.kernel_w, in_h, in_w, y0, x0);
                const std::int32_t count = t.rows * t.columns;
                const std::int32_t half = count / 2;
                for (std::int32_t c = 0; c < channels; ++c) {
                    const T* from = image + t.input_at * channels + c;
                    std::int32_t sum = 0;
                    for (std::int32_t row = 0; row < t.rows; ++row) {
                        const T* i = from + row * t.input_row * channels;
                        for (std::int32_t k = 0; k < t.columns; ++k) {
                            sum = wrap_add(sum, i[k * channels]);
                        }
                    }
                    const std::int32_t mean = wrap_add(sum, sum > 0 ? half : -half) / count;
                    *to++ = static_cast<T>(clamp(mean, p.min, p.max));
                }
            }
        }
        image += in_h * in_w * channels;
    }
}

// The sums grow in the output, so that the innermost loop runs over channels.
template <class Port, class InE, class OutE>
void average_pool2d(portable, Port, const tensor<const float, InE>& in,
                    const tensor<float, OutE>& out, const pool2d_f32_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       channels = in.template dim<3>();
    const float* image = in.data();
    float* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, p.kernel_h, p.kernel_w, in_h, in_w, y0, x0);
                for (std::int32_t c = 0; c < channels; ++c) to[c] = 0.0f;
                for (std::int32_t row = 0; row < t.rows; ++row) {
                    for (std::int32_t column = 0; column < t.columns; ++column) {
                        const float* i =
                            image + (t.input_at + row * t.input_row + column) * channels;
                        for (std::int32_t c = 0; c < channels; ++c) to[c] += i[c];
                    }
                }
                const auto count = static_cast<float>(t.rows * t.columns);
                for (std::int32_t c = 0; c < channels; ++c) {
                    to[c] = limit(to[c] / count, p.min, p.max);
                }
                to += channels;
            }
        }
        image += in_h * in_w * channels;
    }
}

namespace detail {

struct averaging {
    template <class Port, class In, class Out, class Params>
    static void pool(Port port, const In& in, const Out& out, const Params& p) noexcept {
        average_pool2d(port, port, in, out, p);
    }
};

} // namespace detail

struct average_pool2d_i8 : detail::pool2d_kernel<detail::averaging, std::int8_t> {
    static constexpr kernel_id id = kernel_id::average_pool2d_i8;
    static constexpr const char* name = "average_pool2d_i8";
};

struct average_pool2d_i16 : detail::pool2d_kernel<detail::averaging, std::int16_t> {
    static constexpr kernel_id id = kernel_id::average_pool2d_i16;
    static constexpr const char* name = "average_pool2d_i16";
};

struct average_pool2d_f32 : detail::pool2d_kernel<detail::averaging, float> {
    static constexpr kernel_id id = kernel_id::average_pool2d_f32;
    static constexpr const char* name = "average_pool2d_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
