// The threshold whose clipped and quantized distribution is nearest to the observed one in
// Kullback-Leibler divergence. Source: S. Migacz, "8-bit Inference with TensorRT", GTC 2017.
#pragma once

#include <kompakt/compress/observers/histogram.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct kl_search {
    std::size_t best_bins = 0; // kept; the threshold is (best_bins + 1/2) bin widths
    double divergence = std::numeric_limits<double>::infinity();
};

// `counts` is a histogram of |x| in bins of equal width from 0 on. For each number i of bins kept:
// P are the first i bins, what lies above added to the last; Q are the first i bins alone, merged
// into `levels` groups (cut at k * i / levels), each spread evenly over its bins that are not
// empty. Undefined in the source, and infinite here: Q = 0 where P > 0.
inline kl_search search_kl(const std::vector<double>& counts, std::size_t levels) {
    kl_search best;
    best.best_bins = counts.size();
    std::vector<double> sums(counts.size() + 1, 0.0);
    for (std::size_t i = 0; i < counts.size(); ++i) sums[i + 1] = sums[i] + counts[i];
    std::vector<std::size_t> filled(counts.size() + 1, 0);
    for (std::size_t i = 0; i < counts.size(); ++i) filled[i + 1] = filled[i] + (counts[i] > 0.0);
    const double total = sums.back();
    for (std::size_t kept = levels; kept <= counts.size(); ++kept) {
        const double inside = sums[kept], above = total - inside;
        if (!(inside > 0.0) || (above > 0.0 && !(counts[kept - 1] > 0.0))) continue;
        double divergence = 0.0;
        for (std::size_t k = 0; k < levels; ++k) {
            const std::size_t from = k * kept / levels, to = (k + 1) * kept / levels;
            const std::size_t n = filled[to] - filled[from];
            if (n == 0) continue;
            const double q = (sums[to] - sums[from]) / static_cast<double>(n) / inside;
            for (std::size_t i = from; i < to; ++i) {
                if (!(counts[i] > 0.0)) continue;
                const double p = (counts[i] + (i + 1 == kept ? above : 0.0)) / total;
                divergence += p * std::log(p / q);
            }
        }
        if (divergence < best.divergence) best = {kept, divergence};
    }
    return best;
}

class kl_observer : public histogram_observer {
  public:
    // 128 levels of magnitude are int8's when both signs occur; one sign has all 256.
    explicit kl_observer(std::size_t bins = 2048, std::size_t levels = 128)
        : bins_(bins), levels_(levels) {}

    value_range range() const override {
        const value_range all = values().range();
        const double largest = (std::max)(std::fabs(static_cast<double>(all.min)),
                                          std::fabs(static_cast<double>(all.max)));
        if (!(largest > 0.0)) return all;
        const double width = largest / static_cast<double>(bins_);
        std::vector<double> counts(bins_, 0.0);
        for (const auto& b : magnitudes(values().bins())) {
            // Zeros say nothing about where to clip, and after a relu they are most of the values.
            if (b.high == 0.0) continue;
            spread(counts, b.low / width, b.high / width, static_cast<double>(b.count));
        }
        const bool one_sign = all.min >= 0.0f || all.max <= 0.0f;
        const kl_search best = search_kl(counts, one_sign ? 2 * levels_ : levels_);
        const auto t = static_cast<float>((static_cast<double>(best.best_bins) + 0.5) * width);
        return {(std::max)(all.min, -t), (std::min)(all.max, t)};
    }

  private:
    // A bin's count goes to all equal bins that it touches, by its share of each.
    static void spread(std::vector<double>& counts, double from, double to, double count) {
        const auto last = static_cast<double>(counts.size());
        to = (std::min)(to, last);
        from = (std::min)(from, last - 1.0);
        if (!(to > from)) to = from;
        const auto first = static_cast<std::size_t>(from);
        for (std::size_t i = first;
             i < counts.size() && (i == first || static_cast<double>(i) < to); ++i) {
            const double lo = (std::max)(from, static_cast<double>(i));
            const double hi = (std::min)(to, static_cast<double>(i + 1));
            counts[i] += to > from ? count * (hi - lo) / (to - from) : count;
        }
    }

    std::size_t bins_, levels_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
