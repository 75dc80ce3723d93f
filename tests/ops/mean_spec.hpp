#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/mean.hpp>

namespace kompakt_test {

inline void mean_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::mean>();
    const values& in = a.inputs[0];
    const std::size_t rank = in.dims.size();
    std::vector<bool> averaged(rank, false);
    for (std::int32_t axis : op.axes) {
        averaged[axis < 0 ? rank - static_cast<std::size_t>(-axis)
                          : static_cast<std::size_t>(axis)] = true;
    }
    std::vector<double> sums(out.data.size(), 0.0);
    std::int64_t count = 1;
    for (std::size_t k = 0; k < rank; ++k) count *= averaged[k] ? in.dims[k] : 1;
    for (std::size_t i = 0; i < in.data.size(); ++i) {
        // The coordinates of element i, then the place of those that are kept.
        std::vector<std::size_t> at(rank);
        std::size_t rest = i;
        for (std::size_t k = rank; k-- > 0;) {
            at[k] = rest % static_cast<std::size_t>(in.dims[k]);
            rest /= static_cast<std::size_t>(in.dims[k]);
        }
        std::size_t place = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            if (!averaged[k]) place = place * static_cast<std::size_t>(in.dims[k]) + at[k];
        }
        sums[place] += in.data[i] - zero_of(a, 0);
    }
    for (std::size_t o = 0; o < sums.size(); ++o) {
        if (!a.integer()) {
            out.data[o] = sums[o] / static_cast<double>(count);
            continue;
        }
        const quantization &from = *a.tensor(0).quantization, &to = *a.output().quantization;
        reference_multiplier m(static_cast<double>(from.scale()) / static_cast<double>(to.scale()));
        // 1 / count goes into the mantissa, by a division that truncates, after a shift that keeps
        // its bits as far as the exponent allows.
        int shift = static_cast<int>(std::floor(std::log2(static_cast<double>(count))));
        shift = (std::min)((std::min)(shift, 32), 31 + m.exponent);
        m.mantissa = (m.mantissa << shift) / count;
        m.exponent -= shift;
        const std::int64_t x =
            m.apply(wrapped(static_cast<std::int64_t>(sums[o]))) + to.zero_point();
        out.data[o] = static_cast<double>(x < -128 ? -128 : x > 127 ? 127 : x);
    }
}

inline op_spec mean_spec() {
    op_spec s{"mean", {}, mean_reference};
    int number = 0;
    const auto add = [&](kompakt::shape in, std::vector<std::int32_t> axes, bool keep,
                         bool bench = false) {
        std::string name = kompakt::text_of(in) + " over";
        for (std::int32_t axis : axes) name += " " + std::to_string(axis);
        if (keep) name += " kept";
        kompakt::ops::mean op;
        op.axes = axes, op.keep_dims = keep;
        // Scales that are equal, that shrink and that grow.
        const float ratios[] = {1.0f, 0.71f, 3.3f, 1.0e-3f, 900.0f};
        const int zeros[] = {0, -128, 127, 5, -77};
        const int k = number++ % 5;
        case_builder i8(name + " int8"), f32(name + " float32");
        const tensor_id a =
            i8.input(dtype::i8, in, quantization::per_tensor_affine(0.043f, zeros[k]));
        s.cases.push_back(i8.finish(
            op, {a}, quantization::per_tensor_affine(0.043f * ratios[k], zeros[(k + 2) % 5]),
            bench));
        const tensor_id b = f32.input(dtype::f32, in);
        s.cases.push_back(f32.finish(op, {b}, {}, bench));
    };
    for (int k = 0; k < 5; ++k) {
        add({1, 5, 7, 9}, {1, 2}, k % 2 == 0);
        add({2, 3, 4, 255}, {2, 1}, true);
    }
    add({1}, {0}, true);
    add({7}, {0}, true);
    add({1, 1, 1, 1}, {1, 2}, false);
    add({3, 5}, {-1}, false);
    add({3, 5}, {0, 0, -2}, true);
    add({2, 3, 4}, {}, false);
    add({2, 3, 4}, {1}, false);
    add({2, 3, 4, 5}, {0, 3}, false);
    add({2, 3, 4, 5}, {1, 2, 3}, true);
    add({3, 1, 2, 5}, {0, 2}, true);
    add({2, 3, 2, 3, 2, 3}, {0, 2, 4}, false);
    add({2, 3, 2, 3, 2, 3}, {1, 3, 5}, true);
    add({2, 3, 2, 3, 2, 3}, {0, 1, 2, 3, 4, 5}, true);
    add({1, 33, 31, 257}, {1, 2}, false);
    add({1, 25, 5, 64}, {1, 2}, true, true);
    return s;
}

} // namespace kompakt_test
