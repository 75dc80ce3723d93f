// mul: the product of two inputs of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/kernel/mul.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Of two quantized inputs whose numbers give the output's by `scale`.
inline mul_i8_params product_params(const lowering& c, double scale, activation fused) {
    mul_i8_params p;
    p.zero_point_a = c.input(0).quantization->zero_point();
    p.zero_point_b = c.input(1).quantization->zero_point();
    p.result = quantize_multiplier(scale);
    p.output = output_stage_for(*c.output().quantization, fused, c.output().type);
    return p;
}

struct mul : arithmetic_op<mul> {
    static constexpr const char* op_name = "mul";

    status lower(lowering& c) const override {
        switch (c.input(0).type) {
        case dtype::f32:
            emit_binary<mul_f32>(c, clamp_for(fused));
            return {};
        case dtype::i32:
            KOMPAKT_TRY(expect_plain(c));
            emit_binary<mul_i32>(c, clamp_i32_for(fused));
            return {};
        case dtype::i8:
            return quantized<mul_i8>(c, dtype::i8);
        case dtype::i16:
            return quantized<mul_i16>(c, dtype::i16);
        default:
            return refuse_type(c, "float32, int8, int16 or int32");
        }
    }

    status gradient(differentiation& d) const override {
        const tensor_id g = gradient_before(d, fused);
        for (std::size_t i = 0; i < 2; ++i) {
            if (d.wants(i)) give_broadcast(d, i, d.add(mul(), {g, d.in(1 - i)}));
        }
        return {};
    }

  private:
    template <class Kernel>
    status quantized(lowering& c, dtype type) const {
        KOMPAKT_TRY(expect_quantized(c, type));
        const double a = static_cast<double>(c.input(0).quantization->scale()),
                     b = static_cast<double>(c.input(1).quantization->scale()),
                     out = static_cast<double>(c.output().quantization->scale());
        emit_binary<Kernel>(c, product_params(c, a * b / out, fused));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
