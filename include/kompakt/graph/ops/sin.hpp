// sin: the sine of an angle in radians, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct sin : unary_op<sin, unary_sin_f32> {
    static constexpr const char* op_name = "sin";

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::sin, known_by::input);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
