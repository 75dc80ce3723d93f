// average_pool_2d: input and output NHWC; padding is not part of the average.
#pragma once

#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/kernel/average_pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct average_pool2d_grad : pool2d_gradient<average_pool2d_grad, average_pool2d_grad_f32> {
    static constexpr const char* op_name = "average_pool_2d_grad";
};

struct average_pool2d
    : pool2d<average_pool2d, average_pool2d_i8, average_pool2d_i16, average_pool2d_f32> {
    static constexpr const char* op_name = "average_pool_2d";

    status gradient(differentiation& d) const override {
        average_pool2d_grad o;
        o.window = window, o.kernel_h = kernel_h, o.kernel_w = kernel_w;
        o.target = d.in_shape(0);
        d.give(0, d.add(o, {gradient_before(d, fused)}));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
