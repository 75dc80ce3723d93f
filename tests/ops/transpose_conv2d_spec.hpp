#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/transpose_conv2d.hpp>

namespace kompakt_test {

// Scatters: every input pixel adds its window to the output.
inline void transpose_conv2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::transpose_conv2d>();
    const values &in = a.inputs[0], &filter = a.inputs[1];
    const double zero = zero_of(a, 0);
    const reference_output finish(a, op.fused, false);
    for (std::int64_t n = 0; n < in.dims[0]; ++n) {
        for (std::int64_t y = 0; y < in.dims[1]; ++y) {
            for (std::int64_t x = 0; x < in.dims[2]; ++x) {
                for (std::int64_t ky = 0; ky < filter.dims[1]; ++ky) {
                    for (std::int64_t kx = 0; kx < filter.dims[2]; ++kx) {
                        const std::int64_t oy = y * op.window.stride_h - op.window.pad_top + ky;
                        const std::int64_t ox = x * op.window.stride_w - op.window.pad_left + kx;
                        if (oy < 0 || oy >= out.dims[1] || ox < 0 || ox >= out.dims[2]) continue;
                        for (std::int64_t o = 0; o < out.dims[3]; ++o) {
                            for (std::int64_t i = 0; i < in.dims[3]; ++i) {
                                out.at(n, oy, ox, o) +=
                                    filter.at(o, ky, kx, i) * (in.at(n, y, x, i) - zero);
                            }
                        }
                    }
                }
            }
        }
    }
    const auto channels = static_cast<std::size_t>(out.dims[3]);
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        out.data[i] = finish(out.data[i], i % channels);
    }
}

// `pads`: above, below, left, right.
inline op_case transpose_conv2d_case(const layer& l, dtype type, const std::vector<int>& pads) {
    kompakt::ops::transpose_conv2d op;
    op.window.stride_h = l.stride_h, op.window.stride_w = l.stride_w;
    op.window.pad_top = pads[0], op.window.pad_bottom = pads[1];
    op.window.pad_left = pads[2], op.window.pad_right = pads[3];
    op.fused = l.fused;
    return weighted_case(l, type, std::move(op), {l.n, l.h, l.w, l.c},
                         {l.out, l.kernel_h, l.kernel_w, l.c}, 0, l.kernel_h * l.kernel_w * l.c);
}

inline op_spec transpose_conv2d_spec() {
    using kompakt::activation;
    op_spec s{"transpose_conv_2d", {}, transpose_conv2d_reference};
    const auto add = [&](layer l, const std::vector<int>& pads) {
        s.cases.push_back(transpose_conv2d_case(l, dtype::i8, pads));
        s.cases.push_back(transpose_conv2d_case(l, dtype::f32, pads));
        l.bench = false;
        s.cases.push_back(transpose_conv2d_case(l, dtype::i16, pads));
        l.int4 = true;
        s.cases.push_back(transpose_conv2d_case(l, dtype::i8, pads));
    };
    layer l;
    l.name = "1x1 of one pixel, one channel";
    add(l, {0, 0, 0, 0});
    l = {};
    l.name = "3x3, stride 2, odd channels", l.h = 4, l.w = 5, l.c = 3, l.out = 5;
    l.kernel_h = l.kernel_w = 3, l.stride_h = l.stride_w = 2;
    add(l, {0, 0, 0, 0});
    l.name = "3x3 same, stride 2, batch 2", l.n = 2, l.fused = activation::relu;
    add(l, {0, 1, 0, 1});
    l.name = "3x3, stride 2, cut on all sides", l.fused = activation::relu6, l.n = 1;
    add(l, {1, 2, 2, 1});
    l = {};
    l.name = "stride above the kernel, rows that nothing reaches", l.h = 3, l.w = 2, l.c = 2;
    l.out = 4, l.kernel_h = 2, l.kernel_w = 1, l.stride_h = 3, l.stride_w = 4, l.zero_point = -128;
    add(l, {0, -1, 0, -3});
    l = {};
    l.name = "5x2, strides 1 and 3", l.h = 6, l.w = 3, l.c = 7, l.out = 6, l.kernel_h = 5;
    l.kernel_w = 2, l.stride_w = 3, l.zero_point = 127, l.fused = activation::relu_n1_to_1;
    add(l, {2, 2, 0, 0});
    l = {};
    l.name = "no bias, per tensor", l.h = 4, l.w = 4, l.c = 4, l.out = 9;
    l.kernel_h = l.kernel_w = 2, l.stride_h = l.stride_w = 2, l.bias = l.per_channel = false;
    add(l, {0, 0, 0, 0});
    l = {};
    l.name = "257 to 1 channels", l.h = 2, l.w = 3, l.c = 257, l.kernel_h = l.kernel_w = 3;
    add(l, {1, 1, 1, 1});
    l.name = "1 to 255 channels", l.c = 1, l.out = 255;
    add(l, {1, 1, 1, 1});
    l = {};
    l.name = "all weights -128", l.h = 4, l.w = 4, l.c = 16, l.out = 4;
    l.kernel_h = l.kernel_w = 3, l.weights = -128, l.multiplier = 1.7, l.zero_point = 127;
    add(l, {1, 1, 1, 1});
    l = {};
    l.name = "upsampling layer", l.h = 8, l.w = 8, l.c = 32, l.out = 16, l.kernel_h = 4;
    l.kernel_w = 4, l.stride_h = l.stride_w = 2, l.bench = true;
    add(l, {1, 1, 1, 1});
    for (std::int64_t size = 1; size <= 4; ++size) {
        for (std::int64_t kernel = 1; kernel <= 4; ++kernel) {
            for (int stride = 1; stride <= 3; ++stride) {
                layer x;
                x.name = "sweep " + std::to_string(size) + ", " + std::to_string(kernel);
                x.h = size, x.w = 5 - size, x.c = 2, x.out = 3;
                x.kernel_h = kernel, x.kernel_w = 5 - kernel;
                x.stride_h = stride, x.stride_w = 4 - stride;
                const int cut = kernel > 1 && size > 1 ? 1 : 0;
                s.cases.push_back(transpose_conv2d_case(x, dtype::i8, {cut, 0, 0, -1}));
            }
        }
    }
    return s;
}

} // namespace kompakt_test
