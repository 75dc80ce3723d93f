// What the references have in common, written from the semantics: requantization in exact integers,
// fused activations, windows.
#pragma once

#include "spec.hpp"

#include <kompakt/graph/ops/shared.hpp>

namespace kompakt_test {

// round(half away) of the 31-bit mantissa and the exponent, as TensorFlow Lite stores a multiplier.
struct reference_multiplier {
    std::int64_t mantissa = 0; // value = mantissa * 2^(exponent - 31)
    int exponent = 0;

    explicit reference_multiplier(double value) {
        while (value >= 1.0) value /= 2, ++exponent;
        while (value < 0.5) value *= 2, --exponent;
        mantissa = static_cast<std::int64_t>(std::floor(value * 2147483648.0 + 0.5));
        if (mantissa == 2147483648) mantissa /= 2, ++exponent;
        if (exponent < -31) mantissa = 0, exponent = 0;
    }

    // The accumulator times the multiplier, rounded twice: to 2^-31 with ties upward, then to an
    // integer with ties away from zero.
    std::int64_t apply(std::int64_t accumulator) const {
        const auto shifted = static_cast<std::int32_t>(static_cast<std::uint32_t>(
            static_cast<std::uint64_t>(accumulator) << (exponent > 0 ? exponent : 0)));
        const std::int64_t first =
            floor_of(std::int64_t{shifted} * mantissa + 1073741824, 2147483648);
        if (exponent >= 0) return first;
        const std::int64_t divisor = std::int64_t{1} << -exponent;
        const std::int64_t magnitude = ((first < 0 ? -first : first) + divisor / 2) / divisor;
        return first < 0 ? -magnitude : magnitude;
    }
    // Of sums of 64 bits: the mantissa cut to 15 bits, rounded once, ties upward.
    std::int64_t apply_wide(std::int64_t accumulator) const {
        const std::int64_t q15 = (std::min)(floor_of(mantissa + 32768, 65536), std::int64_t{32767});
        const std::int64_t divisor = std::int64_t{1} << (15 - exponent);
        return wrapped_to_int32(floor_of(accumulator * q15 + divisor / 2, divisor));
    }
    static std::int64_t wrapped_to_int32(std::int64_t x) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
    }
    static std::int64_t floor_of(std::int64_t a, std::int64_t b) {
        const std::int64_t q = a / b;
        return a % b != 0 && a < 0 ? q - 1 : q;
    }
};

// The least and the greatest value after the fused activation, in the output's own numbers.
struct reference_clamp {
    double lo, hi;

    reference_clamp(kompakt::activation a, const kompakt::graph_tensor& out) {
        const bool integer = out.type != dtype::f32;
        lo = -std::numeric_limits<double>::infinity();
        hi = std::numeric_limits<double>::infinity();
        if (out.type == dtype::i8) lo = -128, hi = 127;
        if (out.type == dtype::i16) lo = -32768, hi = 32767;
        const auto number = [&](float real) {
            if (!integer) return static_cast<double>(real);
            return static_cast<double>(std::round(real / out.quantization->scale())) +
                   out.quantization->zero_point();
        };
        if (a == kompakt::activation::relu || a == kompakt::activation::relu6) {
            lo = (std::max)(lo, number(0.0f));
        }
        if (a == kompakt::activation::relu6) hi = (std::min)(hi, number(6.0f));
        if (a == kompakt::activation::relu_n1_to_1) {
            lo = (std::max)(lo, number(-1.0f));
            hi = (std::min)(hi, number(1.0f));
        }
    }
    double apply(double x) const { return x < lo ? lo : x > hi ? hi : x; }
};

// Wraps to int32, as accumulators do.
inline std::int64_t wrapped(std::int64_t x) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
}

