// log: the natural logarithm, elementwise. int8 by a table, in which what is not above 0 gives the
// least number.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct log : unary_op<log, unary_log_f32> {
    static constexpr const char* op_name = "log";

    status lower(lowering& c) const override {
        if (lower_f32(c)) return {};
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        emit_lookup_of_real(c, [](float x) {
            return x > 0.0f ? static_cast<float>(std::log(static_cast<double>(x)))
                            : -std::numeric_limits<float>::infinity();
        });
        return {};
    }
    quantization_rule quantize_rule() const override { return free_rule(); }

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::log, known_by::input);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
