// quantization_rule: what quantization must know of an operator.
#pragma once

#include <cstdint>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// How post-training quantization treats an operator's tensors
// (TensorFlow Lite 8-bit quantization specification).
struct quantization_rule {
    enum class kind : std::uint8_t {
        none,       // stays in float: dequantized before, quantized after
        free,       // every activation has a range of its own
        same_scale, // activation inputs and outputs share one scale and zero point
        fixed,      // the output's scale and zero point are the operator's
    };
    kind how = kind::none;
    bool float_output = true; // false: outputs of other types, which stay as they are
    float scale = 0.0f;       // of `fixed`
    std::int32_t zero_point = 0;
    int weights = -1;      // the input that holds weights: symmetric int8 …
    int channel_axis = -1; // … per channel along this axis, -1: per tensor
    int bias = -1;         // the input that holds the bias: int32, scale of input times weights
    unsigned indices = 0;  // bit i: input i holds indices or the like, and stays as it is

    bool holds_indices(std::size_t input) const noexcept {
        return input < 32 && (indices >> input & 1) != 0;
    }
};

// The rules that most operators have.
inline quantization_rule free_rule() noexcept {
    quantization_rule r;
    r.how = quantization_rule::kind::free;
    return r;
}
inline quantization_rule same_scale_rule() noexcept {
    quantization_rule r;
    r.how = quantization_rule::kind::same_scale;
    return r;
}
inline quantization_rule fixed_output_rule(float scale, std::int32_t zero_point) noexcept {
    quantization_rule r;
    r.how = quantization_rule::kind::fixed;
    r.scale = scale;
    r.zero_point = zero_point;
    return r;
}
// Input 1 holds weights with a scale for each index of `axis`, input 2 the bias.
inline quantization_rule weights_rule(int axis) noexcept {
    quantization_rule r = free_rule();
    r.weights = 1;
    r.channel_axis = axis;
    r.bias = 2;
    return r;
}

// How one input is quantized, of an operator with more constants than one pair of weights and bias
// (op::input_rules).
struct input_rule {
    enum class kind : std::uint8_t {
        activation,
        weights, // symmetric, per tensor
        bias,    // int32, of the scale of the inputs `first` times `second`
        state,
    };
    // Of a state: the output's; symmetric, from what was observed; a power of two likewise, with
    // room for twice as much; or `scale`.
    enum class scale_of : std::uint8_t { output, observed, power_of_two, fixed };

    kind what = kind::activation;
    int bits = 8;
    int first = -1, second = -1;
    scale_of state = scale_of::output;
    float scale = 0.0f;

    static input_rule weights(int bits) noexcept { return {kind::weights, bits}; }
    static input_rule bias(int first, int second) noexcept {
        return {kind::bias, 32, first, second};
    }
    static input_rule state_of(int bits, scale_of s, float scale = 0.0f) noexcept {
        return {kind::state, bits, -1, -1, s, scale};
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
