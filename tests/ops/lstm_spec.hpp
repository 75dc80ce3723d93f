#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/lstm.hpp>

namespace kompakt_test {

// The logistic function of the table's points: 65536 logistic(i / 24) plus half of what a straight
// line between two points misses, so that the error of the interpolation is spread. (The last entry
// is one more.)
inline std::int64_t gate_point(std::int64_t i) {
    if (i == 255) return 65535;
    const double s = 1 / (1 + std::exp(-static_cast<double>(i) / 24));
    const double bend = s * (1 - s) * (2 * s - 1) / 576;
    return static_cast<std::int64_t>(std::floor(65536 * (s + bend / 16) + 0.5));
}
inline std::int64_t gate_floor(std::int64_t a, std::int64_t b) {
    return reference_multiplier::floor_of(a, b);
}
// x in Q3.12, to Q0.15.
inline std::int64_t gate_logistic_of(std::int64_t x) {
    const std::int64_t magnitude = std::llabs(3 * x), at = magnitude / 512, part = magnitude % 512;
    const std::int64_t y = at >= 255 ? 0x7fff * 1024
                                     : gate_point(at) * (512 - part) + gate_point(at + 1) * part;
    return gate_floor(x >= 0 ? y + 512 : 65536 * 512 - y + 511, 1024);
}
// `position`: three times the number in Q3.12.
inline std::int64_t gate_tanh_of(std::int64_t position) {
    const std::int64_t magnitude = std::llabs(position), at = magnitude / 256,
                       part = magnitude % 256;
    const std::int64_t y =
        (at >= 255 ? 0xffff * 256 : gate_point(at) * (256 - part) + gate_point(at + 1) * part) -
        32768 * 256;
    return gate_floor(position >= 0 ? y + 128 : -y + 127, 256);
}
inline std::int64_t saturated(std::int64_t x, std::int64_t bits) {
    const std::int64_t limit = std::int64_t{1} << (bits - 1);
    return (std::max)(-limit, (std::min)(x, limit - 1));
}

// One run from the first state.
inline void lstm_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::lstm>();
    const values& in = a.inputs[0];
    std::vector<double> hidden = a.inputs[13].data, cell = a.inputs[14].data;
    const auto depth = static_cast<std::size_t>(in.dims[2]);
    const auto units = static_cast<std::size_t>(out.dims[2]);
    const auto steps = static_cast<std::size_t>(in.dims[op.time_major ? 0 : 1]);
    const auto batches = static_cast<std::size_t>(in.dims[op.time_major ? 1 : 0]);
    const bool wide = a.tensor(0).type == dtype::i16;
    const auto real = [&](std::size_t i) {
        return static_cast<double>(a.tensor(i).quantization->scale());
    };
    // What a row of weights gives: the real number, or Q3.12.
    const auto product = [&](std::size_t weights, const double* row, std::size_t by, std::size_t u,
                             std::size_t n, double bias) {
        double sum = bias;
        for (std::size_t i = 0; i < n; ++i) {
            sum += a.inputs[weights].data[u * n + i] * (row[i] - zero_of(a, by));
        }
        if (!a.integer()) return sum;
        const float scale = a.tensor(by).quantization->scale() *
                            a.tensor(weights).quantization->scale();
        const reference_multiplier m(static_cast<double>(scale) * 4096);
        if (!wide) {
            return static_cast<double>(
                saturated(m.apply(wrapped(static_cast<std::int64_t>(sum))), 16));
        }
        // The multiplier's upper 16 bits, rounded; the product half up.
        const std::int64_t upper = (std::min)(std::int64_t{0x7fff}, (m.mantissa + 32768) / 65536);
        const std::int64_t divisor = std::int64_t{1} << (15 - m.exponent);
        return static_cast<double>(saturated(
            gate_floor(static_cast<std::int64_t>(sum) * upper + divisor / 2, divisor), 16));
    };
    for (std::size_t b = 0; b < batches; ++b) {
        for (std::size_t t = 0; t < steps; ++t) {
            const std::size_t row = op.time_major ? t * batches + b : b * steps + t;
            std::vector<double> next(units);
            for (std::size_t u = 0; u < units; ++u) {
                double gate[4];
                for (std::size_t g = 0; g < 4; ++g) {
                    const double x = product(1 + g, &in.data[row * depth], 0, u, depth,
                                             a.inputs[9 + g].data[u]);
                    const double h = product(5 + g, &hidden[b * units], 13, u, units, 0.0);
                    if (!a.integer()) {
                        gate[g] = g == 2 ? std::tanh(x + h) : 1 / (1 + std::exp(-(x + h)));
                        continue;
                    }
                    const std::int64_t sum = saturated(static_cast<std::int64_t>(x + h), 16);
                    gate[g] = static_cast<double>(g == 2 ? gate_tanh_of(3 * sum)
                                                         : gate_logistic_of(sum));
                }
                double& c = cell[b * units + u];
                if (!a.integer()) {
                    c = gate[1] * c + gate[0] * gate[2];
                    const double clip = static_cast<double>(op.cell_clip);
                    if (clip > 0) c = (std::max)(-clip, (std::min)(c, clip));
                    next[u] = std::tanh(c) * gate[3];
                    continue;
                }
                const double s = real(14), q15 = 1.0 / 32768;
                const reference_multiplier keep(q15), fresh(q15 * q15 / s),
                    shown(q15 * q15 / real(13));
                const std::int64_t kept =
                    saturated(keep.apply(static_cast<std::int64_t>(gate[1] * c)), 16);
                const std::int64_t added =
                    saturated(fresh.apply(static_cast<std::int64_t>(gate[0] * gate[2])), 16);
                std::int64_t q = saturated(kept + added, 16);
                if (op.cell_clip > 0) {
                    const auto clip = static_cast<std::int64_t>(
                        (std::min)(static_cast<double>(op.cell_clip) / s, 32767.0));
                    q = (std::max)(-clip, (std::min)(q, clip));
                }
                c = static_cast<double>(q);
                // Finer than Q3.12: three times and a shift; coarser: a shift of three times.
                const int shift = static_cast<int>(std::lround(std::log2(s))) + 12;
                const std::int64_t position =
                    shift >= 0 ? q * 3 * (std::int64_t{1} << shift)
                               : gate_floor(q * 3 + (std::int64_t{1} << (-shift - 1)),
                                            std::int64_t{1} << -shift);
                const std::int64_t y =
                    shown.apply(gate_tanh_of(position) * static_cast<std::int64_t>(gate[3])) +
                    a.tensor(13).quantization->zero_point();
                next[u] = static_cast<double>(saturated(y, wide ? 16 : 8));
            }
            for (std::size_t u = 0; u < units; ++u) {
                hidden[b * units + u] = out.data[row * units + u] = next[u];
            }
        }
    }
}

