// Transposed convolution: every input pixel adds its window of weights to the output.
//
//     in NHWC [n, h, w, c], filter OHWI [o, kh, kw, c], bias [o], out NHWC [n, oh, ow, o]
//
// Input row y meets output rows y * stride - pad_top + (0 … kh - 1); of these only the ones that
// the output has count. The kernel goes through the outputs and gathers the inputs that meet each,
// so that no sums need memory. int8 and int16: TensorFlow Lite's quantization specification; sums
// are int32, of int16 inputs int64, and wrap.
#pragma once

#include <kompakt/kernel/conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Along one axis, the inputs [first, last) that meet an output. The first meets it with `tap`, each
// further one with a tap `stride` lower.
struct meeting_inputs {
    std::int32_t first, last, tap;
};
// `at` is the output's position plus the padding before.
KOMPAKT_ALWAYS_INLINE constexpr meeting_inputs
inputs_at(std::int32_t at, std::int32_t taps, std::int32_t stride, std::int32_t inputs) noexcept {
    const std::int32_t first = at < taps ? 0 : (at - taps) / stride + 1;
    const std::int32_t last = at / stride < inputs ? at / stride + 1 : inputs;
    return {first, last, at - first * stride};
}

// The end of float32 sums, in the form of basic_output_stage.
struct float_output_stage {
    using sum = float;
    const float* bias;
    float min, max;

    KOMPAKT_ALWAYS_INLINE constexpr float output(float products,
                                                 std::int32_t channel) const noexcept {
        return limit(bias != nullptr ? products + bias[channel] : products, min, max);
    }
};

template <class Port, class T, class Weight, class Stage, class InE, class FilterE, class OutE>
void transpose_conv2d(portable, Port port, const tensor<const T, InE>& in,
                      const tensor<const Weight, FilterE>& filter, const Stage& stage,
                      const tensor<T, OutE>& out, const window_params& p,
                      std::int32_t input_zero_point) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>();
    const std::int32_t out_c = out.template dim<3>();
    const std::int32_t row = kernel_h * kernel_w * in_c; // weights of one output channel
    const T* image = in.data();
    T* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const meeting_inputs ys = inputs_at(y + p.pad_top, kernel_h, p.stride_h, in_h);
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const meeting_inputs xs = inputs_at(x + p.pad_left, kernel_w, p.stride_w, in_w);
                auto weights = weights_of(filter.data());
                for (std::int32_t o = 0; o < out_c;) {
                    const std::int32_t lanes = out_c - o >= 4 ? 4 : 1;
                    four<typename Stage::sum> sums{};
                    for (std::int32_t iy = ys.first; iy < ys.last; ++iy) {
                        const std::int32_t ky = ys.tap - (iy - ys.first) * p.stride_h;
                        for (std::int32_t ix = xs.first; ix < xs.last; ++ix) {
                            const std::int32_t kx = xs.tap - (ix - xs.first) * p.stride_w;
                            const auto w = weights + (ky * kernel_w + kx) * in_c;
                            const T* i = image + (iy * in_w + ix) * in_c;
                            if (lanes == 4) {
                                detail::dot4(port, w, row, i, in_c, input_zero_point, sums);
                            } else {
                                sums.value[0] =
                                    detail::dot(port, w, i, in_c, input_zero_point, sums.value[0]);
                            }
                        }
                    }
                    for (std::int32_t k = 0; k < lanes; ++k, ++o) {
                        *to++ = stage.output(sums.value[k], o);
                    }
                    weights += lanes * row;
                }
            }
        }
        image += in_h * in_w * in_c;
    }
}

