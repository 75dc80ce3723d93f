// Elementwise quotient rounded down, with broadcasting, float32.
//
// The exact quotient is rounded down, up to 2^24; larger ones are whole numbers in float32 anyway.
// A divisor of zero gives what the division gives: an infinity, or NaN.
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/float_parts.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// floor(a / b). The quotient in float32 can be one too large only where rounding made it a whole
// number: then |a| is compared with that number times |b|, in integers.
inline float floor_quotient(float a, float b) noexcept {
    const float q = a / b;
    if (!(q > -16777216.0f && q < 16777216.0f)) return q; // infinities and NaN as well
    const auto whole = static_cast<std::int32_t>(q);
    const auto f = static_cast<float>(whole);
    if (f > q) return f - 1.0f;
    if (f < q) return f;
    const bool negative = (a < 0.0f) != (b < 0.0f);
    // A quotient so small that it became zero.
    if (whole == 0) return negative && a != 0.0f && b - b == 0.0f ? -1.0f : q;
    const float_parts x = float_parts::of(a), y = float_parts::of(b);
    const std::int32_t d = x.exponent - y.exponent;
    std::uint64_t left = x.mantissa;
    std::uint64_t right =
        std::uint64_t{y.mantissa} * static_cast<std::uint32_t>(whole < 0 ? -whole : whole);
    // Both sides are below 2^49 and nearly equal, so neither shift drops a bit.
    if (d >= 0) {
        left <<= d;
    } else {
        right <<= -d;
    }
    return (negative ? left > right : left < right) ? f - 1.0f : q;
}

struct floor_div_f32 : binary_kernel<floor_div_f32, float> {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::floor_div_f32;
    static constexpr const char* name = "floor_div_f32";

    static status check(const call& c) noexcept { return check_binary(c, dtype::f32); }
    static float apply(float a, float b, const params&) noexcept { return floor_quotient(a, b); }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
