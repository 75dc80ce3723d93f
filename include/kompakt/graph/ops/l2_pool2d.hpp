// l2_pool_2d: the root of the mean square; input and output NHWC, float32; padding is not part of
// the mean.
#pragma once

#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/kernel/l2_pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct l2_pool2d : pool2d<l2_pool2d, void, void, l2_pool2d_f32> {
    static constexpr const char* op_name = "l2_pool_2d";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
