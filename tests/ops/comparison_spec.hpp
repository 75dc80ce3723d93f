#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/comparison.hpp>

namespace kompakt_test {

// int8: 256 times the numbers without their zero points, scaled by the scales; if one is not below
// one, both are halved until it is.
template <class Op>
op_spec comparison_spec(const char* name, bool takes_bool, bool (*f)(double, double)) {
    const auto reference = [f](const op_arguments& a, values& out) {
        if (a.tensor(0).type != dtype::i8) {
            broadcast_reference(a, out, [&](double x, double y) { return f(x, y) ? 1.0 : 0.0; });
            return;
        }
        auto s0 = static_cast<double>(a.tensor(0).quantization->scale());
        auto s1 = static_cast<double>(a.tensor(1).quantization->scale());
        while (s0 >= 1 || s1 >= 1) s0 /= 2, s1 /= 2;
        const reference_multiplier m0(s0), m1(s1);
        broadcast_reference(a, out, [&](double x, double y) {
            const std::int64_t p = m0.apply(static_cast<std::int64_t>(x - zero_of(a, 0)) * 256);
            const std::int64_t q = m1.apply(static_cast<std::int64_t>(y - zero_of(a, 1)) * 256);
            return f(static_cast<double>(p), static_cast<double>(q)) ? 1.0 : 0.0;
        });
    };
    binary_rules rules;
    rules.types = {dtype::f32, dtype::i8, dtype::i32, dtype::i64};
    if (takes_bool) rules.types.push_back(dtype::boolean);
    rules.plain_output = true;
    op_spec s{name, binary_cases<Op>(rules), reference};
    rules.same_scale = true;
    binary_layer l;
    l.name = "one scale", l.a = {4, 64}, l.b = {64};
    s.cases.push_back(binary_case<Op>(l, dtype::i8, rules));
    rules.same_scale = false;
    l.name = "scales above one", l.scale_a = 8.0f, l.scale_b = 0.5f;
    s.cases.push_back(binary_case<Op>(l, dtype::i8, rules));
    return s;
}

inline op_spec equal_spec() {
    return comparison_spec<kompakt::ops::equal>("equal", true,
                                                [](double x, double y) { return x == y; });
}
inline op_spec not_equal_spec() {
    return comparison_spec<kompakt::ops::not_equal>("not_equal", true,
                                                    [](double x, double y) { return x != y; });
}
inline op_spec less_spec() {
    return comparison_spec<kompakt::ops::less>("less", false,
                                               [](double x, double y) { return x < y; });
}
inline op_spec less_equal_spec() {
    return comparison_spec<kompakt::ops::less_equal>("less_equal", false,
                                                     [](double x, double y) { return x <= y; });
}
inline op_spec greater_spec() {
    return comparison_spec<kompakt::ops::greater>("greater", false,
                                                  [](double x, double y) { return x > y; });
}
inline op_spec greater_equal_spec() {
    return comparison_spec<kompakt::ops::greater_equal>("greater_equal", false,
                                                        [](double x, double y) { return x >= y; });
}

} // namespace kompakt_test
