// floor: the next integer below, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct floor : unary_op<floor, unary_floor_f32> {
    static constexpr const char* op_name = "floor";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
