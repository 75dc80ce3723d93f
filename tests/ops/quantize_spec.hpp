#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/quantize.hpp>

namespace kompakt_test {

inline void quantize_reference(const op_arguments& a, values& out) {
    const quantization& to = *a.output().quantization;
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        const double x = a.inputs[0].data[i];
        double q = 0;
        if (a.tensor(0).type == dtype::f32) {
            const float quotient = static_cast<float>(x) / to.scale();
            q = std::round(static_cast<double>(quotient));
        } else {
            const quantization& from = *a.tensor(0).quantization;
            const reference_multiplier m(static_cast<double>(from.scale()) /
                                         static_cast<double>(to.scale()));
            q = static_cast<double>(m.apply(static_cast<std::int64_t>(x) - from.zero_point()));
        }
        q += to.zero_point();
        const auto range = kompakt::range_of_type(a.output().type);
        out.data[i] = q < range.qmin ? range.qmin : q > range.qmax ? range.qmax : q;
    }
}

inline op_spec quantize_spec() {
    op_spec s{"quantize", {}, quantize_reference};
    const auto add = [&](kompakt::shape in, std::optional<quantization> from, float scale, int zero,
                         bool bench = false) {
        case_builder b(kompakt::text_of(in) +
                       (from ? " int8 " + std::to_string(from->scale()) + " to " : " float32 to ") +
                       std::to_string(scale));
        const tensor_id x = b.input(from ? dtype::i8 : dtype::f32, std::move(in), std::move(from));
        s.cases.push_back(b.finish(kompakt::ops::quantize{}, {x},
                                   quantization::per_tensor_affine(scale, zero), bench));
    };
    for (const kompakt::shape& in : {kompakt::shape{}, {1}, {2, 1, 3, 1, 2, 5}, {255}, {2, 257}}) {
        add(in, {}, 0.013f, 4);
        add(in, quantization::per_tensor_affine(0.02f, -3), 0.013f, 4);
    }
    // 2 / 65535 is the step of the random inputs: ties are frequent.
    for (const float scale : {4.0f / 65535.0f, 0.0078125f, 0.25f, 3.0f, 6.0f, 1e-20f, 1e20f}) {
        for (const int zero : {-128, 0, 127}) add({500}, {}, scale, zero);
    }
    for (const float from : {1e-4f, 0.25f, 0.3f, 50.0f}) {
        for (const float to : {0.125f, 0.25f, 0.5f, 0.77f, 1000.0f}) {
            add({500}, quantization::per_tensor_affine(from, 127), to, -128);
            add({500}, quantization::per_tensor_affine(from, -128), to, 5);
        }
    }
    // Other types.
    const auto between = [&](dtype from, std::optional<quantization> q, dtype to, float scale,
                             int zero) {
        for (const kompakt::shape& in : {kompakt::shape{}, {3, 255}, {1001}}) {
            case_builder b(kompakt::text_of(in) + " " + kompakt::name_of(from) + " " +
                           (q ? std::to_string(q->scale()) : "") + " to " + kompakt::name_of(to) +
                           " " + std::to_string(scale));
            const tensor_id x = b.input(from, in, q);
            s.cases.push_back(b.finish(kompakt::ops::quantize{}, {x},
                                       quantization::per_tensor_affine(scale, zero), false, to));
        }
    };
    for (const float scale : {4.0f / 65535.0f, 1e-5f, 0.25f}) {
        between(dtype::f32, {}, dtype::i16, scale, 0);
        between(dtype::f32, {}, dtype::i16, scale, -32768);
        between(dtype::f32, {}, dtype::u8, scale, 128);
    }
    for (const dtype from : {dtype::i8, dtype::u8, dtype::i16, dtype::i32}) {
        const float step = from == dtype::i32 ? 1e-8f : from == dtype::i16 ? 3e-4f : 0.07f;
        const int zero = from == dtype::i8 ? -9 : from == dtype::u8 ? 200 : 0;
        for (const dtype to : {dtype::i8, dtype::u8, dtype::i16, dtype::i32}) {
            if (from == dtype::i8 && to == dtype::i8) continue;
            for (const float wanted : {1.0f, 0.5f, 0.013f}) {
                const float scale = to == dtype::i32   ? wanted * 1e-3f
                                    : to == dtype::i16 ? wanted * 1e-3f
                                                       : wanted * 0.1f;
                between(from, quantization::per_tensor_affine(step, zero), to, scale,
                        to == dtype::u8 ? 128 : 0);
                between(from, quantization::per_tensor_affine(scale, 0), to, scale, 0);
            }
        }
    }
    add({1, 1024}, {}, 0.01f, 0, true);
    add({1, 1024}, quantization::per_tensor_affine(0.02f, -3), 0.01f, 0, true);
    return s;
}

} // namespace kompakt_test
