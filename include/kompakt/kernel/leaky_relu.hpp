// x, or alpha * x below zero; alpha may be any number.
#pragma once

#include <kompakt/kernel/unary.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct leaky_relu_f32_params {
    float alpha = 0.0f;

    template <class F>
    static constexpr void fields(F&& f) {
        f("alpha");
    }
};
struct leaky_relu_f32 : unary_kernel<leaky_relu_f32, float, leaky_relu_f32_params> {
    static constexpr kernel_id id = kernel_id::leaky_relu_f32;
    static constexpr const char* name = "leaky_relu_f32";
    static float apply(float x, const leaky_relu_f32_params& p) noexcept {
        return x > 0.0f ? x : x * p.alpha;
    }
};

struct leaky_relu_params {
    std::int32_t input_zero_point = 0, output_zero_point = 0;
    multiplier identity, alpha;         // both from input scale to output scale
    std::int32_t alpha_is_negative = 0; // multipliers have no sign

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), f("output_zero_point");
        f("multiplier"), f("shift"), f("alpha_multiplier"), f("alpha_shift");
        f("alpha_is_negative");
    }
};
// The output's number before it is cut to the output's range.
constexpr std::int32_t leaky_relu_of(std::int32_t q, const leaky_relu_params& p) noexcept {
    const std::int32_t x = wrap_sub(q, p.input_zero_point);
    std::int32_t y = 0;
    if (x >= 0) {
        y = requantize(x, p.identity);
    } else {
        y = requantize(x, p.alpha);
        if (p.alpha_is_negative != 0) y = wrap_sub(0, y);
    }
    return wrap_add(y, p.output_zero_point);
}
struct leaky_relu_i16 : unary_kernel<leaky_relu_i16, std::int16_t, leaky_relu_params> {
    static constexpr kernel_id id = kernel_id::leaky_relu_i16;
    static constexpr const char* name = "leaky_relu_i16";
    static status check_params(const leaky_relu_params& p) noexcept {
        KOMPAKT_TRY(check_multiplier(p.identity.q31, p.identity.shift));
        return check_multiplier(p.alpha.q31, p.alpha.shift);
    }
    static std::int16_t apply(std::int16_t x, const leaky_relu_params& p) noexcept {
        return static_cast<std::int16_t>(clamp(leaky_relu_of(x, p), INT16_MIN, INT16_MAX));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
