#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/ceil.hpp>

namespace kompakt_test {

inline op_spec ceil_spec() {
    const auto real = [](double x, const op_arguments&) { return std::ceil(x); };
    op_spec s{"ceil", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::ceil{});
    return s;
}

} // namespace kompakt_test
