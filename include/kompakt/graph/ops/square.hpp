// square: x * x, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct square : unary_op<square, unary_square_f32> {
    static constexpr const char* op_name = "square";

    status gradient(differentiation& d) const override {
        return give_derivative(d, derivative::square, known_by::input);
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
