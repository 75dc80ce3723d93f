// fully_connected: input of any rank whose elements are seen as [n, k], weights OI [o, k], bias [o]
// optional; output [n, o], or the input's shape with the last dimension replaced by o.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt/kernel/fully_connected_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// fully_connected_grad_input: gradient of the output, weights -> gradient of the input.
// fully_connected_grad_weights: gradient of the output, input -> gradient of the weights.
template <class Op, class Kernel>
struct dense_gradient : gradient_op<Op> {
    status lower(lowering& c) const override {
        c.emit<Kernel>({}, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }
};
struct fully_connected_grad_input
    : dense_gradient<fully_connected_grad_input, fully_connected_grad_input_f32> {
    static constexpr const char* op_name = "fully_connected_grad_input";
};
struct fully_connected_grad_weights
    : dense_gradient<fully_connected_grad_weights, fully_connected_grad_weights_f32> {
    static constexpr const char* op_name = "fully_connected_grad_weights";
};

struct fully_connected : op_of<fully_connected> {
    static constexpr const char* op_name = "fully_connected";

    activation fused = activation::none;
    bool keep_num_dims = false;
    bool int32_sums = false; // of int16 inputs without a bias, whose type would say it

    template <class V>
    void fields(V&& v) {
        v("activation", fused), v("keep_num_dims", keep_num_dims);
        v("int32_sums", int32_sums);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 3, 1));
        KOMPAKT_TRY(c.expect_rank(1, 2));
        const shape &in = c.input_shape(0), &weights = c.input_shape(1);
        if (!is_known(weights)) {
            return fail(errc::unsupported, "weights ", text_of(weights), " must be numbers");
        }
        const std::int64_t depth = weights[1].value();
        const auto misfit = [&] {
            return fail(errc::bad_file, "weights ", text_of(weights), " do not fit the input ",
                        text_of(in));
        };
        if (depth < 1) return misfit();
        if (keep_num_dims) {
            if (in.empty() || in.back() != weights[1]) return misfit();
            shape out = in;
            out.back() = weights[0];
            c.set_output(0, c.input(0).type, std::move(out));
            return {};
        }
        // A first dimension that is a symbol passes through where the others make up one row.
        dim batches(1);
        if (!in.empty() && !in[0].known()) {
            const auto rest = element_count(shape(in.begin() + 1, in.end()));
            if (!rest.ok()) return rest.error();
            if (static_cast<std::int64_t>(*rest) != depth) return misfit();
            batches = in[0];
        } else {
            const auto total = element_count(in);
            if (!total.ok()) return total.error();
            if (static_cast<std::int64_t>(*total) % depth != 0) return misfit();
            batches = dim(static_cast<std::int64_t>(*total) / depth);
        }
        c.set_output(0, c.input(0).type, {batches, weights[0]});
        return {};
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &weights = c.input(1);
        if (in.shape.size() > max_rank) {
            return fail(errc::unsupported, "input: needed at most rank ", max_rank, ", given ",
                        text_of(in.shape));
        }
        if (in.type == dtype::f32) {
            if (weights.type != dtype::f32 && weights.type != dtype::i8) {
                return fail(errc::unsupported, "float32 input with ", name_of(weights.type),
                            " weights");
            }
            const float_range r = range_of(fused);
            c.emit<fully_connected_f32>({r.min, r.max}, {c.in(0), float_weights(c, 1), c.in(2)},
                                        {c.out()});
            return {};
        }
        const auto sum = sums_of(c, int32_sums);
        if (!sum.ok()) return sum.error();
        const auto form =
            integer_form_of(c, 0, weights.shape[0].value(), *sum, fused, matrix_scales);
        if (!form.ok()) return form.error();
        const fully_connected_i8_params p{form->input_zero_point, form->output};
        return form->choose<fully_connected_i8, fully_connected_i4, fully_connected_i16,
                            fully_connected_i16_sum32>(
            [&](auto kernel) { c.emit<decltype(kernel)>(p, form->operands, {c.out()}); });
    }

    std::vector<std::size_t> parameters() const override { return {1, 2}; }
    status gradient(differentiation& d) const override {
        const tensor_id g = gradient_before(d, fused);
        if (d.wants(0)) {
            fully_connected_grad_input o;
            o.target = d.in_shape(0);
            d.give(0, d.add(o, {g, d.in(1)}));
        }
        if (d.wants(1)) {
            fully_connected_grad_weights o;
            o.target = d.in_shape(1);
            d.give(1, d.add(o, {g, d.in(0)}));
        }
        if (d.wants(2)) give_broadcast(d, 2, g);
        return {};
    }

    quantization_rule quantize_rule() const override { return weights_rule(0); }

    std::uint64_t macs(const inference& c) const override {
        const auto out = element_count(c.output(0).shape);
        return out.ok() ? *out * static_cast<std::uint64_t>(c.input_shape(1)[1].value()) : 0;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
