// Elementwise addition with broadcasting.
//
//     a, b: any shapes up to rank 6 that broadcast to the shape of out
//
// int8 and int16: both operands are brought to one scale, twice the larger of theirs, 20 bits finer
// (int16: 15); the sum is scaled to the output (docs/arithmetic.md 6). int32 wraps.
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of int16, 65535 times 2^15 is what just fits.
template <class T>
inline constexpr int add_left_shift = sizeof(T) == 1 ? 20 : 15;

// Of int8 and int16.
struct add_i8_params {
    std::int32_t zero_point_a = 0, zero_point_b = 0;
    multiplier a, b, result; // all less than one
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point_a"), f("zero_point_b");
        f("multiplier_a"), f("shift_a"), f("multiplier_b"), f("shift_b");
        f("multiplier_result"), f("shift_result"), output_stage_params::fields(f);
    }
};

namespace detail {

template <int LeftShift>
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t
to_common_scale(std::int32_t q, std::int32_t zero_point, const multiplier& m) noexcept {
    return requantize(wrap_shl(q - zero_point, LeftShift), m);
}
template <class T>
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t add_operand_a(T q, const add_i8_params& p) noexcept {
    return to_common_scale<add_left_shift<T>>(q, p.zero_point_a, p.a);
}
template <class T>
KOMPAKT_ALWAYS_INLINE constexpr std::int32_t add_operand_b(T q, const add_i8_params& p) noexcept {
    return to_common_scale<add_left_shift<T>>(q, p.zero_point_b, p.b);
}
// Scaled, with zero point and clamp.
template <class T>
KOMPAKT_ALWAYS_INLINE constexpr T to_output(std::int32_t x, const multiplier& m,
                                            const output_stage_params& p) noexcept {
    return static_cast<T>(clamp(wrap_add(requantize(x, m), p.zero_point), p.min, p.max));
}

inline status check_add(const call& c, dtype type) noexcept {
    KOMPAKT_TRY(check_binary(c, type));
    const auto p = c.params<add_i8_params>();
    KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, type));
    KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, type));
    for (const multiplier& m : {p.a, p.b, p.result}) {
        KOMPAKT_TRY(check_multiplier(m.q31, m.shift));
        if (m.shift > 0) return fail(errc::bad_file, "multiplier of one or more");
    }
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, type));
    return check_clamp(p.output.min, p.output.max, type);
}

// Sums of quantized values of type T.
template <class Family, class T>
struct quantized_add : binary_kernel<Family, T> {
    using params = add_i8_params;

    static status check(const call& c) noexcept { return check_add(c, dtype_of<T>); }
    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, T b, const params& p) noexcept {
        return to_output<T>(wrap_add(add_operand_a(a, p), add_operand_b(b, p)), p.result, p.output);
    }
};

} // namespace detail

struct add_i8 : detail::quantized_add<add_i8, std::int8_t> {
    static constexpr kernel_id id = kernel_id::add_i8;
    static constexpr const char* name = "add_i8";
};

struct add_i16 : detail::quantized_add<add_i16, std::int16_t> {
    static constexpr kernel_id id = kernel_id::add_i16;
    static constexpr const char* name = "add_i16";
};

struct add_i32 : binary_kernel<add_i32, std::int32_t> {
    using params = clamp_i32_params;
    static constexpr kernel_id id = kernel_id::add_i32;
    static constexpr const char* name = "add_i32";

    static status check(const call& c) noexcept { return detail::check_binary_i32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr std::int32_t apply(std::int32_t a, std::int32_t b,
                                                              const params& p) noexcept {
        return clamp(wrap_add(a, b), p.min, p.max);
    }
};

struct add_f32 : binary_kernel<add_f32, float> {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::add_f32;
    static constexpr const char* name = "add_f32";

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float a, float b, const params& p) noexcept {
        return p.apply(a + b);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
