// Elementwise: x where it is not negative, else x times a slope, which may be broadcast.
//
// int8 and int16 (whose slopes are int8): positive and negative values have multipliers of their
// own, input / output and input * slope / output.
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of int8 and int16.
struct prelu_i8_params {
    std::int32_t zero_point = 0, zero_point_slope = 0;
    multiplier positive, negative;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point"), f("zero_point_slope");
        f("multiplier_positive"), f("shift_positive"), f("multiplier_negative");
        f("shift_negative"), output_stage_params::fields(f);
    }
};

namespace detail {

template <class Family, class T>
struct quantized_prelu : binary_kernel<Family, T, std::int8_t, T> {
    using params = prelu_i8_params;

    static status check(const call& c) noexcept {
        constexpr dtype type = dtype_of<T>;
        KOMPAKT_TRY(check_binary(c, type, dtype::i8, type));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_zero_point("input", p.zero_point, type));
        KOMPAKT_TRY(check_zero_point("slope", p.zero_point_slope, dtype::i8));
        KOMPAKT_TRY(check_multiplier(p.positive.q31, p.positive.shift));
        KOMPAKT_TRY(check_multiplier(p.negative.q31, p.negative.shift));
        KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, type));
        return check_clamp(p.output.min, p.output.max, type);
    }
    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, std::int8_t slope,
                                                   const params& p) noexcept {
        const std::int32_t x = a - p.zero_point;
        if (x >= 0) return to_output<T>(x, p.positive, p.output);
        return to_output<T>(x * (slope - p.zero_point_slope), p.negative, p.output);
    }
};

} // namespace detail

struct prelu_i8 : detail::quantized_prelu<prelu_i8, std::int8_t> {
    static constexpr kernel_id id = kernel_id::prelu_i8;
    static constexpr const char* name = "prelu_i8";
};

struct prelu_i16 : detail::quantized_prelu<prelu_i16, std::int16_t> {
    static constexpr kernel_id id = kernel_id::prelu_i16;
    static constexpr const char* name = "prelu_i16";
};

struct prelu_f32 : binary_kernel<prelu_f32, float> {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::prelu_f32;
    static constexpr const char* name = "prelu_f32";

    static status check(const call& c) noexcept { return check_binary(c, dtype::f32); }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float x, float slope,
                                                       const params&) noexcept {
        return x >= 0.0f ? x : x * slope;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
