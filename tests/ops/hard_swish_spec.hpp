#pragma once

#include "unary_spec.hpp"

#include <kompakt/graph/ops/hard_swish.hpp>

namespace kompakt_test {

// In 16-bit fractions: the input and the gate, each a product with a 16-bit multiplier.
inline double hard_swish_integer(std::int64_t q, const op_arguments& a) {
    const quantization &in = *a.tensor(0).quantization, &to = *a.output().quantization;
    const auto saturated = [](std::int64_t v) {
        return (std::min)((std::max)(v, std::int64_t{-32768}), std::int64_t{32767});
    };
    const auto high = [&](std::int64_t x, std::int64_t y) { // halves up, but down to zero below it
        const std::int64_t p = x * y;
        return saturated(p >= 0 ? (p + 16384) / 32768 : (p - 16383) / 32768);
    };
    const auto shorter = [](const reference_multiplier& m) {
        return (std::min)((m.mantissa + 32768) / 65536, std::int64_t{32767});
    };
    const float fine = in.scale() / 128.0f;
    const float to_output = fine / to.scale(), to_gate = fine / (3.0f / 32768.0f);
    const reference_multiplier output(static_cast<double>(to_output)),
        gate(static_cast<double>(to_gate));
    const std::int64_t x = (q - in.zero_point()) * 128;
    std::int64_t g = x;
    if (gate.exponent > 0) {
        g = saturated(g * (std::int64_t{1} << (gate.exponent - 1)));
        g = saturated(high(g, shorter(gate)) * 2);
    } else {
        const std::int64_t p = high(g, shorter(gate)), d = std::int64_t{1} << -gate.exponent;
        g = p < 0 ? -((-p + d / 2) / d) : (p + d / 2) / d;
    }
    g = reference_multiplier::floor_of(g + 32768, 2);
    const std::int64_t y = g * high(x, shorter(output)) / 32768;
    // A shift by 16 or more is of 16-bit numbers, of which it leaves the sign (and 1 for 0).
    const std::int64_t d = std::int64_t{1} << -output.exponent;
    const std::int64_t shifted = output.exponent <= -16 ? (y < 0 ? -1 : 1)
                                 : y < 0                ? -((-y + d / 2) / d)
                                                        : (y + d / 2) / d;
    return static_cast<double>(shifted + to.zero_point());
}

inline op_spec hard_swish_spec() {
    const auto real = [](double x, const op_arguments&) {
        return x * (std::min)((std::max)(x + 3, 0.0), 6.0) / 6;
    };
    op_spec s{"hard_swish", {}, unary_reference(real, hard_swish_integer)};
    add_float_cases(s, kompakt::ops::hard_swish{});
    add_int8_cases(s, kompakt::ops::hard_swish{}, quantization::per_tensor_affine(0.08f, -9));
    for (const float to : {0.001f, 0.02f, 0.5f, 3.0f}) {
        for (const float from : {0.0009f, 0.0234375f, 0.04f, 0.1f}) {
            s.cases.push_back(unary_case(kompakt::ops::hard_swish{}, dtype::i8, {600},
                                         quantization::per_tensor_affine(from, 5),
                                         quantization::per_tensor_affine(to, -100)));
        }
    }
    return s;
}

} // namespace kompakt_test
