// cos: the cosine of an angle in radians, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct cos : unary_op<cos, unary_cos_f32> {
    static constexpr const char* op_name = "cos";

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::cos, known_by::input);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
