// Elementwise subtraction with broadcasting: as addition (add.hpp), with the second operand
// subtracted at the common scale.
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <class Port>
void sub_row(portable, Port, const std::int8_t* a, std::int32_t step_a, const std::int8_t* b,
             std::int32_t step_b, std::int8_t* out, std::int32_t n,
             const add_i8_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) {
        out[i] =
            detail::from_common_scale(wrap_sub(detail::to_common_scale(*a, p.zero_point_a, p.a),
                                               detail::to_common_scale(*b, p.zero_point_b, p.b)),
                                      p);
    }
}
template <class Port>
void sub_row(portable, Port, const float* a, std::int32_t step_a, const float* b,
             std::int32_t step_b, float* out, std::int32_t n, const clamp_f32_params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b) out[i] = p.apply(*a - *b);
}

template <class Port, class T, class AE, class BE, class OutE, class Params>
void sub(portable, Port port, const tensor<const T, AE>& a, const tensor<const T, BE>& b,
         const tensor<T, OutE>& out, const Params& p) noexcept {
    for_each_row_of(a, b, out, [&](auto... operands) { sub_row(port, port, operands..., p); });
}

struct sub_i8 {
    using params = add_i8_params;
    static constexpr kernel_id id = kernel_id::sub_i8;
    static constexpr const char* name = "sub_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_add_i8(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        sub(port, port, c.input<std::int8_t, max_rank>(0), c.input<std::int8_t, max_rank>(1),
            c.output<std::int8_t, max_rank>(0), c.params<params>());
    }
};

struct sub_f32 {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::sub_f32;
    static constexpr const char* name = "sub_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        sub(port, port, c.input<float, max_rank>(0), c.input<float, max_rank>(1),
            c.output<float, max_rank>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
