#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/sub.hpp>

namespace kompakt_test {

inline void sub_reference(const op_arguments& a, values& out) {
    const kompakt::activation fused = a.op<kompakt::ops::sub>().fused;
    if (a.output().type == dtype::i32) {
        const reference_clamp clamp(fused, a.output());
        broadcast_reference(a, out, [&](double x, double y) {
            return clamp.apply(static_cast<double>(
                wrapped(static_cast<std::int64_t>(x) - static_cast<std::int64_t>(y))));
        });
        return;
    }
    if (!a.integer()) {
        const reference_clamp clamp(fused, a.output());
        broadcast_reference(a, out, [&](double x, double y) { return clamp.apply(x - y); });
        return;
    }
    // Every quotient is rounded to float32, unlike addition's.
    const float s0 = a.tensor(0).quantization->scale(), s1 = a.tensor(1).quantization->scale();
    const float so = a.output().quantization->scale();
    const float common = 2 * (std::max)(s0, s1);
    const float q0 = s0 / common, q1 = s1 / common, fine = static_cast<float>(sum_finer(a)) * so,
                q = common / fine;
    broadcast_reference(a, out,
                        reference_sum(a, static_cast<double>(q0), static_cast<double>(q1),
                                      static_cast<double>(q), -1, fused));
}

inline op_spec sub_spec() {
    return {
        "sub",
        binary_cases<kompakt::ops::sub>({{dtype::i8, dtype::i16, dtype::i32, dtype::f32}, true}),
        sub_reference};
}

} // namespace kompakt_test
