// add: two inputs of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The multipliers of quantized addition and subtraction are less than one by construction; only the
// last can be refused.
inline result<add_i8_params> add_params(const lowering& c, double a, double b, double result_scale,
                                        activation fused) {
    add_i8_params p;
    p.zero_point_a = c.input(0).quantization->zero_point();
    p.zero_point_b = c.input(1).quantization->zero_point();
    p.a = quantize_multiplier(a);
    p.b = quantize_multiplier(b);
    p.result = quantize_multiplier(result_scale);
    p.output = output_stage_for(*c.output().quantization, fused, c.output().type);
    if (p.result.shift > 0) {
        return fail(errc::unsupported, "output: ", scale_text(c.output()),
                    ", inputs: ", scale_text(c.input(0)), " and ", scale_text(c.input(1)),
                    ", needed an output scale above 2^-", c.output().type == dtype::i16 ? 14 : 19,
                    " of theirs");
    }
    return p;
}

struct add : arithmetic_op<add> {
    static constexpr const char* op_name = "add";

    status lower(lowering& c) const override {
        switch (c.input(0).type) {
        case dtype::f32:
            emit_binary<add_f32>(c, clamp_for(fused));
            return {};
        case dtype::i32:
            // TensorFlow Lite Micro never applies the activation here, as it does in sub, mul, div.
            KOMPAKT_TRY(expect_plain(c));
            emit_binary<add_i32>(c, {});
            return {};
        case dtype::i8:
            return quantized<add_i8, std::int8_t>(c);
        case dtype::i16:
            return quantized<add_i16, std::int16_t>(c);
        default:
            return refuse_type(c, "float32, int8, int16 or int32");
        }
    }

  private:
    template <class Kernel, class T>
    status quantized(lowering& c) const {
        KOMPAKT_TRY(expect_quantized(c, dtype_of<T>));
        // In double (docs/arithmetic.md 6).
        const double a = static_cast<double>(c.input(0).quantization->scale()),
                     b = static_cast<double>(c.input(1).quantization->scale()),
                     out = static_cast<double>(c.output().quantization->scale());
        const double common = 2 * (a > b ? a : b);
        const auto p =
            add_params(c, a / common, b / common, common / ((1 << add_left_shift<T>)*out), fused);
        if (!p.ok()) return p.error();
        emit_binary<Kernel>(c, *p);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