namespace detail {

// What all types have in common: inputs 0 and 1 and output 0.
inline status check_transpose_conv2d(const call& c, const window_params& w, dtype type,
                                     dtype weights) noexcept {
    if (c.inputs() < 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs an input, a filter and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, 4));
    KOMPAKT_TRY(check_operand(c.input_record(1), "filter", weights, 4));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 4));
    const auto in = c.input<std::byte, 4>(0), filter = c.input<std::byte, 4>(1);
    const auto out = c.output<std::byte, 4>(0);
    if (in.dim(0) != out.dim(0) || filter.dim(0) != out.dim(3) || filter.dim(3) != in.dim(3)) {
        return fail(errc::bad_file, "output [", out.dim(0), " … ", out.dim(3), "], filter [",
                    filter.dim(0), " … ", filter.dim(3), "], needed [", in.dim(0), " … ",
                    filter.dim(0), "] and [", out.dim(3), " … ", in.dim(3), "]");
    }
    // Positions are sums of an output's and of the padding before.
    const std::int32_t sizes[] = {w.stride_h, w.stride_w, filter.dim(1), filter.dim(2)};
    for (const std::int32_t v : sizes) {
        if (v < 1 || v > max_window_value) {
            return fail(errc::unsupported, "stride ", w.stride_h, "x", w.stride_w, ", window ",
                        filter.dim(1), "x", filter.dim(2), ", needed 1 to ", max_window_value);
        }
    }
    const std::int32_t pads[] = {w.pad_top, w.pad_left};
    for (const std::int32_t v : pads) {
        if (v < 0 || v > max_window_value) {
            return fail(errc::unsupported, "padding ", w.pad_top, "x", w.pad_left, ", needed 0 to ",
                        max_window_value);
        }
    }
    if (w.dilation_h != 1 || w.dilation_w != 1) {
        return fail(errc::unsupported, "dilation ", w.dilation_h, "x", w.dilation_w,
                    ", needed 1x1");
    }
    if (out.dim(1) > INT32_MAX / 2 || out.dim(2) > INT32_MAX / 2) {
        return fail(errc::limit, "output ", out.dim(1), "x", out.dim(2), ", needed at most ",
                    INT32_MAX / 2);
    }
    return {};
}

// Inputs of the integer families: input, filter, bias or absent, multipliers, shifts.
inline status check_transpose_conv2d_integer(const call& c, dtype type, dtype sum) noexcept {
    const auto p = c.params<conv2d_i8_params>();
    KOMPAKT_TRY(check_transpose_conv2d(c, p.window, type, dtype::i8));
    KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, type));
    return check_output_stage(c, 2, c.output<std::byte, 4>(0).dim(3), p.output, type, sum);
}
template <class T, class Sum, class Port, class Call>
void run_transpose_conv2d_integer(Port port, const Call& c) noexcept {
    const auto p = c.template params<conv2d_i8_params>();
    transpose_conv2d(port, port, c.template input<T, 4>(arg<0>),
                     c.template input<std::int8_t, 4>(arg<1>),
                     output_stage_as<T, Sum>(c, 2, p.output), c.template output<T, 4>(arg<0>),
                     p.window, p.input_zero_point);
}

} // namespace detail

struct transpose_conv2d_i8 {
    using params = conv2d_i8_params; // no dilation
    static constexpr kernel_id id = kernel_id::transpose_conv2d_i8;
    static constexpr const char* name = "transpose_conv2d_i8";

    static status check(const call& c) noexcept {
        return detail::check_transpose_conv2d_integer(c, dtype::i8, dtype::i32);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        detail::run_transpose_conv2d_integer<std::int8_t, std::int32_t>(port, c);
    }
};

struct transpose_conv2d_i16 {
    using params = conv2d_i8_params; // no dilation
    static constexpr kernel_id id = kernel_id::transpose_conv2d_i16;
    static constexpr const char* name = "transpose_conv2d_i16";

    static status check(const call& c) noexcept {
        return detail::check_transpose_conv2d_integer(c, dtype::i16, dtype::i64);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        detail::run_transpose_conv2d_integer<std::int16_t, std::int64_t>(port, c);
    }
};

struct transpose_conv2d_f32 {
    using params = conv2d_f32_params; // no dilation
    static constexpr kernel_id id = kernel_id::transpose_conv2d_f32;
    static constexpr const char* name = "transpose_conv2d_f32";

    // Inputs: input, filter, bias or absent.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(
            detail::check_transpose_conv2d(c, c.params<params>().window, dtype::f32, dtype::f32));
        return check_float_bias(c, 2, c.output<std::byte, 4>(0).dim(3));
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        const auto p = c.template params<params>();
        const float_output_stage stage{c.template input_data<float>(2), p.min, p.max};
        transpose_conv2d(port, port, c.template input<float, 4>(arg<0>),
                         c.template input<float, 4>(arg<1>), stage,
                         c.template output<float, 4>(arg<0>), p.window, 0);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
