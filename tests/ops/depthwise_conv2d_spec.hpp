#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/depthwise_conv2d.hpp>

namespace kompakt_test {

inline void depthwise_conv2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::depthwise_conv2d>();
    const values &in = a.inputs[0], &filter = a.inputs[1];
    const double zero = zero_of(a, 0);
    const reference_output finish(a, op.fused, false);
    const std::int64_t m = out.dims[3] / in.dims[3];
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                for (std::int64_t o = 0; o < out.dims[3]; ++o) {
                    double sum = 0;
                    reference_window(op.window, filter.dims[1], filter.dims[2], in.dims[1],
                                     in.dims[2], y, x, [&](auto ky, auto kx, auto iy, auto ix) {
                                         sum += filter.at(0, ky, kx, o) *
                                                (in.at(n, iy, ix, o / m) - zero);
                                     });
                    out.at(n, y, x, o) = finish(sum, static_cast<std::size_t>(o));
                }
            }
        }
    }
}

inline op_case depthwise_conv2d_case(const layer& l, dtype type) {
    kompakt::ops::depthwise_conv2d op;
    op.window = window_of(l);
    op.fused = l.fused;
    return weighted_case(l, type, std::move(op), {l.n, l.h, l.w, l.c},
                         {1, l.kernel_h, l.kernel_w, l.c * l.out}, 3, l.kernel_h * l.kernel_w);
}

inline op_spec depthwise_conv2d_spec() {
    using kompakt::activation;
    op_spec s{"depthwise_conv_2d", {}, depthwise_conv2d_reference};
    const auto add = [&](layer l) {
        s.cases.push_back(depthwise_conv2d_case(l, dtype::i8));
        s.cases.push_back(depthwise_conv2d_case(l, dtype::f32));
        l.bench = false;
        s.cases.push_back(depthwise_conv2d_case(l, dtype::i16));
        l.int4 = true;
        s.cases.push_back(depthwise_conv2d_case(l, dtype::i8));
    };
    layer l;
    l.name = "1x1 of one pixel, one channel";
    add(l);
    l = {};
    l.name = "3x3 same, one channel", l.h = 7, l.w = 6, l.kernel_h = l.kernel_w = 3;
    l.pad = padding::same;
    add(l);
    l.name = "3x3 same, 1 to 5 channels, batch 2", l.c = 1, l.out = 5, l.n = 2;
    add(l);
    l.name = "3x3 same, 3 to 12 channels", l.c = 3, l.out = 4, l.n = 1;
    l.fused = activation::relu6;
    add(l);
    l.name = "3x3 same, 2 to 16 channels, stride 2", l.c = 2, l.out = 8, l.stride_h = 2,
    l.stride_w = 2;
    add(l);
    l = {};
    l.name = "3x3 symmetric, 255 channels, stride 2 and 1", l.h = 6, l.w = 5, l.c = 255;
    l.kernel_h = l.kernel_w = 3, l.pad = padding::symmetric, l.stride_h = 2;
    add(l);
    l.name = "3x3 lopsided, 257 channels, strides 1 and 3", l.c = 257, l.pad = padding::lopsided;
    l.stride_h = 1, l.stride_w = 3, l.zero_point = -128;
    add(l);
    l = {};
    l.name = "5x2, 7 channels, dilation 2 and 3", l.h = 12, l.w = 9, l.c = 7, l.kernel_h = 5;
    l.kernel_w = 2, l.dilation_h = 2, l.dilation_w = 3, l.pad = padding::same, l.zero_point = 127;
    add(l);
    l.name = "2x3, dilation 5, larger than the input", l.h = 4, l.w = 4, l.kernel_h = 2;
    l.kernel_w = 3, l.dilation_h = l.dilation_w = 5;
    add(l);
    l = {};
    l.name = "no bias, per tensor", l.h = 5, l.w = 5, l.c = 6, l.kernel_h = l.kernel_w = 3;
    l.bias = l.per_channel = false, l.fused = activation::relu_n1_to_1, l.pad = padding::same;
    add(l);
    l = {};
    l.name = "all weights -128", l.h = 6, l.w = 6, l.c = 9, l.kernel_h = l.kernel_w = 3;
    l.weights = -128, l.zero_point = 127, l.multiplier = 1.3;
    add(l);
    l.name = "all weights 127, small multiplier", l.weights = 127, l.zero_point = -128;
    l.multiplier = 1e-5, l.output_zero_point = 127;
    add(l);
    l = {};
    l.name = "kws depthwise", l.h = 25, l.w = 5, l.c = 64, l.kernel_h = l.kernel_w = 3;
    l.pad = padding::same, l.fused = activation::relu, l.bench = true, l.zero_point = -128;
    add(l);
    l.name = "vww depthwise, stride 2", l.h = 24, l.w = 24, l.c = 16, l.stride_h = l.stride_w = 2;
    add(l);
    for (std::int64_t size = 4; size <= 9; ++size) {
        for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
            for (int stride = 1; stride <= 3; ++stride) {
                for (const padding p : {padding::same, padding::symmetric}) {
                    layer x;
                    x.name = "sweep " + std::to_string(size) + ", " + std::to_string(kernel);
                    x.h = size, x.w = 13 - size, x.c = 5, x.kernel_h = kernel;
                    x.kernel_w = 6 - kernel, x.stride_h = stride, x.stride_w = 4 - stride,
                    x.pad = p;
                    s.cases.push_back(depthwise_conv2d_case(x, dtype::i8));
                }
            }
        }
    }
    return s;
}

} // namespace kompakt_test