// The end of every convolution and matrix product: from the sum of products to the output's number.
class reference_output {
  public:
    // `scales_in_float`: one scale per tensor is multiplied in float32 first. `int32_sums`: what
    // the operator says of int16 without a bias.
    reference_output(const op_arguments& a, kompakt::activation fused, bool scales_in_float,
                     bool int32_sums = false)
        : arguments_(&a), clamp_(fused, a.output()) {
        wide_ = a.output().type == dtype::i16 &&
                (a.has(2) ? a.tensor(2).type != dtype::i32 : !int32_sums);
        if (!a.integer()) return;
        const quantization &in = *a.tensor(0).quantization, &w = *a.tensor(1).quantization,
                           &out = *a.output().quantization;
        for (float s : w.scales) {
            double product = static_cast<double>(in.scale()) * static_cast<double>(s);
            if (scales_in_float && w.scales.size() == 1) {
                const float narrow = in.scale() * s;
                product = static_cast<double>(narrow);
            }
            multipliers_.emplace_back(product / static_cast<double>(out.scale()));
        }
    }
    double operator()(double sum, std::size_t channel) const {
        if (arguments_->has(2)) sum += arguments_->inputs[2].data[channel];
        if (!arguments_->integer()) return clamp_.apply(sum);
        const reference_multiplier& m = multipliers_[multipliers_.size() == 1 ? 0 : channel];
        const std::int64_t scaled = wide_ ? m.apply_wide(static_cast<std::int64_t>(sum))
                                          : m.apply(wrapped(static_cast<std::int64_t>(sum)));
        return clamp_.apply(
            static_cast<double>(scaled + arguments_->output().quantization->zero_point()));
    }

  private:
    const op_arguments* arguments_;
    reference_clamp clamp_;
    std::vector<reference_multiplier> multipliers_;
    bool wide_ = false;
};

// The zero point that is subtracted from input `i`; 0 for float.
inline double zero_of(const op_arguments& a, std::size_t i) {
    return a.integer() && a.tensor(i).quantization ? a.tensor(i).quantization->zero_point() : 0.0;
}

// Calls `tap(ky, kx, y, x)` for every tap of the window of output (oy, ox) that meets the input.
template <class Tap>
void reference_window(const kompakt::ops::window_attributes& w, std::int64_t kernel_h,
                      std::int64_t kernel_w, std::int64_t in_h, std::int64_t in_w, std::int64_t oy,
                      std::int64_t ox, Tap&& tap) {
    for (std::int64_t ky = 0; ky < kernel_h; ++ky) {
        for (std::int64_t kx = 0; kx < kernel_w; ++kx) {
            const std::int64_t y = oy * w.stride_h + ky * w.dilation_h - w.pad_top;
            const std::int64_t x = ox * w.stride_w + kx * w.dilation_w - w.pad_left;
            if (y >= 0 && y < in_h && x >= 0 && x < in_w) tap(ky, kx, y, x);
        }
    }
}

// --- Cases of windowed and matrix operators ---------------------------------------------------

enum class padding { valid, same, symmetric, lopsided };

// A layer with weights, before it becomes a graph.
struct layer {
    std::string name;
    std::int64_t n = 1, h = 1, w = 1, c = 1;
    std::int64_t out = 1; // output channels; of depthwise: per input channel
    std::int64_t kernel_h = 1, kernel_w = 1;
    int stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
    padding pad = padding::valid;
    std::int64_t groups = 1;
    kompakt::activation fused = kompakt::activation::none;
    bool bias = true, per_channel = true;
    int zero_point = 3, output_zero_point = -5;
    double multiplier = 0.0; // 0: one that spreads the outputs over the range
    int weights = 1000;      // all of this value; 1000: random
    bool int4 = false;       // weights beside int8
    bool int32_sums = false; // of int16
    bool bench = false;
};

inline std::string form_of(const layer& l, dtype type) {
    if (type == dtype::f32) return " float32";
    const std::string what = l.int4              ? " int4"
                             : type == dtype::i8 ? " int8"
                             : l.int32_sums      ? " int16, sums of 32 bits"
                                                 : " int16";
    return what + (l.per_channel ? "" : " per tensor");
}

