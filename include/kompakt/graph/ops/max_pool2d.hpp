// max_pool_2d: input and output NHWC; padding is never the maximum.
#pragma once

#include <kompakt/graph/ops/pool2d.hpp>
#include <kompakt/kernel/max_pool2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct max_pool2d_grad : pool2d_gradient<max_pool2d_grad, max_pool2d_grad_f32> {
    static constexpr const char* op_name = "max_pool_2d_grad";
};

struct max_pool2d : pool2d<max_pool2d, max_pool2d_i8, max_pool2d_i16, max_pool2d_f32> {
    static constexpr const char* op_name = "max_pool_2d";

    status gradient(differentiation& d) const override {
        max_pool2d_grad o;
        o.window = window, o.kernel_h = kernel_h, o.kernel_w = kernel_w;
        o.target = d.in_shape(0);
        d.give(0, d.add(o, {gradient_before(d, fused), d.in(0), d.out()}));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
