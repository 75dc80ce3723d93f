#pragma once

#include "reduction_spec.hpp"

#include <kompakt/graph/ops/arg_extreme.hpp>

namespace kompakt_test {

template <class Op>
op_spec arg_extreme_spec(const char* name, bool smallest) {
    const auto reference = [smallest](const op_arguments& a, values& out) {
        // The elements of one output come in the order of the axis.
        std::vector<double> best(out.data.size()), next(out.data.size(), 0.0);
        const std::vector<double>& in = a.inputs[0].data;
        reduce_reference(a.inputs[0], {a.op<Op>().axis}, [&](std::size_t place, std::size_t i) {
            const double index = next[place]++;
            if (index == 0 || (smallest ? in[i] < best[place] : in[i] > best[place])) {
                best[place] = in[i];
                out.data[place] = index;
            }
        });
    };
    op_spec s{name, {}, reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t axis) {
        for (const dtype type :
             {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64, dtype::boolean}) {
            std::optional<quantization> q;
            if (type == dtype::i8) q = quantization::per_tensor_affine(0.1f, -5);
            case_builder b(kompakt::text_of(in) + " axis " + std::to_string(axis) + " " +
                           kompakt::name_of(type));
            Op op;
            op.axis = axis;
            const tensor_id x = b.input(type, in, q);
            s.cases.push_back(b.finish(op, {x}));
        }
    };
    add({1}, 0);
    add({257}, -1);
    add({3, 5}, 0);
    add({2, 3, 4, 5}, 2);
    add({2, 3, 4, 5}, -4);
    add({2, 1, 3, 2, 2, 3}, 3);
    add({1, 2, 1001}, -1);
    return s;
}

inline op_spec arg_max_spec() {
    return arg_extreme_spec<kompakt::ops::arg_max>("arg_max", false);
}
inline op_spec arg_min_spec() {
    return arg_extreme_spec<kompakt::ops::arg_min>("arg_min", true);
}

} // namespace kompakt_test
