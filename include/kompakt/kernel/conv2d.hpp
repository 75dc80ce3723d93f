// Convolution in two dimensions, with strides, dilation and groups.
//
//     in NHWC [n, h, w, c], filter OHWI [o, kh, kw, c / groups], bias [o], out NHWC [n, oh, ow, o]
//
// The number of groups is c divided by the filter's last dimension. int8 and int16: TensorFlow
// Lite's quantization specification. Weights are int8, or int4 beside int8 inputs, packed two to a
// byte. Sums are int32, of int16 inputs also int64, and wrap.
#pragma once

#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/port_hooks.hpp>
#include <kompakt/kernel/requantize.hpp>
#include <kompakt/kernel/taps.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of all integer types; the zero points of int16 are 0.
struct conv2d_i8_params {
    window_params window;
    std::int32_t input_zero_point = 0;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("input_zero_point"), output_stage_params::fields(f);
    }
};

struct conv2d_f32_params {
    window_params window;
    float min, max;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("output_min"), f("output_max");
    }
};

namespace detail {

// Calls `run(filter_offset, input_offset, length)` for each run of taps that lie side by side in
// both the filter and the input.
template <class Run>
KOMPAKT_ALWAYS_INLINE void for_each_run(const inside_taps& t, std::int32_t kernel_w,
                                        std::int32_t depth, std::int32_t in_c, Run&& run) noexcept {
    // Without groups and dilation the taps of a row are one run.
    const bool joined = depth == in_c && t.input_column == 1;
    const std::int32_t runs = joined ? 1 : t.columns;
    const std::int32_t length = joined ? t.columns * depth : depth;
    for (std::int32_t row = 0; row < t.rows; ++row) {
        for (std::int32_t r = 0; r < runs; ++r) {
            run((t.filter_at + row * kernel_w + r) * depth,
                (t.input_at + row * t.input_row + r * t.input_column) * in_c, length);
        }
    }
}

} // namespace detail

// `Weight` is std::int8_t, or std::byte for packed int4, whose extents count elements all the same.
// Not inlined: inside a caller that runs by rows the loops would lack registers (ResNet8 on a
// Cortex-M4 with constant extents: 57.0 million instructions an inference, 44.5 apart).
template <class Port, class T, class Weight, class Sum, class InE, class FilterE, class OutE>
KOMPAKT_NOINLINE void conv2d(portable, Port port, const tensor<const T, InE>& in,
                             const tensor<const Weight, FilterE>& filter,
                             const basic_output_stage<T, Sum>& stage, const tensor<T, OutE>& out,
                             const conv2d_i8_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>(),
                       depth = filter.template dim<3>();
    const std::int32_t out_c = out.template dim<3>();
    const std::int32_t per_group = out_c / (in_c / depth);
    const std::int32_t row = kernel_h * kernel_w * depth; // weights of one output channel
    T* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, kernel_h, kernel_w, in_h, in_w, y0, x0);
                auto weights = weights_of(filter.data());
                const T* group = in.data() + n * in_h * in_w * in_c;
                for (std::int32_t o = 0, left = per_group; o < out_c;) {
                    if (left == 0) {
                        left = per_group;
                        group += depth;
                    }
                    // Four channels of a group share what is loaded of the input.
                    const std::int32_t lanes = left >= 4 ? 4 : 1;
                    four<Sum> sums{};
                    if (lanes == 4) {
                        detail::for_each_run(
                            t, kernel_w, depth, in_c,
                            [&](std::int32_t f, std::int32_t i, std::int32_t length) {
                                detail::dot4(port, weights + f, row, group + i, length,
                                             p.input_zero_point, sums);
                            });
                    } else {
                        detail::for_each_run(
                            t, kernel_w, depth, in_c,
                            [&](std::int32_t f, std::int32_t i, std::int32_t length) {
                                sums.value[0] = detail::dot(port, weights + f, group + i, length,
                                                            p.input_zero_point, sums.value[0]);
                            });
                    }
                    for (std::int32_t k = 0; k < lanes; ++k, ++o, --left) {
                        *to++ = stage.output(sums.value[k], o);
                    }
                    weights += lanes * row;
                }
            }
        }
    }
}

template <class Port, class InE, class FilterE, class OutE>
void conv2d(portable, Port port, const tensor<const float, InE>& in,
            const tensor<const float, FilterE>& filter, const float* bias,
            const tensor<float, OutE>& out, const conv2d_f32_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>(),
                       depth = filter.template dim<3>();
    const std::int32_t out_c = out.template dim<3>();
    const std::int32_t per_group = out_c / (in_c / depth);
    const float* image = in.data();
    float* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, kernel_h, kernel_w, in_h, in_w, y0, x0);
                const float* weights = filter.data();
                for (std::int32_t o = 0; o < out_c; ++o) {
                    const float* group = image + o / per_group * depth;
                    float sum = 0.0f;
                    detail::for_each_run(t, kernel_w, depth, in_c,
                                         [&](std::int32_t f, std::int32_t i, std::int32_t length) {
                                             sum = dot_f32(port, port, weights + f, group + i,
                                                           length, sum);
                                         });
                    if (bias != nullptr) sum += bias[o];
                    *to++ = limit(sum, p.min, p.max);
                    weights += kernel_h * kernel_w * depth;
                }
            }
        }
        image += in_h * in_w * in_c;
    }
}

