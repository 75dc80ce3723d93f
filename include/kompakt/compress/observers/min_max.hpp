// The smallest and the largest value of all.
#pragma once

#include <kompakt/compress/observers/observer.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline value_range range_of_values(span<const float> values) noexcept {
    value_range r;
    if (!values.empty()) r = {values[0], values[0]};
    for (float v : values) r = unite(r, {v, v});
    return r;
}

class min_max_observer : public observer {
  public:
    status observe(span<const float> values) override {
        KOMPAKT_TRY(check_finite(values));
        if (values.empty()) return {};
        const value_range r = range_of_values(values);
        range_ = seen_ ? unite(range_, r) : r;
        seen_ = true;
        return {};
    }
    value_range range() const override { return range_; }

  private:
    bool seen_ = false;
    value_range range_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
