// leaky_relu: x, or alpha * x below zero, elementwise; alpha may be any number. int8 by a table.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>
#include <kompakt/kernel/leaky_relu.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct leaky_relu : op_of<leaky_relu> {
    static constexpr const char* op_name = "leaky_relu";

    float alpha = 0.0f;

    template <class V>
    void fields(V&& v) {
        v("alpha", alpha);
    }

    status infer(inference& c) const override { return infer_unary(c); }

    status lower(lowering& c) const override {
        if (!std::isfinite(alpha)) return fail(errc::unsupported, "alpha is not a number");
        const graph_tensor& x = c.input(0);
        if (x.type == dtype::f32) {
            c.emit<leaky_relu_f32>({alpha}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        if (x.type == dtype::i16 && c.output().type == dtype::i16) {
            // Zero points that int16 should not have are taken, as in TensorFlow Lite Micro.
            KOMPAKT_TRY(expect_per_tensor(x, "input"));
            KOMPAKT_TRY(expect_per_tensor(c.output(), "output"));
        } else {
            KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        }
        const quantization &in = *x.quantization, &out = *c.output().quantization;
        const float product = in.scale() * alpha;
        const float slope = product / out.scale();
        leaky_relu_params p;
        p.input_zero_point = in.zero_point();
        p.output_zero_point = out.zero_point();
        p.identity = ratio_of_scales(in, out);
        p.alpha = quantize_multiplier(std::fabs(static_cast<double>(slope)));
        p.alpha_is_negative = slope < 0.0f ? 1 : 0;
        if (x.type == dtype::i16) {
            c.emit<leaky_relu_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else {
            emit_lookup(c, [&](std::int32_t q) { return leaky_relu_of(q, p); });
        }
        return {};
    }

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::leaky_relu, known_by::input, alpha);
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
