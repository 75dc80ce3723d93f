// Elementwise comparisons with broadcasting; the result is bool.
//
// Two families of orders are enough: `a > b` is `b < a`, and of numbers without NaN `a <= b` is not
// `b < a`. Quantized numbers are scaled to a common, fine scale first (docs/arithmetic.md 17).
#pragma once

#include <kompakt/kernel/add.hpp>
#include <kompakt/kernel/extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct compare_params {
    std::int32_t inverted = 0; // 1: the result is inverted

    KOMPAKT_ALWAYS_INLINE constexpr std::uint8_t result(bool x) const noexcept {
        return static_cast<std::uint8_t>((x ? 1 : 0) ^ inverted);
    }
    template <class F>
    static constexpr void fields(F&& f) {
        f("inverted");
    }
};

struct compare_i8_params {
    std::int32_t zero_point_a = 0, zero_point_b = 0;
    multiplier a, b; // the scales
    compare_params how;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point_a"), f("zero_point_b");
        f("multiplier_a"), f("shift_a"), f("multiplier_b"), f("shift_b");
        compare_params::fields(f);
    }
};

namespace detail {

inline constexpr int compare_left_shift = 8;

inline status check_inverted(std::int32_t inverted) noexcept {
    if (inverted == 0 || inverted == 1) return {};
    return fail(errc::bad_file, "inverted is ", inverted, ", needed 0 or 1");
}

struct equal_function {
    template <class T>
    KOMPAKT_ALWAYS_INLINE static constexpr bool of(T a, T b) noexcept {
        return a == b;
    }
};
struct less_function {
    template <class T>
    KOMPAKT_ALWAYS_INLINE static constexpr bool of(T a, T b) noexcept {
        return a < b;
    }
};

template <class Function, class T>
struct compare_of : binary_kernel<compare_of<Function, T>, T, T, std::uint8_t> {
    using params = compare_params;

    KOMPAKT_ALWAYS_INLINE static constexpr std::uint8_t apply(T a, T b, const params& p) noexcept {
        return p.result(Function::of(a, b));
    }
};

template <class Function>
struct compare_int {
    using params = compare_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_broadcast(c, 2));
        const dtype type = c.input_record(0).type;
        KOMPAKT_TRY(check_integer(type));
        KOMPAKT_TRY(check_binary(c, type, type, dtype::boolean));
        return check_inverted(c.params<params>().inverted);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        with_integer(c.input_record(0).type,
                     [&](auto zero) { compare_of<Function, decltype(zero)>::run(port, c); });
    }
};

template <class Function>
struct compare_f32 : compare_of<Function, float> {
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_binary(c, dtype::f32, dtype::f32, dtype::boolean));
        return check_inverted(c.params<compare_params>().inverted);
    }
};

template <class Function>
struct compare_i8 : binary_kernel<compare_i8<Function>, std::int8_t, std::int8_t, std::uint8_t> {
    using params = compare_i8_params;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_binary(c, dtype::i8, dtype::i8, dtype::boolean));
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, dtype::i8));
        KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, dtype::i8));
        KOMPAKT_TRY(check_multiplier(p.a.q31, p.a.shift));
        KOMPAKT_TRY(check_multiplier(p.b.q31, p.b.shift));
        return check_inverted(p.how.inverted);
    }
    KOMPAKT_ALWAYS_INLINE static constexpr std::uint8_t apply(std::int8_t a, std::int8_t b,
                                                              const params& p) noexcept {
        return p.how.result(
            Function::of(to_common_scale<compare_left_shift>(a, p.zero_point_a, p.a),
                         to_common_scale<compare_left_shift>(b, p.zero_point_b, p.b)));
    }
};

} // namespace detail

struct equal_int : detail::compare_int<detail::equal_function> {
    static constexpr kernel_id id = kernel_id::equal_int;
    static constexpr const char* name = "equal_int";
};

struct equal_f32 : detail::compare_f32<detail::equal_function> {
    static constexpr kernel_id id = kernel_id::equal_f32;
    static constexpr const char* name = "equal_f32";
};

struct equal_i8 : detail::compare_i8<detail::equal_function> {
    static constexpr kernel_id id = kernel_id::equal_i8;
    static constexpr const char* name = "equal_i8";
};

struct less_int : detail::compare_int<detail::less_function> {
    static constexpr kernel_id id = kernel_id::less_int;
    static constexpr const char* name = "less_int";
};

struct less_f32 : detail::compare_f32<detail::less_function> {
    static constexpr kernel_id id = kernel_id::less_f32;
    static constexpr const char* name = "less_f32";
};

struct less_i8 : detail::compare_i8<detail::less_function> {
    static constexpr kernel_id id = kernel_id::less_i8;
    static constexpr const char* name = "less_i8";
};

namespace detail {
struct less_equal_function {
    template <class T>
    KOMPAKT_ALWAYS_INLINE static constexpr bool of(T a, T b) noexcept {
        return a <= b;
    }
};
} // namespace detail

// NaN makes this differ from the inverse of `less`.
struct less_equal_f32 : detail::compare_f32<detail::less_equal_function> {
    static constexpr kernel_id id = kernel_id::less_equal_f32;
    static constexpr const char* name = "less_equal_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
