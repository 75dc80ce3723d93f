// Between float32 and int8, and from one int8 scale to another, elementwise.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// real value = scale * (q - zero_point)
struct affine_params {
    float scale = 1.0f;
    std::int32_t zero_point = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("scale"), f("zero_point");
    }
};
inline status check_affine(const affine_params& p) noexcept {
    if (!(p.scale > 0.0f && p.scale <= (std::numeric_limits<float>::max)())) {
        return fail(errc::bad_file, "scale is not a positive number");
    }
    return check_zero_point("int8", p.zero_point, dtype::i8);
}

// From one scale to another, with a clamp: requantization, and the relu family (clamp.hpp).
struct rescale_i8_params {
    std::int32_t input_zero_point = 0;
    multiplier scale; // input scale / output scale
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), f("multiplier"), f("shift"), output_stage_params::fields(f);
    }
};
inline status check_rescale(const call& c) noexcept {
    KOMPAKT_TRY(check_unary(c, dtype::i8, dtype::i8));
    const auto p = c.params<rescale_i8_params>();
    KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype::i8));
    KOMPAKT_TRY(check_multiplier(p.scale.q31, p.scale.shift));
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, dtype::i8));
    return check_clamp(p.output.min, p.output.max, dtype::i8);
}

// The nearest integer, half away from zero, within -1024 … 1024; NaN gives 0. Exact: the difference
// between a float of this size and its integer part is a float.
constexpr std::int32_t round_to_small_int(float x) noexcept {
    if (!(x > -1024.0f)) return x <= -1024.0f ? -1024 : 0;
    if (x > 1024.0f) return 1024;
    const auto whole = static_cast<std::int32_t>(x);
    const float rest = x - static_cast<float>(whole);
    return rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole;
}

// x / scale in float32, half away from zero, saturating; NaN gives the zero point
// (docs/arithmetic.md 11). `out` may start where `in` does.
template <class Port, class InE, class OutE>
void quantize(portable, Port, const tensor<const float, InE>& in,
              const tensor<std::int8_t, OutE>& out, const affine_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t q = round_to_small_int(in.data()[i] / p.scale) + p.zero_point;
        out.data()[i] = static_cast<std::int8_t>(clamp(q, -128, 127));
    }
}

template <class Port, class InE, class OutE>
void dequantize(portable, Port, const tensor<const std::int8_t, InE>& in,
                const tensor<float, OutE>& out, const affine_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        out.data()[i] = p.scale * static_cast<float>(in.data()[i] - p.zero_point);
    }
}

template <class Port, class InE, class OutE>
void rescale(portable, Port, const tensor<const std::int8_t, InE>& in,
             const tensor<std::int8_t, OutE>& out, const rescale_i8_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t x = requantize(in.data()[i] - p.input_zero_point, p.scale);
        out.data()[i] = static_cast<std::int8_t>(
            clamp(wrap_add(x, p.output.zero_point), p.output.min, p.output.max));
    }
}

struct quantize_f32_i8 {
    using params = affine_params;
    static constexpr kernel_id id = kernel_id::quantize_f32_i8;
    static constexpr const char* name = "quantize_f32_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype::f32, dtype::i8));
        return check_affine(c.params<params>());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        quantize(port, port, c.flat_input<float>(0), c.flat_output<std::int8_t>(0),
                 c.params<params>());
    }
};

struct dequantize_i8_f32 {
    using params = affine_params;
    static constexpr kernel_id id = kernel_id::dequantize_i8_f32;
    static constexpr const char* name = "dequantize_i8_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype::i8, dtype::f32));
        return check_affine(c.params<params>());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        dequantize(port, port, c.flat_input<std::int8_t>(0), c.flat_output<float>(0),
                   c.params<params>());
    }
};

struct requantize_i8 {
    using params = rescale_i8_params;
    static constexpr kernel_id id = kernel_id::requantize_i8;
    static constexpr const char* name = "requantize_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return check_rescale(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        rescale(port, port, c.flat_input<std::int8_t>(0), c.flat_output<std::int8_t>(0),
                c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
