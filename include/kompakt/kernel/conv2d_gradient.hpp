// What a convolution (conv2d.hpp) sends back, by its input and by its filter.
//
//     conv2d_grad_input_f32:  out gradient NHWC [n, oh, ow, o], filter OHWI -> in gradient NHWC
//     conv2d_grad_filter_f32: out gradient, input NHWC -> filter gradient OHWI
//
// Without groups both are matrix products over tiles of windows (columns.hpp), with groups direct
// loops. Sums run in the order of the output pixels.
#pragma once

#include <kompakt/kernel/columns.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/gemm.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct window_gradient_params {
    window_params window;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f);
    }
};

namespace detail {

// One convolution's extents, whatever its direction.
struct conv2d_extents {
    window_columns columns;
    std::int32_t out_c, depth; // depth: input channels of a group

    std::int32_t groups() const noexcept { return columns.channels / depth; }
    std::int32_t row() const noexcept { return columns.kernel_h * columns.kernel_w * depth; }
};
inline conv2d_extents conv2d_extents_of(const window_params& w, const dynamic_extents<4>& in,
                                        const dynamic_extents<4>& filter,
                                        const dynamic_extents<4>& out) noexcept {
    return {
        {w, in[1], in[2], in[3], filter[1], filter[2], in[0], out[1], out[2]}, out[3], filter[3]};
}

// Calls `tap(o, filter_at, input_at)` for every product of a convolution: element o of the output
// pixel, then runs of `depth`.
template <class Tap>
void for_each_tap(const conv2d_extents& e, std::int32_t pixel, Tap&& tap) noexcept {
    const window_columns& c = e.columns;
    std::int32_t image = 0;
    const inside_taps t = taps_of_pixel(c, pixel, image);
    const std::int32_t per_group = e.out_c / e.groups();
    for (std::int32_t o = 0; o < e.out_c; ++o) {
        const std::int32_t group = o / per_group * e.depth;
        for (std::int32_t row = 0; row < t.rows; ++row) {
            for (std::int32_t column = 0; column < t.columns; ++column) {
                tap(o, o * e.row() + (t.filter_at + row * c.kernel_w + column) * e.depth,
                    image +
                        (t.input_at + row * t.input_row + column * t.input_column) * c.channels +
                        group);
            }
        }
    }
}

// Two inputs and one output of rank 4, float32.
inline status check_gradient_operands(const call& c) noexcept {
    if (c.inputs() != 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs two inputs and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "gradient", dtype::f32, 4));
    KOMPAKT_TRY(check_operand(c.input_record(1), "second input", dtype::f32, 4));
    return check_operand(c.output_record(0), "output", dtype::f32, 4);
}

// Each output position's window starts inside the padded input: what check_window says of forward
// calls, for operands in any order.
inline status check_window_extents(const window_params& w, std::int32_t in, std::int32_t out,
                                   std::int32_t kernel, bool rows) noexcept {
    const std::int32_t stride = rows ? w.stride_h : w.stride_w,
                       dilation = rows ? w.dilation_h : w.dilation_w,
                       before = rows ? w.pad_top : w.pad_left;
    if (stride < 1 || dilation < 1 || before < 0 || stride > max_window_value ||
        dilation > max_window_value || before > max_window_value || kernel < 1 ||
        kernel > max_window_value) {
        return fail(errc::unsupported, "window of ", kernel, ", stride ", stride, ", dilation ",
                    dilation, ", padding ", before);
    }
    const std::int64_t last = std::int64_t{out - 1} * stride - before;
    if (last < std::int64_t{in} + max_window_value) return {};
    return fail(errc::bad_file, "window ", out - 1, " starts at ", last, " of ", in);
}
inline status check_conv2d_extents(const conv2d_extents& e, const dynamic_extents<4>& filter,
                                   const dynamic_extents<4>& out) noexcept {
    const window_columns& c = e.columns;
    if (e.depth < 1 || c.channels % e.depth != 0 || e.out_c % e.groups() != 0 ||
        filter[0] != e.out_c || out[0] != c.images) {
        return fail(errc::bad_file, "filter [", filter[0], ", ", filter[1], ", ", filter[2], ", ",
                    filter[3], "] does not fit ", c.channels, " and ", e.out_c, " channels");
    }
    KOMPAKT_TRY(check_window_extents(c.window, c.in_h, c.out_h, c.kernel_h, true));
    return check_window_extents(c.window, c.in_w, c.out_w, c.kernel_w, false);
}
inline std::size_t column_tile_bytes(const conv2d_extents& e) noexcept {
    if (e.groups() != 1 || e.columns.is_input()) return 0;
    return static_cast<std::size_t>(
        round_up(std::uint64_t{sizeof(float)} * static_cast<std::uint64_t>(e.columns.tile()) *
                     static_cast<std::uint64_t>(e.columns.width()),
                 block_bytes));
}

} // namespace detail