inline kompakt::ops::window_attributes window_of(const layer& l) {
    kompakt::ops::window_attributes w;
    w.stride_h = l.stride_h, w.stride_w = l.stride_w;
    w.dilation_h = l.dilation_h, w.dilation_w = l.dilation_w;
    if (l.pad == padding::same) w.pad_same(l.h, l.w, l.kernel_h, l.kernel_w);
    if (l.pad == padding::symmetric) {
        w.pad_top = w.pad_bottom = static_cast<std::int32_t>(l.kernel_h / 2);
        w.pad_left = w.pad_right = static_cast<std::int32_t>(l.kernel_w / 2);
    }
    if (l.pad == padding::lopsided) {
        w.pad_bottom = static_cast<std::int32_t>(l.kernel_h - 1);
        w.pad_left = static_cast<std::int32_t>(l.kernel_w - 1);
    }
    return w;
}

// A graph of `op` with weights of `filter`, whose channels lie along `axis`; `fan_in` products make
// one sum. `type` is int8, int16 or float32.
template <class Op>
op_case weighted_case(const layer& l, dtype type, Op op, kompakt::shape in, kompakt::shape filter,
                      int axis, std::int64_t fan_in) {
    case_builder b(l.name + form_of(l, type));
    dice d(7);
    const std::size_t channels =
        static_cast<std::size_t>(filter[static_cast<std::size_t>(axis)].value());
    const std::size_t n = *kompakt::element_count(filter);
    const kompakt::shape bias_shape{static_cast<std::int64_t>(channels)};
    if (type == dtype::f32) {
        const float spread = 1.0f / std::sqrt(static_cast<float>(fan_in));
        std::vector<float> weights(n), bias(channels);
        for (float& x : weights) x = d.real(-spread, spread);
        for (float& x : bias) x = d.real(-1.0f, 1.0f);
        std::vector<tensor_id> operands{b.input(type, std::move(in)),
                                        b.constant("filter", std::move(filter), weights)};
        if (l.bias) operands.push_back(b.constant("bias", bias_shape, bias));
        return b.finish(std::move(op), std::move(operands), {}, l.bench);
    }
    std::vector<std::int8_t> weights(n);
    for (std::int8_t& x : weights) {
        const int most = l.int4 ? 8 : 128;
        x = static_cast<std::int8_t>(l.weights == 1000 ? d.between(-most, most - 1)
                                                       : l.weights * most / 128);
    }
    const float in_scale = 0.0173f;
    quantization w;
    w.axis = l.per_channel ? axis : -1;
    w.scales.assign(l.per_channel ? channels : 1, 0.0031f);
    if (l.per_channel) {
        for (float& s : w.scales) s = d.real(0.001f, 0.005f);
    }
    w.zero_points.assign(w.scales.size(), 0);
    // From the deviation of sums of products to a part of the output's range.
    const bool i16 = type == dtype::i16;
    const double deviation = (i16 ? 18900.0 : 74.0) * (l.int4 ? 4.6 : 74.0);
    const double spread = i16 ? 9000.0 : 60.0;
    const double m = l.multiplier != 0.0
                         ? l.multiplier
                         : spread / (deviation * std::sqrt(static_cast<double>(fan_in)));
    const auto out_scale = static_cast<float>(static_cast<double>(in_scale) * 0.0031 / m);
    std::vector<std::int32_t> bias(channels);
    const auto most = static_cast<std::int64_t>((std::min)(spread / m, 1e9));
    for (std::int32_t& x : bias) x = static_cast<std::int32_t>(d.between(-most, most));
    std::vector<tensor_id> operands{b.input(
        type, std::move(in), quantization::per_tensor_affine(in_scale, i16 ? 0 : l.zero_point))};
    operands.push_back(l.int4 ? b.packed("filter", std::move(filter), weights, std::move(w))
                              : b.constant("filter", std::move(filter), weights, std::move(w)));
    if (l.bias && i16 && !l.int32_sums) {
        operands.push_back(
            b.constant("bias", bias_shape, std::vector<std::int64_t>(bias.begin(), bias.end())));
    } else if (l.bias) {
        operands.push_back(b.constant("bias", bias_shape, bias));
    }
    return b.finish(std::move(op), std::move(operands),
                    quantization::per_tensor_affine(out_scale, i16 ? 0 : l.output_zero_point),
                    l.bench);
}

} // namespace kompakt_test
