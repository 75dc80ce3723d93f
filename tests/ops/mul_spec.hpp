#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/mul.hpp>

namespace kompakt_test {

inline void mul_reference(const op_arguments& a, values& out) {
    const reference_clamp clamp(a.op<kompakt::ops::mul>().fused, a.output());
    if (!a.integer()) {
        broadcast_reference(a, out, [&](double x, double y) { return clamp.apply(x * y); });
        return;
    }
    if (a.output().type == dtype::i32) {
        broadcast_reference(a, out, [&](double x, double y) {
            return clamp.apply(static_cast<double>(
                wrapped(static_cast<std::int64_t>(x) * static_cast<std::int64_t>(y))));
        });
        return;
    }
    const reference_multiplier m(static_cast<double>(a.tensor(0).quantization->scale()) *
                                 static_cast<double>(a.tensor(1).quantization->scale()) /
                                 static_cast<double>(a.output().quantization->scale()));
    const double zero = a.output().quantization->zero_point();
    broadcast_reference(a, out, [&](double x, double y) {
        const double product = (x - zero_of(a, 0)) * (y - zero_of(a, 1));
        return clamp.apply(static_cast<double>(m.apply(static_cast<std::int64_t>(product))) + zero);
    });
}

inline op_spec mul_spec() {
    return {
        "mul",
        binary_cases<kompakt::ops::mul>({{dtype::i8, dtype::i16, dtype::i32, dtype::f32}, true}),
        mul_reference};
}

} // namespace kompakt_test
