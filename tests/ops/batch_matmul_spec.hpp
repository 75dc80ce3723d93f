#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/batch_matmul.hpp>

namespace kompakt_test {

inline void batch_matmul_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::batch_matmul>();
    const std::size_t rank = out.dims.size();
    // The element of operand `o` in the matrix of output batch `batch`.
    const auto element = [&](std::size_t o, std::vector<std::int64_t> batch, std::int64_t row,
                             std::int64_t column, bool transposed) {
        const values& x = a.inputs[o];
        if (transposed) std::swap(row, column);
        batch.push_back(row), batch.push_back(column);
        std::int64_t at = 0;
        for (std::size_t i = 0; i < x.dims.size(); ++i) {
            const std::int64_t index = batch[i + rank - x.dims.size()];
            at = at * x.dims[i] + (x.dims[i] == 1 ? 0 : index);
        }
        return x.data[static_cast<std::size_t>(at)] - zero_of(a, o);
    };
    const values& first = a.inputs[0];
    const std::int64_t inner = first.dims[first.dims.size() - (op.transpose_a ? 2 : 1)];
    const reference_clamp clamp(kompakt::activation::none, a.output());
    double effective = 1.0;
    if (a.integer()) {
        const float product = a.tensor(0).quantization->scale() * a.tensor(1).quantization->scale();
        effective =
            static_cast<double>(product) / static_cast<double>(a.output().quantization->scale());
    }
    const reference_multiplier m(effective);
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        std::vector<std::int64_t> at(rank);
        auto left = static_cast<std::int64_t>(i);
        for (std::size_t d = rank; d-- > 0;) {
            at[d] = left % out.dims[d];
            left /= out.dims[d];
        }
        const std::vector<std::int64_t> batch(at.begin(), at.end() - 2);
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k) {
            sum += element(0, batch, at[rank - 2], k, op.transpose_a) *
                   element(1, batch, k, at[rank - 1], op.transpose_b);
        }
        if (a.integer()) {
            const auto integer = static_cast<std::int64_t>(sum);
            sum = static_cast<double>(a.output().type == dtype::i16 ? m.apply_wide(integer)
                                                                    : m.apply(wrapped(integer))) +
                  a.output().quantization->zero_point();
        }
        out.data[i] = clamp.apply(sum);
    }
}

// Shapes as they are stored. `b_constant`: the second operand comes with the model.
inline op_case batch_matmul_case(const std::string& name, dtype type, kompakt::shape a,
                                 kompakt::shape b, bool transpose_a, bool transpose_b,
                                 bool b_constant, double multiplier = 0.0, bool bench = false) {
    case_builder builder(name + (type == dtype::f32   ? " float32"
                                 : type == dtype::i16 ? " int16"
                                                      : " int8"));
    kompakt::ops::batch_matmul op;
    op.transpose_a = transpose_a, op.transpose_b = transpose_b;
    const auto inner = static_cast<double>(a[a.size() - (transpose_a ? 2 : 1)].value());
    std::optional<quantization> qa, qb, qo;
    if (type != dtype::f32) {
        const bool i16 = type == dtype::i16;
        const double deviation = i16 ? 18900.0 * 18900.0 : 74.0 * 74.0;
        const double m =
            multiplier != 0.0 ? multiplier : (i16 ? 9000.0 : 60.0) / (deviation * std::sqrt(inner));
        qa = quantization::per_tensor_affine(0.0173f, i16 ? 0 : 3);
        qb = quantization::per_tensor_affine(0.0031f, i16 ? 0 : -7);
        qo = quantization::per_tensor_affine(static_cast<float>(0.0173 * 0.0031 / m), i16 ? 0 : -5);
    }
    const tensor_id x = builder.input(type, std::move(a), qa);
    tensor_id y = 0;
    if (b_constant) {
        dice d(9);
        const std::size_t n = *kompakt::element_count(b);
        const auto fill = [&](auto element, std::int64_t lo, std::int64_t hi) {
            std::vector<decltype(element)> v(n);
            for (auto& e : v) e = static_cast<decltype(element)>(d.between(lo, hi));
            return builder.constant("b", std::move(b), v, qb);
        };
        y = type == dtype::f32   ? fill(0.0f, -2, 2)
            : type == dtype::i16 ? fill(std::int16_t{}, -32768, 32767)
                                 : fill(std::int8_t{}, -128, 127);
    } else {
        y = builder.input(type, std::move(b), qb);
    }
    return builder.finish(std::move(op), {x, y}, qo, bench);
}

inline op_spec batch_matmul_spec() {
    op_spec s{"batch_matmul", {}, batch_matmul_reference};
    // Shapes as they are meant, [..., m, k] and [..., k, n].
    const auto add = [&](const std::string& name, const kompakt::shape& a, const kompakt::shape& b,
                         double multiplier = 0.0, bool bench = false) {
        for (const dtype type : {dtype::i8, dtype::i16, dtype::f32}) {
            for (int how = 0; how < 8; ++how) {
                const bool ta = how % 2 != 0, tb = how / 2 % 2 != 0;
                kompakt::shape sa = a, sb = b;
                if (ta) std::swap(sa[sa.size() - 1], sa[sa.size() - 2]);
                if (tb) std::swap(sb[sb.size() - 1], sb[sb.size() - 2]);
                s.cases.push_back(batch_matmul_case(
                    name + (ta ? ", a transposed" : "") + (tb ? ", b transposed" : ""), type, sa,
                    sb, ta, tb, how >= 4, multiplier, bench && how == 2));
            }
        }
    };
    add("1x1 by 1x1", {1, 1}, {1, 1});
    add("3x5 by 5x7", {3, 5}, {5, 7});
    add("1x257 by 257x9", {1, 257}, {257, 9});
    add("255 rows", {255, 3}, {3, 1});
    add("batches", {2, 3, 4}, {2, 4, 5});
    add("b for all batches", {4, 3, 2, 5}, {5, 6});
    add("a for all batches", {2, 5}, {3, 2, 5, 4});
    add("both broadcast", {2, 1, 3, 4}, {1, 3, 4, 2});
    add("broadcast inside", {2, 1, 3, 2, 2}, {2, 2, 1, 2, 3});
    add("rank 6", {2, 1, 2, 1, 2, 3}, {1, 2, 2, 2, 3, 5});
    add("multiplier above one", {2, 3}, {3, 4}, 1.7);
    add("attention", {1, 4, 32, 16}, {1, 4, 16, 32}, 0.0, true);
    return s;
}

} // namespace kompakt_test
