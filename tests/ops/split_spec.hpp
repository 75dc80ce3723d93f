#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/split.hpp>
#include <kompakt/graph/ops/unpack.hpp>

namespace kompakt_test {

inline void split_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::split>();
    const values& in = a.inputs[0];
    const auto rank = static_cast<std::int32_t>(in.dims.size());
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
    // What the outputs before have along the axis.
    std::int64_t from = 0;
    for (std::size_t i = 0; i < a.which; ++i) {
        from += a.g->tensor(a.g->node_at(a.g->order()[0]).outputs[i]).shape[axis].value();
    }
    move_reference(in, out, [&](place_in at) {
        at[axis] += from;
        return at;
    });
}
inline op_spec split_spec() {
    op_spec s{"split", {}, split_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t axis, std::size_t outputs,
                         std::vector<std::int32_t> sizes = {}) {
        kompakt::ops::split op;
        op.axis = axis, op.sizes = sizes;
        add_movement_parts(s, "along " + std::to_string(axis) + " " + list_text(sizes), in, op,
                           outputs);
    };
    add({6}, 0, 3);
    add({6}, -1, 1);
    add({4, 3}, 0, 2);
    add({3, 4}, 1, 2);
    add({2, 512}, -1, 2, {255, 257});
    add({2, 7, 3}, 1, 3, {1, -1, 4});
    add({1, 2, 3, 2, 5, 2}, -2, 2, {2, 3});
    return s;
}

inline void unpack_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::unpack>();
    const values& in = a.inputs[0];
    const auto rank = static_cast<std::int32_t>(in.dims.size());
    const auto axis = op.axis < 0 ? op.axis + rank : op.axis;
    move_reference(in, out, [&](place_in at) {
        at.insert(at.begin() + axis, static_cast<std::int64_t>(a.which));
        return at;
    });
}
inline op_spec unpack_spec() {
    op_spec s{"unpack", {}, unpack_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t axis, std::size_t outputs) {
        kompakt::ops::unpack op;
        op.axis = axis;
        add_movement_parts(s, "along " + std::to_string(axis), in, op, outputs);
    };
    add({3}, 0, 3);
    add({1}, -1, 1);
    add({3, 4}, 0, 3);
    add({3, 4}, -1, 4);
    add({2, 3, 257}, 1, 3);
    add({1, 2, 3, 2, 5, 2}, -3, 2);
    return s;
}

} // namespace kompakt_test
