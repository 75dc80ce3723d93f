#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/mirror_pad.hpp>

namespace kompakt_test {

inline void mirror_pad_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::mirror_pad>();
    const values& in = a.inputs[0];
    move_reference(in, out, [&](place_in at) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            // Walks from the padded place towards the input, turning at the edges.
            const std::int64_t n = in.dims[i];
            const std::int64_t x = at[i] - op.before[i];
            at[i] = x < 0    ? -x - (op.reflect ? 0 : 1)
                    : x >= n ? n - 1 - (x - n) - (op.reflect ? 1 : 0)
                             : x;
        }
        return at;
    });
}
inline op_spec mirror_pad_spec() {
    op_spec s{"mirror_pad", {}, mirror_pad_reference};
    const auto add = [&](const kompakt::shape& in, std::vector<std::int32_t> before,
                         std::vector<std::int32_t> after, bool reflect, bool bench = false) {
        kompakt::ops::mirror_pad op;
        op.before = before, op.after = after, op.reflect = reflect;
        add_movement(s,
                     (reflect ? "reflect " : "symmetric ") + list_text(before) + " and " +
                         list_text(after),
                     in, op, bench);
    };
    for (const bool reflect : {false, true}) {
        add({}, {}, {}, reflect);
        add({1}, {0}, {0}, reflect);
        add({4}, {3}, {2}, reflect);
        add({257}, {0}, {255}, reflect);
        add({3, 5}, {2, 0}, {0, 4}, reflect);
        add({2, 3, 5}, {1, 2, 4}, {1, 0, 3}, reflect);
        add({2, 3, 1, 4, 2, 3}, {0, 1, 0, 3, 1, 0}, {1, 2, 0, 0, 1, 2}, reflect);
    }
    add({1}, {1}, {1}, false);
    add({2, 3}, {2, 3}, {2, 3}, false);
    add({1, 32, 32, 3}, {0, 1, 1, 0}, {0, 1, 1, 0}, true, true);
    return s;
}

} // namespace kompakt_test
