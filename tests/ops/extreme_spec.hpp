#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/extreme.hpp>
#include <kompakt/graph/ops/logical.hpp>

namespace kompakt_test {

// Numbers as they are: their scale is one.
template <class Op>
op_spec extreme_spec(const char* name, const std::vector<dtype>& types,
                     double (*f)(double, double)) {
    binary_rules rules;
    rules.types = types;
    rules.same_scale = true;
    return {name, binary_cases<Op>(rules),
            [f](const op_arguments& a, values& out) { broadcast_reference(a, out, f); }};
}

inline op_spec maximum_spec() {
    return extreme_spec<kompakt::ops::maximum>(
        "maximum", {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64},
        [](double x, double y) { return x > y ? x : y; });
}
inline op_spec minimum_spec() {
    return extreme_spec<kompakt::ops::minimum>(
        "minimum", {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64},
        [](double x, double y) { return x < y ? x : y; });
}
inline op_spec logical_and_spec() {
    return extreme_spec<kompakt::ops::logical_and>(
        "logical_and", {dtype::boolean},
        [](double x, double y) { return x != 0 && y != 0 ? 1.0 : 0.0; });
}
inline op_spec logical_or_spec() {
    return extreme_spec<kompakt::ops::logical_or>(
        "logical_or", {dtype::boolean},
        [](double x, double y) { return x != 0 || y != 0 ? 1.0 : 0.0; });
}
inline op_spec logical_not_spec() {
    op_spec s{"logical_not", {}, [](const op_arguments& a, values& out) {
                  for (std::size_t i = 0; i < out.data.size(); ++i) {
                      out.data[i] = a.inputs[0].data[i] == 0 ? 1 : 0;
                  }
              }};
    for (const kompakt::shape& in : {kompakt::shape{}, {1}, {2, 1, 3, 1, 2, 5}, {257}}) {
        case_builder b(kompakt::text_of(in));
        const tensor_id x = b.input(dtype::boolean, in);
        s.cases.push_back(b.finish(kompakt::ops::logical_not{}, {x}));
    }
    return s;
}

} // namespace kompakt_test
