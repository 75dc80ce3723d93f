// cos: the cosine of an angle in radians, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct cos : unary_op<cos, unary_cos_f32> {
    static constexpr const char* op_name = "cos";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
