#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/squared_difference.hpp>

namespace kompakt_test {

inline void squared_difference_reference(const op_arguments& a, values& out) {
    if (!a.output().quantization) {
        const bool integer = a.integer();
        broadcast_reference(a, out, [&](double x, double y) {
            if (!integer) return (x - y) * (x - y);
            const std::int64_t d =
                wrapped(static_cast<std::int64_t>(x) - static_cast<std::int64_t>(y));
            return static_cast<double>(wrapped(d * d));
        });
        return;
    }
    const auto s0 = static_cast<double>(a.tensor(0).quantization->scale());
    const auto s1 = static_cast<double>(a.tensor(1).quantization->scale());
    const auto so = static_cast<double>(a.output().quantization->scale());
    const double common = 2 * (std::max)(s0, s1);
    const std::int64_t finer = a.output().type == dtype::i8 ? 128 : 1;
    const reference_multiplier m0(s0 / common), m1(s1 / common),
        result(common * common / (static_cast<double>(finer * finer) * so));
    const reference_clamp clamp(kompakt::activation::none, a.output());
    broadcast_reference(a, out, [&](double x, double y) {
        const std::int64_t d = m0.apply(static_cast<std::int64_t>(x - zero_of(a, 0)) * finer) -
                               m1.apply(static_cast<std::int64_t>(y - zero_of(a, 1)) * finer);
        return clamp.apply(static_cast<double>(result.apply(d * d)) +
                           a.output().quantization->zero_point());
    });
}

inline op_spec squared_difference_spec() {
    return {"squared_difference",
            binary_cases<kompakt::ops::squared_difference>(
                {{dtype::i8, dtype::i16, dtype::i32, dtype::f32}, false}),
            squared_difference_reference};
}

} // namespace kompakt_test
