#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/neg.hpp>

namespace kompakt_test {

inline op_spec neg_spec() {
    const auto real = [](double x, const op_arguments&) { return -x; };
    op_spec s{"neg", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::neg{});
    return s;
}

} // namespace kompakt_test
