#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/select.hpp>

namespace kompakt_test {

inline void select_reference(const op_arguments& a, values& out) {
    std::vector<bool> condition;
    broadcast_reference(a, out, [&](double c, double) {
        condition.push_back(c != 0);
        return 0.0;
    });
    op_arguments values_only = a;
    values_only.inputs.erase(values_only.inputs.begin());
    std::size_t i = 0;
    broadcast_reference(values_only, out,
                        [&](double x, double y) { return condition[i++] ? x : y; });
}

inline op_spec select_spec() {
    op_spec s{"select", {}, select_reference};
    const auto add = [&](kompakt::shape condition, kompakt::shape x, kompakt::shape y) {
        for (const dtype type :
             {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64, dtype::boolean}) {
            std::optional<quantization> q;
            if (type == dtype::i8) q = quantization::per_tensor_affine(0.1f, -5);
            if (type == dtype::i16) q = quantization::per_tensor_affine(0.001f, 0);
            case_builder b(kompakt::text_of(condition) + " " + kompakt::text_of(x) + " " +
                           kompakt::text_of(y) + " " + kompakt::name_of(type));
            const tensor_id first = b.input(dtype::boolean, condition),
                            second = b.input(type, x, q), third = b.input(type, y, q);
            s.cases.push_back(b.finish(kompakt::ops::select{}, {first, second, third}, q));
        }
    };
    add({}, {}, {});
    add({1}, {1}, {1, 1});
    add({3, 257}, {3, 257}, {3, 257});
    add({257}, {3, 257}, {3, 257});
    add({3, 1}, {3, 255}, {255});
    add({}, {5, 7}, {5, 7});
    add({5, 7}, {}, {1});
    add({2, 1, 3, 1, 2, 1}, {1, 2, 1, 3, 1, 2}, {2, 2, 3, 3, 2, 2});
    add({4, 1, 1}, {1, 5, 1}, {6});
    return s;
}

} // namespace kompakt_test
