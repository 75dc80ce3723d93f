// div: the first input divided by the second, of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/mul.hpp>
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
        const mul_i8_params p = product_params(c, static_cast<double>(scale), fused);
        if (p.result.shift > max_div_shift || !std::isfinite(scale)) {
            return fail(errc::unsupported, "scale of the first input is more than 2^",
                        max_div_shift, " times the others' product");
        }
        emit_binary<div_i8>(c, p);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
