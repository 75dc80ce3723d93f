#pragma once

#include "fixed_reference.hpp"
#include "unary_spec.hpp"

#include <kompakt/graph/ops/tanh.hpp>

namespace kompakt_test {

// int16, both tanh and logistic: within a step or two of the function. The exact numbers are those
// of the table, which the operator vectors hold against TensorFlow Lite Micro; here the output is
// taken from the table by a dull walk.
inline double table_reference(std::int64_t q, double scale, int extra_bits, bool tanh) {
    // Steps of 1 / 12288, to the nearest with at most 15 bits of multiplier, unless the scale is
    // 2^-12 (or 2^-11 for tanh).
    std::int64_t x = 0;
    const double ratio = scale * 4096;
    if (std::fabs(std::log2(ratio)) < 1e-3) {
        x = 3 * q;
    } else if (extra_bits > 0 && std::fabs(std::log2(ratio) - 1) < 1e-3) {
        x = 6 * q;
    } else {
        double factor = ratio * 3;
        int shift = 0;
        while (factor <= 16383.5 && shift <= 30) factor *= 2, ++shift;
        const std::int64_t product = q * static_cast<std::int64_t>(factor);
        const std::int64_t step = std::int64_t{1} << shift;
        x = reference_multiplier::floor_of(product + step / 2, step);
    }
    const std::int64_t width = tanh ? 256 : 512, magnitude = x < 0 ? -x : x;
    // 16 bits of logistic, and the width's bits more.
    std::int64_t y = (tanh ? 65535 : 65534) * width;
    if (magnitude / width < 255) {
        const auto at = static_cast<std::size_t>(magnitude / width);
        const std::int64_t low = kompakt::sigmoid_table[at], high = kompakt::sigmoid_table[at + 1];
        y = low * width + magnitude % width * (high - low);
    }
    if (tanh) {
        const std::int64_t above = 2 * y - 65536 * width; // 16 bits of tanh
        const std::int64_t out = x < 0 ? -above - 1 : above;
        return static_cast<double>(reference_multiplier::floor_of(out + 256, 512));
    }
    if (x < 0) y = 65536 * width - y - 1;
    return static_cast<double>((y + 512) / 1024);
}

inline op_spec tanh_spec() {
    const auto real = [](double x, const op_arguments&) { return std::tanh(x); };
    const auto integer = [](std::int64_t q, const op_arguments& a) {
        const quantization& in = *a.tensor(0).quantization;
        const auto scale = static_cast<double>(in.scale());
        if (a.output().type == dtype::i16) return table_reference(q, scale, 1, true);
        const reference_multiplier m(scale * 134217728);
        const double x = static_cast<double>(q - in.zero_point());
        const double radius = std::floor(15.0 * 134217728 / std::ldexp(1.0, m.exponent));
        if (x <= -radius) return -128.0;
        if (x >= radius) return 127.0;
        const std::int64_t scaled = m.apply(q - in.zero_point());
        if (scaled == 0) return 0.0;
        // (1 - e) / (1 + e), where the inverse is half of 2 / (1 + e), in a quarter of its bits.
        const std::int64_t e = fixed_exp(scaled < 0 ? scaled : -scaled, 26);
        const std::int64_t y = fixed_saturate((fixed_twice_inverse(e) - 536870912) * 4);
        return static_cast<double>(fixed_divide(scaled < 0 ? -y : y, 16777216));
    };
    op_spec s{"tanh", {}, unary_reference(real, integer)};
    add_float_cases(s, kompakt::ops::tanh{});
    add_int8_cases(s, kompakt::ops::tanh{}, quantization::per_tensor_affine(1.0f / 128, 0));
    add_int16_cases(s, kompakt::ops::tanh{}, quantization::per_tensor_affine(1.0f / 32768, 0));
    return s;
}

} // namespace kompakt_test
