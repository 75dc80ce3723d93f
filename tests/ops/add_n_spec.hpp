#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/add_n.hpp>
#include <kompakt/graph/ops/cumsum.hpp>

namespace kompakt_test {

// The int8 arithmetic of add_n and cumsum: terms at half the scale, 20 bits finer; the sum starts
// with the term of the number 0, not of the value 0.
struct reference_terms {
    reference_multiplier half{0.5}, result;
    double zero_in, zero_out;
    reference_clamp clamp;

    explicit reference_terms(const op_arguments& a)
        : result(2 * static_cast<double>(a.tensor(0).quantization->scale()) /
                 (1048576 * static_cast<double>(a.output().quantization->scale()))),
          zero_in(zero_of(a, 0)), zero_out(a.output().quantization->zero_point()),
          clamp(kompakt::activation::none, a.output()) {}
    std::int64_t term(double q) const {
        return half.apply(static_cast<std::int64_t>(q - zero_in) * 1048576);
    }
    double finish(std::int64_t sum) const {
        return clamp.apply(static_cast<double>(result.apply(wrapped(sum))) + zero_out);
    }
};

inline void add_n_reference(const op_arguments& a, values& out) {
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        if (!a.integer()) {
            for (const values& v : a.inputs) out.data[i] += v.data[i];
            continue;
        }
        const reference_terms r(a);
        std::int64_t sum = r.term(0);
        for (const values& v : a.inputs) sum += r.term(v.data[i]);
        out.data[i] = r.finish(sum);
    }
}

inline op_spec add_n_spec() {
    op_spec s{"add_n", {}, add_n_reference};
    const auto add = [&](std::size_t inputs, const kompakt::shape& in, bool constant, float scale,
                         int zero, float scale_out, int zero_out) {
        for (const dtype type : {dtype::f32, dtype::i8}) {
            const bool int8 = type == dtype::i8;
            std::optional<quantization> q, to;
            if (int8) {
                q = quantization::per_tensor_affine(scale, zero);
                to = quantization::per_tensor_affine(scale_out, zero_out);
            }
            case_builder b(std::to_string(inputs) + " of " + kompakt::text_of(in) + " zero " +
                           std::to_string(zero) + (constant ? ", one constant " : " ") +
                           kompakt::name_of(type));
            std::vector<tensor_id> all;
            if (constant) {
                const std::size_t n = *kompakt::element_count(in);
                dice d(2);
                if (int8) {
                    std::vector<std::int8_t> v(n);
                    for (std::int8_t& e : v) e = static_cast<std::int8_t>(d.between(-128, 127));
                    all.push_back(b.constant("first", in, v, q));
                } else {
                    std::vector<float> v(n);
                    for (float& e : v) e = d.real(-2.0f, 2.0f);
                    all.push_back(b.constant("first", in, v));
                }
            }
            while (all.size() < inputs) all.push_back(b.input(type, in, q));
            s.cases.push_back(b.finish(kompakt::ops::add_n{}, all, to));
        }
    };
    add(2, {1}, false, 0.1f, 0, 0.2f, 0);
    add(2, {}, false, 0.1f, -128, 0.1f, 127);
    add(3, {2, 3, 257}, false, 0.05f, 5, 0.11f, -3);
    add(3, {2, 3, 255}, true, 0.05f, 127, 0.001f, -128);
    add(5, {2, 1, 3, 1, 2, 5}, true, 0.05f, -77, 9.0f, 12);
    add(40, {1001}, false, 0.02f, 100, 0.4f, 1); // wraps
    return s;
}

inline void cumsum_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::cumsum>();
    const values& in = a.inputs[0];
    const auto rank = static_cast<std::int32_t>(in.dims.size());
    const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + rank : op.axis);
    std::size_t inner = 1;
    for (std::size_t k = axis + 1; k < in.dims.size(); ++k) {
        inner *= static_cast<std::size_t>(in.dims[k]);
    }
    const auto extent = static_cast<std::size_t>(in.dims[axis]);
    for (std::size_t i = 0; i < in.data.size(); ++i) {
        const std::size_t at = i / inner % extent; // along the axis
        double sum = 0;
        std::int64_t terms = 0;
        for (std::size_t k = 0; k < extent; ++k) {
            const bool before = op.reverse ? k > at : k < at;
            if (!before && (k != at || op.exclusive)) continue;
            const double x = in.data[i - at * inner + k * inner];
            sum += x;
            if (a.integer()) terms += reference_terms(a).term(x);
        }
        out.data[i] = sum;
        if (a.integer()) {
            const reference_terms r(a);
            out.data[i] = r.finish(terms + r.term(0));
        }
    }
}

inline op_spec cumsum_spec() {
    op_spec s{"cumsum", {}, cumsum_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t axis) {
        for (int how = 0; how < 4; ++how) {
            kompakt::ops::cumsum op;
            op.axis = axis, op.exclusive = (how & 1) != 0, op.reverse = (how & 2) != 0;
            const std::string name = kompakt::text_of(in) + " axis " + std::to_string(axis) +
                                     (op.exclusive ? " exclusive" : "") +
                                     (op.reverse ? " reverse" : "");
            case_builder f32(name + " float32"), i8(name + " int8");
            const tensor_id x = f32.input(dtype::f32, in);
            s.cases.push_back(f32.finish(op, {x}));
            const int zeros[] = {0, -128, 127, 11};
            const tensor_id y =
                i8.input(dtype::i8, in, quantization::per_tensor_affine(0.04f, zeros[how]));
            s.cases.push_back(
                i8.finish(op, {y}, quantization::per_tensor_affine(0.3f, zeros[3 - how])));
        }
    };
    add({1}, 0);
    add({255}, -1); // wraps
    add({3, 5}, 0);
    add({2, 3, 4, 5}, 1);
    add({2, 3, 4, 5}, -1);
    add({2, 1, 3, 2, 2, 3}, -4);
    add({1, 3, 257}, 1);
    return s;
}

} // namespace kompakt_test
