// Real numbers to integer multipliers: computed on the host in double and stored, never on a
// device.
#pragma once

#include <kompakt/numeric/fixed_point.hpp>

#include <cmath>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// value = q31 * 2^(shift - 31) with q31 in [2^30, 2^31): half away from zero; too small gives zero.
inline multiplier quantize_multiplier(double value) noexcept {
    if (!(value > 0.0) || !std::isfinite(value)) return {};
    int shift = 0;
    const double mantissa = std::frexp(value, &shift);
    auto q = static_cast<std::int64_t>((std::round)(mantissa * 2147483648.0));
    if (q == std::int64_t{1} << 31) {
        q /= 2;
        ++shift;
    }
    if (shift < min_multiplier_shift) return {};
    if (shift > max_multiplier_shift) return {INT32_MAX, max_multiplier_shift};
    return {static_cast<std::int32_t>(q), shift};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
