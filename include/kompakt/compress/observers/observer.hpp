// An observer sees all values that a tensor takes on calibration data, in any number of parts, and
// then says which range to quantize.
#pragma once

#include <kompakt/core/status.hpp>

#include <algorithm>
#include <cstring>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct value_range {
    float min = 0.0f, max = 0.0f;
};
inline value_range unite(const value_range& a, const value_range& b) noexcept {
    return {(std::min)(a.min, b.min), (std::max)(a.max, b.max)};
}

// NaN and infinities are errors, since they would spoil any range without a trace. The caller says
// of which tensor ("tensor conv1: value 3 of 12 is NaN").
inline status check_finite(span<const float> values) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) {
        // Not by comparison, which -ffast-math would fold away.
        std::uint32_t u;
        std::memcpy(&u, &values[i], sizeof u);
        if (((u >> 23) & 0xff) != 0xff) continue;
        return fail(errc::bad_data, "value ", i, " of ", values.size(), " is ",
                    (u & 0x7fffff) != 0 ? "NaN" : "infinite");
    }
    return {};
}

class observer {
  public:
    virtual ~observer() = default;
    // Nothing is taken in when there is an error.
    virtual status observe(span<const float> values) = 0;
    // {0, 0} before anything was observed. Need not hold 0: the quantizer widens it.
    virtual value_range range() const = 0;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
