// depthwise_conv_2d: input NHWC, filter 1HWC [1, kh, kw, c * m], bias [c * m] optional;
// output NHWC.
#pragma once

#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt/kernel/depthwise_conv2d_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// As of conv2d.
struct depthwise_conv2d_grad_input
    : window_gradient<depthwise_conv2d_grad_input, depthwise_conv2d_grad_input_f32> {
    static constexpr const char* op_name = "depthwise_conv_2d_grad_input";
};
struct depthwise_conv2d_grad_filter
    : window_gradient<depthwise_conv2d_grad_filter, depthwise_conv2d_grad_filter_f32> {
    static constexpr const char* op_name = "depthwise_conv_2d_grad_filter";
};

// The number m of filters per channel follows from the filter.
struct depthwise_conv2d : op_of<depthwise_conv2d> {
    static constexpr const char* op_name = "depthwise_conv_2d";

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
        const std::int64_t channels = in[3].value();
        if (filter[0].value() != 1 || channels < 1 || filter[3].value() % channels != 0) {
            return fail(errc::bad_file, "filter ", text_of(filter), " does not fit ", channels,
                        " input channels");
        }
        const auto h = window.extent_h(in[1], filter[1].value());
        if (!h.ok()) return h.error();
        const auto w = window.extent_w(in[2], filter[2].value());
        if (!w.ok()) return w.error();
        c.set_output(0, c.input(0).type, {in[0], *h, *w, filter[3]});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &filter = c.input(1);
        const std::vector<overlap> overlaps = {
            {overlap::kind::rows, 0, window.stride_h, window.pad_top}};
        if (in.type == dtype::f32) {
            if (filter.type != dtype::f32 && filter.type != dtype::i8) {
                return fail(errc::unsupported, "float32 input with ", name_of(filter.type),
                            " filter");
            }
            const float_range r = range_of(fused);
            c.emit<depthwise_conv2d_f32>({window.params(), r.min, r.max},
                                         {c.in(0), float_weights(c, 1), c.in(2)}, {c.out()},
                                         overlaps);
            return {};
        }
        // TensorFlow Lite Micro reads any bias of int16 inputs as int64.
        const auto sum = sums_of(c, false);
        if (!sum.ok()) return sum.error();
        if (in.type == dtype::i16 && *sum != dtype::i64) {
            return fail(errc::unsupported, "int16 input with int32 bias, needed int64");
        }
        const auto form =
            integer_form_of(c, 3, filter.shape[3].value(), *sum, fused, effective_scales);
        if (!form.ok()) return form.error();
        const depthwise_conv2d_i8_params p{window.params(), form->input_zero_point, form->output};
        return form->choose<depthwise_conv2d_i8, depthwise_conv2d_i4, depthwise_conv2d_i16, void>(
            [&](auto kernel) { c.emit<decltype(kernel)>(p, form->operands, {c.out()}, overlaps); });
    }

    std::vector<std::size_t> parameters() const override { return {1, 2}; }
    status gradient(differentiation& d) const override {
        return give_filtered<depthwise_conv2d_grad_input, depthwise_conv2d_grad_filter>(d, window,
                                                                                        fused);
    }

    quantization_rule quantize_rule() const override { return weights_rule(3); }

    std::uint64_t macs(const inference& c) const override {
        const auto out = element_count(c.output(0).shape);
        const shape& f = c.input_shape(1);
        return out.ok() ? *out * static_cast<std::uint64_t>(f[1].value() * f[2].value()) : 0;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
