// Elementwise subtraction with broadcasting: as addition (add.hpp), with the second operand
// subtracted at the common scale.
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

template <class Family, class T>
struct quantized_sub : binary_kernel<Family, T> {
    using params = add_i8_params;

    static status check(const call& c) noexcept { return check_add(c, dtype_of<T>); }
    KOMPAKT_ALWAYS_INLINE static constexpr T apply(T a, T b, const params& p) noexcept {
        return to_output<T>(wrap_sub(add_operand_a(a, p), add_operand_b(b, p)), p.result, p.output);
    }
};

} // namespace detail

struct sub_i8 : detail::quantized_sub<sub_i8, std::int8_t> {
    static constexpr kernel_id id = kernel_id::sub_i8;
    static constexpr const char* name = "sub_i8";
};

struct sub_i16 : detail::quantized_sub<sub_i16, std::int16_t> {
    static constexpr kernel_id id = kernel_id::sub_i16;
    static constexpr const char* name = "sub_i16";
};

struct sub_i32 : binary_kernel<sub_i32, std::int32_t> {
    using params = clamp_i32_params;
    static constexpr kernel_id id = kernel_id::sub_i32;
    static constexpr const char* name = "sub_i32";

    static status check(const call& c) noexcept { return detail::check_binary_i32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr std::int32_t apply(std::int32_t a, std::int32_t b,
                                                              const params& p) noexcept {
        return clamp(wrap_sub(a, b), p.min, p.max);
    }
};

struct sub_f32 : binary_kernel<sub_f32, float> {
    using params = clamp_f32_params;
    static constexpr kernel_id id = kernel_id::sub_f32;
    static constexpr const char* name = "sub_f32";

    static status check(const call& c) noexcept { return detail::check_binary_f32(c); }
    KOMPAKT_ALWAYS_INLINE static constexpr float apply(float a, float b, const params& p) noexcept {
        return p.apply(a - b);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
