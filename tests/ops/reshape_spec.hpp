#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/reshape.hpp>

namespace kompakt_test {

inline void reshape_reference(const op_arguments& a, values& out) {
    out.data = a.inputs[0].data;
}

inline op_spec reshape_spec() {
    op_spec s{"reshape", {}, reshape_reference};
    const auto add = [&](const kompakt::shape& in, const kompakt::shape& target) {
        for (const dtype type : {dtype::i8, dtype::i32, dtype::f32}) {
            case_builder b(kompakt::text_of(in) + " to " + kompakt::text_of(target) + " " +
                           kompakt::name_of(type));
            kompakt::ops::reshape op;
            op.target = target;
            std::optional<quantization> q;
            if (type == dtype::i8) q = quantization::per_tensor_affine(0.5f, -9);
            const tensor_id x = b.input(type, in, q);
            s.cases.push_back(b.finish(std::move(op), {x}, q));
        }
    };
    add({}, {1, 1});
    add({1}, {});
    add({2, 3, 5}, {30});
    add({30}, {5, -1, 3});
    add({1, 2, 3, 1, 5, 1}, {-1, 15});
    add({2, 255}, {255, 2});
    return s;
}

} // namespace kompakt_test