// `columns`: scratch for one tile.
template <class Port>
void conv2d_grad_input(portable, Port port, const detail::conv2d_extents& e, const float* gradient,
                       const float* filter, float* in, float* columns) noexcept {
    const detail::window_columns& c = e.columns;
    const std::int32_t pixels = c.pixels(), width = c.width();
    if (e.groups() == 1 && c.is_input()) {
        gemm(port, port, {pixels, width, e.out_c, e.out_c, 1, width, width}, gradient, filter, in);
        return;
    }
    const std::int32_t size = c.images * c.in_h * c.in_w * c.channels;
    for (std::int32_t i = 0; i < size; ++i) in[i] = 0.0f;
    if (e.groups() != 1) {
        for (std::int32_t p = 0; p < pixels; ++p) {
            detail::for_each_tap(e, p, [&](std::int32_t o, std::int32_t f, std::int32_t i) {
                const float g = gradient[p * e.out_c + o];
                for (std::int32_t k = 0; k < e.depth; ++k) in[i + k] += g * filter[f + k];
            });
        }
        return;
    }
    for (std::int32_t p = 0; p < pixels; p += c.tile()) {
        const std::int32_t n = pixels - p < c.tile() ? pixels - p : c.tile();
        gemm(port, port, {n, width, e.out_c, e.out_c, 1, width, width}, gradient + p * e.out_c,
             filter, columns);
        detail::scatter_columns(c, columns, p, n, in);
    }
}

template <class Port>
void conv2d_grad_filter(portable, Port port, const detail::conv2d_extents& e, const float* gradient,
                        const float* in, float* filter, float* columns) noexcept {
    const detail::window_columns& c = e.columns;
    const std::int32_t pixels = c.pixels(), width = c.width();
    if (e.groups() != 1) {
        for (std::int32_t i = 0; i < e.out_c * e.row(); ++i) filter[i] = 0.0f;
        for (std::int32_t p = 0; p < pixels; ++p) {
            detail::for_each_tap(e, p, [&](std::int32_t o, std::int32_t f, std::int32_t i) {
                const float g = gradient[p * e.out_c + o];
                for (std::int32_t k = 0; k < e.depth; ++k) filter[f + k] += g * in[i + k];
            });
        }
        return;
    }
    for (std::int32_t p = 0; p < pixels; p += c.tile()) {
        const std::int32_t n = pixels - p < c.tile() ? pixels - p : c.tile();
        const float* rows = in + p * width;
        if (!c.is_input()) {
            detail::gather_columns(c, in, p, n, columns);
            rows = columns;
        }
        gemm(port, port, {e.out_c, width, n, 1, e.out_c, width, width, p != 0},
             gradient + p * e.out_c, rows, filter);
    }
}

struct conv2d_grad_input_f32 {
    using params = window_gradient_params;
    static constexpr kernel_id id = kernel_id::conv2d_grad_input_f32;
    static constexpr const char* name = "conv2d_grad_input_f32";

    static detail::conv2d_extents extents_of(const call& c) noexcept {
        return detail::conv2d_extents_of(c.params<params>().window, c.output<float, 4>(0).shape(),
                                         c.input<float, 4>(1).shape(),
                                         c.input<float, 4>(0).shape());
    }
    // Inputs: gradient of the output, filter.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_gradient_operands(c));
        return detail::check_conv2d_extents(extents_of(c), c.input<float, 4>(1).shape(),
                                            c.input<float, 4>(0).shape());
    }
    template <class Port>
    static std::size_t scratch_bytes(Port, const call& c) noexcept {
        return detail::column_tile_bytes(extents_of(c));
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        conv2d_grad_input(port, port, extents_of(c), c.input_data<float>(0), c.input_data<float>(1),
                          c.output_data<float>(0), reinterpret_cast<float*>(c.scratch().data()));
    }
};

struct conv2d_grad_filter_f32 {
    using params = window_gradient_params;
    static constexpr kernel_id id = kernel_id::conv2d_grad_filter_f32;
    static constexpr const char* name = "conv2d_grad_filter_f32";

    static detail::conv2d_extents extents_of(const call& c) noexcept {
        return detail::conv2d_extents_of(c.params<params>().window, c.input<float, 4>(1).shape(),
                                         c.output<float, 4>(0).shape(),
                                         c.input<float, 4>(0).shape());
    }
    // Inputs: gradient of the output, input.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_gradient_operands(c));
        return detail::check_conv2d_extents(extents_of(c), c.output<float, 4>(0).shape(),
                                            c.input<float, 4>(0).shape());
    }
    template <class Port>
    static std::size_t scratch_bytes(Port, const call& c) noexcept {
        return detail::column_tile_bytes(extents_of(c));
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        conv2d_grad_filter(port, port, extents_of(c), c.input_data<float>(0),
                           c.input_data<float>(1), c.output_data<float>(0),
                           reinterpret_cast<float*>(c.scratch().data()));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
