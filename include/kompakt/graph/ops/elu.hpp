// elu: x, or e^x - 1 below zero, elementwise. int8 by a table.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct elu : unary_op<elu, unary_elu_f32> {
    static constexpr const char* op_name = "elu";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        // The exponential is rounded to float32 before 1 is subtracted, as TensorFlow Lite does.
        const auto exp = rounded([](double x) { return std::exp(x); });
        emit_lookup_of_real(c, [&](float x) { return x < 0.0f ? exp(x) - 1.0f : x; });
        return {};
    }
    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::elu, known_by::input);
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
