// rsqrt: one over the square root, elementwise. int8 by a table, and int16: numbers that are not
// above 0 give the greatest number (TensorFlow Lite Micro stops at those below 0).
#pragma once

#include <kompakt/graph/ops/unary.hpp>
#include <kompakt/kernel/unary_i16.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct rsqrt : unary_op<rsqrt, unary_rsqrt_f32> {
    static constexpr const char* op_name = "rsqrt";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        const bool i16 = c.input(0).type == dtype::i16;
        KOMPAKT_TRY(expect_quantized(c, i16 ? dtype::i16 : dtype::i8));
        const quantization &in = *c.input(0).quantization, &out = *c.output().quantization;
        // The product is in float32, as in TensorFlow Lite.
        const auto root = static_cast<float>(std::sqrt(static_cast<double>(in.scale())));
        const float product = root * out.scale();
        rsqrt_i16_params p;
        // 20 bits down; what is below the least multiplier TensorFlow Lite Micro leaves undefined.
        p.scale = quantize_multiplier(std::ldexp(1.0 / static_cast<double>(product), -20));
        if (p.scale.q31 == 0) {
            return fail(errc::unsupported, "input scale ", in.scale(), " and output scale ",
                        out.scale(), " are so large that the output is 0");
        }
        if (i16) {
            c.emit<rsqrt_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        emit_lookup(c, [&](std::int32_t q) -> std::int32_t {
            const std::int32_t x = q - in.zero_point();
            if (x <= 0) return 127;
            return wrap_add(scaled_inverse_sqrt(x, p.scale), out.zero_point());
        });
        return {};
    }
    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
