#pragma once

#include "lstm_spec.hpp"

#include <kompakt/graph/ops/gru.hpp>

namespace kompakt_test {

// One run from the first state.
inline void gru_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::gru>();
    const values& in = a.inputs[0];
    std::vector<double> hidden = a.inputs[13].data;
    const auto depth = static_cast<std::size_t>(in.dims[2]);
    const auto units = static_cast<std::size_t>(out.dims[2]);
    const auto steps = static_cast<std::size_t>(in.dims[op.time_major ? 0 : 1]);
    const auto batches = static_cast<std::size_t>(in.dims[op.time_major ? 1 : 0]);
    const auto product = [&](std::size_t weights, const double* row, std::size_t by, std::size_t u,
                             std::size_t n, std::size_t bias) {
        double sum = a.has(bias) ? a.inputs[bias].data[u] : 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += a.inputs[weights].data[u * n + i] * (row[i] - zero_of(a, by));
        }
        if (!a.integer()) return sum;
        const float scale =
            a.tensor(by).quantization->scale() * a.tensor(weights).quantization->scale();
        const reference_multiplier m(static_cast<double>(scale) * 4096);
        const std::int64_t narrow = saturated(static_cast<std::int64_t>(sum), 32);
        return static_cast<double>(saturated(m.apply(narrow), 16));
    };
    // Half away from zero.
    const auto halved = [](std::int64_t x) {
        const std::int64_t y = (std::llabs(x) + 16384) / 32768;
        return static_cast<double>(x < 0 ? -y : y);
    };
    const auto logistic = [&](double x) {
        if (!a.integer()) return 1 / (1 + std::exp(-x));
        return static_cast<double>(gate_logistic_of(saturated(static_cast<std::int64_t>(x), 16)));
    };
    const auto tanh_of = [&](double x) {
        if (!a.integer()) return std::tanh(x);
        return static_cast<double>(gate_tanh_of(3 * saturated(static_cast<std::int64_t>(x), 16)));
    };
    const auto times = [&](double gate, double x) {
        return a.integer() ? halved(static_cast<std::int64_t>(gate * x)) : gate * x;
    };
    for (std::size_t b = 0; b < batches; ++b) {
        for (std::size_t t = 0; t < steps; ++t) {
            const std::size_t row = op.time_major ? t * batches + b : b * steps + t;
            const double* x = &in.data[row * depth];
            const std::vector<double> h(hidden.begin() + static_cast<std::ptrdiff_t>(b * units),
                                        hidden.begin() +
                                            static_cast<std::ptrdiff_t>((b + 1) * units));
            std::vector<double> z(units), r(units), kept(units);
            for (std::size_t u = 0; u < units; ++u) {
                z[u] = logistic(product(1, x, 0, u, depth, 7) +
                                product(4, h.data(), 13, u, units, 10));
                r[u] = logistic(product(2, x, 0, u, depth, 8) +
                                product(5, h.data(), 13, u, units, 11));
                kept[u] = times(r[u], h[u]);
            }
            for (std::size_t u = 0; u < units; ++u) {
                const double recurrent = op.reset_after
                                             ? times(r[u], product(6, h.data(), 13, u, units, 12))
                                             : product(6, kept.data(), 13, u, units, 12);
                const double fresh = tanh_of(product(3, x, 0, u, depth, 9) + recurrent);
                double& next = hidden[b * units + u];
                double& y = out.data[row * units + u];
                if (!a.integer()) {
                    y = next = (1 - z[u]) * fresh + z[u] * h[u];
                    continue;
                }
                next = static_cast<double>(
                    saturated(static_cast<std::int64_t>(halved(
                                  static_cast<std::int64_t>(z[u] * h[u] + (32768 - z[u]) * fresh))),
                              16));
                const quantization& q = *a.output().quantization;
                const reference_multiplier m(static_cast<double>(0x1p-15f) /
                                             static_cast<double>(q.scale()));
                y = static_cast<double>(
                    saturated(m.apply(static_cast<std::int64_t>(next)) + q.zero_point(),
                              a.output().type == dtype::i16 ? 16 : 8));
            }
        }
    }
}

struct gru_sizes {
    std::int64_t batches = 1, steps = 3, depth = 5, units = 4;
    bool time_major = false, reset_after = true, recurrent_bias = true;
    double weights = 0.02;
    int value = 0; // 0: random, else all weights this
};

