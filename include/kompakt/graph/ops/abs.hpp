// abs: the magnitude, elementwise. int8 by a table; int16 with a scale or without.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>
#include <kompakt/kernel/unary_i16.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct abs : unary_op<abs, unary_abs_f32> {
    static constexpr const char* op_name = "abs";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        const graph_tensor &in = c.input(0), &out = c.output();
        abs_i16_params p;
        if (in.type == dtype::i16 && !in.quantization && !out.quantization) {
            // Plain numbers: 32768 wraps to -32768, as in TensorFlow Lite Micro.
            p.scale = quantize_multiplier(1.0);
            p.saturate = 0;
            c.emit<abs_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, in.type == dtype::i16 ? dtype::i16 : dtype::i8));
        p.scale = ratio_of_scales(*in.quantization, *out.quantization);
        if (in.type == dtype::i16) {
            c.emit<abs_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        const std::int32_t zero = in.quantization->zero_point();
        emit_lookup(c, [&](std::int32_t q) {
            const std::int32_t x = q < zero ? zero - q : q - zero;
            return wrap_add(requantize(x, p.scale), out.quantization->zero_point());
        });
        return {};
    }
    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::abs, known_by::input);
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
