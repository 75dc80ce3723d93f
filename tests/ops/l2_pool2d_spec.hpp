#pragma once

#include "pool2d_spec.hpp"

#include <kompakt/graph/ops/l2_pool2d.hpp>

namespace kompakt_test {

inline void l2_pool2d_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::l2_pool2d>();
    const values& in = a.inputs[0];
    const reference_clamp clamp(op.fused, a.output());
    for (std::int64_t n = 0; n < out.dims[0]; ++n) {
        for (std::int64_t y = 0; y < out.dims[1]; ++y) {
            for (std::int64_t x = 0; x < out.dims[2]; ++x) {
                for (std::int64_t c = 0; c < out.dims[3]; ++c) {
                    double squares = 0, count = 0;
                    reference_window(op.window, op.kernel_h, op.kernel_w, in.dims[1], in.dims[2], y,
                                     x, [&](auto, auto, auto iy, auto ix) {
                                         squares += in.at(n, iy, ix, c) * in.at(n, iy, ix, c);
                                         count += 1;
                                     });
                    out.at(n, y, x, c) = clamp.apply(std::sqrt(squares / count));
                }
            }
        }
    }
}

inline op_spec l2_pool2d_spec() {
    return {"l2_pool_2d", pool2d_cases<kompakt::ops::l2_pool2d>({dtype::f32}), l2_pool2d_reference};
}

} // namespace kompakt_test
