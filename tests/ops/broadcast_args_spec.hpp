#pragma once

#include "spec.hpp"

#include <kompakt/graph/ops/broadcast_args.hpp>

namespace kompakt_test {

inline void broadcast_args_reference(const op_arguments& a, values& out) {
    const std::vector<double>&x = a.inputs[0].data, &y = a.inputs[1].data;
    for (std::size_t i = 1; i <= out.data.size(); ++i) {
        const double p = i <= x.size() ? x[x.size() - i] : 1,
                     q = i <= y.size() ? y[y.size() - i] : 1;
        out.data[out.data.size() - i] = p == 1 ? q : p;
    }
}

inline op_spec broadcast_args_spec() {
    op_spec s{"broadcast_args", {}, broadcast_args_reference};
    const auto add = [&](const char* name, dtype type, const std::vector<std::int32_t>& x,
                         std::int64_t other) {
        case_builder b(std::string(name) + " " + kompakt::name_of(type));
        const auto n = static_cast<std::int64_t>(x.size());
        const std::vector<std::int64_t> wide(x.begin(), x.end());
        const tensor_id first =
            type == dtype::i32 ? b.constant("x", {n}, x) : b.constant("x", {n}, wide);
        const tensor_id second = b.input(type, {other});
        s.cases.push_back(b.finish(kompakt::ops::broadcast_args{}, {first, second}));
        case_builder c(std::string(name) + ", swapped " + kompakt::name_of(type));
        const tensor_id third = c.input(type, {other});
        const tensor_id fourth =
            type == dtype::i32 ? c.constant("x", {n}, x) : c.constant("x", {n}, wide);
        s.cases.push_back(c.finish(kompakt::ops::broadcast_args{}, {third, fourth}));
    };
    for (const dtype type : {dtype::i32, dtype::i64}) {
        add("one number", type, {1}, 1);
        add("equal ranks", type, {1, 3, 1, 7}, 4);
        add("shorter", type, {1, 3}, 5);
        add("longer", type, {1, 3, 1, 7, 1, 1}, 2);
    }
    return s;
}

} // namespace kompakt_test
