// Overflow-checked arithmetic on sizes that come from a file.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// False, and `out` untouched, when the product does not fit.
constexpr bool checked_mul(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
    if (a != 0 && b > UINT64_MAX / a) return false;
    out = a * b;
    return true;
}

constexpr bool checked_add(std::uint64_t a, std::uint64_t b, std::uint64_t& out) noexcept {
    if (b > UINT64_MAX - a) return false;
    out = a + b;
    return true;
}

// Whether [at, at + size) lies inside [0, limit).
constexpr bool inside(std::uint64_t at, std::uint64_t size, std::uint64_t limit) noexcept {
    return at <= limit && size <= limit - at;
}

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t multiple) noexcept {
    return (n + multiple - 1) / multiple * multiple;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
