// The larger or the smaller of two operands, with broadcasting; on bool the logical or and and.
//
// float32: the second operand where the comparison with the first is false, NaN included. Quantized
// operands share one scale with the output, so that their numbers compare as they are.
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct extreme_params {
    std::int32_t smallest = 0; // 0: the largest, 1: the smallest

    // Whether `a` takes the place of `b`.
    template <class T>
    KOMPAKT_ALWAYS_INLINE constexpr bool wins(T a, T b) const noexcept {
        return smallest != 0 ? a < b : b < a;
    }
    template <class F>
    static constexpr void fields(F&& f) {
        f("smallest");
    }
};

namespace detail {

// `f(T())` with T the element type of integers that are compared as they are; bool is 0 or 1.
// False for other types.
template <class F>
constexpr bool with_integer(dtype type, F&& f) noexcept {
    switch (type) {
    case dtype::boolean:
    case dtype::i8:
        f(std::int8_t());
        return true;
    case dtype::i16:
        f(std::int16_t());
        return true;
    case dtype::i32:
        f(std::int32_t());
        return true;
    case dtype::i64:
        f(std::int64_t());
        return true;
    default:
        return false;
    }
}
inline status check_integer(dtype type) noexcept {
    if (with_integer(type, [](auto) {})) return {};
    return fail(errc::unsupported, name_of(type), ", needed bool, int8, int16, int32 or int64");
}
inline status check_order(std::int32_t smallest) noexcept {
    if (smallest == 0 || smallest == 1) return {};
    return fail(errc::bad_file, "smallest is ", smallest, ", needed 0 or 1");
}

// Of type T.
template <class T>
struct extreme_of : binary_kernel<extreme_of<T>, T> {
    using params = extreme_params;

    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, T b, const params& p) noexcept {
        return p.wins(a, b) ? a : b;
    }
};

} // namespace detail

struct extreme_int {
    using params = extreme_params;
    static constexpr kernel_id id = kernel_id::extreme_int;
    static constexpr const char* name = "extreme_int";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_broadcast(c, 2));
        const dtype type = c.output_record(0).type;
        KOMPAKT_TRY(detail::check_integer(type));
        KOMPAKT_TRY(check_binary(c, type));
        return detail::check_order(c.params<params>().smallest);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        detail::with_integer(c.output_record(0).type,
                             [&](auto zero) { detail::extreme_of<decltype(zero)>::run(port, c); });
    }
};

struct extreme_f32 : binary_kernel<extreme_f32, float> {
    using params = extreme_params;
    static constexpr kernel_id id = kernel_id::extreme_f32;
    static constexpr const char* name = "extreme_f32";

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_binary(c, dtype::f32));
        return detail::check_order(c.params<params>().smallest);
    }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float a, float b, const params& p) noexcept {
        return p.wins(a, b) ? a : b;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
