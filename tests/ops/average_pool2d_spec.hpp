#pragma once

#include "pool2d_spec.hpp"

#include <kompakt/graph/ops/average_pool2d.hpp>

namespace kompakt_test {

inline void average_pool2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::average_pool2d>();
    const values& in = a.inputs[0];
    const reference_clamp clamp(op.fused, a.output());
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                for (std::int64_t c = 0; c < out.dims[3]; ++c) {
                    double sum = 0, count = 0;
                    reference_window(op.window, op.kernel_h, op.kernel_w, in.dims[1], in.dims[2], y,
                                     x, [&](auto, auto, auto iy, auto ix) {
                                         sum += in.at(n, iy, ix, c);
                                         count += 1;
                                     });
                    double mean = sum / count;
                    // Twice the sum against an odd number of counts: ties go away from zero.
                    if (a.integer()) {
                        const double m = std::floor((std::fabs(sum) * 2 + count) / (2 * count));
                        mean = sum < 0 ? -m : m;
                    }
                    out.at(n, y, x, c) = clamp.apply(mean);
                }
            }
        }
    }
}

inline op_spec average_pool2d_spec() {
    return {"average_pool_2d", pool2d_cases<kompakt::ops::average_pool2d>(),
            average_pool2d_reference};
}

} // namespace kompakt_test
