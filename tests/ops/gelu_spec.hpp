#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/gelu.hpp>

namespace kompakt_test {

inline op_spec gelu_spec() {
    const auto exact = [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); };
    const auto approximate = [](double x) {
        return x / 2 *
               (1 + std::tanh(std::sqrt(2 / 3.14159265358979324) * (x + 0.044715 * x * x * x)));
    };
    const auto of = [=](double x, const op_arguments& a) {
        return a.op<kompakt::ops::gelu>().approximate ? approximate(x) : exact(x);
    };
    const auto integer = [=](std::int64_t q, const op_arguments& a) {
        return by_real([&](float x) { return static_cast<float>(of(static_cast<double>(x), a)); })(
            q, a);
    };
    op_spec s{"gelu", {}, unary_reference(of, integer)};
    for (const bool how : {false, true}) {
        kompakt::ops::gelu op;
        op.approximate = how;
        add_float_cases(s, op);
        add_int8_cases(s, op);
    }
    return s;
}

} // namespace kompakt_test
