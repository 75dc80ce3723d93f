// square: x * x, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct square : unary_op<square, unary_square_f32> {
    static constexpr const char* op_name = "square";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
