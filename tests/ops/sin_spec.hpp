#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/sin.hpp>

namespace kompakt_test {

inline op_spec sin_spec() {
    const auto real = [](double x, const op_arguments&) { return std::sin(x); };
    op_spec s{"sin", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::sin{});
    return s;
}

} // namespace kompakt_test
