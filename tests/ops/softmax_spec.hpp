#pragma once

#include "fixed_reference.hpp"

#include <kompakt/graph/ops/softmax.hpp>

namespace kompakt_test {

// A table of 513 numbers of 15 bits, as softmax of int16 reads it: between the entries on a line.
struct softmax_table {
    std::vector<double> entries;

    template <class F>
    softmax_table(float first, float last, F f) {
        const float step = (last - first) / 512;
        const auto scaled = [&](float x) { return f(x) * 32768.0f; };
        for (int i = 0; i < 512; ++i) {
            const float at = first + static_cast<float>(i) * step,
                        to = first + static_cast<float>(i + 1) * step;
            const float here = std::round(scaled(at));
            const float line = std::round((scaled(to) + here) / 2);
            const float off = line - std::round(scaled(at + step / 2));
            entries.push_back(static_cast<double>(here - std::round(off / 2)));
        }
        entries.push_back(static_cast<double>(std::round(scaled(last))));
        for (double& e : entries) e = (std::min)(e, 32767.0);
    }
    double at(double x) const {
        const double place = x + 32768, index = std::floor(place / 128);
        const double low = entries[static_cast<std::size_t>(index)],
                     high = entries[static_cast<std::size_t>(index) + 1];
        return low + std::floor(((high - low) * (place - index * 128) + 64) / 128);
    }
};
inline void softmax_row_of_int16(const op_arguments& a, double beta, std::size_t row,
                                 std::size_t depth, double largest, values& out) {
    static const softmax_table exps(
        -10.0f, 0.0f, [](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); });
    static const softmax_table inverses(0.0f, 1.0f, [](float x) { return 1.0f / (1.0f + x); });
    const reference_multiplier m(static_cast<double>(a.tensor(0).quantization->scale()) * beta /
                                 (10.0 / 65535.0));
    const auto cut = [](double x, double least) {
        return (std::min)((std::max)(x, least), 32767.0);
    };
    std::vector<double> e(depth);
    double sum = 0;
    for (std::size_t i = 0; i < depth; ++i) {
        const auto diff = static_cast<std::int64_t>(a.inputs[0].data[row + i] - largest);
        e[i] = exps.at(cut(static_cast<double>(m.apply(diff)) + 32767, -32768));
        sum += e[i];
    }
    int power = 0; // the sum is in [2^power, 2^(power + 1))
    while (sum >= std::ldexp(2.0, power)) ++power;
    const double x = std::floor(std::ldexp(sum, 16 - power) + 0.5) - 65536; // 16 bits of fraction
    const double inverse = inverses.at(cut(x - 32768, -32768));
    for (std::size_t i = 0; i < depth; ++i) {
        out.data[row + i] = cut(std::floor(std::ldexp(e[i] * inverse, -power) + 0.5), 0);
    }
}

inline void softmax_reference(const op_arguments& a, values& out) {
    const auto beta = static_cast<double>(a.op<kompakt::ops::softmax>().beta);
    const auto depth = static_cast<std::size_t>(out.dims.back());
    const std::vector<double>& in = a.inputs[0].data;
    for (std::size_t row = 0; row < in.size(); row += depth) {
        double largest = in[row];
        for (std::size_t i = 0; i < depth; ++i) largest = (std::max)(largest, in[row + i]);
        if (!a.integer()) {
            double sum = 0;
            for (std::size_t i = 0; i < depth; ++i) sum += std::exp(beta * (in[row + i] - largest));
            for (std::size_t i = 0; i < depth; ++i) {
                out.data[row + i] = std::exp(beta * (in[row + i] - largest)) / sum;
            }
            continue;
        }
        if (a.tensor(0).type == dtype::i16) {
            softmax_row_of_int16(a, beta, row, depth, largest, out);
            continue;
        }
        // Differences times beta and scale, with 26 fractional bits; what would come near -32 is
        // left out. Sums have 19 fractional bits, so that every exponential is rounded to them.
        const double scale = (std::min)(
            beta * static_cast<double>(a.tensor(0).quantization->scale()) * 67108864, 2147483647.0);
        const reference_multiplier m(scale);
        const auto lowest =
            static_cast<std::int64_t>(-std::floor(31.0 * 67108864 / std::ldexp(1.0, m.exponent)));
        const auto exp_of = [&](std::size_t i) -> std::int64_t {
            const auto diff = static_cast<std::int64_t>(in[row + i] - largest);
            return diff < lowest ? -1 : fixed_exp(m.apply(diff), 26);
        };
        const bool wide = a.output().type == dtype::i16;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < depth; ++i) {
            if (exp_of(i) >= 0) sum += fixed_divide(exp_of(i), 4096);
        }
        sum = (std::min)(sum, std::int64_t{2147483647});
        int bits = 0; // the sum is in [2^bits, 2^(bits + 1))
        while (sum >> (20 + bits) != 0) ++bits;
        const std::int64_t fraction = bits <= 12 ? sum * (std::int64_t{1} << (12 - bits))
                                                 : sum / (std::int64_t{1} << (bits - 12));
        const std::int64_t inverse = fixed_inverse(fraction - 2147483648);
        for (std::size_t i = 0; i < depth; ++i) {
            std::int64_t q = 0;
            if (exp_of(i) >= 0) {
                q = fixed_divide(fixed_product(inverse, exp_of(i)),
                                 std::int64_t{1} << ((wide ? 15 : 23) + bits));
            }
            out.data[row + i] =
                static_cast<double>(wide ? (std::min)(q, std::int64_t{65535}) - 32768
                                         : (std::min)(q, std::int64_t{255}) - 128);
        }
    }
}

