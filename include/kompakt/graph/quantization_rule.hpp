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
    float scale = 0.0f; // of `fixed`
    std::int32_t zero_point = 0;
    int weights = -1;      // the input that holds weights: symmetric int8 …
    int channel_axis = -1; // … per channel along this axis, -1: per tensor
    int bias = -1;         // the input that holds the bias: int32, scale of input times weights
    unsigned indices = 0;  // bit i: input i holds indices or the like, and stays as it is

    bool holds_indices(std::size_t input) const noexcept {
        return input < 32 && (indices >> input & 1) != 0;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
