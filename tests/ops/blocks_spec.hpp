#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/batch_to_space_nd.hpp>
#include <kompakt/graph/ops/depth_to_space.hpp>
#include <kompakt/graph/ops/space_to_batch_nd.hpp>

namespace kompakt_test {

inline void space_to_depth_reference(const op_arguments& a, values& out) {
    const std::int64_t b = a.op<kompakt::ops::space_to_depth>().block;
    const std::int64_t channels = a.inputs[0].dims[3];
    move_reference(a.inputs[0], out, [&](const place_in& at) {
        const std::int64_t pixel = at[3] / channels;
        return place_in{at[0], at[1] * b + pixel / b, at[2] * b + pixel % b, at[3] % channels};
    });
}
inline void depth_to_space_reference(const op_arguments& a, values& out) {
    const std::int64_t b = a.op<kompakt::ops::depth_to_space>().block;
    move_reference(a.inputs[0], out, [&](const place_in& at) {
        return place_in{at[0], at[1] / b, at[2] / b,
                        ((at[1] % b) * b + at[2] % b) * out.dims[3] + at[3]};
    });
}
inline op_spec space_to_depth_spec() {
    op_spec s{"space_to_depth", {}, space_to_depth_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t block) {
        kompakt::ops::space_to_depth op;
        op.block = block;
        add_movement(s, "block " + std::to_string(block), in, op);
    };
    add({1, 1, 1, 1}, 1);
    add({2, 3, 5, 7}, 1);
    add({1, 4, 6, 3}, 2);
    add({2, 3, 9, 1}, 3);
    add({1, 4, 2, 255}, 2);
    return s;
}
inline op_spec depth_to_space_spec() {
    op_spec s{"depth_to_space", {}, depth_to_space_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t block, bool bench = false) {
        kompakt::ops::depth_to_space op;
        op.block = block;
        add_movement(s, "block " + std::to_string(block), in, op, bench);
    };
    add({1, 1, 1, 1}, 1);
    add({2, 3, 5, 7}, 1);
    add({1, 2, 3, 12}, 2);
    add({2, 1, 3, 9}, 3);
    add({1, 2, 1, 1020}, 2);
    add({1, 32, 32, 12}, 2, true);
    return s;
}

// Element by element in the other direction: where each input element goes.
inline void space_to_batch_nd_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::space_to_batch_nd>();
    const values& in = a.inputs[0];
    const double zero = a.output().quantization ? a.output().quantization->zero_point() : 0;
    std::fill(out.data.begin(), out.data.end(), zero);
    place_in at(in.dims.size(), 0);
    for (const double v : in.data) {
        place_in to = at;
        std::int64_t part = 0;
        for (std::size_t i = 0; i < op.block.size(); ++i) {
            const std::int64_t padded = at[i + 1] + op.before[i];
            part = part * op.block[i] + padded % op.block[i];
            to[i + 1] = padded / op.block[i];
        }
        to[0] = part * in.dims[0] + at[0];
        out.data[flat_place(to, out.dims)] = v;
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < in.dims[i]) break;
            at[i] = 0;
        }
    }
}
inline void batch_to_space_nd_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::batch_to_space_nd>();
    move_reference(a.inputs[0], out, [&](place_in at) {
        std::int64_t part = 0;
        for (std::size_t i = 0; i < op.block.size(); ++i) {
            const std::int64_t whole = at[i + 1] + op.before[i];
            part = part * op.block[i] + whole % op.block[i];
            at[i + 1] = whole / op.block[i];
        }
        at[0] += part * out.dims[0];
        return at;
    });
}
template <class Op>
void add_blocks(op_spec& s, const kompakt::shape& in, std::vector<std::int32_t> block,
                std::vector<std::int32_t> before, std::vector<std::int32_t> after) {
    Op op;
    op.block = block, op.before = before, op.after = after;
    add_movement(
        s, "blocks " + list_text(block) + ", " + list_text(before) + " and " + list_text(after), in,
        op);
}
inline op_spec space_to_batch_nd_spec() {
    op_spec s{"space_to_batch_nd", {}, space_to_batch_nd_reference};
    using op = kompakt::ops::space_to_batch_nd;
    add_blocks<op>(s, {2, 3}, {1}, {0}, {0});
    add_blocks<op>(s, {2, 6, 3}, {2}, {0}, {0});
    add_blocks<op>(s, {2, 5, 3}, {3}, {1}, {3});
    add_blocks<op>(s, {1, 4, 6, 3}, {2, 3}, {0, 0}, {0, 0});
    add_blocks<op>(s, {2, 3, 4, 2}, {2, 3}, {1, 0}, {2, 2});
    add_blocks<op>(s, {1, 2, 2, 257}, {2, 1}, {0, 0}, {0, 0});
    add_blocks<op>(s, {2, 2, 4, 2, 3}, {2, 2, 1}, {0, 0, 1}, {0, 2, 0});
    return s;
}
inline op_spec batch_to_space_nd_spec() {
    op_spec s{"batch_to_space_nd", {}, batch_to_space_nd_reference};
    using op = kompakt::ops::batch_to_space_nd;
    add_blocks<op>(s, {2, 3}, {1}, {0}, {0});
    add_blocks<op>(s, {4, 3, 3}, {2}, {0}, {0});
    add_blocks<op>(s, {6, 3, 3}, {3}, {2}, {1});
    add_blocks<op>(s, {6, 2, 3, 3}, {2, 3}, {0, 0}, {0, 0});
    add_blocks<op>(s, {12, 2, 2, 2}, {2, 3}, {1, 0}, {2, 2});
    add_blocks<op>(s, {2, 1, 2, 257}, {2, 1}, {1, 0}, {0, 1});
    add_blocks<op>(s, {8, 1, 2, 2, 3}, {2, 2, 1}, {0, 0, 1}, {0, 2, 0});
    return s;
}

} // namespace kompakt_test
