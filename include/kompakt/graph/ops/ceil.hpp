// ceil: the next integer above, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct ceil : unary_op<ceil, unary_ceil_f32> {
    static constexpr const char* op_name = "ceil";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
