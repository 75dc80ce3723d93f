// The range whose quantizer has the smallest error, squared (MSE) or absolute (MAE), on the values.
#pragma once

#include <kompakt/compress/observers/histogram.hpp>
#include <kompakt/quant/affine.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class error_norm : std::uint8_t { squared, absolute };

// Mean error of the values under a quantizer; a bin counts as its mean.
inline double quantization_error(const std::vector<histogram::bin>& bins, const affine_quantizer& a,
                                 error_norm norm) {
    double sum = 0.0, count = 0.0;
    for (const auto& b : bins) {
        const auto x = static_cast<float>(b.mean);
        const double e = b.mean - static_cast<double>(a.dequantize(a.quantize<half_even>(x)));
        const auto n = static_cast<double>(b.count);
        sum += n * (norm == error_norm::squared ? e * e : std::fabs(e));
        count += n;
    }
    return count > 0.0 ? sum / count : 0.0;
}

struct range_search {
    int best_step = 0; // of `steps`
    float threshold = 0.0f;
    double error = 0.0;
};
// Symmetric: thresholds k / steps * max|x|, k from 1 on; the first minimum wins.
inline range_search search_symmetric(const std::vector<histogram::bin>& bins, float max_magnitude,
                                     integer_range r, error_norm norm, int steps = 100) {
    range_search best;
    for (int k = 1; k <= steps; ++k) {
        const float t = max_magnitude * (static_cast<float>(k) / static_cast<float>(steps));
        const double e = quantization_error(bins, symmetric_affine(-t, t, r), norm);
        if (best.best_step == 0 || e < best.error) best = {k, t, e};
    }
    return best;
}

// Asymmetric: shrinks both ends together, then each by itself. Where equal, the wider range wins.
inline value_range search_asymmetric(const std::vector<histogram::bin>& bins, value_range all,
                                     integer_range r, error_norm norm, int steps = 100) {
    float lo = 1.0f, hi = 1.0f;
    double best = -1.0;
    const auto attempt = [&](float try_lo, float try_hi) {
        const double e = quantization_error(
            bins, asymmetric_affine(all.min * try_lo, all.max * try_hi, r), norm);
        if (best < 0.0 || e < best) {
            best = e;
            lo = try_lo;
            hi = try_hi;
        }
    };
    const auto part = [&](int k) { return static_cast<float>(k) / static_cast<float>(steps); };
    for (int k = steps; k >= 1; --k) attempt(part(k), part(k));
    if (all.min < 0.0f && all.max > 0.0f) {
        const float joint_lo = lo;
        for (int k = steps; k >= 1; --k) attempt(joint_lo, part(k));
        const float best_hi = hi;
        for (int k = steps; k >= 1; --k) attempt(part(k), best_hi);
    }
    return {all.min * lo, all.max * hi};
}

class mse_observer : public histogram_observer {
  public:
    explicit mse_observer(integer_range integers = signed_range(8),
                          error_norm norm = error_norm::squared)
        : integers_(integers), norm_(norm) {}

    value_range range() const override {
        return search_asymmetric(values().bins(), values().range(), integers_, norm_);
    }

  private:
    integer_range integers_;
    error_norm norm_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
