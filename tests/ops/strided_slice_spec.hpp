#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/strided_slice.hpp>

namespace kompakt_test {

// As Python's slices, entry by entry. How many elements an axis gives is not computed here: cases
// say what shape the output must have.
inline void strided_slice_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::strided_slice>();
    const values& in = a.inputs[0];
    const std::size_t n = op.begin.size();
    const auto bit = [](std::int32_t mask, std::size_t i) { return (mask >> i & 1) != 0; };
    std::size_t after = 0; // entries behind the ellipsis that are about an axis
    for (std::size_t i = 0; i < n; ++i) {
        if (bit(op.ellipsis_mask, i)) {
            after = 0;
        } else if (!bit(op.new_axis_mask, i)) {
            ++after;
        }
    }
    std::vector<std::int64_t> start(in.dims.size(), 0), step(in.dims.size(), 1);
    std::vector<int> axis_of_output; // -1: new
    std::size_t axis = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (bit(op.ellipsis_mask, i)) {
            while (axis < in.dims.size() - after)
                axis_of_output.push_back(static_cast<int>(axis++));
            continue;
        }
        if (bit(op.new_axis_mask, i)) {
            axis_of_output.push_back(-1);
            continue;
        }
        const std::int64_t size = in.dims[axis];
        std::int64_t from = op.begin[i] < 0 ? op.begin[i] + size : op.begin[i];
        if (op.strides[i] > 0) from = (std::max)(from, std::int64_t{0});
        if (op.strides[i] < 0) from = (std::min)(from, size - 1);
        if (bit(op.begin_mask, i)) from = op.strides[i] > 0 ? 0 : size - 1;
        start[axis] = from, step[axis] = op.strides[i];
        if (!bit(op.shrink_axis_mask, i)) axis_of_output.push_back(static_cast<int>(axis));
        ++axis;
    }
    while (axis < in.dims.size()) axis_of_output.push_back(static_cast<int>(axis++));
    move_reference(in, out, [&](const place_in& at) {
        place_in from = start;
        for (std::size_t i = 0; i < at.size(); ++i) {
            if (axis_of_output[i] < 0) continue;
            const auto k = static_cast<std::size_t>(axis_of_output[i]);
            from[k] += at[i] * step[k];
        }
        return from;
    });
}

inline op_spec strided_slice_spec() {
    op_spec s{"strided_slice", {}, strided_slice_reference};
    using list = std::vector<std::int32_t>;
    struct masks {
        std::int32_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
        bool offset = false;
    };
    // `wanted` is the output's shape.
    const auto add = [&](const kompakt::shape& in, list begin, list end, list strides, masks m,
                         const kompakt::shape& wanted) {
        kompakt::ops::strided_slice op;
        op.begin = begin, op.end = end, op.strides = strides;
        op.begin_mask = m.begin, op.end_mask = m.end, op.ellipsis_mask = m.ellipsis;
        op.new_axis_mask = m.new_axis, op.shrink_axis_mask = m.shrink, op.offset = m.offset;
        const std::size_t first = s.cases.size();
        add_movement(s,
                     list_text(begin) + " to " + list_text(end) + " by " + list_text(strides) +
                         " masks " +
                         list_text({m.begin, m.end, m.ellipsis, m.new_axis, m.shrink, m.offset}),
                     in, op);
        for (std::size_t i = first; i < s.cases.size(); ++i) {
            const auto& g = s.cases[i].g;
            const std::string given = kompakt::text_of(g.tensor(g.outputs[0]).shape);
            if (given != kompakt::text_of(wanted)) s.cases[i].name += ": SHAPE " + given;
        }
    };
    add({7}, {1}, {6}, {1}, {}, {5});
    add({7}, {1}, {6}, {2}, {}, {3});
    add({7}, {-1}, {0}, {-1}, {}, {6});
    add({7}, {-1}, {-100}, {-3}, {}, {3});
    add({7}, {100}, {-100}, {-1}, {}, {7});
    add({7}, {-100}, {100}, {1}, {}, {7});
    add({7}, {5}, {6}, {2147483647}, {}, {1});
    add({7}, {5}, {0}, {-2147483647 - 1}, {}, {1});
    add({7}, {3}, {3}, {1}, {1, 1}, {7});
    add({7}, {3}, {3}, {-2}, {1, 1}, {4});
    add({7}, {3}, {0}, {1}, {0, 0, 0, 0, 1}, {});
    add({7}, {-2}, {0}, {1}, {0, 0, 0, 0, 1}, {});
    add({7}, {2}, {3}, {1}, {0, 0, 0, 0, 0, true}, {3});
    add({3, 257}, {0, 256}, {3, 0}, {2, -1}, {0, 0}, {2, 256});
    add({3, 4, 5}, {1, 0, 2}, {3, 4, 5}, {1, 3, 2}, {}, {2, 2, 2});
    add({3, 4, 5}, {0, 2}, {0, 0}, {1, 1}, {0, 0, 1, 0, 2}, {3, 4});       // [..., 2]
    add({3, 4, 5}, {1, 0}, {0, 0}, {1, 1}, {0, 0, 2, 0, 1}, {4, 5});       // [1, ...]
    add({3, 4, 5}, {1, 0, 1}, {3, 0, 4}, {1, 1, 2}, {0, 0, 2}, {2, 4, 2}); // [1:3, ..., 1:4:2]
    add({3, 4, 5}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {7, 7, 0, 2}, {3, 1, 4, 5});
    add({3, 4, 5}, {0, 0, 3}, {0, 0, 0}, {1, 1, 1}, {0, 0, 2, 1, 4}, {1, 3, 4});
    add({3, 4, 5}, {2}, {0}, {1}, {0, 0, 0, 0, 1}, {4, 5}); // [2]
    add({3, 4, 5}, {}, {}, {}, {}, {3, 4, 5});
    add({2, 3, 1, 4, 2, 3}, {1, 0, 0, 3, 0, 0}, {2, 3, 1, 0, 2, 3}, {1, 2, 1, -2, 1, 2}, {},
        {1, 2, 1, 2, 2, 2});
    return s;
}

} // namespace kompakt_test
