#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/floor_div.hpp>
#include <kompakt/graph/ops/floor_mod.hpp>

namespace kompakt_test {

// Quotients of floats are never so near to a whole number that double rounds to it.
inline void floor_div_reference(const op_arguments& a, values& out) {
    broadcast_reference(a, out, [](double x, double y) { return std::floor(x / y); });
}
inline void floor_mod_reference(const op_arguments& a, values& out) {
    broadcast_reference(a, out, [](double x, double y) {
        const double r = std::fmod(x, y);
        return r != 0 && (r < 0) != (y < 0) ? r + y : r;
    });
}

template <class Op>
std::vector<op_case> floor_cases() {
    binary_rules rules;
    rules.types = {dtype::f32};
    rules.nonzero = true;
    std::vector<op_case> all = binary_cases<Op>(rules);
    // Quotients that are whole numbers, or would be if they were rounded.
    case_builder b("near whole numbers");
    std::vector<float> divisors;
    for (const float y : {3.0f, -3.0f, 0.1f, -0.7f, 1e-30f, 2.9999998f, 3.0000002f, 1e30f}) {
        divisors.push_back(y);
        divisors.push_back(std::nextafter(y, 0.0f));
        divisors.push_back(y / 3);
        divisors.push_back(y / -7);
    }
    const auto n = static_cast<std::int64_t>(divisors.size());
    const tensor_id x = b.input(dtype::f32, {1, n});
    const tensor_id y = b.constant("divisors", {n, 1}, divisors);
    all.push_back(b.finish(Op{}, {x, y}));
    return all;
}

inline op_spec floor_div_spec() {
    return {"floor_div", floor_cases<kompakt::ops::floor_div>(), floor_div_reference};
}
inline op_spec floor_mod_spec() {
    return {"floor_mod", floor_cases<kompakt::ops::floor_mod>(), floor_mod_reference};
}

} // namespace kompakt_test
