#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/svdf.hpp>

namespace kompakt_test {

// One run from the first state.
inline void svdf_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::svdf>();
    const values &in = a.inputs[0], &feature = a.inputs[1], &time = a.inputs[2];
    values state = a.inputs[4];
    const auto filters = static_cast<std::size_t>(feature.dims[0]);
    const auto depth = static_cast<std::size_t>(feature.dims[1]);
    const auto memory = static_cast<std::size_t>(time.dims[1]);
    const auto rank = static_cast<std::size_t>(op.rank), units = filters / rank;
    const bool wide = a.tensor(2).type == dtype::i16;
    double state_zero = 0;
    std::optional<reference_multiplier> first, second;
    if (a.integer()) {
        const float s = a.tensor(4).quantization->scale();
        state_zero = a.tensor(4).quantization->zero_point();
        first.emplace(static_cast<double>(a.tensor(0).quantization->scale() *
                                          a.tensor(1).quantization->scale() / s));
        second.emplace(static_cast<double>(s * a.tensor(2).quantization->scale() /
                                           a.output().quantization->scale()));
    }
    const reference_clamp activation(a.integer() ? kompakt::activation::none : op.fused,
                                     a.output());
    for (std::size_t b = 0; b < in.data.size() / depth; ++b) {
        std::vector<double> sums(units, 0.0);
        for (std::size_t f = 0; f < filters; ++f) {
            double newest = 0;
            for (std::size_t i = 0; i < depth; ++i) {
                newest += feature.data[f * depth + i] * (in.data[b * depth + i] - zero_of(a, 0));
            }
            if (a.integer()) {
                const std::int64_t limit = wide ? 32768 : 128;
                std::int64_t q = first->apply(wrapped(static_cast<std::int64_t>(newest)));
                q = (std::max)(-limit, (std::min)(q, limit - 1)) +
                    static_cast<std::int64_t>(state_zero);
                newest = static_cast<double>(wide ? static_cast<std::int16_t>(q)
                                                  : static_cast<std::int8_t>(q));
            }
            double* of_filter = &state.data[(b * filters + f) * memory];
            std::copy(of_filter + 1, of_filter + memory, of_filter);
            of_filter[memory - 1] = newest;
            for (std::size_t m = 0; m < memory; ++m) {
                sums[f / rank] += time.data[f * memory + m] * (of_filter[m] - state_zero);
            }
        }
        for (std::size_t u = 0; u < units; ++u) {
            double sum = sums[u] + (a.has(3) ? a.inputs[3].data[u] : 0.0);
            if (a.integer()) {
                sum = static_cast<double>(second->apply(wrapped(static_cast<std::int64_t>(sum))) +
                                          a.output().quantization->zero_point());
            }
            out.data[b * units + u] = activation.apply(sum);
        }
    }
}

struct svdf_sizes {
    std::int64_t batches = 1, depth = 8, units = 4, rank = 1, memory = 5;
    bool bias = true;
    int weights = 0; // 0: random, else all of this value
};

