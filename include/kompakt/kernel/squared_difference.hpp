// Elementwise square of the difference, with broadcasting, int8 and int16: both operands at twice
// the larger scale (int8: 7 bits finer), the square of their difference scaled to the output
// (docs/arithmetic.md 16). Of float32 and int32 it is a subtraction and a product.
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// So that 255^2 times its square fits int32.
template <class T>
inline constexpr int squared_difference_left_shift = sizeof(T) == 1 ? 7 : 0;

namespace detail {

template <class Family, class T>
struct quantized_squared_difference : binary_kernel<Family, T> {
    using params = add_i8_params;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_binary(c, dtype_of<T>));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, dtype_of<T>));
        for (const multiplier& m : {p.a, p.b, p.result}) {
            KOMPAKT_TRY(check_multiplier(m.q31, m.shift));
        }
        KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, dtype_of<T>));
        return check_clamp(p.output.min, p.output.max, dtype_of<T>);
    }
    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, T b, const params& p) noexcept {
        constexpr int left = squared_difference_left_shift<T>;
        const std::int32_t d = wrap_sub(to_common_scale<left>(a, p.zero_point_a, p.a),
                                        to_common_scale<left>(b, p.zero_point_b, p.b));
        return to_output<T>(wrap_mul(d, d), p.result, p.output);
    }
};

} // namespace detail

struct squared_difference_i8
    : detail::quantized_squared_difference<squared_difference_i8, std::int8_t> {
    static constexpr kernel_id id = kernel_id::squared_difference_i8;
    static constexpr const char* name = "squared_difference_i8";
};

struct squared_difference_i16
    : detail::quantized_squared_difference<squared_difference_i16, std::int16_t> {
    static constexpr kernel_id id = kernel_id::squared_difference_i16;
    static constexpr const char* name = "squared_difference_i16";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
