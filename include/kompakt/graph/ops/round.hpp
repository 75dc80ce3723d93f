// round: the nearest integer, halves to the even one, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct round : unary_op<round, unary_round_f32> {
    static constexpr const char* op_name = "round";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