inline op_case gru_case(const std::string& name, const gru_sizes& n, dtype type,
                        bool bench = false) {
    const bool integer = type != dtype::f32, wide = type == dtype::i16;
    case_builder b(name + " " + kompakt::name_of(type));
    dice d(static_cast<std::uint32_t>(n.depth * 41 + n.units));
    kompakt::ops::gru op;
    op.time_major = n.time_major;
    op.reset_after = n.reset_after;
    const auto scaled = [&](double scale, int zero) {
        return integer
                   ? std::optional(quantization::per_tensor_affine(static_cast<float>(scale), zero))
                   : std::nullopt;
    };
    const auto weights = [&](std::int64_t columns, double scale) {
        const auto count = static_cast<std::size_t>(n.units * columns);
        std::vector<std::int8_t> q(count);
        for (auto& x : q) {
            x = static_cast<std::int8_t>(n.value != 0 ? n.value : d.between(-127, 127));
        }
        const kompakt::shape s = {n.units, columns};
        if (integer) return b.constant<std::int8_t>("w", s, q, scaled(scale, 0));
        std::vector<float> f(count);
        for (std::size_t i = 0; i < count; ++i) f[i] = static_cast<float>(scale) * q[i];
        return b.constant<float>("w", s, f);
    };
    const auto bias = [&](std::int32_t limit, float scale) {
        std::vector<std::int32_t> q(static_cast<std::size_t>(n.units));
        for (auto& x : q) x = static_cast<std::int32_t>(d.between(-limit, limit));
        if (integer) return b.constant<std::int32_t>("b", {n.units}, q);
        std::vector<float> f(q.begin(), q.end());
        for (float& x : f) x *= scale;
        return b.constant<float>("b", {n.units}, f);
    };
    const tensor_id x = b.input(type,
                                n.time_major ? kompakt::shape{n.steps, n.batches, n.depth}
                                             : kompakt::shape{n.batches, n.steps, n.depth},
                                scaled(wide ? 3e-5 : 0.01, wide ? 0 : 17));
    std::vector<tensor_id> inputs = {x};
    for (int g = 0; g < 3; ++g) inputs.push_back(weights(n.depth, n.weights / (1 + g)));
    for (int g = 0; g < 3; ++g) inputs.push_back(weights(n.units, n.weights / (2 + g)));
    for (int g = 0; g < 3; ++g) inputs.push_back(bias(wide ? 600000 : 2000, wide ? 1e-6f : 5e-4f));
    for (int g = 0; g < 3; ++g) {
        inputs.push_back(n.recurrent_bias ? bias(900000, 1e-6f) : kompakt::no_tensor);
    }
    inputs.push_back(
        b.state(integer ? dtype::i16 : dtype::f32, {n.batches, n.units}, scaled(1.0 / 32768, 0)));
    return b.finish(op, inputs, scaled(wide ? 2e-5 : 0.007, wide ? 0 : -4), bench);
}

inline op_spec gru_spec() {
    op_spec s{"gru", {}, gru_reference};
    const auto add = [&](const char* name, gru_sizes n, bool bench = false) {
        for (const bool after : {true, false}) {
            n.reset_after = after;
            for (const dtype type : {dtype::f32, dtype::i8, dtype::i16}) {
                s.cases.push_back(gru_case(std::string(name) + (after ? "" : ", reset before"), n,
                                           type, bench && after));
            }
        }
    };
    gru_sizes n;
    add("5 to 4", n);
    add("of one", {1, 1, 1, 1});
    add("batch 3, 7 steps", {3, 7, 5, 6});
    add("time major", {3, 4, 5, 6, true});
    add("257 inputs", {1, 2, 257, 3});
    add("67 units", {1, 3, 2, 67});
    n.recurrent_bias = false;
    add("no recurrent bias", n);
    n = {1, 5, 16, 9};
    n.value = 127;
    add("all weights 127", n);
    n.value = -128;
    add("all weights -128", n);
    n.value = 0, n.weights = 0.7;
    add("large weights", n);
    n.weights = 1e-6;
    add("small weights", n);
    n = {1, 20, 40, 64};
    n.weights = 0.004; // large ones double what float32 rounds with each step
    add("speech", n, true);
    return s;
}

} // namespace kompakt_test
