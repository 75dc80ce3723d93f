// The output stage in five instructions, and where it gives what the portable one gives.
//
// With acc2 = 2 * accumulator, bias included, and a multiplier (q31, shift) of shift = -(e1 + 1):
//
//     c = (2 * output zero point + 1) << e1
//     t = smmlar(acc2, q31, c + (acc2 >> 31)) >> e1, then t >> 1, limited to int8
//
// smmlar rounds accumulator * q31 / 2^31 half up, as the first step of double_rounding. Its second,
// half away from zero, is to add 2^e1, less one for negative values, and to shift by e1 + 1: the
// one half and the zero point are in c. The sign may be taken from acc2, since a product that
// rounded to 0 gives 0 either way. Nothing overflows for |accumulator| < 2^30 and e1 <= 22, which
// is asked when weights are packed.
#pragma once

#include <kompakt/kernel/requantize.hpp>
#include <kompakt_ports/cortex_m/intrinsics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

inline constexpr int least_shift = -23, greatest_shift = -1;
inline constexpr std::int64_t accumulator_limit = std::int64_t{1} << 30;

KOMPAKT_ALWAYS_INLINE std::int32_t stage_constant(std::int32_t output_zero_point,
                                                  std::uint32_t e1) noexcept {
    return shift_left(2 * output_zero_point + 1, e1);
}
KOMPAKT_ALWAYS_INLINE std::int32_t stage_output(std::int32_t acc2, std::int32_t q31, std::int32_t c,
                                                std::uint32_t e1) noexcept {
    const std::int32_t from = wrap_add(c, acc2 >> 31);
    return half_as_i8(shift_right(smmlar(acc2, q31, from), e1));
}

// A stage that limits to less than all of int8 limits once more.
inline void limit_outputs(std::int8_t* out, std::int32_t n, std::int32_t step,
                          const output_stage_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, out += step) {
        *out = static_cast<std::int8_t>(clamp(*out, p.min, p.max));
    }
}
constexpr bool limits_outputs(const output_stage_params& p) noexcept {
    return p.min != -128 || p.max != 127;
}

// What one channel needs, made when weights are packed.
struct channel_stage {
    std::int32_t bias2; // twice the bias, the input's zero point times the weights taken off
    std::int32_t q31;
    std::uint8_t e1;
};

// The weights of a channel: `data[first + i * step]`, i < taps. They are multiplied by raw inputs,
// padding being the input's zero point.
struct channel_weights {
    const std::int8_t* data;
    std::int32_t step, taps;
};
struct weight_sums {
    std::int64_t sum = 0, magnitude = 0;
    bool lowest = false; // has -128
};
inline weight_sums sums_of(const channel_weights& w) noexcept {
    weight_sums s;
    for (std::int32_t i = 0; i < w.taps; ++i) {
        const std::int32_t x = w.data[static_cast<std::ptrdiff_t>(i) * w.step];
        s.sum += x;
        s.magnitude += x < 0 ? -x : x;
        s.lowest = s.lowest || x == -128;
    }
    return s;
}
inline std::int64_t folded_bias(const output_stage& stage, std::int32_t channel,
                                const weight_sums& s, std::int32_t input_zero_point) noexcept {
    return stage.bias(channel) - s.sum * input_zero_point;
}
// A channel without weights to speak of, as training leaves some: its output is one number whatever
// the inputs are, and its multiplier may be anything.
struct constant_channel {
    bool is = false;
    std::int32_t value = 0; // before the output's zero point
};
// The stage grows with the accumulator, so its ends say it.
inline constant_channel constant_of(const output_stage& stage, std::int32_t channel,
                                    const weight_sums& s, std::int32_t input_zero_point) noexcept {
    const std::int64_t bias = folded_bias(stage, channel, s, input_zero_point);
    const std::int64_t least = bias - 128 * s.magnitude, most = bias + 128 * s.magnitude;
    if (least < INT32_MIN || most > INT32_MAX) return {};
    const std::int32_t at = channel * stage.step();
    const std::int32_t q31 = stage.multipliers()[at];
    const int shift = stage.shifts()[at];
    if (shift > 0) return {};
    const std::int32_t low = requantize(static_cast<std::int32_t>(least), q31, shift);
    const std::int32_t high = requantize(static_cast<std::int32_t>(most), q31, shift);
    // Beyond these the zero point makes no difference to the limited output.
    return {low == high, clamp(low, -512, 512)};
}
// Whether the fast stage is exact for a channel, whatever the inputs are.
inline bool stage_is_exact(const output_stage& stage, std::int32_t channel, const weight_sums& s,
                           std::int32_t input_zero_point,
                           std::int64_t limit = accumulator_limit) noexcept {
    const std::int64_t bias = folded_bias(stage, channel, s, input_zero_point);
    const int shift = stage.shifts()[channel * stage.step()];
    return (bias < 0 ? -bias : bias) + 128 * s.magnitude < limit && shift >= least_shift &&
           shift <= greatest_shift;
}
// The stage of a channel; of a constant one it expects weights of zero.
inline channel_stage stage_of(const output_stage& stage, std::int32_t channel, const weight_sums& s,
                              std::int32_t input_zero_point) noexcept {
    const constant_channel constant = constant_of(stage, channel, s, input_zero_point);
    // 4 * value, halved twice.
    if (constant.is) return {8 * constant.value, std::int32_t{1} << 30, 0};
    const std::int32_t at = channel * stage.step();
    return {static_cast<std::int32_t>(2 * folded_bias(stage, channel, s, input_zero_point)),
            stage.multipliers()[at], static_cast<std::uint8_t>(-stage.shifts()[at] - 1)};
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
