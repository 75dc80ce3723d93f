// L2 pooling: the root of the mean square of every window; padding counts for nothing.
//
//     in NHWC [n, h, w, c], out NHWC [n, oh, ow, c]
#pragma once

#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/pool2d.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The sums grow in the output, so that the innermost loop runs over channels.
template <class Port, class InE, class OutE>
void l2_pool2d(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
               const pool2d_f32_params& p) noexcept {
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
                        for (std::int32_t c = 0; c < channels; ++c) to[c] += i[c] * i[c];
                    }
                }
                const auto count = static_cast<float>(t.rows * t.columns);
                for (std::int32_t c = 0; c < channels; ++c) {
                    to[c] = limit(sqrt_f32(to[c] / count), p.min, p.max);
                }
                to += channels;
            }
        }
        image += in_h * in_w * channels;
    }
}

namespace detail {

struct l2_pooling {
    template <class Port, class In, class Out, class Params>
    static void pool(Port port, const In& in, const Out& out, const Params& p) noexcept {
        l2_pool2d(port, port, in, out, p);
    }
};

} // namespace detail

struct l2_pool2d_f32 : detail::pool2d_kernel<detail::l2_pooling, float> {
    static constexpr kernel_id id = kernel_id::l2_pool2d_f32;
    static constexpr const char* name = "l2_pool2d_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
