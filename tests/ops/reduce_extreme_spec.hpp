#pragma once

#include "reduction_spec.hpp"

#include <kompakt/graph/ops/reduce_extreme.hpp>

namespace kompakt_test {

template <class Op>
op_spec reduce_extreme_spec(const char* name, std::vector<dtype> types, bool smallest) {
    const auto reference = [smallest](const op_arguments& a, values& out) {
        std::vector<bool> started(out.data.size(), false);
        const std::vector<double>& in = a.inputs[0].data;
        reduce_reference(a.inputs[0], a.op<Op>().axes, [&](std::size_t place, std::size_t i) {
            double& best = out.data[place];
            if (!started[place] || (smallest ? in[i] < best : in[i] > best)) best = in[i];
            started[place] = true;
        });
    };
    return {name, reduction_cases<Op>({std::move(types), true, false}), reference};
}

inline op_spec reduce_max_spec() {
    return reduce_extreme_spec<kompakt::ops::reduce_max>(
        "reduce_max", {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64}, false);
}
inline op_spec reduce_min_spec() {
    return reduce_extreme_spec<kompakt::ops::reduce_min>(
        "reduce_min", {dtype::f32, dtype::i8, dtype::i16, dtype::i32, dtype::i64}, true);
}
inline op_spec reduce_any_spec() {
    return reduce_extreme_spec<kompakt::ops::reduce_any>("reduce_any", {dtype::boolean}, false);
}
inline op_spec reduce_all_spec() {
    return reduce_extreme_spec<kompakt::ops::reduce_all>("reduce_all", {dtype::boolean}, true);
}

} // namespace kompakt_test
