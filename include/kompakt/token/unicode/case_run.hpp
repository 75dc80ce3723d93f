// A run of code points that a case mapping moves by the same distance.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {
namespace detail {

struct case_run {
    std::uint32_t first;
    std::uint16_t length; // last - first
    std::uint16_t step;   // 2: every second one, which is how many scripts keep their pairs
    std::int32_t distance;
};

// What `runs`, which are in order, make of `c`; `c` itself when no run has it.
template <std::size_t N>
constexpr char32_t map_case(const case_run (&runs)[N], char32_t c) noexcept {
    std::size_t low = 0, high = N; // the first run behind c is in [low, high]
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (runs[middle].first <= c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) return c;
    const case_run& r = runs[low - 1];
    const std::uint32_t at = static_cast<std::uint32_t>(c) - r.first;
    if (at > r.length || at % r.step != 0) return c;
    return static_cast<char32_t>(static_cast<std::int32_t>(c) + r.distance);
}

} // namespace detail
} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
