// exp: e to the power of x, elementwise. int8 by a table.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct exp : unary_op<exp, unary_exp_f32> {
    static constexpr const char* op_name = "exp";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        emit_lookup_of_real(c, rounded([](double x) { return std::exp(x); }));
        return {};
    }
    quantization_rule quantize_rule() const override { return free_rule(); }

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::exp, known_by::output);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
