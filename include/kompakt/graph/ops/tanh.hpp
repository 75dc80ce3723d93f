// tanh: the hyperbolic tangent, elementwise. int8 by a table, int16 by interpolation. The output's
// scale is 1/128 or 1/32768, its zero point 0.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct tanh : unary_op<tanh, unary_tanh_f32> {
    static constexpr const char* op_name = "tanh";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        if (c.input(0).type == dtype::i16) {
            table_scale_params p;
            // Scales of 2^-12 and 2^-11 need no rounding.
            KOMPAKT_TRY(sigmoid_table_scale(c, 1, p));
            c.emit<tanh_i16>(p, {c.in(0)}, {c.out()}, elementwise_overlaps(c));
            return {};
        }
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        KOMPAKT_TRY(expect_fixed_output(c.output(), 1.0f / 128.0f, 0, "1/128"));
        KOMPAKT_TRY(q4_scale::check(*c.input(0).quantization));
        const q4_scale s(*c.input(0).quantization);
        emit_lookup(c, [&](std::int32_t q) -> std::int32_t {
            return s(q, -128, 127, [](std::int32_t x) {
                return rounding_divide_by_pot(fixed_tanh<4>(x), 31 - 7);
            });
        });
        return {};
    }
    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::tanh, known_by::output);
    }

    quantization_rule quantize_rule() const override { return fixed_output_rule(1.0f / 128.0f, 0); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
