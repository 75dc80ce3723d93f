#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/leaky_relu.hpp>

namespace kompakt_test {

inline op_spec leaky_relu_spec() {
    const auto real = [](double x, const op_arguments& a) {
        return x > 0 ? x : x * static_cast<double>(a.op<kompakt::ops::leaky_relu>().alpha);
    };
    const auto integer = [](std::int64_t q, const op_arguments& a) {
        const quantization &in = *a.tensor(0).quantization, &to = *a.output().quantization;
        const std::int64_t x = q - in.zero_point();
        std::int64_t y = 0;
        if (x >= 0) {
            y = reference_multiplier(ratio_in_float(a)).apply(x);
        } else {
            const float product = in.scale() * a.op<kompakt::ops::leaky_relu>().alpha;
            const float slope = product / to.scale();
            if (slope != 0.0f) {
                y = reference_multiplier(std::fabs(static_cast<double>(slope))).apply(x);
            }
            if (slope < 0.0f) y = -y;
        }
        return static_cast<double>(y + to.zero_point());
    };
    op_spec s{"leaky_relu", {}, unary_reference(real, integer)};
    for (const float alpha : {0.0f, 0.01f, 0.3f, 1.7f, -0.6f}) {
        kompakt::ops::leaky_relu op;
        op.alpha = alpha;
        add_float_cases(s, op);
        add_int8_cases(s, op);
        add_int16_cases(s, op);
    }
    kompakt::ops::leaky_relu op;
    op.alpha = 0.2f;
    s.cases.push_back(unary_case(op, dtype::i16, {500}, quantization::per_tensor_affine(1e-3f, 700),
                                 quantization::per_tensor_affine(2e-3f, -900)));
    return s;
}

} // namespace kompakt_test
