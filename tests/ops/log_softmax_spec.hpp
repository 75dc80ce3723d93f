#pragma once

#include "fixed_reference.hpp"
#include "unary_spec.hpp"

#include <kompakt/graph/ops/log_softmax.hpp>

namespace kompakt_test {

inline void log_softmax_reference(const op_arguments& a, values& out) {
    const auto depth = static_cast<std::size_t>(out.dims.back());
    const std::vector<double>& in = a.inputs[0].data;
    for (std::size_t row = 0; row < in.size(); row += depth) {
        double largest = in[row];
        for (std::size_t i = 0; i < depth; ++i) largest = (std::max)(largest, in[row + i]);
        if (!a.integer()) {
            double sum = 0;
            for (std::size_t i = 0; i < depth; ++i) sum += std::exp(in[row + i] - largest);
            for (std::size_t i = 0; i < depth; ++i) {
                out.data[row + i] = in[row + i] - largest - std::log(sum);
            }
            continue;
        }
        // As softmax: differences with 26 fractional bits, sums with 19.
        const double scale = (std::min)(
            static_cast<double>(a.tensor(0).quantization->scale()) * 67108864, 2147483647.0);
        const reference_multiplier m(scale);
        const auto lowest =
            static_cast<std::int64_t>(-std::floor(31.0 * 67108864 / std::ldexp(1.0, m.exponent)));
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < depth; ++i) {
            const auto diff = static_cast<std::int64_t>(in[row + i] - largest);
            if (diff >= lowest) sum += fixed_divide(fixed_exp(m.apply(diff), 26), 4096);
        }
        const std::int64_t log_sum = fixed_log_of_sum((std::min)(sum, std::int64_t{2147483647}));
        const reference_multiplier back(std::ldexp(1.0, 31 - m.exponent) /
                                        static_cast<double>(m.mantissa));
        const std::int64_t least = (std::max)(lowest - 1, back.apply(log_sum - 2147483648));
        for (std::size_t i = 0; i < depth; ++i) {
            const auto diff = static_cast<std::int64_t>(in[row + i] - largest);
            std::int64_t q = -128;
            if (diff > least) q = fixed_divide(m.apply(diff) - log_sum, 4194304) + 127;
            out.data[row + i] = static_cast<double>((std::max)(q, std::int64_t{-128}));
        }
    }
}

inline op_spec log_softmax_spec() {
    op_spec s{"log_softmax", {}, log_softmax_reference};
    const auto add = [&](dtype type, const kompakt::shape& in, float scale, bool bench = false) {
        std::optional<quantization> from, to;
        if (type == dtype::i8) {
            from = quantization::per_tensor_affine(scale, 5);
            to = quantization::per_tensor_affine(1.0f / 16, 127);
        }
        s.cases.push_back(unary_case(kompakt::ops::log_softmax{}, type, in, from, to, bench));
    };
    for (const kompakt::shape& in :
         {kompakt::shape{1}, {7}, {3, 2}, {2, 1, 3, 2, 1, 4}, {2, 255}, {2, 257}, {1, 5000}}) {
        add(dtype::f32, in, 0);
        add(dtype::i8, in, 0.1f);
    }
    for (const float scale :
         {1e-6f, 1e-3f, 0.0625f, 0.123f, 0.24999f, 0.25f, 1.0f, 16.0f, 1000.0f}) {
        add(dtype::i8, {4, 40}, scale);
    }
    add(dtype::i8, {1, 12}, 0.2f, true);
    return s;
}

} // namespace kompakt_test
