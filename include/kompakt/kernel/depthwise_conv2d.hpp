// Depthwise convolution: every input channel has filters of its own, m of them.
//
//     in NHWC [n, h, w, c], filter 1HWC [1, kh, kw, c * m], bias [c * m], out NHWC [n, oh, ow, c *
//     m]
//
// Output channel o reads input channel o / m. int8 and int16: TensorFlow Lite's quantization
// specification. Weights are int8, or int4 beside int8 inputs, packed two to a byte. Sums are
// int32, of int16 inputs int64, and wrap.
#pragma once

#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/port_hooks.hpp>
#include <kompakt/kernel/requantize.hpp>
#include <kompakt/kernel/taps.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of all integer types; the zero points of int16 are 0.
struct depthwise_conv2d_i8_params {
    window_params window;
    std::int32_t input_zero_point = 0;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("input_zero_point"), output_stage_params::fields(f);
    }
};

struct depthwise_conv2d_f32_params {
    window_params window;
    float min, max;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("output_min"), f("output_max");
    }
};

// Four channels at a time where they read four neighbours or all the same input channel. `Weight`
// is std::int8_t, or std::byte for packed int4, whose extents count elements all the same. Not
// inlined, as conv2d.
template <class Port, class T, class Weight, class Sum, class InE, class FilterE, class OutE>
KOMPAKT_NOINLINE void depthwise_conv2d(portable, Port, const tensor<const T, InE>& in,
                                       const tensor<const Weight, FilterE>& filter,
                                       const basic_output_stage<T, Sum>& stage,
                                       const tensor<T, OutE>& out,
                                       const depthwise_conv2d_i8_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>();
    const std::int32_t out_c = out.template dim<3>();
    const std::int32_t m = out_c / in_c;
    const std::int32_t z = std::is_same_v<T, std::int16_t> ? 0 : p.input_zero_point;
    const bool by_four = m == 1 || m % 4 == 0;
    const std::int32_t lane = m == 1 ? 1 : 0; // from one of the four to the next, in the input
    const auto add = [](Sum sum, std::int32_t product) {
        if constexpr (std::is_same_v<Sum, std::int64_t>)
            return wrap_add_wide(sum, product);
        else
            return wrap_add(sum, product);
    };
    const T* image = in.data();
    T* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, kernel_h, kernel_w, in_h, in_w, y0, x0);
                const std::int32_t step = t.input_column * in_c;
                for (std::int32_t c = 0; c < out_c;) {
                    const std::int32_t lanes = by_four && out_c - c >= 4 ? 4 : 1;
                    const auto weights = weights_of(filter.data()) + (t.filter_at * out_c + c);
                    const T* from = image + t.input_at * in_c + (m == 1 ? c : c / m);
                    Sum sums[4] = {};
                    for (std::int32_t row = 0; row < t.rows; ++row) {
                        const auto f = weights + row * kernel_w * out_c;
                        const T* i = from + row * t.input_row * in_c;
                        Sum s0 = sums[0];
                        if (lanes == 1) {
                            for (std::int32_t k = 0; k < t.columns; ++k) {
                                s0 = add(s0, f[k * out_c] * (i[k * step] - z));
                            }
                        } else {
                            Sum s1 = sums[1], s2 = sums[2], s3 = sums[3];
                            for (std::int32_t k = 0; k < t.columns; ++k) {
                                const auto g = f + k * out_c;
                                const T* j = i + k * step;
                                s0 = add(s0, g[0] * (j[0] - z));
                                s1 = add(s1, g[1] * (j[lane] - z));
                                s2 = add(s2, g[2] * (j[2 * lane] - z));
                                s3 = add(s3, g[3] * (j[3 * lane] - z));
                            }
                            sums[1] = s1, sums[2] = s2, sums[3] = s3;
                        }
                        sums[0] = s0;
                    }
                    for (std::int32_t k = 0; k < lanes; ++k, ++c) {
                        *to++ = stage.output(sums[k], c);
                    }
                }
            }
        }
        image += in_h * in_w * in_c;
    }
}

// The sums grow in the output, so that the innermost loop runs over channels.
template <class Port, class InE, class FilterE, class OutE>
void depthwise_conv2d(portable, Port, const tensor<const float, InE>& in,
                      const tensor<const float, FilterE>& filter, const float* bias,
                      const tensor<float, OutE>& out,
                      const depthwise_conv2d_f32_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t kernel_h = filter.template dim<1>(), kernel_w = filter.template dim<2>();
    const std::int32_t out_c = out.template dim<3>();
    const std::int32_t m = out_c / in_c;
    const float* image = in.data();
    float* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, kernel_h, kernel_w, in_h, in_w, y0, x0);
                for (std::int32_t c = 0; c < out_c; ++c) to[c] = 0.0f;
                for (std::int32_t row = 0; row < t.rows; ++row) {
                    for (std::int32_t column = 0; column < t.columns; ++column) {
                        const float* f =
                            filter.data() + (t.filter_at + row * kernel_w + column) * out_c;
                        const float* i =
                            image +
                            (t.input_at + row * t.input_row + column * t.input_column) * in_c;
                        if (m == 1) {
                            for (std::int32_t c = 0; c < out_c; ++c) to[c] += f[c] * i[c];
                        } else {
                            for (std::int32_t c = 0; c < out_c; ++c) to[c] += f[c] * i[c / m];
                        }
                    }
                }
                for (std::int32_t c = 0; c < out_c; ++c) {
                    const float sum = bias != nullptr ? to[c] + bias[c] : to[c];
                    to[c] = limit(sum, p.min, p.max);
                }
                to += out_c;
            }
        }
        image += in_h * in_w * in_c;
    }
}

