#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/elu.hpp>

namespace kompakt_test {

inline op_spec elu_spec() {
    const auto real = [](double x, const op_arguments&) { return x < 0 ? std::expm1(x) : x; };
    const auto in_float = [](float x) {
        return x < 0 ? static_cast<float>(std::exp(static_cast<double>(x))) - 1.0f : x;
    };
    op_spec s{"elu", {}, unary_reference(real, by_real(in_float))};
    add_float_cases(s, kompakt::ops::elu{});
    add_int8_cases(s, kompakt::ops::elu{});
    return s;
}

} // namespace kompakt_test
