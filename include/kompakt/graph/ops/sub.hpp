// sub: the second input subtracted from the first, of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/kernel/sub.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct sub : op_of<sub> {
    static constexpr const char* op_name = "sub";

    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        v("activation", fused);
    }

    status infer(inference& c) const override { return infer_binary(c); }

    status lower(lowering& c) const override {
        if (c.input(0).type == dtype::f32) {
            c.emit<sub_f32>(clamp_for(fused), {c.in(0), c.in(1)}, {c.out()},
                            elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        // TensorFlow Lite Micro divides in float32 here, and in double for addition.
        const float a = c.input(0).quantization->scale(), b = c.input(1).quantization->scale(),
                    out = c.output().quantization->scale();
        const float common = 2.0f * (a > b ? a : b);
        const float scale_a = a / common, scale_b = b / common;
        const float result_scale = common / (static_cast<float>(1 << add_i8_left_shift) * out);
        const auto p = add_params(c, static_cast<double>(scale_a), static_cast<double>(scale_b),
                                  static_cast<double>(result_scale), fused);
        if (!p.ok()) return p.error();
        c.emit<sub_i8>(*p, {c.in(0), c.in(1)}, {c.out()}, elementwise_overlaps(c));
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
