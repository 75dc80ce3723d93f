// mul: the product of two inputs of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/mul.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct mul : op_of<mul> {
    static constexpr const char* op_name = "mul";

    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        v("activation", fused);
    }

    status infer(inference& c) const override { return infer_binary(c); }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<mul_f32>(clamp_for(fused), {c.in(0), c.in(1)}, {c.out()},
                            elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        const quantization &a = *c.input(0).quantization, &b = *c.input(1).quantization,
                           &out = *c.output().quantization;
        mul_i8_params p;
        p.zero_point_a = a.zero_point();
        p.zero_point_b = b.zero_point();
        p.result =
            quantize_multiplier(static_cast<double>(a.scale()) * static_cast<double>(b.scale()) /
                                static_cast<double>(out.scale()));
        p.output = output_stage_for(out, fused);
        c.emit<mul_i8>(p, {c.in(0), c.in(1)}, {c.out()}, elementwise_overlaps(c));
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::free;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
