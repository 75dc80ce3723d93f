// What the specs of reductions over axes share: the dull walk, and the shapes.
#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/reduction.hpp>

namespace kompakt_test {

// Calls `f(place, i)` for each input element `i` in order, place that of its output. Returns how
// many elements become one.
template <class F>
std::int64_t reduce_reference(const values& in, const std::vector<std::int32_t>& axes, F&& f) {
    const std::size_t rank = in.dims.size();
    std::vector<bool> reduced(rank, false);
    for (std::int32_t axis : axes) {
        if (rank == 0) break;
        reduced[axis < 0 ? rank - static_cast<std::size_t>(-axis)
                         : static_cast<std::size_t>(axis)] = true;
    }
    std::int64_t count = 1;
    for (std::size_t k = 0; k < rank; ++k) count *= reduced[k] ? in.dims[k] : 1;
    for (std::size_t i = 0; i < in.data.size(); ++i) {
        // The coordinates of element i, then the place of those that are kept.
        std::vector<std::size_t> at(rank);
        std::size_t rest = i;
        for (std::size_t k = rank; k-- > 0;) {
            at[k] = rest % static_cast<std::size_t>(in.dims[k]);
            rest /= static_cast<std::size_t>(in.dims[k]);
        }
        std::size_t place = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            if (!reduced[k]) place = place * static_cast<std::size_t>(in.dims[k]) + at[k];
        }
        f(place, i);
    }
    return count;
}

struct reduction_rules {
    std::vector<dtype> types;
    bool same_scale = false;
    bool bench = true;
    bool sums = false; // whose size grows with the number of elements
};

template <class Op>
std::vector<op_case> reduction_cases(const reduction_rules& rules) {
    std::vector<op_case> all;
    int number = 0;
    const auto add = [&](kompakt::shape in, std::vector<std::int32_t> axes, bool keep,
                         bool bench = false) {
        std::string name = kompakt::text_of(in) + " over";
        for (std::int32_t axis : axes) name += " " + std::to_string(axis);
        if (keep) name += " kept";
        Op op;
        op.axes = axes, op.keep_dims = keep;
        // Scales that are equal, that shrink and that grow.
        const float ratios[] = {1.0f, 0.71f, 3.3f, 1.0e-3f, 900.0f};
        const int zeros[] = {0, -128, 127, 5, -77};
        const int k = number++ % 5;
        for (const dtype type : rules.types) {
            // A sum of a thousand floats is off by more than the tolerance.
            if (rules.sums && type == dtype::f32 && in.size() == 4 && in[1] == kompakt::dim(33)) {
                continue;
            }
            case_builder b(name + " " + kompakt::name_of(type));
            std::optional<quantization> from, to;
            if (type == dtype::i8 || type == dtype::i16) {
                const bool symmetric = type == dtype::i16;
                from = quantization::per_tensor_affine(0.043f, symmetric ? 0 : zeros[k]);
                to = quantization::per_tensor_affine(0.043f * ratios[k],
                                                     symmetric ? 0 : zeros[(k + 2) % 5]);
                if (rules.same_scale) to = from;
            }
            const tensor_id a = b.input(type, in, from);
            all.push_back(b.finish(op, {a}, to, bench && rules.bench));
        }
    };
    for (int k = 0; k < 5; ++k) {
        add({1, 5, 7, 9}, {1, 2}, k % 2 == 0);
        add({2, 3, 4, 255}, {2, 1}, true);
    }
    add({}, {}, false);
    add({}, {0}, true);
    add({1}, {0}, true);
    add({7}, {0}, true);
    add({1, 1, 1, 1}, {1, 2}, false);
    add({3, 5}, {-1}, false);
    add({3, 5}, {0, 0, -2}, true);
    add({2, 3, 4}, {}, false);
    add({2, 3, 4}, {1}, false);
    add({2, 3, 4, 5}, {0, 3}, false);
    add({2, 3, 4, 5}, {1, 2, 3}, true);
    add({3, 1, 2, 5}, {0, 2}, true);
    add({2, 3, 2, 3, 2, 3}, {0, 2, 4}, false);
    add({2, 3, 2, 3, 2, 3}, {1, 3, 5}, true);
    add({2, 3, 2, 3, 2, 3}, {0, 1, 2, 3, 4, 5}, true);
    add({1, 33, 31, 257}, {1, 2}, false);
    add({1, 25, 5, 64}, {1, 2}, true, true);
    return all;
}

} // namespace kompakt_test
