#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/square.hpp>

namespace kompakt_test {

inline op_spec square_spec() {
    const auto real = [](double x, const op_arguments&) { return x * x; };
    op_spec s{"square", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::square{});
    return s;
}

} // namespace kompakt_test
