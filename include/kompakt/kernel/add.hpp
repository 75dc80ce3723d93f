// Elementwise addition with broadcasting.
//
//     a, b: any shapes up to rank 6 that broadcast to the shape of out
//
// int8: both operands are brought to one scale, twice the larger of theirs, 20 bits finer; the sum
// is scaled to the output (docs/arithmetic.md 6).
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline constexpr int add_i8_left_shift = 20;

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

KOMPAKT_ALWAYS_INLINE constexpr std::int32_t
to_common_scale(std::int32_t q, std::int32_t zero_point, const multiplier& m) noexcept {
    return requantize(wrap_shl(q - zero_point, add_i8_left_shift), m);
}
KOMPAKT_ALWAYS_INLINE constexpr std::int8_t from_common_scale(std::int32_t sum,
                                                              const add_i8_params& p) noexcept {
    return static_cast<std::int8_t>(clamp(wrap_add(requantize(sum, p.result), p.output.zero_point),
                                          p.output.min, p.output.max));
}

inline status check_add_i8(const call& c) noexcept {
    KOMPAKT_TRY(check_binary(c, dtype::i8));
    const auto p = c.params<add_i8_params>();
    KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, dtype::i8));
    KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, dtype::i8));
    for (const multiplier& m : {p.a, p.b, p.result}) {
        KOMPAKT_TRY(check_multiplier(m.q31, m.shift));
        if (m.shift > 0) return fail(errc::bad_file, "multiplier of one or more");
    }
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, dtype::i8));
    return check_clamp(p.output.min, p.output.max, dtype::i8);
}
inline status check_binary_f32(const call& c) noexcept {
    KOMPAKT_TRY(check_binary(c, dtype::f32));
    return check_float_clamp(c.params<clamp_f32_params>());
}

} // namespace detail

// One row: `step_a` and `step_b` are 1, or 0 for an operand that stays.
template <class Port>
void add_row(portable, Port, const std::int8_t* a, std::int32_t step_a, const std::int8_t* b,
             std::int32_t step_b, std::int8_t* out, std::int32_t n,
             const add_i8_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) {
        out[i] =
            detail::from_common_scale(wrap_add(detail::to_common_scale(*a, p.zero_point_a, p.a),
                                               detail::to_common_scale(*b, p.zero_point_b, p.b)),
                                      p);
    }
}
template <class Port>
void add_row(portable, Port, const float* a, std::int32_t step_a, const float* b,
             std::int32_t step_b, float* out, std::int32_t n, const clamp_f32_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) out[i] = p.apply(*a + *b);
}

template <class Port, class T, class AE, class BE, class OutE, class Params>
void add(portable, Port port, const tensor<const T, AE>& a, const tensor<const T, BE>& b,
         const tensor<T, OutE>& out, const Params& p) noexcept {
    for_each_row_of(a, b, out, [&](auto... operands) { add_row(port, port, operands..., p); });
}

struct add_i8 {
    using params = add_i8_params;
    static constexpr kernel_id id = kernel_id::add_i8;
    static constexpr const char* name = "add_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_add_i8(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        add(port, port, c.input<std::int8_t, max_rank>(0), c.input<std::int8_t, max_rank>(1),
            c.output<std::int8_t, max_rank>(0), c.params<params>());
    }
};

struct add_f32 {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::add_f32;
    static constexpr const char* name = "add_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        add(port, port, c.input<float, max_rank>(0), c.input<float, max_rank>(1),
            c.output<float, max_rank>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
