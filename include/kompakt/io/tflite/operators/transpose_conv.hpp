// Transposed convolution. The file names the output's shape as a first input; here it follows from
// the window.
#pragma once

#include <kompakt/graph/ops/transpose_conv2d.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// Padding before, along one axis of the output. VALID is 0 but where the output is smaller than the
// window, which no converter writes: the numbers are TensorFlow Lite Micro's there too.
inline std::int32_t transpose_conv_pad(padding p, std::int64_t out, std::int64_t kernel,
                                       std::int64_t stride) {
    const std::int64_t in =
        p == padding::same ? (out + stride - 1) / stride : (out + stride - kernel) / stride;
    const std::int64_t total = (in - 1) * stride + kernel - out;
    return static_cast<std::int32_t>(total > 0 ? total / 2 : 0);
}

inline status read_transpose_conv(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 4));
    std::int64_t kernel_h = 0, kernel_w = 0;
    KOMPAKT_TRY(r.kernel(1, kernel_h, kernel_w));
    const shape &in = r.input(2).shape, &filter = r.input(1).shape;
    if (in.size() != 4 || !in[1].known() || !in[2].known()) {
        return fail(errc::unsupported, "input ", text_of(in),
                    ", needed four dimensions and a known height and width");
    }
    // TensorFlow Lite Micro reads the shape that the file gives the output, and that alone where
    // this input is computed.
    shape out = r.output(0).shape;
    if (r.input(0).value) {
        const auto given = r.integers(0, "output shape");
        if (!given.ok()) return given.error();
        if (given->size() != 4) {
            return fail(errc::bad_file, "output shape of ", given->size(), " numbers, needed 4");
        }
        out = shape(given->begin(), given->end());
        if (in[0].known() && in[0] != out[0]) {
            return fail(errc::bad_file, "output shape ", text_of(out), " for a batch of ",
                        in[0].value());
        }
    }
    if (out.size() != 4 || !out[1].known() || !out[2].known() || !out[3].known()) {
        return fail(errc::unsupported, "output ", text_of(out),
                    ", needed four dimensions of which the last three are numbers");
    }
    if (out[3] != filter[0] || out[1].value() < 1 || out[2].value() < 1) {
        return fail(errc::bad_file, "output ", text_of(out), " does not fit the filter ",
                    text_of(filter));
    }
    ops::transpose_conv2d c;
    ops::window_attributes& w = c.window;
    w.stride_h = r.options.scalar<std::int32_t>(transpose_conv_field::stride_h, 0);
    w.stride_w = r.options.scalar<std::int32_t>(transpose_conv_field::stride_w, 0);
    const auto p = r.options.scalar<padding>(transpose_conv_field::padding, padding::same);
    if (p != padding::same && p != padding::valid) {
        return fail(errc::bad_file, "padding ", static_cast<int>(p), ", needed 0 or 1");
    }
    const auto axis = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t kernel,
                          std::int32_t stride, std::int32_t& before,
                          std::int32_t& after) -> status {
        if (stride < 1 || stride > max_window_value || kernel < 1 || kernel > max_window_value) {
            return fail(errc::unsupported, "stride ", stride, ", window ", kernel, ", needed 1 to ",
                        max_window_value);
        }
        before = transpose_conv_pad(p, outputs, kernel, stride);
        const std::int64_t rest = (inputs - 1) * stride + kernel - before - outputs;
        if (rest < -max_window_value || rest > max_window_value) {
            return fail(errc::unsupported, "output of ", outputs, " from an input of ", inputs,
                        " with stride ", stride);
        }
        after = static_cast<std::int32_t>(rest);
        return {};
    };
    KOMPAKT_TRY(axis(out[1].value(), in[1].value(), kernel_h, w.stride_h, w.pad_top, w.pad_bottom));
    KOMPAKT_TRY(axis(out[2].value(), in[2].value(), kernel_w, w.stride_w, w.pad_left, w.pad_right));
    const auto fused = r.fused(transpose_conv_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    // The order of the graph's convolutions.
    std::vector<tensor_id> inputs = {r.inputs[2], r.inputs[1]};
    if (r.has_input(3)) inputs.push_back(r.inputs[3]);
    r.inputs = std::move(inputs);
    // Sums of int16 inputs are of 64 bits whatever it says.
    const auto int32_sums = r.int32_sums(transpose_conv_field::bias_type);
    if (!int32_sums.ok()) return int32_sums.error();
    return r.make(std::move(c));
}

inline status write_transpose_conv(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::transpose_conv2d>();
    const shape &out = w.output().shape, &f = w.input(1).shape;
    if (!is_known(out)) {
        return fail(errc::unsupported, "output ", text_of(out), ", needed numbers");
    }
    const auto fits = [&](padding p) {
        return transpose_conv_pad(p, out[1].value(), f[1].value(), c.window.stride_h) ==
                   c.window.pad_top &&
               transpose_conv_pad(p, out[2].value(), f[2].value(), c.window.stride_w) ==
                   c.window.pad_left;
    };
    if (!fits(padding::valid) && !fits(padding::same)) {
        return fail(errc::unsupported, "padding ", c.window.pad_top, " and ", c.window.pad_left,
                    " is neither SAME nor VALID");
    }
    const bool bias = w.has_input(2);
    const int version = c.fused != activation::none    ? 4
                        : bias                         ? 3
                        : w.input(1).type == dtype::i8 ? 2
                                                       : 1;
    std::vector<std::int32_t> dims;
    for (const dim& d : out) dims.push_back(static_cast<std::int32_t>(d.value()));
    w.constant("output_shape", {dim(4)}, dims);
    std::vector<tensor_id> inputs = {w.inputs.back(), w.inputs[1], w.inputs[0]};
    if (bias) inputs.push_back(w.inputs[2]);
    w.inputs = std::move(inputs);
    w.add(builtin::transpose_conv, version, options_type::transpose_conv,
          flatbuffer::fields()
              .scalar<padding>(transpose_conv_field::padding,
                               fits(padding::valid) ? padding::valid : padding::same, padding::same)
              .scalar<std::int32_t>(transpose_conv_field::stride_w, c.window.stride_w, 0)
              .scalar<std::int32_t>(transpose_conv_field::stride_h, c.window.stride_h, 0)
              .scalar<std::int8_t>(transpose_conv_field::activation, w.number(c.fused), 0));
    return {};
}

inline constexpr operator_entry transpose_conv_operators[] = {
    {builtin::transpose_conv, 5, options_type::transpose_conv, read_transpose_conv,
     holds<ops::transpose_conv2d>, write_transpose_conv},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
