// Rounding policies of quantizers: float32 to the nearest integer, which differ in ties only.
//
// Without <cmath>, exact for every float: the difference between a float and its integer part is a
// float. Values beyond 2^30 saturate, far outside of any quantizer; NaN gives 0.
#pragma once

#include <kompakt/core/random.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {
// x = whole + rest, both of x's sign, |rest| < 1.
struct float_parts {
    std::int32_t whole;
    float rest;
};
constexpr float_parts parts_of(float x) noexcept {
    constexpr float limit = 1073741824.0f;
    if (!(x > -limit)) return {x <= -limit ? -(std::int32_t{1} << 30) : 0, 0.0f};
    if (x > limit) return {std::int32_t{1} << 30, 0.0f};
    const auto whole = static_cast<std::int32_t>(x);
    return {whole, x - static_cast<float>(whole)};
}
} // namespace detail

// IEEE 754's and PyTorch's.
struct half_even {
    static constexpr std::int32_t apply(float x) noexcept {
        const detail::float_parts s = detail::parts_of(x);
        const bool odd = (s.whole & 1) != 0;
        if (s.rest > 0.5f || (s.rest == 0.5f && odd)) return s.whole + 1;
        if (s.rest < -0.5f || (s.rest == -0.5f && odd)) return s.whole - 1;
        return s.whole;
    }
};
// C's `round` and TensorFlow Lite's.
struct half_away {
    static constexpr std::int32_t apply(float x) noexcept {
        const detail::float_parts s = detail::parts_of(x);
        return s.rest >= 0.5f ? s.whole + 1 : s.rest <= -0.5f ? s.whole - 1 : s.whole;
    }
};
// floor(x + 1/2): TensorFlow's fake quantization.
struct half_up {
    static constexpr std::int32_t apply(float x) noexcept {
        const detail::float_parts s = detail::parts_of(x);
        return s.rest >= 0.5f ? s.whole + 1 : s.rest < -0.5f ? s.whole - 1 : s.whole;
    }
};

// floor(x + u), u evenly distributed in [0, 1): x in the mean. The numbers are of (seed, stream,
// step, element), so the result does not depend on the order of the elements.
// Source: Gupta et al., "Deep Learning with Limited Numerical Precision", ICML 2015.
struct stochastic {
    philox random;
    std::uint64_t step = 0;

    constexpr std::int32_t apply(float x, std::uint64_t element) const noexcept {
        const detail::float_parts s = detail::parts_of(x);
        const bool below = s.rest < 0.0f;
        const float above = below ? 1.0f + s.rest : s.rest; // x - floor(x)
        const std::int32_t floor = below ? s.whole - 1 : s.whole;
        return random.uniform(step, element) < above ? floor + 1 : floor;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