inline op_case softmax_case(dtype type, kompakt::shape in, float scale, int zero, float beta,
                            bool bench = false) {
    const bool int8 = type == dtype::i8;
    case_builder b(kompakt::text_of(in) + ", beta " + std::to_string(beta) +
                   (int8 ? ", scale " + std::to_string(scale) + " int8" : " float32"));
    kompakt::ops::softmax op;
    op.beta = beta;
    std::optional<quantization> q, unit;
    if (int8) q = quantization::per_tensor_affine(scale, zero);
    if (int8) unit = quantization::per_tensor_affine(1.0f / 256, -128);
    const tensor_id x = b.input(type, std::move(in), q);
    return b.finish(std::move(op), {x}, unit, bench);
}

inline op_spec softmax_spec() {
    op_spec s{"softmax", {}, softmax_reference};
    const auto add = [&](const kompakt::shape& in, float scale, int zero, float beta) {
        s.cases.push_back(softmax_case(dtype::i8, in, scale, zero, beta));
        s.cases.push_back(softmax_case(dtype::f32, in, scale, zero, beta));
    };
    add({1}, 0.1f, 0, 1.0f);
    add({7}, 0.1f, -128, 1.0f);
    add({3, 2}, 0.03f, 5, 1.0f);
    add({2, 3, 5}, 0.2f, 127, 2.3f);
    add({2, 1, 3, 2, 1, 4}, 0.2f, 127, 0.5f);
    add({2, 255}, 0.05f, 0, 1.0f);
    add({2, 257}, 0.02f, 9, 0.7f);
    // Equal inputs whose sum is 511, 512, 5000 times the greatest exponential.
    add({1, 511}, 0.1f, 0, 1.0f);
    add({1, 512}, 0.1f, 0, 1.0f);
    add({1, 5000}, 0.1f, 0, 1.0f);
    for (const float scale :
         {1e-7f, 1e-4f, 0.0625f, 0.123f, 0.24999f, 0.25f, 1.0f, 15.9f, 16.0f, 40.0f, 1000.0f}) {
        s.cases.push_back(softmax_case(dtype::i8, {4, 40}, scale, 3, 1.0f));
    }
    // int8 to int16, and int16.
    const auto wide = [&](dtype in_type, const kompakt::shape& in, float scale, float beta) {
        case_builder b(kompakt::text_of(in) + ", beta " + std::to_string(beta) + ", scale " +
                       std::to_string(scale) + " " + kompakt::name_of(in_type) + " to int16");
        kompakt::ops::softmax op;
        op.beta = beta;
        const bool int8 = in_type == dtype::i8;
        const tensor_id x =
            b.input(in_type, in, quantization::per_tensor_affine(scale, int8 ? 17 : 0));
        s.cases.push_back(b.finish(
            std::move(op), {x},
            quantization::per_tensor_affine(int8 ? 1.0f / 65536 : 1.0f / 32768, int8 ? -32768 : 0),
            false, dtype::i16));
    };
    for (const kompakt::shape& in :
         {kompakt::shape{1}, {7}, {3, 2}, {2, 1, 3, 2, 1, 4}, {2, 255}, {2, 257}, {1, 5000}}) {
        wide(dtype::i8, in, 0.1f, 1.0f);
        wide(dtype::i16, in, 4e-4f, 1.0f);
    }
    for (const float scale : {1e-4f, 0.0625f, 0.25f, 16.0f}) {
        wide(dtype::i8, {4, 40}, scale, 0.7f);
        wide(dtype::i16, {4, 40}, scale / 256, 0.7f);
    }
    s.cases.push_back(softmax_case(dtype::i8, {1, 12}, 0.2f, 30, 1.0f, true));
    s.cases.push_back(softmax_case(dtype::f32, {1, 12}, 0.2f, 30, 1.0f, true));
    return s;
}

} // namespace kompakt_test
