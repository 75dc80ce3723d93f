#pragma once

#include "reduction_spec.hpp"

#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/sum.hpp>

namespace kompakt_test {

// Sums of the values without their zero point, divided by their number or not.
inline void sum_reference(const op_arguments& a, const std::vector<std::int32_t>& axes,
                          bool average, values& out) {
    std::vector<double> sums(out.data.size(), 0.0);
    const std::int64_t count =
        reduce_reference(a.inputs[0], axes, [&](std::size_t place, std::size_t i) {
            sums[place] += a.inputs[0].data[i] - zero_of(a, 0);
        });
    for (std::size_t o = 0; o < sums.size(); ++o) {
        if (!a.integer()) {
            out.data[o] = average ? sums[o] / static_cast<double>(count) : sums[o];
            continue;
        }
        const quantization &from = *a.tensor(0).quantization, &to = *a.output().quantization;
        reference_multiplier m(static_cast<double>(from.scale()) / static_cast<double>(to.scale()));
        if (average) {
            // 1 / count goes into the mantissa, by a division that truncates, after a shift that
            // keeps its bits as far as the exponent allows.
            int shift = static_cast<int>(std::floor(std::log2(static_cast<double>(count))));
            shift = (std::min)((std::min)(shift, 32), 31 + m.exponent);
            m.mantissa = (m.mantissa << shift) / count;
            m.exponent -= shift;
        }
        const std::int64_t x =
            m.apply(wrapped(static_cast<std::int64_t>(sums[o]))) + to.zero_point();
        out.data[o] = reference_clamp(kompakt::activation::none, a.output())
                          .apply(static_cast<double>(wrapped(x)));
    }
}

inline op_spec mean_spec() {
    return {"mean", reduction_cases<kompakt::ops::mean>({{dtype::i8, dtype::i16, dtype::f32}}),
            [](const op_arguments& a, values& out) {
                sum_reference(a, a.op<kompakt::ops::mean>().axes, true, out);
            }};
}
inline op_spec sum_spec() {
    return {"sum",
            reduction_cases<kompakt::ops::sum>(
                {{dtype::i8, dtype::i16, dtype::f32}, false, true, true}),
            [](const op_arguments& a, values& out) {
                sum_reference(a, a.op<kompakt::ops::sum>().axes, false, out);
            }};
}

} // namespace kompakt_test
