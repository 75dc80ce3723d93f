#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/slice.hpp>

namespace kompakt_test {

inline void slice_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::slice>();
    const values& in = a.inputs[0];
    place_in from(op.begin.begin(), op.begin.end());
    if (a.has(1)) {
        for (std::size_t i = 0; i < in.dims.size(); ++i) {
            const double least = 0, most = static_cast<double>(in.dims[i] - out.dims[i]);
            from.push_back(static_cast<std::int64_t>(
                (std::min)((std::max)(a.inputs[1].data[i], least), most)));
        }
    }
    move_reference(in, out, [&](place_in at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += from[i];
        return at;
    });
}

inline op_spec slice_spec() {
    op_spec s{"slice", {}, slice_reference};
    const auto add = [&](const kompakt::shape& in, std::vector<std::int32_t> begin,
                         std::vector<std::int32_t> size, bool bench = false) {
        kompakt::ops::slice op;
        op.begin = begin, op.size = size;
        add_movement(s, "from " + list_text(begin) + " of " + list_text(size), in, op, bench);
    };
    add({}, {}, {});
    add({5}, {0}, {5});
    add({5}, {4}, {1});
    add({7}, {2}, {-1});
    add({3, 257}, {1, 1}, {2, 255});
    add({2, 3, 5}, {0, 0, 0}, {-1, -1, -1});
    add({2, 3, 5}, {1, 0, 2}, {1, 3, 2});
    add({2, 1, 3, 5, 2, 3}, {0, 0, 1, 2, 0, 1}, {2, -1, 2, 2, 1, -1});
    add({1, 32, 32, 16}, {0, 4, 4, 0}, {1, 24, 24, 16}, true);
    // Beginnings that come as an input.
    const auto late = [&](const kompakt::shape& in, std::vector<std::int32_t> size) {
        for (const dtype type : movable_types) {
            for (const dtype index : {dtype::i32, dtype::i64}) {
                case_builder b(kompakt::text_of(in) + ", late, of " + list_text(size) + " " +
                               kompakt::name_of(type) + " " + kompakt::name_of(index));
                kompakt::ops::slice op;
                op.size = size;
                const auto q = some_scale(type);
                const tensor_id x = b.input(type, in, q);
                const tensor_id begin =
                    b.input(index, {kompakt::dim(static_cast<std::int64_t>(in.size()))});
                b.between(-1, 6);
                s.cases.push_back(b.finish(op, {x, begin}, q));
            }
        }
    };
    late({7}, {3});
    late({4, 5}, {4, 2});
    late({2, 3, 2, 5, 2, 3}, {1, 2, 2, 1, 2, 2});
    return s;
}

} // namespace kompakt_test
