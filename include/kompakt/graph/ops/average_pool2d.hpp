// average_pool_2d: input and output NHWC; padding is not part of the average.
#pragma once

#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/kernel/average_pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct average_pool2d
    : pool2d<average_pool2d, average_pool2d_i8, average_pool2d_i16, average_pool2d_f32> {
    static constexpr const char* op_name = "average_pool_2d";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
