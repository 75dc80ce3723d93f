#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/floor.hpp>

namespace kompakt_test {

inline op_spec floor_spec() {
    const auto real = [](double x, const op_arguments&) { return std::floor(x); };
    op_spec s{"floor", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::floor{});
    return s;
}

} // namespace kompakt_test
