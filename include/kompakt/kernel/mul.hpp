// Elementwise multiplication with broadcasting.
//
//     a, b: any shapes up to rank 6 that broadcast to the shape of out
//
// int8: the product of the two offset values, scaled to the output once (docs/arithmetic.md 1
// and 12).
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

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

template <class Port>
void mul_row(portable, Port, const std::int8_t* a, std::int32_t step_a, const std::int8_t* b,
             std::int32_t step_b, std::int8_t* out, std::int32_t n,
             const mul_i8_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) {
        const std::int32_t product = (*a - p.zero_point_a) * (*b - p.zero_point_b);
        out[i] = static_cast<std::int8_t>(
            clamp(wrap_add(requantize(product, p.result), p.output.zero_point), p.output.min,
                  p.output.max));
    }
}
template <class Port>
void mul_row(portable, Port, const float* a, std::int32_t step_a, const float* b,
             std::int32_t step_b, float* out, std::int32_t n, const clamp_f32_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) out[i] = p.apply(*a * *b);
}

template <class Port, class T, class AE, class BE, class OutE, class Params>
void mul(portable, Port port, const tensor<const T, AE>& a, const tensor<const T, BE>& b,
         const tensor<T, OutE>& out, const Params& p) noexcept {
    for_each_row_of(a, b, out, [&](auto... operands) { mul_row(port, port, operands..., p); });
}

struct mul_i8 {
    using params = mul_i8_params;
    static constexpr kernel_id id = kernel_id::mul_i8;
    static constexpr const char* name = "mul_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_binary(c, dtype::i8));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, dtype::i8));
        KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, dtype::i8));
        KOMPAKT_TRY(check_multiplier(p.result.q31, p.result.shift));
        KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, dtype::i8));
        return check_clamp(p.output.min, p.output.max, dtype::i8);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mul(port, port, c.input<std::int8_t, max_rank>(0), c.input<std::int8_t, max_rank>(1),
            c.output<std::int8_t, max_rank>(0), c.params<params>());
    }
};

struct mul_f32 {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::mul_f32;
    static constexpr const char* name = "mul_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mul(port, port, c.input<float, max_rank>(0), c.input<float, max_rank>(1),
            c.output<float, max_rank>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
