// What average and maximum pooling (pool2d.hpp) send back to their input.
//
//     average_pool2d_grad_f32: gradient NHWC [n, oh, ow, c] -> in gradient NHWC [n, h, w, c]
//     max_pool2d_grad_f32:     gradient, input, output -> in gradient
//
// An average's gradient is shared by the taps that lie inside; a maximum's goes to the first tap,
// row by row, that is the maximum.
#pragma once

#include <kompakt/kernel/conv2d_gradient.hpp>
#include <kompakt/kernel/pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct pool2d_gradient_params {
    window_params window; // no dilation
    std::int32_t kernel_h, kernel_w;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("kernel_h"), f("kernel_w");
    }
};

namespace detail {

inline window_columns pool2d_columns(const pool2d_gradient_params& p, const dynamic_extents<4>& in,
                                     const dynamic_extents<4>& out) noexcept {
    return {p.window, in[1], in[2], in[3], p.kernel_h, p.kernel_w, in[0], out[1], out[2]};
}
inline status check_pool2d_gradient(const call& c, std::size_t inputs) noexcept {
    if (c.inputs() != inputs || c.outputs() != 1) {
        return fail(errc::bad_file, "needs ", inputs, " inputs and one output");
    }
    for (std::size_t i = 0; i < inputs; ++i) {
        KOMPAKT_TRY(check_operand(c.input_record(i), "input", dtype::f32, 4));
    }
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::f32, 4));
    const auto p = c.params<pool2d_gradient_params>();
    const auto out = c.input<float, 4>(0).shape(), in = c.output<float, 4>(0).shape();
    const window_columns w = pool2d_columns(p, in, out);
    if (in[0] != out[0] || in[3] != out[3] ||
        (inputs == 3 && (c.elements(c.input_record(1)) != c.elements(c.output_record(0)) ||
                         c.elements(c.input_record(2)) != c.elements(c.input_record(0))))) {
        return fail(errc::bad_file, "gradient [", out[0], ", ", out[1], ", ", out[2], ", ", out[3],
                    "] does not fit the input [", in[0], ", ", in[1], ", ", in[2], ", ", in[3],
                    "]");
    }
    if (p.window.pad_top >= p.kernel_h || p.window.pad_left >= p.kernel_w) {
        return fail(errc::unsupported, "padding ", p.window.pad_top, "x", p.window.pad_left,
                    ", needed less than the window of ", p.kernel_h, "x", p.kernel_w);
    }
    KOMPAKT_TRY(check_window_extents(w.window, w.in_h, w.out_h, w.kernel_h, true));
    return check_window_extents(w.window, w.in_w, w.out_w, w.kernel_w, false);
}

} // namespace detail

template <class Port>
void average_pool2d_grad(portable, Port, const detail::window_columns& w, const float* gradient,
                         float* in) noexcept {
    const std::int32_t size = w.images * w.in_h * w.in_w * w.channels;
    for (std::int32_t i = 0; i < size; ++i) in[i] = 0.0f;
    for (std::int32_t p = 0; p < w.pixels(); ++p, gradient += w.channels) {
        std::int32_t image = 0;
        const inside_taps t = detail::taps_of_pixel(w, p, image);
        if (t.rows == 0) continue;
        const float share = 1.0f / static_cast<float>(t.rows * t.columns);
        for (std::int32_t row = 0; row < t.rows; ++row) {
            for (std::int32_t column = 0; column < t.columns; ++column) {
                float* to = in + image + (t.input_at + row * t.input_row + column) * w.channels;
                for (std::int32_t k = 0; k < w.channels; ++k) to[k] += gradient[k] * share;
            }
        }
    }
}

template <class Port>
void max_pool2d_grad(portable, Port, const detail::window_columns& w, const float* gradient,
                     const float* in, const float* out, float* in_gradient) noexcept {
    const std::int32_t size = w.images * w.in_h * w.in_w * w.channels;
    for (std::int32_t i = 0; i < size; ++i) in_gradient[i] = 0.0f;
    for (std::int32_t p = 0; p < w.pixels(); ++p, gradient += w.channels, out += w.channels) {
        std::int32_t image = 0;
        const inside_taps t = detail::taps_of_pixel(w, p, image);
        // In blocks of channels, so that what each has left fits the stack.
        for (std::int32_t first = 0; first < w.channels; first += 32) {
            const std::int32_t n = w.channels - first < 32 ? w.channels - first : 32;
            float left[32];
            for (std::int32_t k = 0; k < n; ++k) left[k] = gradient[first + k];
            for (std::int32_t row = 0; row < t.rows; ++row) {
                for (std::int32_t column = 0; column < t.columns; ++column) {
                    const std::int32_t at =
                        image + (t.input_at + row * t.input_row + column) * w.channels + first;
                    // Without branches: what a channel has given away is zero from then on.
                    for (std::int32_t k = 0; k < n; ++k) {
                        const bool here = in[at + k] == out[first + k];
                        in_gradient[at + k] += here ? left[k] : 0.0f;
                        left[k] = here ? 0.0f : left[k];
                    }
                }
            }
        }
    }
}

struct average_pool2d_grad_f32 {
    using params = pool2d_gradient_params;
    static constexpr kernel_id id = kernel_id::average_pool2d_grad_f32;
    static constexpr const char* name = "average_pool2d_grad_f32";

    static status check(const call& c) noexcept { return detail::check_pool2d_gradient(c, 1); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        average_pool2d_grad(port, port,
                            detail::pool2d_columns(c.params<params>(),
                                                   c.output<float, 4>(0).shape(),
                                                   c.input<float, 4>(0).shape()),
                            c.input_data<float>(0), c.output_data<float>(0));
    }
};

struct max_pool2d_grad_f32 {
    using params = pool2d_gradient_params;
    static constexpr kernel_id id = kernel_id::max_pool2d_grad_f32;
    static constexpr const char* name = "max_pool2d_grad_f32";

    // Inputs: gradient of the output, input, output.
    static status check(const call& c) noexcept { return detail::check_pool2d_gradient(c, 3); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        max_pool2d_grad(port, port,
                        detail::pool2d_columns(c.params<params>(), c.output<float, 4>(0).shape(),
                                               c.input<float, 4>(0).shape()),
                        c.input_data<float>(0), c.input_data<float>(1), c.input_data<float>(2),
                        c.output_data<float>(0));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
