// sub: the second input subtracted from the first, of shapes that broadcast; a fused activation.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/kernel/sub.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct sub : arithmetic_op<sub> {
    static constexpr const char* op_name = "sub";

    status lower(lowering& c) const override {
        switch (c.input(0).type) {
        case dtype::f32:
            emit_binary<sub_f32>(c, clamp_for(fused));
            return {};
        case dtype::i32:
            KOMPAKT_TRY(expect_plain(c));
            emit_binary<sub_i32>(c, clamp_i32_for(fused));
            return {};
        case dtype::i8:
            return quantized<sub_i8, std::int8_t>(c);
        case dtype::i16:
            return quantized<sub_i16, std::int16_t>(c);
        default:
            return refuse_type(c, "float32, int8, int16 or int32");
        }
    }

    status gradient(differentiation& d) const override {
        const tensor_id g = gradient_before(d, fused);
        if (d.wants(0)) give_broadcast(d, 0, g);
        if (d.wants(1)) give_broadcast(d, 1, d.add(neg(), {g}));
        return {};
    }

  private:
    template <class Kernel, class T>
    status quantized(lowering& c) const {
        KOMPAKT_TRY(expect_quantized(c, dtype_of<T>));
        // TensorFlow Lite Micro divides in float32 here, and in double for addition.
        const float a = c.input(0).quantization->scale(), b = c.input(1).quantization->scale(),
                    out = c.output().quantization->scale();
        const float common = 2.0f * (a > b ? a : b);
        const float scale_a = a / common, scale_b = b / common;
        const float result_scale = common / (static_cast<float>(1 << add_left_shift<T>) * out);
        const auto p = add_params(c, static_cast<double>(scale_a), static_cast<double>(scale_b),
                                  static_cast<double>(result_scale), fused);
        if (!p.ok()) return p.error();
        emit_binary<Kernel>(c, *p);
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
