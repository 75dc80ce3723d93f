#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/round.hpp>

namespace kompakt_test {

inline op_spec round_spec() {
    const auto real = [](double x, const op_arguments&) { return std::nearbyint(x); };
    op_spec s{"round", {}, unary_reference(real, no_integers)};
    add_float_cases(s, kompakt::ops::round{});
    return s;
}

} // namespace kompakt_test
