#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/exp.hpp>

namespace kompakt_test {

inline op_spec exp_spec() {
    const auto real = [](double x, const op_arguments&) { return std::exp(x); };
    const auto in_float = [](float x) {
        return static_cast<float>(std::exp(static_cast<double>(x)));
    };
    op_spec s{"exp", {}, unary_reference(real, by_real(in_float))};
    add_float_cases(s, kompakt::ops::exp{});
    add_int8_cases(s, kompakt::ops::exp{});
    return s;
}

} // namespace kompakt_test
