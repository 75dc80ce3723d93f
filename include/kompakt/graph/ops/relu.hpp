// relu: the relu family as an operator of its own: max(x, 0), or a clamp to [0, 6], [-1, 1],
// [0, 1].
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/kernel/clamp.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

enum class relu_kind : std::int32_t { relu, relu6, relu_n1_to_1, relu_0_to_1 };

struct relu : op_of<relu> {
    static constexpr const char* op_name = "relu";

    relu_kind kind = relu_kind::relu;

    template <class V>
    void fields(V&& v) {
        auto number = static_cast<std::int32_t>(kind);
        v("kind", number);
        kind = static_cast<relu_kind>(number);
    }

    status infer(inference& c) const override {
        if (kind < relu_kind::relu || kind > relu_kind::relu_0_to_1) {
            return fail(errc::bad_file, "unknown kind ", static_cast<std::int32_t>(kind));
        }
        return infer_unary(c);
    }

    // The fused activations of this lower and of this upper bound: 0 to 1 is none by itself.
    activation lower_bound() const noexcept {
        switch (kind) {
        case relu_kind::relu6:
            return activation::relu6;
        case relu_kind::relu_n1_to_1:
            return activation::relu_n1_to_1;
        default:
            return activation::relu;
        }
    }
    activation upper_bound() const noexcept {
        return kind == relu_kind::relu_0_to_1 ? activation::relu_n1_to_1 : lower_bound();
    }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<clamp_f32>({range_of(lower_bound()).min, range_of(upper_bound()).max}, {c.in(0)},
                              {c.out()}, elementwise_overlaps(c));
            return {};
        }
        const dtype type = c.input(0).type == dtype::i16 ? dtype::i16 : dtype::i8;
        if (kind == relu_kind::relu6 && type == dtype::i16) {
            // Any zero point is taken, and the output's quantization is not looked at.
            KOMPAKT_TRY(expect_per_tensor(c.input(0), "input"));
        } else {
            KOMPAKT_TRY(expect_quantized(c, type));
        }
        const quantization& in = *c.input(0).quantization;
        // TensorFlow Lite Micro's RELU6 clamps in the input's numbers and never looks at the
        // output's scale. RELU divides the scales in float32; the other two it does not have.
        const quantization& out = kind == relu_kind::relu6 ? in : *c.output().quantization;
        const float ratio = in.scale() / out.scale();
        rescale_params p;
        p.input_zero_point = in.zero_point();
        p.scale =
            quantize_multiplier(kind == relu_kind::relu ? static_cast<double>(ratio)
                                                        : static_cast<double>(in.scale()) /
                                                              static_cast<double>(out.scale()));
        p.output = output_stage_for(out, lower_bound(), type);
        p.output.max = output_stage_for(out, upper_bound(), type).max;
        if (type == dtype::i16) {
            c.emit<clamp_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        } else {
            c.emit<clamp_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        }
        return {};
    }

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::clamp, known_by::output, range_of(lower_bound()).min,
                               range_of(upper_bound()).max);
    }

    quantization_rule quantize_rule() const override {
        // relu6 clamps in the input's numbers and never rescales (docs/arithmetic.md 14).
        quantization_rule r;
        r.how = kind == relu_kind::relu6 ? quantization_rule::kind::same_scale
                                         : quantization_rule::kind::free;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
