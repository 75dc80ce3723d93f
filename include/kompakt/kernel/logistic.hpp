// The logistic function 1 / (1 + exp(-x)), elementwise.
//
// int8: the input is scaled to Q4, inputs beyond a radius give 0 or 1; the output's scale is 1/256,
// its zero point -128 (docs/arithmetic.md 10).
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/numeric/fixed_exp.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct logistic_i8_params {
    std::int32_t input_zero_point = 0;
    std::int32_t input_radius = 0; // from here on, up and down, the output is 127 or -128
    multiplier scale;              // input scale, to Q4

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), f("input_radius"), f("multiplier"), f("shift");
    }
};

struct logistic_f32_params {
    template <class F>
    static constexpr void fields(F&&) {}
};

template <class Port, class InE, class OutE>
void logistic(portable, Port, const tensor<const std::int8_t, InE>& in,
              const tensor<std::int8_t, OutE>& out, const logistic_i8_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t x = in.data()[i] - p.input_zero_point;
        // Where the radius is 0 an input of 0 counts as below it.
        const std::int32_t q =
            x <= -p.input_radius ? 0
            : x >= p.input_radius
                ? 255
                : rounding_divide_by_pot(fixed_logistic<4>(requantize(x, p.scale)), 31 - 8);
        out.data()[i] = static_cast<std::int8_t>(q > 255 ? 127 : q - 128);
    }
}

template <class Port, class InE, class OutE>
void logistic(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
              const logistic_f32_params&) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const float x = in.data()[i];
        // The exponential of a negative number only, so that nothing overflows.
        const float e = exp_f32(x < 0.0f ? x : -x);
        out.data()[i] = (x < 0.0f ? e : 1.0f) / (1.0f + e);
    }
}

struct logistic_i8 {
    using params = logistic_i8_params;
    static constexpr kernel_id id = kernel_id::logistic_i8;
    static constexpr const char* name = "logistic_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype::i8, dtype::i8));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype::i8));
        KOMPAKT_TRY(check_multiplier(p.scale.q31, p.scale.shift));
        if (p.scale.shift < 0) return fail(errc::bad_file, "multiplier below one half");
        // The scaled input must stay within 16: radius * 2^shift <= 15 * 2^27.
        if (p.input_radius < 0 ||
            std::int64_t{p.input_radius} * (std::int64_t{1} << p.scale.shift) > std::int64_t{15}
                                                                                    << 27) {
            return fail(errc::bad_file, "radius ", p.input_radius, " does not fit shift ",
                        p.scale.shift);
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        logistic(port, port, c.flat_input<std::int8_t>(0), c.flat_output<std::int8_t>(0),
                 c.params<params>());
    }
};

struct logistic_f32 {
    using params = logistic_f32_params;
    static constexpr kernel_id id = kernel_id::logistic_f32;
    static constexpr const char* name = "logistic_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return check_unary(c, dtype::f32, dtype::f32); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        logistic(port, port, c.flat_input<float>(0), c.flat_output<float>(0), params{});
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