namespace detail {

// What all types have in common: inputs 0 and 1 and output 0.
inline status check_conv2d(const call& c, const window_params& w, dtype type,
                           dtype weights) noexcept {
    if (c.inputs() < 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs an input, a filter and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, 4));
    KOMPAKT_TRY(check_operand(c.input_record(1), "filter", weights, 4));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 4));
    const auto in = c.input<std::byte, 4>(0), filter = c.input<std::byte, 4>(1);
    const auto out = c.output<std::byte, 4>(0);
    if (in.dim(0) != out.dim(0) || filter.dim(0) != out.dim(3)) {
        return fail(errc::bad_file, "output [", out.dim(0), " … ", out.dim(3), "], needed [",
                    in.dim(0), " … ", filter.dim(0), "]");
    }
    const std::int32_t depth = filter.dim(3);
    if (depth < 1 || in.dim(3) % depth != 0 || out.dim(3) % (in.dim(3) / depth) != 0) {
        return fail(errc::bad_file, "filter depth ", depth, " and ", out.dim(3),
                    " outputs do not divide ", in.dim(3), " input channels into groups");
    }
    return check_window(c, w, filter.dim(1), filter.dim(2));
}

// Inputs of the integer families: input, filter, bias or absent, multipliers, shifts.
inline status check_conv2d_integer(const call& c, dtype type, dtype weights, dtype sum) noexcept {
    const auto p = c.params<conv2d_i8_params>();
    KOMPAKT_TRY(check_conv2d(c, p.window, type, weights));
    KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, type));
    return check_output_stage(c, 2, c.output<std::byte, 4>(0).dim(3), p.output, type, sum);
}

template <class T, class Weight, class Sum, class Port, class Call>
void run_conv2d_integer(Port port, const Call& c) noexcept {
    auto p = c.template params<conv2d_i8_params>();
    const auto stage = output_stage_as<T, Sum>(c, 2, p.output);
    const auto filter = c.template input<Weight, 4>(arg<1>);
    run_windowed<T>(c, p.window, filter.dim(1),
                    [&](const auto& in, const auto& out, std::int32_t pad_top)
                        KOMPAKT_INLINE_LAMBDA {
                            p.window.pad_top = pad_top;
                            conv2d(port, port, in, filter, stage, out, p);
                        });
}

// A family of these types; `Weight` as above.
template <class T, class Weight, class Sum>
struct conv2d_integer {
    using params = conv2d_i8_params;
    static constexpr bool by_rows = true;

    static status check(const call& c) noexcept {
        return check_conv2d_integer(c, dtype_of<T>, weight_type<Weight>, dtype_of<Sum>);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        run_conv2d_integer<T, Weight, Sum>(port, c);
    }
};

} // namespace detail

struct conv2d_i8
    : with_port_hooks<conv2d_i8, detail::conv2d_integer<std::int8_t, std::int8_t, std::int32_t>> {
    static constexpr kernel_id id = kernel_id::conv2d_i8;
    static constexpr const char* name = "conv2d_i8";
};

// int8 inputs, int4 weights.
struct conv2d_i4 : detail::conv2d_integer<std::int8_t, std::byte, std::int32_t> {
    static constexpr kernel_id id = kernel_id::conv2d_i4;
    static constexpr const char* name = "conv2d_i4";
};

// int16 inputs, int8 weights, sums of 64 bits.
struct conv2d_i16 : detail::conv2d_integer<std::int16_t, std::int8_t, std::int64_t> {
    static constexpr kernel_id id = kernel_id::conv2d_i16;
    static constexpr const char* name = "conv2d_i16";
};

// int16 inputs, int8 weights, sums of 32 bits.
struct conv2d_i16_sum32 : detail::conv2d_integer<std::int16_t, std::int8_t, std::int32_t> {
    static constexpr kernel_id id = kernel_id::conv2d_i16_sum32;
    static constexpr const char* name = "conv2d_i16_sum32";
};

namespace detail {

struct conv2d_float {
    using params = conv2d_f32_params;
    static constexpr bool by_rows = true;

    // Inputs: input, filter, bias or absent.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_conv2d(c, c.params<params>().window, dtype::f32, dtype::f32));
        return check_float_bias(c, 2, c.output<std::byte, 4>(0).dim(3));
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        auto p = c.template params<params>();
        const float* bias = c.template input_data<float>(2);
        const auto filter = c.template input<float, 4>(arg<1>);
        run_windowed<float>(c, p.window, filter.dim(1),
                            [&](const auto& in, const auto& out, std::int32_t pad_top)
                                KOMPAKT_INLINE_LAMBDA {
                                    p.window.pad_top = pad_top;
                                    conv2d(port, port, in, filter, bias, out, p);
                                });
    }
};

} // namespace detail

struct conv2d_f32 : with_port_hooks<conv2d_f32, detail::conv2d_float> {
    static constexpr kernel_id id = kernel_id::conv2d_f32;
    static constexpr const char* name = "conv2d_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
