// Elementwise division with broadcasting.
//
//     a, b: any shapes up to rank 6 that broadcast to the shape of out
//
// int8: a reciprocal of the divisor by Newton's method, then two products (docs/arithmetic.md 15).
// int32 truncates. Where TensorFlow Lite Micro leaves the result undefined it is defined here:
// int8 by zero is the end of the clamp on the side of the dividend (0 by 0 the zero point), int32
// by zero is 0, INT32_MIN by -1 is INT32_MIN.
#pragma once

#include <kompakt/kernel/mul.hpp>
#include <kompakt/numeric/fixed_exp.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Quotients of two int8 values have at least this many sign bits to shift out, so that a multiplier
// with no larger shift never leads to a shift to the left.
inline constexpr std::int32_t max_div_shift = 23;

struct div_i8 : binary_kernel<div_i8, std::int8_t> {
    using params = mul_i8_params;
    static constexpr kernel_id id = kernel_id::div_i8;
    static constexpr const char* name = "div_i8";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_mul(c, dtype::i8));
        const std::int32_t shift = c.params<params>().result.shift;
        if (shift <= max_div_shift) return {};
        return fail(errc::bad_file, "multiplier with shift ", shift, ", needed at most ",
                    max_div_shift);
    }
    static std::int8_t apply(std::int8_t a, std::int8_t b, const params& p) noexcept {
        const output_stage_params& out = p.output;
        std::int32_t x = a - p.zero_point_a, y = b - p.zero_point_b;
        if (y == 0) {
            return static_cast<std::int8_t>(x > 0   ? out.max
                                            : x < 0 ? out.min
                                                    : clamp(out.zero_point, out.min, out.max));
        }
        if (y < 0) x = -x, y = -y;
        const fixed_reciprocal r = reciprocal<31>(y);
        int headroom = 0; // copies of the sign bit
        for (std::int32_t s = x < 0 ? ~x : x; headroom < 31 && s < std::int32_t{1} << 30; s <<= 1) {
            ++headroom;
        }
        const std::int32_t quotient = rounding_doubling_high_mul(wrap_shl(x, headroom), r.mantissa);
        const int right = r.exponent + headroom - p.result.shift;
        // More than 31 places leave nothing.
        const std::int32_t scaled =
            right > 31
                ? 0
                : rounding_divide_by_pot(rounding_doubling_high_mul(quotient, p.result.q31), right);
        return static_cast<std::int8_t>(clamp(wrap_add(scaled, out.zero_point), out.min, out.max));
    }
};

struct div_i32 : binary_kernel<div_i32, std::int32_t> {
    using params = clamp_i32_params;
    static constexpr kernel_id id = kernel_id::div_i32;
    static constexpr const char* name = "div_i32";

    static status check(const call& c) noexcept { return detail::check_binary_i32(c); }
    static std::int32_t apply(std::int32_t a, std::int32_t b, const params& p) noexcept {
        const std::int32_t q = b == 0 ? 0 : b == -1 ? wrap_sub(0, a) : a / b;
        return clamp(q, p.min, p.max);
    }
};

struct div_f32 : binary_kernel<div_f32, float> {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::div_f32;
    static constexpr const char* name = "div_f32";

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float a, float b, const params& p) noexcept {
        return p.apply(a / b);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
