// The logistic function and tanh of 16-bit numbers, by a table of 256 entries and linear
// interpolation.
//
// Both are point-symmetric and tanh(x) = 2 logistic(2x) - 1, so one table for the positive half
// serves both. Its entries are TensorFlow Lite's: they define int16 LOGISTIC, TANH and the gates of
// integer LSTM, and lie within 1.2 of 65536 logistic(i / 24).
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// logistic(i / 24) as 16-bit fractions.
inline constexpr std::uint16_t sigmoid_table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
};

// The input times `factor`, shifted right by `shift` with rounding, counts steps of 1 / 12288. Both
// are computed on the host (graph/ops/logistic.hpp).
struct table_scale {
    std::int32_t factor = 3;
    std::int32_t shift = 0;
};
// What passes cannot overflow: 2^15 * 2^15 + 2^30 = 2^31, and the factor is below 2^15.
constexpr bool is_safe(const table_scale& s) noexcept {
    return s.factor >= 0 && s.factor < 32768 && s.shift >= 0 && s.shift <= 31;
}
constexpr std::int32_t table_position(std::int16_t x, const table_scale& s) noexcept {
    const std::int32_t round =
        s.shift > 0 ? static_cast<std::int32_t>(std::uint32_t{1} << (s.shift - 1)) : 0;
    return (x * s.factor + round) >> s.shift;
}

// Output in steps of 2^-15.
constexpr std::int16_t table_logistic(std::int16_t in, const table_scale& s) noexcept {
    const std::int32_t x = table_position(in, s);
    const auto magnitude = static_cast<std::uint32_t>(x < 0 ? -x : x);
    const std::uint32_t at = magnitude >> 9;
    std::uint32_t y = std::uint32_t{0x7fff} << 10;
    if (at < 255) {
        const std::uint32_t low = sigmoid_table[at], high = sigmoid_table[at + 1];
        y = (low << 9) + (magnitude & 0x1ff) * (high - low);
    }
    y = x >= 0 ? y + 512 : (std::uint32_t{1} << 25) - y + 511;
    return static_cast<std::int16_t>(y >> 10);
}
constexpr std::int16_t table_tanh(std::int16_t in, const table_scale& s) noexcept {
    const std::int32_t x = table_position(in, s);
    const auto magnitude = static_cast<std::uint32_t>(x < 0 ? -x : x);
    const std::uint32_t at = magnitude >> 8;
    auto y = std::int32_t{0xffff} << 8;
    if (at < 255) {
        const std::int32_t low = sigmoid_table[at], high = sigmoid_table[at + 1];
        y = (low << 8) + static_cast<std::int32_t>(magnitude & 0xff) * (high - low);
    }
    constexpr std::int32_t half = std::int32_t{1} << 23;
    y = x >= 0 ? y - half + 128 : half - y + 127;
    return static_cast<std::int16_t>(y >> 8);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