// `state` is float32, int16 or int8.
inline op_case svdf_case(const std::string& name, const svdf_sizes& n, dtype state,
                         std::int32_t state_zero = 0,
                         kompakt::activation fused = kompakt::activation::none,
                         bool bench = false) {
    using kompakt::dim;
    const bool integer = state != dtype::f32;
    case_builder b(name +
                   (integer ? std::string(" state ") + kompakt::name_of(state) : " float32"));
    dice d(static_cast<std::uint32_t>(n.depth * 31 + n.memory));
    kompakt::ops::svdf op;
    op.rank = static_cast<std::int32_t>(n.rank);
    op.fused = fused;
    const std::int64_t filters = n.units * n.rank;
    const auto scaled = [&](float scale, int zero) {
        return integer ? std::optional(quantization::per_tensor_affine(scale, zero)) : std::nullopt;
    };
    const auto numbers = [&](std::int64_t count, auto zero, std::int64_t limit) {
        std::vector<decltype(zero)> v(static_cast<std::size_t>(count));
        for (auto& x : v) {
            x = n.weights != 0 ? static_cast<decltype(zero)>(n.weights)
                               : static_cast<decltype(zero)>(d.between(-limit, limit));
        }
        return v;
    };
    const auto reals = [&](std::int64_t count) {
        std::vector<float> v(static_cast<std::size_t>(count));
        for (float& x : v) x = d.real(-0.5f, 0.5f);
        return v;
    };
    const dtype type = integer ? dtype::i8 : dtype::f32;
    const tensor_id x = b.input(type, {n.batches, n.depth}, scaled(0.04f, 7));
    const kompakt::shape f = {filters, n.depth}, t = {filters, n.memory}, u = {n.units};
    tensor_id feature, time, bias = kompakt::no_tensor;
    if (!integer) {
        feature = b.constant<float>("feature", f, reals(filters * n.depth));
        time = b.constant<float>("time", t, reals(filters * n.memory));
        if (n.bias) bias = b.constant<float>("bias", u, reals(n.units));
    } else {
        feature = b.constant<std::int8_t>(
            "feature", f, numbers(filters * n.depth, std::int8_t{0}, 127), scaled(0.01f, 0));
        time = state == dtype::i16
                   ? b.constant<std::int16_t>("time", t,
                                              numbers(filters * n.memory, std::int16_t{0}, 32767),
                                              scaled(3e-5f, 0))
                   : b.constant<std::int8_t>("time", t,
                                             numbers(filters * n.memory, std::int8_t{0}, 127),
                                             scaled(0.008f, 0));
        if (n.bias) {
            bias = b.constant<std::int32_t>("bias", u, numbers(n.units, std::int32_t{0}, 20000),
                                            scaled(state == dtype::i16 ? 3e-9f : 2.4e-4f, 0));
        }
    }
    const tensor_id s =
        b.state(state, {n.batches, filters * n.memory},
                scaled(state == dtype::i16 ? 1e-4f : 0.03f, state_zero),
                state == dtype::i8 ? static_cast<std::uint8_t>(state_zero) : std::uint8_t{0});
    return b.finish(op, {x, feature, time, bias, s}, scaled(0.05f, -9), bench);
}

inline op_spec svdf_spec() {
    using kompakt::activation;
    op_spec s{"svdf", {}, svdf_reference};
    const auto add = [&](const char* name, const svdf_sizes& n, bool bench = false) {
        s.cases.push_back(svdf_case(name, n, dtype::f32, 0, activation::none, bench));
        s.cases.push_back(svdf_case(name, n, dtype::i16, 0, activation::none, bench));
        s.cases.push_back(svdf_case(name, n, dtype::i8, 5, activation::none, bench));
    };
    add("of one", {1, 1, 1, 1, 1});
    add("rank 3, batch 2", {2, 7, 5, 3, 4});
    add("255 units", {1, 3, 255, 1, 2});
    add("257 features", {1, 257, 2, 2, 3});
    add("1001 steps", {1, 2, 1, 1, 1001});
    add("no bias", {3, 5, 4, 2, 6, false});
    add("all weights -128", {1, 64, 3, 1, 9, true, -128});
    add("all weights 127", {1, 64, 3, 2, 9, true, 127});
    for (const activation a : {activation::relu, activation::relu6, activation::relu_n1_to_1}) {
        s.cases.push_back(svdf_case(name_of(a), {}, dtype::f32, 0, a));
        s.cases.push_back(svdf_case(name_of(a), {}, dtype::i16, 0, a));
    }
    s.cases.push_back(svdf_case("zero point -128", {}, dtype::i8, -128));
    s.cases.push_back(svdf_case("zero point 127", {}, dtype::i8, 127));
    add("keyword", {1, 40, 64, 2, 8}, true);
    return s;
}

} // namespace kompakt_test
