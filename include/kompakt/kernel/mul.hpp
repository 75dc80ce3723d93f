// Elementwise multiplication with broadcasting.
//
//     a, b: any shapes up to rank 6 that broadcast to the shape of out
//
// int8 and int16: the product of the two offset values, scaled to the output once
// (docs/arithmetic.md 1 and 12). int32 wraps.
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of int8 and int16.
struct mul_i8_params {
    std::int32_t zero_point_a = 0, zero_point_b = 0;
    multiplier result;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point_a"), f("zero_point_b"), f("multiplier_result"), f("shift_result");
        output_stage_params::fields(f);
    }
};

namespace detail {

inline status check_mul(const call& c, dtype type) noexcept {
    KOMPAKT_TRY(check_binary(c, type));
    const auto p = c.params<mul_i8_params>();
    KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, type));
    KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, type));
    KOMPAKT_TRY(check_multiplier(p.result.q31, p.result.shift));
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, type));
    return check_clamp(p.output.min, p.output.max, type);
}

template <class Family, class T>
struct quantized_mul : binary_kernel<Family, T> {
    using params = mul_i8_params;

    static status check(const call& c) noexcept { return check_mul(c, dtype_of<T>); }
    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, T b, const params& p) noexcept {
        return to_output<T>((a - p.zero_point_a) * (b - p.zero_point_b), p.result, p.output);
    }
};

} // namespace detail

struct mul_i8 : detail::quantized_mul<mul_i8, std::int8_t> {
    static constexpr kernel_id id = kernel_id::mul_i8;
    static constexpr const char* name = "mul_i8";
};

struct mul_i16 : detail::quantized_mul<mul_i16, std::int16_t> {
    static constexpr kernel_id id = kernel_id::mul_i16;
    static constexpr const char* name = "mul_i16";
};

struct mul_i32 : binary_kernel<mul_i32, std::int32_t> {
    using params = clamp_i32_params;
    static constexpr kernel_id id = kernel_id::mul_i32;
    static constexpr const char* name = "mul_i32";

    static status check(const call& c) noexcept { return detail::check_binary_i32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr std::int32_t apply(std::int32_t a, std::int32_t b,
                                                              const params& p) noexcept {
        return clamp(wrap_mul(a, b), p.min, p.max);
    }
};

struct mul_f32 : binary_kernel<mul_f32, float> {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::mul_f32;
    static constexpr const char* name = "mul_f32";

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float a, float b, const params& p) noexcept {
        return p.apply(a * b);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
