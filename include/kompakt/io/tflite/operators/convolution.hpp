// Convolution and depthwise convolution.
#pragma once

#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_conv_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::conv2d c;
    c.window.stride_h = r.options.scalar<std::int32_t>(conv_field::stride_h, 0);
    c.window.stride_w = r.options.scalar<std::int32_t>(conv_field::stride_w, 0);
    c.window.dilation_h = r.options.scalar<std::int32_t>(conv_field::dilation_h, 1);
    c.window.dilation_w = r.options.scalar<std::int32_t>(conv_field::dilation_w, 1);
    std::int64_t h = 0, w = 0;
    KOMPAKT_TRY(r.kernel(1, h, w));
    KOMPAKT_TRY(r.pads(conv_field::padding, h, w, c.window));
    const auto int32_sums = r.int32_sums(conv_field::bias_type);
    if (!int32_sums.ok()) return int32_sums.error();
    c.int32_sums = *int32_sums;
    const auto fused = r.fused(conv_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

inline status write_conv_2d(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::conv2d>();
    const shape& f = w.input(1).shape;
    const bool grouped = w.input(0).shape[3] != f[3];
    const auto p = w.place(c.window, f[1].value(), f[2].value(), operator_writer::fill::zero);
    if (!p.ok()) return p.error();
    const std::int8_t bias_type = w.bias_type(c.int32_sums);
    const int version = bias_type != 0                     ? 8
                        : grouped                          ? 6
                        : w.weights(dtype::i16, dtype::i8) ? 4
                        : w.weights(dtype::i8, dtype::i8)  ? 3
                        : w.weights(dtype::i8, dtype::i4)  ? 7
                        : w.weights(dtype::f32, dtype::i8) ? (w.per_channel_weights() ? 5 : 2)
                                                           : 1;
    w.add(builtin::conv_2d, version, options_type::conv_2d,
          flatbuffer::fields()
              .scalar<padding>(conv_field::padding, *p, padding::same)
              .scalar<std::int32_t>(conv_field::stride_w, c.window.stride_w, 0)
              .scalar<std::int32_t>(conv_field::stride_h, c.window.stride_h, 0)
              .scalar<std::int8_t>(conv_field::activation, w.number(c.fused), 0)
              .scalar<std::int32_t>(conv_field::dilation_w, c.window.dilation_w, 1)
              .scalar<std::int32_t>(conv_field::dilation_h, c.window.dilation_h, 1)
              .scalar<std::int8_t>(conv_field::bias_type, bias_type, 0));
    return {};
}

inline status read_depthwise_conv_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::depthwise_conv2d c;
    c.window.stride_h = r.options.scalar<std::int32_t>(depthwise_field::stride_h, 0);
    c.window.stride_w = r.options.scalar<std::int32_t>(depthwise_field::stride_w, 0);
    c.window.dilation_h = r.options.scalar<std::int32_t>(depthwise_field::dilation_h, 1);
    c.window.dilation_w = r.options.scalar<std::int32_t>(depthwise_field::dilation_w, 1);
    std::int64_t h = 0, w = 0;
    KOMPAKT_TRY(r.kernel(1, h, w));
    KOMPAKT_TRY(r.pads(depthwise_field::padding, h, w, c.window));
    // The multiplier follows from the shapes; the field may be missing (0) but not lie.
    const auto multiplier = r.options.scalar<std::int32_t>(depthwise_field::multiplier, 0);
    const shape &in = r.input(0).shape, &filter = r.input(1).shape;
    if (in.size() != 4 || !in[3].known()) {
        return fail(errc::bad_file, "input ", text_of(in), ", needed four dimensions");
    }
    if (multiplier != 0 && multiplier * in[3].value() != filter[3].value()) {
        return fail(errc::bad_file, "depth multiplier ", multiplier, " of ", in[3].value(),
                    " channels does not fit the filter ", text_of(filter));
    }
    const auto fused = r.fused(depthwise_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

inline status write_depthwise_conv_2d(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::depthwise_conv2d>();
    const shape& f = w.input(1).shape;
    const auto multiplier = static_cast<std::int32_t>(f[3].value() / w.input(0).shape[3].value());
    const auto p = w.place(c.window, f[1].value(), f[2].value(), operator_writer::fill::zero);
    if (!p.ok()) return p.error();
    const bool dilated = c.window.dilation_h != 1 || c.window.dilation_w != 1;
    const int version = w.weights(dtype::i16, dtype::i8)   ? 5
                        : w.weights(dtype::f32, dtype::i8) ? (w.per_channel_weights() ? 6 : 4)
                        : w.weights(dtype::i8, dtype::i8)  ? 3
                        : w.weights(dtype::i8, dtype::i4)  ? 7
                        : dilated                          ? 2
                                                           : 1;
    w.add(builtin::depthwise_conv_2d, version, options_type::depthwise_conv_2d,
          flatbuffer::fields()
              .scalar<padding>(depthwise_field::padding, *p, padding::same)
              .scalar<std::int32_t>(depthwise_field::stride_w, c.window.stride_w, 0)
              .scalar<std::int32_t>(depthwise_field::stride_h, c.window.stride_h, 0)
              .scalar<std::int32_t>(depthwise_field::multiplier, multiplier, 0)
              .scalar<std::int8_t>(depthwise_field::activation, w.number(c.fused), 0)
              .scalar<std::int32_t>(depthwise_field::dilation_w, c.window.dilation_w, 1)
              .scalar<std::int32_t>(depthwise_field::dilation_h, c.window.dilation_h, 1));
    return {};
}

inline constexpr operator_entry convolution_operators[] = {
    {builtin::conv_2d, 8, options_type::conv_2d, read_conv_2d, holds<ops::conv2d>, write_conv_2d},
    {builtin::depthwise_conv_2d, 7, options_type::depthwise_conv_2d, read_depthwise_conv_2d,
     holds<ops::depthwise_conv2d>, write_depthwise_conv_2d},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
