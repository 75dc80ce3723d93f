// The range without the outermost values: a share of 100 - p percent on each side.
#pragma once

#include <kompakt/compress/observers/histogram.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The value below which p percent lie, interpolated between the two nearest (numpy's "linear"),
// each known to a bin's mean. `bins` ascend.
inline double percentile_of(const std::vector<histogram::bin>& bins, double p) {
    std::uint64_t total = 0;
    for (const auto& b : bins) total += b.count;
    if (total == 0) return 0.0;
    const double rank =
        (std::min)((std::max)(p / 100.0, 0.0), 1.0) * static_cast<double>(total - 1);
    const auto below = static_cast<std::uint64_t>(rank);
    const auto value = [&](std::uint64_t k) {
        std::uint64_t seen = 0;
        for (const auto& b : bins) {
            seen += b.count;
            if (k < seen) return b.mean;
        }
        return bins.back().mean;
    };
    const double at = value(below), next = value(below + 1);
    return at + (rank - static_cast<double>(below)) * (next - at);
}

class percentile_observer : public histogram_observer {
  public:
    explicit percentile_observer(double percentile = 99.999, int mantissa_bits = 10)
        : histogram_observer(mantissa_bits), percentile_(percentile) {}

    value_range range() const override {
        const auto bins = values().bins();
        const value_range all = values().range();
        const auto inside = [&](double v) {
            return (std::min)((std::max)(static_cast<float>(v), all.min), all.max);
        };
        return {inside(percentile_of(bins, 100.0 - percentile_)),
                inside(percentile_of(bins, percentile_))};
    }

  private:
    double percentile_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
