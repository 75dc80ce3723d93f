// Maximum pooling; padding is never the maximum.
//
//     in NHWC [n, h, w, c], out NHWC [n, oh, ow, c]
//
// int8 and int16: input and output share scale and zero point.
#pragma once

#include <kompakt/kernel/pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The maxima grow in the output from the lower end of the clamp, so that the innermost loop runs
// over channels.
template <class Port, class T, class InE, class OutE, class Value>
void max_pool2d(portable, Port, const tensor<const T, InE>& in, const tensor<T, OutE>& out,
                const pool2d_params<Value>& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       channels = in.template dim<3>();
    const T lo = static_cast<T>(p.min), hi = static_cast<T>(p.max);
    const T* image = in.data();
    T* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, p.kernel_h, p.kernel_w, in_h, in_w, y0, x0);
                for (std::int32_t c = 0; c < channels; ++c) to[c] = lo;
                for (std::int32_t row = 0; row < t.rows; ++row) {
                    for (std::int32_t column = 0; column < t.columns; ++column) {
                        const T* i = image + (t.input_at + row * t.input_row + column) * channels;
                        for (std::int32_t c = 0; c < channels; ++c) {
                            to[c] = to[c] < i[c] ? i[c] : to[c];
                        }
                    }
                }
                for (std::int32_t c = 0; c < channels; ++c) to[c] = hi < to[c] ? hi : to[c];
                to += channels;
            }
        }
        image += in_h * in_w * channels;
    }
}

namespace detail {

struct maximum_of {
    template <class Port, class In, class Out, class Params>
    static void pool(Port port, const In& in, const Out& out, const Params& p) noexcept {
        max_pool2d(port, port, in, out, p);
    }
};

} // namespace detail

struct max_pool2d_i8 : detail::pool2d_kernel<detail::maximum_of, std::int8_t> {
    static constexpr kernel_id id = kernel_id::max_pool2d_i8;
    static constexpr const char* name = "max_pool2d_i8";
};

struct max_pool2d_i16 : detail::pool2d_kernel<detail::maximum_of, std::int16_t> {
    static constexpr kernel_id id = kernel_id::max_pool2d_i16;
    static constexpr const char* name = "max_pool2d_i16";
};

struct max_pool2d_f32 : detail::pool2d_kernel<detail::maximum_of, float> {
    static constexpr kernel_id id = kernel_id::max_pool2d_f32;
    static constexpr const char* name = "max_pool2d_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
