// div: the first input divided by the second, of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/kernel/div.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct div : arithmetic_op<div> {
    static constexpr const char* op_name = "div";

    status lower(lowering& c) const override {
        switch (c.input(0).type) {
        case dtype::f32:
            emit_binary<div_f32>(c, clamp_for(fused));
            return {};
        case dtype::i32:
            KOMPAKT_TRY(expect_plain(c));
            emit_binary<div_i32>(c, clamp_i32_for(fused));
            return {};
        case dtype::i8:
            break;
        default:
            return refuse_type(c, "float32, int8 or int32");
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        // In float32 (docs/arithmetic.md 15).
        const float product = c.input(1).quantization->scale() * c.output().quantization->scale();
        const float scale = c.input(0).quantization->scale() / product;
        emit_binary<div_i8>(c, product_params(c, static_cast<double>(scale), fused));
        return {};
    }

    // By the divisor: -g * (a / b) / b, where a / b is the output if nothing is fused to it.
    status gradient(differentiation& d) const override {
        const tensor_id g = gradient_before(d, fused), share = d.add(div(), {g, d.in(1)});
        if (d.wants(0)) give_broadcast(d, 0, share);
        if (!d.wants(1)) return {};
        const tensor_id quotient =
            fused == activation::none ? d.out() : d.add(div(), {d.in(0), d.in(1)});
        give_broadcast(d, 1, d.add(neg(), {d.add(mul(), {share, quotient})}));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
