#pragma once

#include "binary_spec.hpp"
#include "fixed_reference.hpp"

#include <kompakt/graph/ops/div.hpp>

namespace kompakt_test {

inline void div_reference(const op_arguments& a, values& out) {
    const reference_clamp clamp(a.op<kompakt::ops::div>().fused, a.output());
    if (a.output().type == dtype::f32) {
        broadcast_reference(a, out, [&](double x, double y) { return clamp.apply(x / y); });
        return;
    }
    if (a.output().type == dtype::i32) {
        broadcast_reference(a, out, [&](double x, double y) {
            const auto dividend = static_cast<std::int64_t>(x);
            return clamp.apply(
                static_cast<double>(y == 0 ? 0 : wrapped(dividend / static_cast<std::int64_t>(y))));
        });
        return;
    }
    // In float32.
    const float product = a.tensor(1).quantization->scale() * a.output().quantization->scale();
    const float scale = a.tensor(0).quantization->scale() / product;
    const reference_multiplier m(static_cast<double>(scale));
    const double zero = a.output().quantization->zero_point();
    broadcast_reference(a, out, [&](double p, double q) {
        auto x = static_cast<std::int64_t>(p - zero_of(a, 0));
        auto y = static_cast<std::int64_t>(q - zero_of(a, 1));
        if (y == 0) return x > 0 ? clamp.hi : x < 0 ? clamp.lo : clamp.apply(zero);
        if (y < 0) x = -x, y = -y;
        int bits = 0; // y is in [2^bits, 2^(bits + 1))
        while (y >> (bits + 1) != 0) ++bits;
        const std::int64_t inverse =
            fixed_inverse(y * (std::int64_t{1} << (31 - bits)) - 2147483648);
        int room = 0; // the dividend fills 31 bits
        while (room < 31 && x * (std::int64_t{1} << (room + 1)) < 2147483648 &&
               x * (std::int64_t{1} << (room + 1)) >= -2147483648) {
            ++room;
        }
        const std::int64_t quotient = fixed_product(x * (std::int64_t{1} << room), inverse);
        const int right = bits + room - m.exponent;
        const std::int64_t scaled_up = fixed_product(quotient, m.mantissa);
        const std::int64_t scaled = right < 0
                                        ? fixed_saturate(scaled_up * (std::int64_t{1} << -right))
                                        : fixed_divide(scaled_up, std::int64_t{1} << right);
        return clamp.apply(static_cast<double>(scaled) + zero);
    });
}

inline op_spec div_spec() {
    binary_rules rules;
    rules.types = {dtype::i8, dtype::i32, dtype::f32};
    rules.nonzero = true;
    op_spec s{"div", binary_cases<kompakt::ops::div>(rules), div_reference};
    // By zero, too, which is defined for integers.
    rules.types = {dtype::i8, dtype::i32};
    rules.nonzero = false;
    for (op_case& c : binary_cases<kompakt::ops::div>(rules)) s.cases.push_back(std::move(c));
    return s;
}

} // namespace kompakt_test