struct lstm_sizes {
    std::int64_t batches = 1, steps = 3, depth = 5, units = 4;
    bool time_major = false;
    float cell_clip = 0.0f;
    int cell_power = -11;  // the cell's scale
    double weights = 0.02; // how large
    int value = 0;         // 0: random, else all of this
    int hidden_zero = -3;
};

inline op_case lstm_case(const std::string& name, const lstm_sizes& n, dtype type,
                         bool bench = false) {
    const bool integer = type != dtype::f32, wide = type == dtype::i16;
    case_builder b(name + " " + kompakt::name_of(type));
    dice d(static_cast<std::uint32_t>(n.depth * 37 + n.units));
    kompakt::ops::lstm op;
    op.time_major = n.time_major;
    op.cell_clip = n.cell_clip;
    const auto scaled = [&](double scale, int zero) {
        return integer ? std::optional(
                             quantization::per_tensor_affine(static_cast<float>(scale), zero))
                       : std::nullopt;
    };
    const auto weights = [&](const char* what, std::int64_t columns, double scale) {
        const kompakt::shape s = {n.units, columns};
        const auto count = static_cast<std::size_t>(n.units * columns);
        std::vector<std::int8_t> q(count);
        for (auto& x : q) x = static_cast<std::int8_t>(n.value != 0 ? n.value : d.between(-127, 127));
        if (integer) return b.constant<std::int8_t>(what, s, q, scaled(scale, 0));
        std::vector<float> f(count);
        for (std::size_t i = 0; i < count; ++i) f[i] = static_cast<float>(scale) * q[i];
        return b.constant<float>(what, s, f);
    };
    const double in_scale = wide ? 3e-5 : 0.01;
    const auto x = b.input(type,
                           n.time_major ? kompakt::shape{n.steps, n.batches, n.depth}
                                        : kompakt::shape{n.batches, n.steps, n.depth},
                           scaled(in_scale, wide ? 0 : 17));
    std::vector<tensor_id> inputs = {x};
    for (int g = 0; g < 4; ++g) inputs.push_back(weights("w", n.depth, n.weights / (1 + g)));
    for (int g = 0; g < 4; ++g) inputs.push_back(weights("r", n.units, n.weights / (2 + g)));
    for (int g = 0; g < 4; ++g) {
        const kompakt::shape s = {n.units};
        std::vector<std::int64_t> q(static_cast<std::size_t>(n.units));
        for (auto& v : q) v = d.between(-2000, 2000) * (wide ? 300 : 1);
        if (!integer) {
            std::vector<float> f(q.begin(), q.end());
            for (float& v : f) v *= 5e-4f;
            inputs.push_back(b.constant<float>("b", s, f));
        } else if (wide) {
            inputs.push_back(b.constant<std::int64_t>("b", s, q));
        } else {
            inputs.push_back(
                b.constant<std::int32_t>("b", s, std::vector<std::int32_t>(q.begin(), q.end())));
        }
    }
    const auto shown = scaled(wide ? 1.0 / 32768 : 0.008, wide ? 0 : n.hidden_zero);
    inputs.push_back(b.state(type, {n.batches, n.units}, shown,
                             static_cast<std::uint8_t>(integer && !wide ? n.hidden_zero : 0)));
    inputs.push_back(b.state(integer ? dtype::i16 : dtype::f32, {n.batches, n.units},
                             scaled(std::ldexp(1.0, n.cell_power), 0)));
    return b.finish(op, inputs, shown, bench);
}

