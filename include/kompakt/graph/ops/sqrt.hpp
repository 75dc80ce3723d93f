// sqrt: the square root, elementwise; NaN below 0. float32 only.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct sqrt : unary_op<sqrt, unary_sqrt_f32> {
    static constexpr const char* op_name = "sqrt";

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::sqrt, known_by::output);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