namespace detail {

// What all types have in common: inputs 0 and 1 and output 0.
inline status check_depthwise_conv2d(const call& c, const window_params& w, dtype type,
                                     dtype weights) noexcept {
    if (c.inputs() < 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs an input, a filter and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, 4));
    KOMPAKT_TRY(check_operand(c.input_record(1), "filter", weights, 4));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 4));
    const auto in = c.input<std::byte, 4>(0), filter = c.input<std::byte, 4>(1);
    const auto out = c.output<std::byte, 4>(0);
    if (in.dim(0) != out.dim(0) || filter.dim(0) != 1 || filter.dim(3) != out.dim(3)) {
        return fail(errc::bad_file, "output [", out.dim(0), " … ", out.dim(3), "], filter [",
                    filter.dim(0), " … ", filter.dim(3), "], needed [", in.dim(0),
                    " … channels] and [1 … channels]");
    }
    if (out.dim(3) % in.dim(3) != 0) {
        return fail(errc::bad_file, out.dim(3), " output channels, needed a multiple of ",
                    in.dim(3));
    }
    return check_window(c, w, filter.dim(1), filter.dim(2));
}

// Inputs of the integer families: input, filter, bias or absent, multipliers, shifts.
inline status check_depthwise_conv2d_integer(const call& c, dtype type, dtype weights,
                                             dtype sum) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    KOMPAKT_TRY(check_depthwise_conv2d(c, p.window, type, weights));
    KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, type));
    return check_output_stage(c, 2, c.output<std::byte, 4>(0).dim(3), p.output, type, sum);
}
template <class T, class Weight, class Sum, class Port, class Call>
void run_depthwise_conv2d_integer(Port port, const Call& c) noexcept {
    auto p = c.template params<depthwise_conv2d_i8_params>();
    const auto stage = output_stage_as<T, Sum>(c, 2, p.output);
    const auto filter = c.template input<Weight, 4>(arg<1>);
    run_windowed<T>(c, p.window, filter.dim(1),
                    [&](const auto& in, const auto& out, std::int32_t pad_top)
                        KOMPAKT_INLINE_LAMBDA {
                            p.window.pad_top = pad_top;
                            depthwise_conv2d(port, port, in, filter, stage, out, p);
                        });
}

// A family of these types; `Weight` as above.
template <class T, class Weight, class Sum>
struct depthwise_conv2d_integer {
    using params = depthwise_conv2d_i8_params;
    static constexpr bool by_rows = true;

    static status check(const call& c) noexcept {
        return check_depthwise_conv2d_integer(c, dtype_of<T>, weight_type<Weight>, dtype_of<Sum>);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        run_depthwise_conv2d_integer<T, Weight, Sum>(port, c);
    }
};

} // namespace detail

struct depthwise_conv2d_i8
    : with_port_hooks<depthwise_conv2d_i8,
                      detail::depthwise_conv2d_integer<std::int8_t, std::int8_t, std::int32_t>> {
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_i8;
    static constexpr const char* name = "depthwise_conv2d_i8";
};

// int8 inputs, int4 weights.
struct depthwise_conv2d_i4
    : detail::depthwise_conv2d_integer<std::int8_t, std::byte, std::int32_t> {
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_i4;
    static constexpr const char* name = "depthwise_conv2d_i4";
};

// int16 inputs, int8 weights.
struct depthwise_conv2d_i16
    : detail::depthwise_conv2d_integer<std::int16_t, std::int8_t, std::int64_t> {
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_i16;
    static constexpr const char* name = "depthwise_conv2d_i16";
};

struct depthwise_conv2d_f32 {
    using params = depthwise_conv2d_f32_params;
    static constexpr kernel_id id = kernel_id::depthwise_conv2d_f32;
    static constexpr const char* name = "depthwise_conv2d_f32";
    static constexpr bool by_rows = true;

    // Inputs: input, filter, bias or absent.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(
            detail::check_depthwise_conv2d(c, c.params<params>().window, dtype::f32, dtype::f32));
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
                                    depthwise_conv2d(port, port, in, filter, bias, out, p);
                                });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
