#pragma once

#include "binary_spec.hpp"

#include <kompakt/graph/ops/prelu.hpp>

namespace kompakt_test {

inline void prelu_reference(const op_arguments& a, values& out) {
    if (!a.integer()) {
        broadcast_reference(a, out, [](double x, double y) { return x >= 0 ? x : x * y; });
        return;
    }
    const auto in = static_cast<double>(a.tensor(0).quantization->scale());
    const auto slope = static_cast<double>(a.tensor(1).quantization->scale());
    const auto to = static_cast<double>(a.output().quantization->scale());
    const reference_multiplier positive(in / to), negative(in * slope / to);
    const reference_clamp clamp(kompakt::activation::none, a.output());
    broadcast_reference(a, out, [&](double p, double q) {
        const auto x = static_cast<std::int64_t>(p - zero_of(a, 0));
        const auto y = static_cast<std::int64_t>(q - zero_of(a, 1));
        return clamp.apply(static_cast<double>(x >= 0 ? positive.apply(x) : negative.apply(x * y)) +
                           a.output().quantization->zero_point());
    });
}

inline op_spec prelu_spec() {
    op_spec s{"prelu", {}, prelu_reference};
    int number = 0;
    const auto add = [&](kompakt::shape in, kompakt::shape slopes, bool constant) {
        const float ratios[] = {1.0f, 0.6f, 1.9f, 1e-3f, 400.0f};
        const float ratio = ratios[number++ % 5];
        for (const dtype type : {dtype::f32, dtype::i8, dtype::i16}) {
            const dtype other = type == dtype::f32 ? dtype::f32 : dtype::i8;
            const bool quantized = type != dtype::f32;
            const int zero = type == dtype::i8 ? number * 37 % 256 - 128 : 0;
            const auto q = [&](float scale, int z) {
                return quantized ? std::optional(quantization::per_tensor_affine(scale, z))
                                 : std::nullopt;
            };
            case_builder b(kompakt::text_of(in) + " by " + kompakt::text_of(slopes) +
                           (constant ? ", constant " : " ") + kompakt::name_of(type));
            const tensor_id x = b.input(type, in, q(0.02f, zero));
            tensor_id y = x;
            const std::size_t n = *kompakt::element_count(slopes);
            dice d(3);
            if (!constant) {
                y = b.input(other, slopes, q(0.007f, 9));
            } else if (quantized) {
                std::vector<std::int8_t> v(n);
                for (std::int8_t& e : v) e = static_cast<std::int8_t>(d.between(-128, 127));
                y = b.constant("slopes", slopes, v, q(0.007f, 9));
            } else {
                std::vector<float> v(n);
                for (float& e : v) e = d.real(-0.5f, 0.5f);
                y = b.constant("slopes", slopes, v);
            }
            s.cases.push_back(b.finish(kompakt::ops::prelu{}, {x, y},
                                       q(0.02f * ratio, zero == 0 ? 0 : -zero - 1)));
        }
    };
    for (const bool constant : {true, false}) {
        add({1}, {1}, constant);
        add({2, 3, 5, 7}, {7}, constant);
        add({2, 3, 5, 7}, {1, 1, 7}, constant);
        add({2, 3, 5, 7}, {3, 5, 1}, constant);
        add({2, 3, 5, 7}, {2, 3, 5, 7}, constant);
        add({1, 257}, {}, constant);
        add({2, 1, 2, 1, 3, 255}, {255}, constant);
    }
    return s;
}

} // namespace kompakt_test
