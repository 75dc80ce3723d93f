// Between float32 and integers with a scale, and from one scale to another, elementwise.
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
// Any zero point of the type: int16 SOFTMAX has -32768.
inline status check_any_zero_point(const char* what, std::int32_t z, dtype type) noexcept {
    const integer_range r = range_of_type(type);
    if (z >= r.qmin && z <= r.qmax) return {};
    return fail(errc::bad_file, what, " zero point ", z, ", needed ", r.qmin, " to ", r.qmax);
}
inline status check_affine(const affine_params& p, dtype type) noexcept {
    if (!(p.scale > 0.0f && p.scale <= (std::numeric_limits<float>::max)())) {
        return fail(errc::bad_file, "scale ", p.scale, ", needed a positive number");
    }
    return check_any_zero_point(name_of(type), p.zero_point, type);
}

// From one scale to another, with a clamp: requantization, and the relu family (clamp.hpp).
struct rescale_params {
    std::int32_t input_zero_point = 0;
    multiplier scale; // input scale / output scale
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), f("multiplier"), f("shift"), output_stage_params::fields(f);
    }
};
using rescale_i8_params = rescale_params;
inline status check_rescale(const call& c, dtype type) noexcept {
    KOMPAKT_TRY(check_unary(c, type, type));
    const auto p = c.params<rescale_params>();
    KOMPAKT_TRY(check_any_zero_point("input", p.input_zero_point, type));
    KOMPAKT_TRY(check_multiplier(p.scale.q31, p.scale.shift));
    KOMPAKT_TRY(check_any_zero_point("output", p.output.zero_point, type));
    return check_clamp(p.output.min, p.output.max, type);
}

// The nearest integer, half away from zero, within -131072 … 131072, twice the range of int16; NaN
// gives 0. Exact: the difference between a float of this size and its integer part is a float.
constexpr std::int32_t round_to_small_int(float x) noexcept {
    if (!(x > -131072.0f)) return x <= -131072.0f ? -131072 : 0;
    if (x > 131072.0f) return 131072;
    const auto whole = static_cast<std::int32_t>(x);
    const float rest = x - static_cast<float>(whole);
    return rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole;
}

// x / scale in float32, half away from zero, saturating; NaN gives the zero point
// (docs/arithmetic.md 11). `out` may start where `in` does.
template <class Port, class InE, class Out, class OutE>
void quantize(portable, Port, const tensor<const float, InE>& in, const tensor<Out, OutE>& out,
              const affine_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t q = round_to_small_int(in.data()[i] / p.scale) + p.zero_point;
        out.data()[i] = static_cast<Out>(
            clamp(q, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
    }
}

// Differences of at most 17 bits are exact in float32, so that there is one rounding.
template <class Port, class In, class InE, class OutE>
void dequantize(portable, Port, const tensor<const In, InE>& in, const tensor<float, OutE>& out,
                const affine_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        out.data()[i] = p.scale * static_cast<float>(in.data()[i] - p.zero_point);
    }
}

template <class Port, class T, class InE, class OutE>
void rescale(portable, Port, const tensor<const T, InE>& in, const tensor<T, OutE>& out,
             const rescale_params& p) noexcept {
    const auto n = static_cast<std::int32_t>(in.size());
    for (std::int32_t i = 0; i < n; ++i) {
        const std::int32_t x = requantize(in.data()[i] - p.input_zero_point, p.scale);
        out.data()[i] =
            static_cast<T>(clamp(wrap_add(x, p.output.zero_point), p.output.min, p.output.max));
    }
}

template <class Out>
struct quantize_f32 {
    using params = affine_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype::f32, dtype_of<Out>));
        return check_affine(c.params<params>(), dtype_of<Out>);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        quantize(port, port, c.flat_input<float>(0), c.flat_output<Out>(0), c.params<params>());
    }
};
struct quantize_f32_i8 : quantize_f32<std::int8_t> {
    static constexpr kernel_id id = kernel_id::quantize_f32_i8;
    static constexpr const char* name = "quantize_f32_i8";
};
struct quantize_f32_u8 : quantize_f32<std::uint8_t> {
    static constexpr kernel_id id = kernel_id::quantize_f32_u8;
    static constexpr const char* name = "quantize_f32_u8";
};
struct quantize_f32_i16 : quantize_f32<std::int16_t> {
    static constexpr kernel_id id = kernel_id::quantize_f32_i16;
    static constexpr const char* name = "quantize_f32_i16";
};

template <class In>
struct dequantize_f32 {
    using params = affine_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype_of<In>, dtype::f32));
        return check_affine(c.params<params>(), dtype_of<In>);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        dequantize(port, port, c.flat_input<In>(0), c.flat_output<float>(0), c.params<params>());
    }
};
struct dequantize_i8_f32 : dequantize_f32<std::int8_t> {
    static constexpr kernel_id id = kernel_id::dequantize_i8_f32;
    static constexpr const char* name = "dequantize_i8_f32";
};
struct dequantize_u8_f32 : dequantize_f32<std::uint8_t> {
    static constexpr kernel_id id = kernel_id::dequantize_u8_f32;
    static constexpr const char* name = "dequantize_u8_f32";
};
struct dequantize_i16_f32 : dequantize_f32<std::int16_t> {
    static constexpr kernel_id id = kernel_id::dequantize_i16_f32;
    static constexpr const char* name = "dequantize_i16_f32";
};

struct requantize_i8 {
    using params = rescale_params;
    static constexpr kernel_id id = kernel_id::requantize_i8;
    static constexpr const char* name = "requantize_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return check_rescale(c, dtype::i8); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        rescale(port, port, c.flat_input<std::int8_t>(0), c.flat_output<std::int8_t>(0),
                c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
