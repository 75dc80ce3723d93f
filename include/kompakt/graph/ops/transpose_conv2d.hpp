// transpose_conv_2d: input NHWC, filter OHWI [o, kh, kw, c], bias [o] optional; output NHWC.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/transpose_conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct transpose_conv2d : op_of<transpose_conv2d> {
    static constexpr const char* op_name = "transpose_conv_2d";

    // Of the output, as if it were a convolution's input: pads are cut off it. Below and to the
    // right they may be negative: rows and columns that no input reaches. No dilation.
    window_attributes window;
    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        window.fields(v);
        v("activation", fused);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 3, 1));
        KOMPAKT_TRY(c.expect_rank(0, 4));
        KOMPAKT_TRY(c.expect_rank(1, 4));
        const shape &in = c.input_shape(0), &filter = c.input_shape(1);
        if (!is_known(filter) || !in[3].known()) {
            return fail(errc::unsupported, "filter ", text_of(filter), " and input channels ",
                        in[3].text(), " must be numbers");
        }
        if (filter[3] != in[3] || in[3].value() < 1 || filter[0].value() < 1) {
            return fail(errc::bad_file, "filter ", text_of(filter), " does not fit ", in[3].value(),
                        " input channels");
        }
        if (window.dilation_h != 1 || window.dilation_w != 1) {
            return fail(errc::unsupported, "dilation ", window.dilation_h, "x", window.dilation_w,
                        ", needed 1x1");
        }
        const auto h =
            extent(in[1], filter[1].value(), window.stride_h, window.pad_top, window.pad_bottom);
        if (!h.ok()) return h.error();
        const auto w =
            extent(in[2], filter[2].value(), window.stride_w, window.pad_left, window.pad_right);
        if (!w.ok()) return w.error();
        c.set_output(0, c.input(0).type, {in[0], *h, *w, filter[0]});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &filter = c.input(1);
        if (in.type == dtype::f32) {
            if (filter.type != dtype::f32 && filter.type != dtype::i8) {
                return fail(errc::unsupported, "float32 input with ", name_of(filter.type),
                            " filter");
            }
            const float_range r = range_of(fused);
            c.emit<transpose_conv2d_f32>({window.params(), r.min, r.max},
                                         {c.in(0), float_weights(c, 1), c.in(2)}, {c.out()});
            return {};
        }
        // TensorFlow Lite Micro widens an int16 bias of int16 inputs and reads any other as int64.
        const bool wide = in.type == dtype::i16;
        const bool narrow_bias = wide && c.has_input(2) && c.input(2).type == dtype::i16;
        if (wide && c.has_input(2) && !narrow_bias && c.input(2).type != dtype::i64) {
            return fail(errc::unsupported, "int16 input with ", name_of(c.input(2).type),
                        " bias, needed int64 or int16");
        }
        auto form = integer_form_of(c, 0, filter.shape[0].value(), wide ? dtype::i64 : dtype::i32,
                                    fused, effective_scales);
        if (!form.ok()) return form.error();
        if (narrow_bias) {
            const graph_tensor& bias = c.input(2);
            if (!bias.value) return fail(errc::unsupported, "int16 bias is not constant");
            const auto values = bias.value->values<std::int16_t>();
            form->operands[2] = c.constant_operand<std::int64_t>(
                {static_cast<std::int32_t>(values.size())},
                std::vector<std::int64_t>(values.begin(), values.end()));
        }
        // No kernel runs on packed weights here: they are decoded.
        form->packed = false;
        form->operands[1] = c.in(1);
        const conv2d_i8_params p{window.params(), form->input_zero_point, form->output};
        return form->choose<transpose_conv2d_i8, void, transpose_conv2d_i16, void>(
            [&](auto kernel) { c.emit<decltype(kernel)>(p, form->operands, {c.out()}); });
    }

    quantization_rule quantize_rule() const override { return weights_rule(0); }

    // Every input pixel with every weight, of which those beyond the output's edges do not count
    // for much.
    std::uint64_t macs(const inference& c) const override {
        const auto in = element_count(c.input_shape(0));
        const shape& f = c.input_shape(1);
        return in.ok()
                   ? *in * static_cast<std::uint64_t>(f[0].value() * f[1].value() * f[2].value())
                   : 0;
    }

  private:
    static result<dim> extent(const dim& in, std::int64_t kernel, std::int64_t stride,
                              std::int64_t before, std::int64_t after) {
        if (!in.known()) {
            return fail(errc::bad_argument, "dimension ", in.symbol(),
                        " has no value; bind it first");
        }
        if (stride < 1 || kernel < 1 || before < 0 || stride > max_window_value ||
            kernel > max_window_value || before > max_window_value || after > max_window_value ||
            after < -max_window_value) {
            return fail(errc::unsupported, "window of ", kernel, ", stride ", stride, ", padding ",
                        before, " and ", after, "; needed 1 (padding 0) to ", max_window_value);
        }
        const std::int64_t out = (in.value() - 1) * stride + kernel - before - after;
        if (out < 1 || out > INT32_MAX) {
            return fail(errc::bad_file, "window of ", kernel, ", stride ", stride, ", padding ",
                        before, " and ", after, " of an input of ", in.value(), " gives ", out);
        }
        return dim(out);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
