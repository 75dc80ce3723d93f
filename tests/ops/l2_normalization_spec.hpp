#pragma once

#include "fixed_reference.hpp"

#include <kompakt/graph/ops/l2_normalization.hpp>

namespace kompakt_test {

// 1 / sqrt(x) by five steps of Newton's iteration from 1, with 28 fractional bits, on a quarter of
// x's mantissa in [1/4, 1): the mantissa and the exponent of the result.
inline reference_multiplier reference_inverse_root(std::int64_t x) {
    reference_multiplier m(0.5);
    m.mantissa = 2147483647, m.exponent = 0;
    if (x <= 1) return m;
    int quarters = 0;
    while (x >= 536870912) x /= 4, ++quarters;
    while (x < 134217728) x *= 4, --quarters;
    constexpr double one = 268435456.0;
    const std::int64_t half = fixed_divide(x / 2, 2);
    std::int64_t y = fixed_constant(1.0, one);
    for (int i = 0; i < 5; ++i) {
        const std::int64_t cube = fixed_saturate(fixed_product(fixed_product(y, y), y) * 64);
        y = fixed_saturate(
            (fixed_product(fixed_constant(1.5, one), y) - fixed_product(half, cube)) * 8);
    }
    m.mantissa = fixed_product(y, fixed_constant(std::sqrt(0.5), 2147483648.0));
    m.exponent = -(11 + quarters);
    if (m.exponent > 0) {
        m.mantissa *= std::int64_t{1} << m.exponent;
        m.exponent = 0;
    }
    return m;
}

inline void l2_normalization_reference(const op_arguments& a, values& out) {
    const auto depth = static_cast<std::size_t>(out.dims.back());
    const std::vector<double>& in = a.inputs[0].data;
    for (std::size_t row = 0; row < in.size(); row += depth) {
        double sum = 0;
        for (std::size_t i = 0; i < depth; ++i) {
            sum += (in[row + i] - zero_of(a, 0)) * (in[row + i] - zero_of(a, 0));
        }
        reference_multiplier m =
            reference_inverse_root(static_cast<std::int64_t>((std::min)(sum, 2147483647.0)));
        m.exponent += 7;
        for (std::size_t i = 0; i < depth; ++i) {
            double& y = out.data[row + i];
            if (!a.integer()) {
                y = in[row + i] / (std::max)(std::sqrt(sum), 1e-6);
                continue;
            }
            const std::int64_t q = m.apply(static_cast<std::int64_t>(in[row + i] - zero_of(a, 0)));
            y = static_cast<double>(
                (std::min)((std::max)(q, std::int64_t{-128}), std::int64_t{127}));
        }
    }
}

inline op_spec l2_normalization_spec() {
    op_spec s{"l2_normalization", {}, l2_normalization_reference};
    int number = 0;
    for (const kompakt::shape& in : {kompakt::shape{1},
                                     {7},
                                     {3, 5},
                                     {2, 3, 4, 255},
                                     {4, 257},
                                     {2, 1001},
                                     {2, 1, 2, 1, 2, 3},
                                     {1, 40000}}) {
        case_builder f32(kompakt::text_of(in) + " float32"), i8(kompakt::text_of(in) + " int8");
        const tensor_id x = f32.input(dtype::f32, in);
        s.cases.push_back(f32.finish(kompakt::ops::l2_normalization{}, {x}));
        const int zeros[] = {0, -128, 127, 11};
        const tensor_id y =
            i8.input(dtype::i8, in, quantization::per_tensor_affine(0.04f, zeros[number++ % 4]));
        s.cases.push_back(i8.finish(kompakt::ops::l2_normalization{}, {y},
                                    quantization::per_tensor_affine(1.0f / 128, 0)));
    }
    return s;
}

} // namespace kompakt_test
