#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/sqrt.hpp>

namespace kompakt_test {

inline op_spec sqrt_spec() {
    const auto real = [](double x, const op_arguments&) { return std::sqrt(x); };
    op_spec s{"sqrt", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::sqrt{});
    return s;
}

} // namespace kompakt_test
