#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/concatenation.hpp>

namespace kompakt_test {

inline void concatenation_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::concatenation>();
    const auto rank = static_cast<std::int32_t>(out.dims.size());
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
    std::size_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < out.dims.size(); ++i) {
        if (i < axis) outer *= static_cast<std::size_t>(out.dims[i]);
        if (i > axis) inner *= static_cast<std::size_t>(out.dims[i]);
    }
    const reference_clamp clamp(op.fused, a.output());
    const auto& to = a.output().quantization;
    std::size_t at = 0;
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t k = 0; k < a.inputs.size(); ++k) {
            const std::size_t n = static_cast<std::size_t>(a.inputs[k].dims[axis]) * inner;
            for (std::size_t i = 0; i < n; ++i) {
                double x = a.inputs[k].data[o * n + i];
                if (a.integer() && to && a.tensor(k).quantization != to) {
                    const quantization& from = *a.tensor(k).quantization;
                    const reference_multiplier m(static_cast<double>(from.scale()) /
                                                 static_cast<double>(to->scale()));
                    x = static_cast<double>(
                            m.apply(static_cast<std::int64_t>(x) - from.zero_point())) +
                        to->zero_point();
                }
                out.data[at++] = a.output().type == dtype::i16 ? x : clamp.apply(x);
            }
        }
    }
}

inline op_case concatenation_case(std::string name, dtype type, std::int32_t axis,
                                  const std::vector<kompakt::shape>& parts, bool one_scale,
                                  kompakt::activation fused = kompakt::activation::none,
                                  bool bench = false) {
    case_builder b(std::move(name) + " " + kompakt::name_of(type) +
                   (one_scale ? "" : ", other scales"));
    kompakt::ops::concatenation op;
    op.axis = axis, op.fused = fused;
    std::optional<quantization> to;
    if (type == dtype::i8) to = quantization::per_tensor_affine(0.031f, 7);
    std::vector<tensor_id> inputs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::optional<quantization> q = to;
        if (q && !one_scale && i != 1) {
            q = quantization::per_tensor_affine(0.01f + 0.02f * static_cast<float>(i),
                                                static_cast<std::int32_t>(i) * 11 - 100);
        }
        inputs.push_back(b.input(type, parts[i], std::move(q)));
    }
    return b.finish(std::move(op), std::move(inputs), std::move(to), bench);
}

inline op_spec concatenation_spec() {
    using kompakt::activation;
    op_spec s{"concatenation", {}, concatenation_reference};
    const auto add = [&](const char* name, std::int32_t axis,
                         const std::vector<kompakt::shape>& parts, bool bench = false) {
        s.cases.push_back(
            concatenation_case(name, dtype::i8, axis, parts, true, activation::none, bench));
        s.cases.push_back(concatenation_case(name, dtype::i8, axis, parts, false));
        s.cases.push_back(concatenation_case(name, dtype::i16, axis, parts, true));
        s.cases.push_back(
            concatenation_case(name, dtype::f32, axis, parts, true, activation::none, bench));
        for (const activation fused : {activation::relu6, activation::relu_n1_to_1}) {
            s.cases.push_back(concatenation_case(name, dtype::i8, axis, parts, false, fused));
            s.cases.push_back(concatenation_case(name, dtype::f32, axis, parts, true, fused));
        }
    };
    add("one", 0, {kompakt::shape{3}});
    add("two vectors", -1, {kompakt::shape{3}, kompakt::shape{4}});
    add("three along 0", 0, {{2, 3, 5}, {1, 3, 5}, {4, 3, 5}});
    add("three along 1", 1, {{2, 3, 5}, {2, 1, 5}, {2, 7, 5}});
    add("three along 2", 2, {{2, 3, 5}, {2, 3, 1}, {2, 3, 4}});
    add("rank 6", -3, {{1, 2, 1, 3, 2, 1}, {1, 2, 1, 5, 2, 1}});
    add("255 and 257 channels", -1, {{2, 3, 255}, {2, 3, 257}});
    add("many", 1, std::vector<kompakt::shape>(20, kompakt::shape{2, 3}));
    add("two branches", 3, {{1, 16, 16, 32}, {1, 16, 16, 32}}, true);
    return s;
}

} // namespace kompakt_test
