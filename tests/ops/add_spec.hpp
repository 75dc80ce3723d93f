#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/add.hpp>

namespace kompakt_test {

inline void add_reference(const op_arguments& a, values& out) {
    const kompakt::activation fused = a.op<kompakt::ops::add>().fused;
    if (a.output().type == dtype::i32) {
        // The activation is never applied.
        const reference_clamp clamp(kompakt::activation::none, a.output());
        broadcast_reference(a, out, [&](double x, double y) {
            return clamp.apply(static_cast<double>(
                wrapped(static_cast<std::int64_t>(x) + static_cast<std::int64_t>(y))));
        });
        return;
    }
    if (!a.integer()) {
        const reference_clamp clamp(fused, a.output());
        broadcast_reference(a, out, [&](double x, double y) { return clamp.apply(x + y); });
        return;
    }
    const auto s0 = static_cast<double>(a.tensor(0).quantization->scale());
    const auto s1 = static_cast<double>(a.tensor(1).quantization->scale());
    const auto so = static_cast<double>(a.output().quantization->scale());
    const double common = 2 * (std::max)(s0, s1);
    broadcast_reference(
        a, out, reference_sum(a, s0 / common, s1 / common, common / (sum_finer(a) * so), 1, fused));
}

inline op_spec add_spec() {
    return {
        "add",
        binary_cases<kompakt::ops::add>({{dtype::i8, dtype::i16, dtype::i32, dtype::f32}, true}),
        add_reference};
}

} // namespace kompakt_test
