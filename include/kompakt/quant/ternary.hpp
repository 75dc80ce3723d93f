// Ternary weights: -1, 0 or +1, times one real number for a filter or a tensor; 0 up to a
// threshold. Sources: Li et al., "Ternary Weight Networks", 2016 (threshold 0.7 mean |W|, scale the
// mean of what is beyond it); Zhu et al., "Trained Ternary Quantization", 2016 (threshold 0.05 max
// |W|).
#pragma once

#include <kompakt/quant/statistics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct ternary_quantizer {
    float scale = 1.0f;
    float threshold = 0.0f; // at the threshold itself: 0

    constexpr std::int32_t quantize(float x) const noexcept {
        return x > threshold ? 1 : x < -threshold ? -1 : 0;
    }
    constexpr float dequantize(std::int32_t q) const noexcept {
        return q > 0 ? scale : q < 0 ? -scale : 0.0f;
    }
};

// How a threshold follows from the weights.
struct mean_threshold {
    float factor = 0.7f;
    constexpr float operator()(span<const float> weights) const noexcept {
        return factor * mean_magnitude(weights);
    }
};
struct max_threshold {
    float factor = 0.05f;
    constexpr float operator()(span<const float> weights) const noexcept {
        return factor * largest_magnitude(weights);
    }
};

// The scale is the mean magnitude of what is beyond the threshold, 0 where nothing is: all zeros.
// NaN and infinity are errors.
template <class Threshold = mean_threshold>
result<ternary_quantizer> fit_ternary(span<const float> weights, Threshold rule = {}) noexcept {
    KOMPAKT_TRY(expect_finite(weights).within("ternary: "));
    ternary_quantizer q;
    q.threshold = rule(weights);
    const float unit = largest_magnitude(weights) > 0x1p90f ? 0x1p-64f : 1.0f; // see mean_magnitude
    compensated_sum sum;
    std::size_t beyond = 0;
    for (const float x : weights) {
        if (q.quantize(x) == 0) continue;
        sum.add(magnitude_of(x) * unit);
        ++beyond;
    }
    q.scale = beyond != 0 ? sum.value / static_cast<float>(beyond) / unit : 0.0f;
    return q;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
