#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/cos.hpp>

namespace kompakt_test {

inline op_spec cos_spec() {
    const auto real = [](double x, const op_arguments&) { return std::cos(x); };
    op_spec s{"cos", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::cos{});
    return s;
}

} // namespace kompakt_test
