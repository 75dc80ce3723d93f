// Requantization: scaling an int32 accumulator by a real multiplier, in integers.
//
// A multiplier is a pair (q31, shift) that stands for q31 * 2^(shift - 31); it is computed on the
// host (graph/multiplier.hpp) and stored. THE normative rounding of kompakt is `double_rounding`,
// the one that TensorFlow Lite Micro's reference kernels have as built by default. Rounding twice
// or once changes about 2 % of the outputs by one, so it is a policy of the call, never a global
// choice. Source: Jacob et al., "Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference", CVPR 2018, and TensorFlow Lite's quantization specification.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Arithmetic that wraps instead of being undefined: accumulators of hostile models overflow.
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t wrap_add(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t wrap_sub(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t wrap_mul(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t wrap_shl(std::int32_t a, int n) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << n);
}

KOMPAKT_ALWAYS_INLINE constexpr std::int32_t clamp(std::int32_t x, std::int32_t lo,
                                                   std::int32_t hi) noexcept {
    return x < lo ? lo : x > hi ? hi : x;
}

constexpr std::int32_t saturate_i32(std::int64_t x) noexcept {
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : static_cast<std::int32_t>(x);
}
constexpr std::int16_t saturate_i16(std::int32_t x) noexcept {
    return static_cast<std::int16_t>(clamp(x, INT16_MIN, INT16_MAX));
}

// round(a * b / 2^31), saturated for a = b = INT32_MIN. Ties go away from zero for positive
// products; the nudge and the truncating division make negative ties go up.
constexpr std::int32_t rounding_doubling_high_mul(std::int32_t a, std::int32_t b) noexcept {
    if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
    const std::int64_t product = static_cast<std::int64_t>(a) * b;
    const std::int64_t nudge = product >= 0 ? (std::int64_t{1} << 30) : 1 - (std::int64_t{1} << 30);
    // Division by 2^31 that truncates toward zero, as shifts: negative values are nudged up first.
    const std::int64_t sum = product + nudge;
    const std::int64_t up = sum < 0 ? (std::int64_t{1} << 31) - 1 : 0;
    return static_cast<std::int32_t>((sum + up) >> 31);
}

// round(x / 2^exponent), half away from zero, exponent in 0 … 31.
constexpr std::int32_t rounding_divide_by_pot(std::int32_t x, int exponent) noexcept {
    const std::int32_t mask = static_cast<std::int32_t>((std::uint32_t{1} << exponent) - 1);
    const std::int32_t remainder = x & mask;
    const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// x * 2^exponent with saturation, exponent in 0 … 31.
constexpr std::int32_t saturating_shl(std::int32_t x, int exponent) noexcept {
    return saturate_i32(static_cast<std::int64_t>(x) * (std::int64_t{1} << exponent));
}

// Rounding policies for `requantize`.
struct double_rounding {
    static constexpr std::int32_t apply(std::int32_t x, std::int32_t q31, int shift) noexcept {
        const int left = shift > 0 ? shift : 0;
        const int right = shift > 0 ? 0 : -shift;
        return rounding_divide_by_pot(rounding_doubling_high_mul(wrap_shl(x, left), q31), right);
    }
};
// Half toward positive infinity, once. XNNPACK's and ruy's rounding.
struct single_rounding {
    static constexpr std::int32_t apply(std::int32_t x, std::int32_t q31, int shift) noexcept {
        const int total = 31 - shift;
        const std::int64_t round = std::int64_t{1} << (total - 1);
        return saturate_i32((static_cast<std::int64_t>(x) * q31 + round) >> total);
    }
};

// The range of shifts that every stored multiplier is checked against when a model is loaded.
inline constexpr int min_multiplier_shift = -31;
inline constexpr int max_multiplier_shift = 30;

// Accumulators of 64 bits (int16 activations): the multiplier is cut to 15 bits, so that the
// product with a sum of 48 bits fits, and rounded once, half toward positive infinity
// (docs/arithmetic.md 1). The cut is made on the host, the stored multiplier is below 2^15.
inline constexpr int max_wide_shift = 14;

constexpr std::int32_t narrow_multiplier(std::int32_t q31) noexcept {
    return q31 < 0x7fff0000 ? (q31 + (1 << 15)) >> 16 : 0x7fff;
}
// x * q15 * 2^(shift - 15), shift in -31 … 14. Sums beyond 48 bits, which no model of sensible
// scales has, wrap.
constexpr std::int32_t requantize_wide(std::int64_t x, std::int32_t q15, int shift) noexcept {
    const int right = 15 - shift;
    const std::uint64_t product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(q15) +
                                  (std::uint64_t{1} << (right - 1));
    return static_cast<std::int32_t>(static_cast<std::int64_t>(product) >> right);
}
KOMPAKT_ALWAYS_INLINE constexpr std::int64_t wrap_add_wide(std::int64_t a,
                                                           std::int64_t b) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

struct multiplier {
    std::int32_t q31 = 0;
    std::int32_t shift = 0;
};

// x * q31 * 2^(shift - 31)
template <class Rounding = double_rounding>
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t requantize(std::int32_t x, std::int32_t q31,
                                                        int shift) noexcept {
    return Rounding::apply(x, q31, shift);
}
template <class Rounding = double_rounding>
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t requantize(std::int32_t x,
                                                        const multiplier& m) noexcept {
    return Rounding::apply(x, m.q31, m.shift);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