inline op_spec lstm_spec() {
    op_spec s{"unidirectional_sequence_lstm", {}, lstm_reference};
    const auto add = [&](const char* name, const lstm_sizes& n, bool bench = false) {
        for (const dtype type : {dtype::f32, dtype::i8, dtype::i16}) {
            s.cases.push_back(lstm_case(name, n, type, bench));
        }
    };
    lstm_sizes n;
    add("5 to 4", n);
    add("of one", {1, 1, 1, 1});
    add("batch 3, 7 steps", {3, 7, 5, 6});
    add("time major", {3, 4, 5, 6, true});
    add("257 inputs", {1, 2, 257, 3});
    add("67 units", {1, 3, 2, 67});
    add("clipped", {2, 9, 5, 4, false, 0.7f});
    add("clipped at nothing", {1, 4, 5, 4, false, 1e-6f});
    add("clip beyond int16", {1, 4, 5, 4, false, 100.0f});
    for (const int power : {-15, -13, -12, -9, -3, 1}) {
        n = {2, 6, 5, 4, false, 0.0f, power};
        add(("cell scale 2^" + std::to_string(power)).c_str(), n);
    }
    n = {1, 5, 16, 4};
    n.value = 127;
    add("all weights 127", n);
    n.value = -128;
    add("all weights -128", n);
    n = {1, 5, 16, 4};
    n.weights = 1e-6;
    add("small weights", n);
    n.weights = 0.5;
    add("large weights", n);
    n = {1, 5, 6, 4};
    n.hidden_zero = 127;
    add("zero point 127", n);
    add("speech", {1, 20, 40, 64}, true);
    return s;
}

} // namespace kompakt_test
