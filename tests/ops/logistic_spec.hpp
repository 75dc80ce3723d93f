#pragma once

#include "tanh_spec.hpp"

#include <kompakt/graph/ops/logistic.hpp>

namespace kompakt_test {

inline void logistic_reference(const op_arguments& a, values& out) {
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        const double x = a.inputs[0].data[i] - zero_of(a, 0);
        if (!a.integer()) {
            out.data[i] = 1 / (1 + std::exp(-x));
            continue;
        }
        if (a.output().type == dtype::i16) {
            out.data[i] =
                table_reference(static_cast<std::int64_t>(x),
                                static_cast<double>(a.tensor(0).quantization->scale()), 0, false);
            continue;
        }
        // With 27 fractional bits, unless that would come near 16.
        const reference_multiplier m(static_cast<double>(a.tensor(0).quantization->scale()) *
                                     134217728);
        const double radius = std::floor(15.0 * 134217728 / std::ldexp(1.0, m.exponent));
        std::int64_t q = 0;
        if (x <= -radius) {
            q = 0;
        } else if (x >= radius) {
            q = 255;
        } else {
            const std::int64_t scaled = m.apply(static_cast<std::int64_t>(x));
            const std::int64_t upper = fixed_inverse(fixed_exp(scaled < 0 ? scaled : -scaled, 27));
            const std::int64_t y = scaled == 0  ? 1073741824
                                   : scaled > 0 ? upper
                                                : 2147483647 - upper;
            q = fixed_divide(y, 8388608);
        }
        out.data[i] = static_cast<double>((std::min)(q, std::int64_t{255}) - 128);
    }
}

inline op_case logistic_case(dtype type, kompakt::shape in, float scale, int zero,
                             bool bench = false) {
    const bool int8 = type == dtype::i8;
    case_builder b(kompakt::text_of(in) +
                   (int8 ? ", scale " + std::to_string(scale) + " int8" : " float32"));
    std::optional<quantization> q, unit;
    if (int8) q = quantization::per_tensor_affine(scale, zero);
    if (int8) unit = quantization::per_tensor_affine(1.0f / 256, -128);
    const tensor_id x = b.input(type, std::move(in), q);
    return b.finish(kompakt::ops::logistic{}, {x}, unit, bench);
}

inline op_spec logistic_spec() {
    op_spec s{"logistic", {}, logistic_reference};
    for (const kompakt::shape& in : {kompakt::shape{}, {1}, {3, 1, 2, 2, 1, 3}, {2, 255}, {257}}) {
        s.cases.push_back(logistic_case(dtype::f32, in, 0, 0));
        s.cases.push_back(logistic_case(dtype::i8, in, 0.05f, -9));
    }
    for (const float scale :
         {1e-8f, 1e-4f, 0.0235f, 0.03125f, 0.0627f, 0.49f, 3.99f, 4.0f, 7.9f, 8.0f, 500.0f}) {
        for (const int zero : {-128, 0, 127}) {
            s.cases.push_back(logistic_case(dtype::i8, {300}, scale, zero));
        }
    }
    add_int16_cases(s, kompakt::ops::logistic{}, quantization::per_tensor_affine(1.0f / 32768, 0));
    s.cases.push_back(logistic_case(dtype::i8, {1, 1024}, 0.05f, 0, true));
    s.cases.push_back(logistic_case(dtype::f32, {1, 1024}, 0.05f, 0, true));
    return s;
}

} // namespace kompakt_test
