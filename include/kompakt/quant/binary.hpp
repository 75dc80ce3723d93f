// Binary weights: the sign of each, times one real number for a filter or a tensor.
// Source: Rastegari et al., "XNOR-Net", ECCV 2016: B = sign(W), alpha = mean |W|.
#pragma once

#include <kompakt/quant/statistics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct binary_quantizer {
    float scale = 1.0f;

    // +1 or -1; both zeros are +1, as is NaN.
    static constexpr std::int32_t quantize(float x) noexcept { return x < 0.0f ? -1 : 1; }
    constexpr float dequantize(std::int32_t q) const noexcept { return q < 0 ? -scale : scale; }
};

// A filter of zeros only has scale 0. NaN and infinity are errors.
inline result<binary_quantizer> fit_binary(span<const float> weights) noexcept {
    KOMPAKT_TRY(expect_finite(weights).within("binary: "));
    return binary_quantizer{mean_magnitude(weights)};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
