#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/log.hpp>

namespace kompakt_test {

inline op_spec log_spec() {
    const auto real = [](double x, const op_arguments&) { return std::log(x); };
    const auto in_float = [](float x) {
        return x <= 0 ? -1e30f : static_cast<float>(std::log(static_cast<double>(x)));
    };
    op_spec s{"log", {}, unary_reference(real, by_real(in_float))};
    add_float_cases(s, kompakt::ops::log{});
    add_int8_cases(s, kompakt::ops::log{});
    return s;
}

} // namespace kompakt_test
