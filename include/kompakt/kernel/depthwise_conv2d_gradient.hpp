// What a depthwise convolution (depthwise_conv2d.hpp) sends back, by its input and by its filter.
//
//     gradient of the output NHWC [n, oh, ow, o], filter 1HWC [1, kh, kw, o], o = c * multiplier
#pragma once

#include <kompakt/kernel/conv2d_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

// A depthwise convolution as `conv2d_extents` of depth 1; filters lie the other way round.
// Calls `tap(filter_at, input_at)`, both at channel 0, for the taps of one output pixel.
template <class Tap>
void for_each_depthwise_tap(const window_columns& c, std::int32_t out_c, std::int32_t pixel,
                            Tap&& tap) noexcept {
    std::int32_t image = 0;
    const inside_taps t = taps_of_pixel(c, pixel, image);
    for (std::int32_t row = 0; row < t.rows; ++row) {
        for (std::int32_t column = 0; column < t.columns; ++column) {
            tap((t.filter_at + row * c.kernel_w + column) * out_c,
                image + (t.input_at + row * t.input_row + column * t.input_column) * c.channels);
        }
    }
}
inline window_columns depthwise_extents_of(const window_params& w, const dynamic_extents<4>& in,
                                           const dynamic_extents<4>& filter,
                                           const dynamic_extents<4>& out) noexcept {
    return {w, in[1], in[2], in[3], filter[1], filter[2], in[0], out[1], out[2]};
}
inline status check_depthwise_extents(const window_columns& c, const dynamic_extents<4>& filter,
                                      const dynamic_extents<4>& out) noexcept {
    if (filter[0] != 1 || filter[3] != out[3] || c.channels < 1 || out[3] % c.channels != 0 ||
        out[0] != c.images) {
        return fail(errc::bad_file, "filter [", filter[0], ", ", filter[1], ", ", filter[2], ", ",
                    filter[3], "] does not fit ", c.channels, " and ", out[3], " channels");
    }
    KOMPAKT_TRY(check_window_extents(c.window, c.in_h, c.out_h, c.kernel_h, true));
    return check_window_extents(c.window, c.in_w, c.out_w, c.kernel_w, false);
}

} // namespace detail

template <class Port>
void depthwise_conv2d_grad_input(portable, Port, const detail::window_columns& c,
                                 std::int32_t out_c, const float* gradient, const float* filter,
                                 float* in) noexcept {
    const std::int32_t size = c.images * c.in_h * c.in_w * c.channels;
    const std::int32_t multiplier = out_c / c.channels;
    for (std::int32_t i = 0; i < size; ++i) in[i] = 0.0f;
    for (std::int32_t p = 0; p < c.pixels(); ++p) {
        const float* g = gradient + p * out_c;
        detail::for_each_depthwise_tap(c, out_c, p, [&](std::int32_t f, std::int32_t i) {
            if (multiplier == 1) {
                for (std::int32_t k = 0; k < out_c; ++k) in[i + k] += g[k] * filter[f + k];
            } else {
                for (std::int32_t k = 0; k < out_c; ++k)
                    in[i + k / multiplier] += g[k] * filter[f + k];
            }
        });
    }
}

template <class Port>
void depthwise_conv2d_grad_filter(portable, Port, const detail::window_columns& c,
                                  std::int32_t out_c, const float* gradient, const float* in,
                                  float* filter) noexcept {
    const std::int32_t multiplier = out_c / c.channels;
    for (std::int32_t i = 0; i < c.kernel_h * c.kernel_w * out_c; ++i) filter[i] = 0.0f;
    for (std::int32_t p = 0; p < c.pixels(); ++p) {
        const float* g = gradient + p * out_c;
        detail::for_each_depthwise_tap(c, out_c, p, [&](std::int32_t f, std::int32_t i) {
            if (multiplier == 1) {
                for (std::int32_t k = 0; k < out_c; ++k) filter[f + k] += g[k] * in[i + k];
            } else {
                for (std::int32_t k = 0; k < out_c; ++k)
                    filter[f + k] += g[k] * in[i + k / multiplier];
            }
        });
    }
}

struct depthwise_conv2d_grad_input_f32 {
    using params = window_gradient_params;
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_grad_input_f32;
    static constexpr const char* name = "depthwise_conv2d_grad_input_f32";

    static detail::window_columns extents_of(const call& c) noexcept {
        return detail::depthwise_extents_of(
            c.params<params>().window, c.output<float, 4>(0).shape(), c.input<float, 4>(1).shape(),
            c.input<float, 4>(0).shape());
    }
    // Inputs: gradient of the output, filter.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_gradient_operands(c));
        return detail::check_depthwise_extents(extents_of(c), c.input<float, 4>(1).shape(),
                                               c.input<float, 4>(0).shape());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        depthwise_conv2d_grad_input(port, port, extents_of(c), c.input<float, 4>(0).dim(3),
                                    c.input_data<float>(0), c.input_data<float>(1),
                                    c.output_data<float>(0));
    }
};

struct depthwise_conv2d_grad_filter_f32 {
    using params = window_gradient_params;
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_grad_filter_f32;
    static constexpr const char* name = "depthwise_conv2d_grad_filter_f32";

    static detail::window_columns extents_of(const call& c) noexcept {
        return detail::depthwise_extents_of(c.params<params>().window, c.input<float, 4>(1).shape(),
                                            c.output<float, 4>(0).shape(),
                                            c.input<float, 4>(0).shape());
    }
    // Inputs: gradient of the output, input.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_gradient_operands(c));
        return detail::check_depthwise_extents(extents_of(c), c.output<float, 4>(0).shape(),
                                               c.input<float, 4>(0).shape());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        depthwise_conv2d_grad_filter(port, port, extents_of(c), c.input<float, 4>(0).dim(3),
                                     c.input_data<float>(0), c.input_data<float>(1),
                                     c.output_data<float>(0));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
