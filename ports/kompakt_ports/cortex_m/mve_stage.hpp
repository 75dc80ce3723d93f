// The output stage in vectors of four channels, and where it gives what the portable one gives.
//
// VQRDMULH rounds accumulator * q31 / 2^31 half up, as the first step of double_rounding. Its
// second, half away from zero, is VRSHL, half up, of the value less one where that is negative. It
// is so for every accumulator and right shifts of 1 to 31 bits; others are left to the portable
// kernel when weights are packed. Sums wrap in both.
#pragma once

#include <kompakt_ports/cortex_m/output_stage.hpp>

#if KOMPAKT_DETAIL_CORTEX_M_MVE
#include <arm_mve.h>
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// Bias, multiplier, shift (negative) of four channels, as they lie behind packed weights.
struct four_stages {
    std::int32_t bias[4], q31[4];
    std::int8_t shift[4];
};
static_assert(sizeof(four_stages) == 36, "read by assembler");

// Whether the vector stage is exact for a channel.
inline bool mve_stage_is_exact(const output_stage& stage, std::int32_t channel,
                               const weight_sums& s, std::int32_t input_zero_point) noexcept {
    if (constant_of(stage, channel, s, input_zero_point).is) return true;
    const int shift = stage.shifts()[channel * stage.step()];
    return shift >= min_multiplier_shift && shift <= -1;
}
// The stage of a channel at place `k`; false if its weights are to be zeros (constant_of).
inline bool put_mve_stage(four_stages& to, std::size_t k, const output_stage& stage,
                          std::int32_t channel, const weight_sums& s,
                          std::int32_t input_zero_point) noexcept {
    const constant_channel constant = constant_of(stage, channel, s, input_zero_point);
    if (constant.is) {
        // Halved twice.
        to.bias[k] = 4 * constant.value, to.q31[k] = 1 << 30, to.shift[k] = -1;
        return false;
    }
    const std::int32_t at = channel * stage.step();
    to.bias[k] = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(folded_bias(stage, channel, s, input_zero_point)));
    to.q31[k] = stage.multipliers()[at];
    to.shift[k] = static_cast<std::int8_t>(stage.shifts()[at]);
    return true;
}

#if KOMPAKT_DETAIL_CORTEX_M_MVE

// x * q31 * 2^(shift - 31) of shifts below 0
KOMPAKT_ALWAYS_INLINE int32x4_t mve_scale(int32x4_t x, int32x4_t q31, int32x4_t shift) noexcept {
    const int32x4_t t = vqrdmulhq_s32(x, q31);
    return vrshlq_s32(vaddq_s32(t, vshrq_n_s32(t, 31)), shift);
}
KOMPAKT_ALWAYS_INLINE int32x4_t mve_scale(int32x4_t x, std::int32_t q31,
                                          std::int32_t shift) noexcept {
    const int32x4_t t = vqrdmulhq_n_s32(x, q31);
    return vrshlq_n_s32(vaddq_s32(t, vshrq_n_s32(t, 31)), shift);
}

#else

inline std::int32_t mve_scale(std::int32_t x, std::int32_t q31, std::int32_t shift) noexcept {
    const auto t =
        static_cast<std::int32_t>((std::int64_t{x} * q31 + (std::int64_t{1} << 30)) >> 31);
    const std::int64_t half = std::int64_t{1} << (-shift - 1);
    return static_cast<std::int32_t>((std::int64_t{wrap_add(t, t >> 31)} + half) >> -shift);
}

#endif

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
