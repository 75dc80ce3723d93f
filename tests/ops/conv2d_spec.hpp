#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/conv2d.hpp>

namespace kompakt_test {

inline void conv2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::conv2d>();
    const values &in = a.inputs[0], &filter = a.inputs[1];
    const double zero = zero_of(a, 0);
    const reference_output finish(a, op.fused, false, op.int32_sums);
    const std::int64_t depth = filter.dims[3], groups = in.dims[3] / depth;
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                for (std::int64_t o = 0; o < out.dims[3]; ++o) {
                    const std::int64_t group = o / (out.dims[3] / groups);
                    double sum = 0;
                    reference_window(op.window, filter.dims[1], filter.dims[2], in.dims[1],
                                     in.dims[2], y, x, [&](auto ky, auto kx, auto iy, auto ix) {
                                         for (std::int64_t i = 0; i < depth; ++i) {
                                             sum += filter.at(o, ky, kx, i) *
                                                    (in.at(n, iy, ix, group * depth + i) - zero);
                                         }
                                     });
                    out.at(n, y, x, o) = finish(sum, static_cast<std::size_t>(o));
                }
            }
        }
    }
}

inline std::vector<layer> conv2d_layers() {
    using kompakt::activation;
    const auto l = [](std::string name, std::int64_t n, std::int64_t h, std::int64_t w,
                      std::int64_t c, std::int64_t out, std::int64_t kernel_h,
                      std::int64_t kernel_w) {
        layer x;
        x.name = std::move(name);
        x.n = n, x.h = h, x.w = w, x.c = c, x.out = out, x.kernel_h = kernel_h,
        x.kernel_w = kernel_w;
        return x;
    };
    std::vector<layer> all;
    const auto add = [&](layer x) -> layer& {
        all.push_back(std::move(x));
        return all.back();
    };
    add(l("1x1 of one pixel, one channel", 1, 1, 1, 1, 1, 1, 1));
    add(l("1x1, odd channels", 1, 5, 7, 3, 5, 1, 1));
    add(l("1x1, 255 to 257 channels", 1, 2, 3, 255, 257, 1, 1));
    add(l("1x1, 257 to 1 channels", 1, 3, 2, 257, 1, 1, 1));
    {
        layer& x = add(l("3x3 same", 1, 9, 7, 5, 8, 3, 3));
        x.pad = padding::same;
    }
    {
        layer& x = add(l("3x3 same, stride 2, even input", 1, 8, 6, 3, 4, 3, 3));
        x.pad = padding::same, x.stride_h = x.stride_w = 2, x.fused = activation::relu;
    }
    {
        layer& x = add(l("3x3 symmetric, stride 2, even input", 1, 8, 6, 3, 4, 3, 3));
        x.pad = padding::symmetric, x.stride_h = x.stride_w = 2, x.fused = activation::relu6;
    }
    {
        layer& x = add(l("5x2 lopsided, strides 1 and 3, batch 3", 3, 7, 11, 2, 9, 5, 2));
        x.pad = padding::lopsided, x.stride_w = 3, x.zero_point = -128;
    }
    {
        layer& x = add(l("3x3 dilation 2 and 3", 1, 11, 13, 4, 6, 3, 3));
        x.dilation_h = 2, x.dilation_w = 3, x.zero_point = 127;
    }
    {
        layer& x = add(l("3x3 same, dilation 3, larger than the input", 1, 4, 5, 3, 4, 3, 3));
        x.pad = padding::same, x.dilation_h = x.dilation_w = 3;
    }
    {
        layer& x = add(l("3x3 same, two groups", 2, 6, 5, 6, 8, 3, 3));
        x.pad = padding::same, x.groups = 2;
    }
    {
        layer& x = add(l("3x1, a group for each channel, stride 2", 1, 8, 3, 5, 10, 3, 1));
        x.pad = padding::same, x.groups = 5, x.stride_h = 2, x.fused = activation::relu_n1_to_1;
    }
    {
        layer& x = add(l("2x2, groups, dilation, per tensor", 1, 6, 6, 8, 4, 2, 2));
        x.groups = 4, x.dilation_h = 2, x.dilation_w = 2, x.per_channel = false;
    }
    {
        layer& x = add(l("kernel larger than the input", 1, 3, 3, 2, 3, 5, 5));
        x.pad = padding::symmetric;
    }
    {
        layer& x = add(l("no bias, per tensor", 1, 6, 6, 7, 7, 3, 3));
        x.bias = false, x.per_channel = false, x.pad = padding::same;
    }
    {
        layer& x = add(l("all weights -128, multiplier above one", 1, 4, 4, 16, 4, 3, 3));
        x.weights = -128, x.multiplier = 1.7, x.zero_point = 127, x.output_zero_point = 127;
    }
    {
        layer& x = add(l("all weights 127, small multiplier", 1, 4, 4, 16, 4, 3, 3));
        x.weights = 127, x.multiplier = 1e-6, x.zero_point = -128, x.output_zero_point = -128;
    }
    {
        layer& x = add(l("multiplier that vanishes", 1, 3, 3, 2, 2, 1, 1));
        x.multiplier = 1e-11;
    }
    {
        layer& x = add(l("kws first layer", 1, 49, 10, 1, 64, 10, 4));
        x.pad = padding::same, x.stride_h = x.stride_w = 2, x.fused = activation::relu;
        x.bench = true;
    }
    {
        layer& x = add(l("kws pointwise", 1, 25, 5, 64, 64, 1, 1));
        x.fused = activation::relu, x.bench = true, x.zero_point = -128;
    }
    {
        layer& x = add(l("resnet 3x3", 1, 16, 16, 16, 16, 3, 3));
        x.pad = padding::same, x.fused = activation::relu, x.bench = true;
    }
    return all;
}

inline op_case conv2d_case(const layer& l, dtype type) {
    kompakt::ops::conv2d op;
    op.window = window_of(l);
    op.fused = l.fused;
    op.int32_sums = l.int32_sums;
    const std::int64_t depth = l.c / l.groups;
    return weighted_case(l, type, std::move(op), {l.n, l.h, l.w, l.c},
                         {l.out, l.kernel_h, l.kernel_w, depth}, 0,
                         l.kernel_h * l.kernel_w * depth);
}

inline op_spec conv2d_spec() {
    op_spec s{"conv_2d", {}, conv2d_reference};
    for (layer l : conv2d_layers()) {
        s.cases.push_back(conv2d_case(l, dtype::i8));
        s.cases.push_back(conv2d_case(l, dtype::f32));
        l.bench = false;
        s.cases.push_back(conv2d_case(l, dtype::i16));
        l.int32_sums = true;
        s.cases.push_back(conv2d_case(l, dtype::i16));
        l.int4 = true;
        s.cases.push_back(conv2d_case(l, dtype::i8));
    }
    // Sizes, kernels, strides and both ways to pad against each other.
    for (std::int64_t size = 4; size <= 9; ++size) {
        for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
            layer l;
            l.name = "sweep " + std::to_string(size) + ", " + std::to_string(kernel);
            l.h = size, l.w = 13 - size, l.c = 2, l.out = 3;
            l.kernel_h = kernel, l.kernel_w = 6 - kernel;
            for (int stride = 1; stride <= 3; ++stride) {
                l.stride_h = stride, l.stride_w = 4 - stride;
                for (const padding p : {padding::same, padding::symmetric}) {
                    l.pad = p;
                    s.cases.push_back(conv2d_case(l, dtype::i8));
                }
            }
        }
    }
    return s;
}

} // namespace kompakt_test
