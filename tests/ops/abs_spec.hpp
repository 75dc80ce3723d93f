#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/abs.hpp>

namespace kompakt_test {

inline op_spec abs_spec() {
    const auto real = [](double x, const op_arguments&) { return std::fabs(x); };
    const auto integer = [](std::int64_t q, const op_arguments& a) {
        if (!a.output().quantization) return static_cast<double>(q == -32768 ? q : std::abs(q));
        const std::int64_t x = std::abs(q - a.tensor(0).quantization->zero_point());
        return static_cast<double>(reference_multiplier(ratio_in_float(a)).apply(x) +
                                   a.output().quantization->zero_point());
    };
    op_spec s{"abs", {}, unary_reference(real, integer)};
    add_float_cases(s, kompakt::ops::abs{});
    add_int8_cases(s, kompakt::ops::abs{});
    add_int16_cases(s, kompakt::ops::abs{});
    s.cases.push_back(unary_case(kompakt::ops::abs{}, dtype::i16, {3, 255})); // without a scale
    return s;
}

} // namespace kompakt_test
