#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/dequantize.hpp>

namespace kompakt_test {

inline void dequantize_reference(const op_arguments& a, values& out) {
    const quantization q =
        a.tensor(0).quantization.value_or(quantization::per_tensor_affine(1.0f, 0)); // of float16
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        out.data[i] = static_cast<double>(q.scale()) * (a.inputs[0].data[i] - q.zero_point());
    }
}

inline op_spec dequantize_spec() {
    op_spec s{"dequantize", {}, dequantize_reference};
    const auto add = [&](kompakt::shape in, float scale, int zero, bool bench = false) {
        case_builder b(kompakt::text_of(in) + " " + std::to_string(scale));
        const tensor_id x =
            b.input(dtype::i8, std::move(in), quantization::per_tensor_affine(scale, zero));
        s.cases.push_back(b.finish(kompakt::ops::dequantize{}, {x}, {}, bench));
    };
    for (const kompakt::shape& in : {kompakt::shape{}, {1}, {2, 1, 3, 1, 2, 5}, {255}, {2, 257}}) {
        add(in, 0.013f, 4);
    }
    add({300}, 1e-6f, -128);
    add({300}, 1e4f, 127);
    for (const dtype type : {dtype::u8, dtype::i16}) {
        for (const kompakt::shape& in : {kompakt::shape{}, {3, 255}, {1001}}) {
            case_builder b(kompakt::text_of(in) + " " + kompakt::name_of(type));
            const tensor_id x = b.input(
                type, in, quantization::per_tensor_affine(0.013f, type == dtype::u8 ? 77 : -500));
            s.cases.push_back(b.finish(kompakt::ops::dequantize{}, {x}));
        }
    }
    {
        case_builder b("[257] float16");
        const tensor_id x = b.input(dtype::f16, {257});
        s.cases.push_back(b.finish(kompakt::ops::dequantize{}, {x}));
    }
    add({1, 1024}, 0.01f, 0, true);
    return s;
}

} // namespace kompakt_test
