// A histogram for data of unknown range and any amount, in one pass.
//
// Bins are cut along the float format: sign, exponent and the leading mantissa bits say the bin, so
// that their width is relative to the value (2^-10 of an octave). Nothing has to be re-binned when
// the range grows, one outlier of 1e6 costs no resolution elsewhere, and the result depends neither
// on the order of the data nor on how it was cut into parts: histograms merge exactly.
#pragma once

#include <kompakt/compress/observers/min_max.hpp>

#include <cmath>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class histogram {
  public:
    // Memory: 16 * 2^mantissa_bits bytes for each octave and sign that occurs.
    explicit histogram(int mantissa_bits = 10) : low_bits_(23 - mantissa_bits) {}

    struct bin {
        double low, high; // low <= value < high, or both 0
        double mean;      // of its values
        std::uint64_t count;
    };

    status add(span<const float> values) {
        KOMPAKT_TRY(check_finite(values));
        if (values.empty()) return {};
        const value_range r = range_of_values(values);
        range_ = count_ != 0 ? unite(range_, r) : r;
        count_ += values.size();
        for (float v : values) {
            std::uint32_t u;
            std::memcpy(&u, &v, sizeof u);
            const std::uint32_t octave = u >> 23;
            if ((octave & 0xff) < smallest_exponent) {
                ++zeros_;
                continue;
            }
            std::vector<slot>& slots = octaves_[octave];
            if (slots.empty()) slots.resize(std::size_t{1} << (23 - low_bits_));
            slot& s = slots[(u & 0x7fffff) >> low_bits_];
            ++s.count;
            s.low_bits += u & ((1u << low_bits_) - 1);
        }
        return {};
    }
    // Both with the same number of mantissa bits.
    void merge(const histogram& other) {
        KOMPAKT_ASSERT(low_bits_ == other.low_bits_, "histogram: other bins");
        if (other.count_ == 0) return;
        range_ = count_ != 0 ? unite(range_, other.range_) : other.range_;
        count_ += other.count_;
        zeros_ += other.zeros_;
        for (std::size_t o = 0; o < octave_count; ++o) {
            if (other.octaves_[o].empty()) continue;
            octaves_[o].resize(other.octaves_[o].size());
            for (std::size_t i = 0; i < octaves_[o].size(); ++i) {
                octaves_[o][i].count += other.octaves_[o][i].count;
                octaves_[o][i].low_bits += other.octaves_[o][i].low_bits;
            }
        }
    }

    std::uint64_t count() const noexcept { return count_; }
    value_range range() const noexcept { return range_; } // exact

    // All bins that are not empty, from the lowest values to the highest.
    std::vector<bin> bins() const {
        std::vector<bin> all;
        for (std::size_t o = octave_count; o-- > octave_count / 2;) {
            for (std::size_t i = octaves_[o].size(); i-- > 0;) add_bin(all, o, i);
        }
        if (zeros_ != 0) all.push_back({0.0, 0.0, 0.0, zeros_});
        for (std::size_t o = 0; o < octave_count / 2; ++o) {
            for (std::size_t i = 0; i < octaves_[o].size(); ++i) add_bin(all, o, i);
        }
        return all;
    }

  private:
    // Below 2^-64, values count as 0: no scale is that small.
    static constexpr std::uint32_t smallest_exponent = 127 - 64;
    static constexpr std::size_t octave_count = 512; // sign and exponent

    // The mantissa bits that do not choose the bin are summed up: their mean is the bin's, exactly
    // and in any order.
    struct slot {
        std::uint64_t count = 0, low_bits = 0;
    };

    void add_bin(std::vector<bin>& all, std::size_t octave, std::size_t i) const {
        const slot& s = octaves_[octave][i];
        if (s.count == 0) return;
        const double unit = std::ldexp(1.0, static_cast<int>(octave & 0xff) - 127 - 23);
        const double width = std::ldexp(unit, low_bits_);
        const double low = 8388608.0 * unit + static_cast<double>(i) * width;
        const double mean =
            low + static_cast<double>(s.low_bits) / static_cast<double>(s.count) * unit;
        if (octave < octave_count / 2) {
            all.push_back({low, low + width, mean, s.count});
        } else {
            all.push_back({-low - width, -low, -mean, s.count});
        }
    }

    int low_bits_;
    std::uint64_t count_ = 0, zeros_ = 0;
    value_range range_;
    std::vector<slot> octaves_[octave_count];
};

// Magnitudes: the bins of |x|, ascending.
inline std::vector<histogram::bin> magnitudes(const std::vector<histogram::bin>& bins) {
    std::vector<histogram::bin> all = bins;
    for (histogram::bin& b : all) {
        if (b.mean < 0.0) b = {-b.high, -b.low, -b.mean, b.count};
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.mean < b.mean; });
    return all;
}

// An observer on a histogram: all of them merge.
class histogram_observer : public observer {
  public:
    explicit histogram_observer(int mantissa_bits = 10) : values_(mantissa_bits) {}

    status observe(span<const float> values) override { return values_.add(values); }
    void merge(const histogram_observer& other) { values_.merge(other.values_); }
    const histogram& values() const noexcept { return values_; }
    value_range range() const override { return values_.range(); }

  private:
    histogram values_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
