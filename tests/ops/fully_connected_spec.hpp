#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/fully_connected.hpp>

namespace kompakt_test {

inline void fully_connected_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::fully_connected>();
    const values &in = a.inputs[0], &weights = a.inputs[1];
    const double zero = zero_of(a, 0);
    const reference_output finish(a, op.fused, true, op.int32_sums);
    const auto outputs = static_cast<std::size_t>(weights.dims[0]);
    const auto depth = static_cast<std::size_t>(weights.dims[1]);
    for (std::size_t n = 0; n < in.data.size() / depth; ++n) {
        for (std::size_t o = 0; o < outputs; ++o) {
            double sum = 0;
            for (std::size_t i = 0; i < depth; ++i) {
                sum += weights.data[o * depth + i] * (in.data[n * depth + i] - zero);
            }
            out.data[n * outputs + o] = finish(sum, o);
        }
    }
}

inline op_case fully_connected_case(const layer& l, dtype type, kompakt::shape in,
                                    bool keep_num_dims = false) {
    kompakt::ops::fully_connected op;
    op.fused = l.fused;
    op.keep_num_dims = keep_num_dims;
    op.int32_sums = l.int32_sums;
    return weighted_case(l, type, std::move(op), std::move(in), {l.out, l.c}, 0, l.c);
}

inline op_spec fully_connected_spec() {
    using kompakt::activation;
    op_spec s{"fully_connected", {}, fully_connected_reference};
    const auto add = [&](std::string name, kompakt::shape in, std::int64_t depth,
                         std::int64_t outputs, layer l = {}, bool keep = false) {
        l.name = std::move(name), l.c = depth, l.out = outputs;
        for (const bool per_channel : {true, false}) {
            l.per_channel = per_channel;
            s.cases.push_back(fully_connected_case(l, dtype::i8, in, keep));
            layer x = l;
            x.bench = false;
            s.cases.push_back(fully_connected_case(x, dtype::i16, in, keep));
            x.int32_sums = true;
            s.cases.push_back(fully_connected_case(x, dtype::i16, in, keep));
            x.int4 = true;
            s.cases.push_back(fully_connected_case(x, dtype::i8, in, keep));
        }
        s.cases.push_back(fully_connected_case(l, dtype::f32, in, keep));
    };
    layer l;
    add("1 to 1", {1, 1}, 1, 1);
    add("7 to 3, batch 5", {5, 7}, 7, 3);
    add("vector of 6", {6}, 6, 4);
    add("1001 to 255", {1, 1001}, 1001, 255);
    add("16 to 257", {2, 16}, 16, 257);
    add("flattened image", {2, 3, 2, 5}, 30, 9);
    add("flattened, more rows than the batch", {2, 3, 4}, 4, 5);
    add("kept dimensions", {2, 3, 4}, 4, 5, {}, true);
    l.bias = false, l.fused = activation::relu;
    add("no bias", {3, 33}, 33, 10, l);
    l = {};
    l.weights = -128, l.zero_point = 127, l.multiplier = 2.1;
    add("all weights -128", {1, 64}, 64, 5, l);
    l.weights = 127, l.zero_point = -128, l.multiplier = 3e-7;
    add("all weights 127", {1, 64}, 64, 5, l);
    l = {};
    l.bench = true;
    add("kws last layer", {1, 64}, 64, 12, l);
    add("ad first layer", {1, 640}, 640, 128, l);
    return s;
}

} // namespace kompakt_test
