// conv_2d: input NHWC, filter OHWI [o, kh, kw, c / groups], bias [o] optional; output NHWC.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/conv2d_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// conv2d_grad_input: gradient of the output, filter -> gradient of the input. conv2d_grad_filter:
// gradient of the output, input -> gradient of the filter.
template <class Op, class Kernel>
struct window_gradient : gradient_op<Op> {
    window_attributes window;

    template <class V>
    void fields(V&& v) {
        gradient_op<Op>::fields(v);
        window.fields(v);
    }
    status lower(lowering& c) const override {
        c.emit<Kernel>({window.params()}, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }
};
// Of input, filter and bias, which all kinds of convolution have in this order.
template <class GradInput, class GradFilter>
status give_filtered(differentiation& d, const window_attributes& window, activation fused) {
    const tensor_id g = gradient_before(d, fused);
    if (d.wants(0)) {
        GradInput o;
        o.window = window, o.target = d.in_shape(0);
        d.give(0, d.add(o, {g, d.in(1)}));
    }
    if (d.wants(1)) {
        GradFilter o;
        o.window = window, o.target = d.in_shape(1);
        d.give(1, d.add(o, {g, d.in(0)}));
    }
    if (d.wants(2)) give_broadcast(d, 2, g);
    return {};
}

struct conv2d_grad_input : window_gradient<conv2d_grad_input, conv2d_grad_input_f32> {
    static constexpr const char* op_name = "conv_2d_grad_input";
};
struct conv2d_grad_filter : window_gradient<conv2d_grad_filter, conv2d_grad_filter_f32> {
    static constexpr const char* op_name = "conv_2d_grad_filter";
};

struct conv2d : op_of<conv2d> {
    static constexpr const char* op_name = "conv_2d";

    window_attributes window;
    activation fused = activation::none;
    bool int32_sums = false; // of int16 inputs without a bias, whose type would say it

    template <class V>
    void fields(V&& v) {
        window.fields(v);
        v("activation", fused), v("int32_sums", int32_sums);
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
        const std::int64_t depth = filter[3].value(), channels = in[3].value();
        if (depth < 1 || channels < 1 || channels % depth != 0 ||
            filter[0].value() % (channels / depth) != 0) {
            return fail(errc::bad_file, "filter ", text_of(filter), " does not fit ", channels,
                        " input channels");
        }
        const auto h = window.extent_h(in[1], filter[1].value());
        if (!h.ok()) return h.error();
        const auto w = window.extent_w(in[2], filter[2].value());
        if (!w.ok()) return w.error();
        c.set_output(0, c.input(0).type, {in[0], *h, *w, filter[0]});
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
            c.emit<conv2d_f32>({window.params(), r.min, r.max},
                               {c.in(0), float_weights(c, 1), c.in(2)}, {c.out()}, overlaps);
            return {};
        }
        const auto sum = sums_of(c, int32_sums);
        if (!sum.ok()) return sum.error();
        const auto form =
            integer_form_of(c, 0, filter.shape[0].value(), *sum, fused, effective_scales);
        if (!form.ok()) return form.error();
        const conv2d_i8_params p{window.params(), form->input_zero_point, form->output};
        return form->choose<conv2d_i8, conv2d_i4, conv2d_i16, conv2d_i16_sum32>(
            [&](auto kernel) { c.emit<decltype(kernel)>(p, form->operands, {c.out()}, overlaps); });
    }

    std::vector<std::size_t> parameters() const override { return {1, 2}; }
    status gradient(differentiation& d) const override {
        return give_filtered<conv2d_grad_input, conv2d_grad_filter>(d, window, fused);
    }

    quantization_rule quantize_rule() const override { return weights_rule(0); }

    std::uint64_t macs(const inference& c) const override {
        const auto out = element_count(c.output(0).shape);
        const shape& f = c.input_shape(1);
        return out.ok()
                   ? *out * static_cast<std::uint64_t>(f[1].value() * f[2].value() * f[3].value())
                   : 0;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
