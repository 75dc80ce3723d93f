#pragma once

#include "pool2d_spec.hpp"

#include <kompakt/graph/ops/max_pool2d.hpp>

namespace kompakt_test {

inline void max_pool2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::max_pool2d>();
    const values& in = a.inputs[0];
    const reference_clamp clamp(op.fused, a.output());
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                for (std::int64_t c = 0; c < out.dims[3]; ++c) {
                    double most = -std::numeric_limits<double>::infinity();
                    reference_window(op.window, op.kernel_h, op.kernel_w, in.dims[1], in.dims[2], y,
                                     x, [&](auto, auto, auto iy, auto ix) {
                                         most = (std::max)(most, in.at(n, iy, ix, c));
                                     });
                    out.at(n, y, x, c) = clamp.apply(most);
                }
            }
        }
    }
}

inline op_spec max_pool2d_spec() {
    return {"max_pool_2d", pool2d_cases<kompakt::ops::max_pool2d>(), max_pool2d_reference};
}

} // namespace kompakt_test
