// PyTorch's HistogramObserver: a histogram of equal bins that is stretched when the range grows,
// and a greedy search for the range with the smallest squared error.
//
// Source: PyTorch 1.13, torch/ao/quantization/observer.py, without its bug that cuts the limits of
// the histogram to integers. For comparison with models calibrated there; `mse_observer` needs no
// re-binning and searches on finer bins.
#pragma once

#include <kompakt/compress/observers/min_max.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class torch_histogram_observer : public observer {
  public:
    explicit torch_histogram_observer(std::size_t bins = 2048, std::size_t upsample_rate = 128,
                                      std::size_t levels = 256)
        : upsample_rate_(upsample_rate), levels_(levels), counts_(bins, 0.0) {}

    status observe(span<const float> values) override {
        KOMPAKT_TRY(check_finite(values));
        if (values.empty()) return {};
        const value_range r = range_of_values(values);
        if (!seen_) {
            range_ = r;
        } else {
            const value_range joint = unite(range_, r);
            if (joint.min != range_.min || joint.max != range_.max) stretch(joint);
        }
        seen_ = true;
        for (float v : values) {
            if (v >= range_.min && v <= range_.max) counts_[bin_of(v)] += 1.0;
        }
        return {};
    }

    const std::vector<double>& counts() const noexcept { return counts_; }
    value_range observed() const noexcept { return range_; }

    struct search_result {
        std::size_t first, last; // bins kept
    };
    search_result search() const {
        constexpr double step = 1e-5;
        std::vector<double> sums(counts_.size());
        double total = 0.0;
        for (std::size_t i = 0; i < counts_.size(); ++i) sums[i] = total += counts_[i];
        search_result best = {0, counts_.size() - 1};
        double alpha = 0.0, beta = 1.0, smallest = std::numeric_limits<double>::infinity();
        while (alpha < beta) {
            const double next_alpha = alpha + step, next_beta = beta - step;
            std::size_t l = best.first, r = best.last;
            while (l < best.last && sums[l] < next_alpha * total) ++l;
            while (r > best.first && sums[r] > next_beta * total) --r;
            search_result next = best;
            if (l - best.first > best.last - r) {
                next.first = l;
                alpha = next_alpha;
            } else {
                next.last = r;
                beta = next_beta;
            }
            if (next.first == best.first && next.last == best.last) continue;
            const double e = error(next);
            if (e > smallest) break;
            smallest = e;
            best = next;
        }
        return best;
    }
    value_range range() const override {
        if (!seen_) return {};
        const search_result s = search();
        const float w = width();
        return {range_.min + w * static_cast<float>(s.first),
                range_.min + w * static_cast<float>(s.last + 1)};
    }

  private:
    float width() const noexcept {
        return (range_.max - range_.min) / static_cast<float>(counts_.size());
    }
    std::size_t bin_of(float v) const noexcept {
        const float span_of_values = range_.max - range_.min;
        if (!(span_of_values > 0.0f)) return 0;
        const auto n = static_cast<float>(counts_.size());
        const auto i = static_cast<std::size_t>((v - range_.min) * n / span_of_values);
        return (std::min)(i, counts_.size() - 1); // the largest value belongs to the last bin
    }

    // The old bins, each cut into `upsample_rate` parts, are laid into bins of the joint range,
    // whose upper end moves up so that the bins' width is a multiple of a part's.
    void stretch(value_range joint) {
        const std::size_t bins = counts_.size();
        const double part = (static_cast<double>(range_.max) - static_cast<double>(range_.min)) /
                            static_cast<double>(bins * upsample_rate_);
        const double old_span = static_cast<double>(joint.max) - static_cast<double>(joint.min);
        std::vector<double> stretched(bins, 0.0);
        double total = 0.0;
        for (double c : counts_) total += c;
        const double factor = std::ceil(old_span / (static_cast<double>(bins) * part));
        // One value only until now, or a range that grows beyond all measure: keep the count.
        if (!(part > 0.0) || !(factor < 1e6)) {
            const float at = range_.min;
            range_ = joint;
            stretched[bin_of(at)] = total;
            counts_ = std::move(stretched);
            return;
        }
        const auto down = static_cast<std::size_t>(factor);
        const double grown = static_cast<double>(down * bins) * part;
        const auto start = static_cast<std::size_t>((std::nearbyint)(
            (static_cast<double>(range_.min) - static_cast<double>(joint.min)) / part));
        for (std::size_t i = 0; i < bins * upsample_rate_; ++i) {
            const std::size_t to = (std::min)((start + i) / down, bins - 1);
            stretched[to] += counts_[i / upsample_rate_];
        }
        for (double& c : stretched) c /= static_cast<double>(upsample_rate_);
        counts_ = std::move(stretched);
        range_ = {joint.min, static_cast<float>(static_cast<double>(joint.min) + grown)};
    }

    // Squared distance of all values, taken as even within their bins, from the nearest of `levels`
    // points in the bins that are kept.
    double error(const search_result& kept) const {
        const auto w = static_cast<double>(width());
        const auto levels = static_cast<double>(levels_);
        const double step = w * static_cast<double>(kept.last - kept.first + 1) / levels;
        if (!(step > 0.0)) return 0.0;
        const auto integral = [](double from, double to) {
            return (to * to * to - from * from * from) / 3.0;
        };
        const auto level = [&](double x) {
            return (std::min)((std::max)(std::floor(x / step), 0.0), levels - 1.0);
        };
        double sum = 0.0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const double from = (static_cast<double>(i) - static_cast<double>(kept.first)) * w;
            const double to = from + w;
            const double a = level(from), b = level(to);
            const double distance = integral(from - (a + 0.5) * step, step / 2) +
                                    (b - a - 1.0) * integral(-step / 2, step / 2) +
                                    integral(-step / 2, to - (b + 0.5) * step);
            sum += counts_[i] / w * distance;
        }
        return sum;
    }

    std::size_t upsample_rate_, levels_;
    bool seen_ = false;
    value_range range_;
    std::vector<double> counts_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
