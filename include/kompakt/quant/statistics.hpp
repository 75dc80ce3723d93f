// What quantizers need to know of their data, without double: sums are compensated (Kahan), so that
// the mean of a million weights is as good as float32 can hold it.
#pragma once

#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct compensated_sum {
    float value = 0.0f, carry = 0.0f;

    constexpr void add(float x) noexcept {
        const float y = x - carry, next = value + y;
        carry = (next - value) - y;
        value = next;
    }
};

constexpr float magnitude_of(float x) noexcept {
    return x < 0.0f ? -x : x;
}

// An error that names the first element which is NaN or infinite.
inline status expect_finite(span<const float> values) noexcept {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(magnitude_of(values[i]) < std::numeric_limits<float>::infinity())) {
            return fail(errc::bad_argument, "element ", i, " of ", values.size(), " is ",
                        values[i] != values[i] ? "NaN" : "infinite", ", needed finite numbers");
        }
    }
    return {};
}

// 0 where there are no elements. Scaled first, so that the sum cannot overflow.
constexpr float mean_magnitude(span<const float> values) noexcept {
    if (values.empty()) return 0.0f;
    float most = 0.0f;
    for (const float x : values) most = magnitude_of(x) > most ? magnitude_of(x) : most;
    const float unit = most > 0x1p90f ? 0x1p-64f : 1.0f;
    compensated_sum sum;
    for (const float x : values) sum.add(magnitude_of(x) * unit);
    return sum.value / static_cast<float>(values.size()) / unit;
}
constexpr float largest_magnitude(span<const float> values) noexcept {
    float most = 0.0f;
    for (const float x : values) most = magnitude_of(x) > most ? magnitude_of(x) : most;
    return most;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
