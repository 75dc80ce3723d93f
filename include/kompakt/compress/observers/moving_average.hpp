// Exponential moving averages of the smallest and the largest value of each part.
#pragma once

#include <kompakt/compress/observers/min_max.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The first part initialises; then m += c * (m_part - m). Depends on the order of the parts.
class moving_average_observer : public observer {
  public:
    explicit moving_average_observer(float constant = 0.01f) noexcept : constant_(constant) {}

    status observe(span<const float> values) override {
        KOMPAKT_TRY(check_finite(values));
        if (values.empty()) return {};
        const value_range r = range_of_values(values);
        if (!seen_) {
            range_ = r;
        } else {
            range_.min += constant_ * (r.min - range_.min);
            range_.max += constant_ * (r.max - range_.max);
        }
        seen_ = true;
        return {};
    }
    value_range range() const override { return range_; }

  private:
    float constant_;
    bool seen_ = false;
    value_range range_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
