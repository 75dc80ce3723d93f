// max_pool_2d: input and output NHWC; padding is never the maximum.
#pragma once

#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/kernel/max_pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct max_pool2d : pool2d<max_pool2d, max_pool2d_i8, max_pool2d_i16, max_pool2d_f32> {
    static constexpr const char* op_name = "max_pool_2d";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
