// softmax: exp(beta * x) / sum of exp(beta * x) along the last axis.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/softmax.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The one quantization of outputs between 0 and 1.
inline status expect_unit_output(const graph_tensor& t) {
    const quantization& q = *t.quantization;
    if (q.scale() == 1.0f / 256.0f && q.zero_point() == -128) return {};
    return fail(errc::unsupported,
                "output: needed scale 1/256 and zero point -128, given zero point ", q.zero_point(),
                q.scale() == 1.0f / 256.0f ? "" : " and another scale");
}
inline quantization_rule unit_output_rule() {
    quantization_rule r;
    r.how = quantization_rule::kind::fixed;
    r.scale = 1.0f / 256.0f;
    r.zero_point = -128;
    return r;
}

struct softmax : op_of<softmax> {
    static constexpr const char* op_name = "softmax";

    float beta = 1.0f;

    template <class V>
    void fields(V&& v) {
        v("beta", beta);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(infer_unary(c));
        if (c.input_shape(0).empty()) {
            return fail(errc::unsupported, "input: needed rank 1 at least, given a scalar");
        }
        return {};
    }

    status lower(lowering& c) const override {
        if (!(beta > 0.0f) || !std::isfinite(beta)) {
            return fail(errc::unsupported, "beta is not a positive number");
        }
        if (c.input(0).type == dtype::f32) {
            c.emit<softmax_f32>({beta}, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_unit_output(c.output()));
        // docs/arithmetic.md 9: to Q5.26 in double, cut at the largest multiplier.
        constexpr double largest = 2147483647.0;
        double scale = static_cast<double>(beta) *
                       static_cast<double>(c.input(0).quantization->scale()) * (1 << 26);
        if (scale > largest) scale = largest;
        if (scale <= 1.0) {
            return fail(errc::unsupported, "beta times input scale is below 2^-26");
        }
        int shift = 0;
        std::frexp(scale, &shift);
        softmax_i8_params p;
        p.scale = quantize_multiplier(scale);
        // Rounding up to a power of two moves the shift.
        if (p.scale.shift > shift) shift = p.scale.shift;
        p.diff_min = -static_cast<std::int32_t>((std::int64_t{31} << 26) >> shift);
        c.emit<softmax_i8>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    quantization_rule quantize_rule() const override { return unit_output_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
