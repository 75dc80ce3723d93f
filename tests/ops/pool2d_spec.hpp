// The cases of all poolings; their specs are average_pool2d_spec.hpp, max_pool2d_spec.hpp and
// l2_pool2d_spec.hpp.
#pragma once

#include "reference.hpp"

namespace kompakt_test {

template <class Op>
op_case pool2d_case(const layer& l, dtype type) {
    case_builder b(l.name + form_of(l, type));
    Op op;
    op.window = window_of(l);
    op.kernel_h = static_cast<std::int32_t>(l.kernel_h);
    op.kernel_w = static_cast<std::int32_t>(l.kernel_w);
    op.fused = l.fused;
    std::optional<quantization> q;
    if (type == dtype::i8) q = quantization::per_tensor_affine(0.0731f, l.zero_point);
    if (type == dtype::i16) q = quantization::per_tensor_affine(0.000331f, 0);
    const tensor_id in = b.input(type, {l.n, l.h, l.w, l.c}, q);
    return b.finish(std::move(op), {in}, q, l.bench);
}

template <class Op>
std::vector<op_case> pool2d_cases(const std::vector<dtype>& types = {dtype::i8, dtype::i16,
                                                                     dtype::f32}) {
    using kompakt::activation;
    std::vector<op_case> all;
    const auto add = [&](const layer& l) {
        for (const dtype type : types) all.push_back(pool2d_case<Op>(l, type));
    };
    layer l;
    l.name = "1x1 of one pixel";
    add(l);
    l.name = "2x2, stride 2, odd channels, batch 2", l.n = 2, l.h = 8, l.w = 6, l.c = 7;
    l.kernel_h = l.kernel_w = l.stride_h = l.stride_w = 2;
    add(l);
    l.name = "3x3 same, stride 2", l.n = 1, l.h = 7, l.w = 8, l.kernel_h = l.kernel_w = 3;
    l.pad = padding::same, l.fused = activation::relu6;
    add(l);
    l.name = "3x3 symmetric, stride 2", l.pad = padding::symmetric, l.fused = activation::none;
    add(l);
    l.name = "3x2 same, stride 1, 255 channels", l.c = 255, l.kernel_w = 2, l.stride_h = 1;
    l.stride_w = 1, l.pad = padding::same, l.zero_point = -128, l.fused = activation::relu;
    add(l);
    l.name = "4x5 lopsided, strides 3 and 1, 257 channels", l.c = 257, l.kernel_h = 4;
    l.kernel_w = 5, l.stride_h = 3, l.pad = padding::lopsided, l.zero_point = 127;
    l.fused = activation::relu_n1_to_1;
    add(l);
    l = {};
    l.name = "kernel larger than the input", l.h = 3, l.w = 2, l.c = 3, l.kernel_h = l.kernel_w = 5;
    l.pad = padding::symmetric;
    add(l);
    l = {};
    l.name = "kws global", l.h = 25, l.w = 5, l.c = 64, l.kernel_h = 25, l.kernel_w = 5;
    l.stride_h = 25, l.stride_w = 5, l.bench = true, l.zero_point = -128;
    add(l);
    for (std::int64_t size = 4; size <= 9; ++size) {
        for (std::int64_t kernel = 1; kernel <= 5; ++kernel) {
            for (int stride = 1; stride <= 3; ++stride) {
                for (const padding p : {padding::valid, padding::same, padding::symmetric}) {
                    layer x;
                    x.name = "sweep " + std::to_string(size) + ", " + std::to_string(kernel);
                    x.h = size, x.w = 13 - size, x.c = 3, x.kernel_h = (std::min)(kernel, size);
                    x.kernel_w = (std::min)(6 - kernel, x.w);
                    x.stride_h = stride, x.stride_w = 4 - stride, x.pad = p;
                    all.push_back(pool2d_case<Op>(x, types[0]));
                }
            }
        }
    }
    return all;
}

} // namespace kompakt_test
