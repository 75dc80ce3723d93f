#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/broadcast_to.hpp>
#include <kompakt/graph/ops/reverse.hpp>
#include <kompakt/graph/ops/tile.hpp>
#include <kompakt/graph/ops/zeros_like.hpp>

namespace kompakt_test {

inline void reverse_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::reverse>();
    const auto rank = static_cast<std::int32_t>(out.dims.size());
    move_reference(a.inputs[0], out, [&](place_in at) {
        for (std::int32_t axis : op.axes) {
            const auto i = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
            at[i] = out.dims[i] - 1 - at[i];
        }
        return at;
    });
}
inline op_spec reverse_spec() {
    op_spec s{"reverse", {}, reverse_reference};
    const auto add = [&](const kompakt::shape& in, std::vector<std::int32_t> axes) {
        kompakt::ops::reverse op;
        op.axes = axes;
        add_movement(s, "along " + list_text(axes), in, op);
    };
    add({}, {});
    add({1}, {0});
    add({257}, {-1});
    add({3, 4}, {});
    add({3, 4}, {0});
    add({3, 4}, {1});
    add({3, 4}, {1, 0});
    add({2, 3, 1, 4, 2, 3}, {-1, 1, 3});
    return s;
}

inline void tile_reference(const op_arguments& a, values& out) {
    const values& in = a.inputs[0];
    move_reference(in, out, [&](place_in at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] %= in.dims[i];
        return at;
    });
}
inline op_spec tile_spec() {
    op_spec s{"tile", {}, tile_reference};
    const auto add = [&](const kompakt::shape& in, std::vector<std::int32_t> multiples) {
        kompakt::ops::tile op;
        op.multiples = multiples;
        add_movement(s, "by " + list_text(multiples), in, op);
    };
    add({}, {});
    add({1}, {1});
    add({1}, {255});
    add({3}, {4});
    add({2, 3}, {1, 3});
    add({2, 3}, {2, 1});
    add({2, 3, 4, 2}, {2, 3, 2, 3});
    add({2, 1, 3, 2, 2, 3}, {2, 3, 2, 1, 3, 2});
    add({2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2}); // in two passes
    return s;
}

inline void broadcast_to_reference(const op_arguments& a, values& out) {
    const values& in = a.inputs[0];
    move_reference(in, out, [&](const place_in& at) {
        place_in from(at.end() - static_cast<std::ptrdiff_t>(in.dims.size()), at.end());
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = in.dims[i] == 1 ? 0 : from[i];
        return from;
    });
}
inline op_spec broadcast_to_spec() {
    op_spec s{"broadcast_to", {}, broadcast_to_reference};
    const auto add = [&](const kompakt::shape& in, const kompakt::shape& to) {
        kompakt::ops::broadcast_to op;
        op.target = to;
        add_movement(s, "to " + kompakt::text_of(to), in, op);
    };
    add({}, {});
    add({}, {257});
    add({1}, {2, 3});
    add({3}, {3});
    add({3}, {2, 3});
    add({2, 1}, {2, 5});
    add({2, 1, 3}, {4, 2, 5, 3});
    add({2, 1, 1, 4, 1, 3}, {2, 3, 1, 4, 2, 3});
    add({1, 1, 1, 1, 1, 1}, {2, 1, 2, 3, 1, 2});
    return s;
}

inline op_spec zeros_like_spec() {
    op_spec s{"zeros_like", {}, [](const op_arguments&, values& out) {
                  std::fill(out.data.begin(), out.data.end(), 0.0);
              }};
    for (const kompakt::shape& in : {kompakt::shape{}, {1}, {2, 255}, {1, 2, 1, 2, 1, 3}}) {
        add_movement(s, "", in, kompakt::ops::zeros_like());
    }
    return s;
}

} // namespace kompakt_test
