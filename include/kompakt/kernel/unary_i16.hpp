// Functions of one int16 element. Types are symmetric but for `leaky_relu_i16`, whose zero points
// TensorFlow Lite Micro leaves free.
#pragma once

#include <kompakt/kernel/unary.hpp>
#include <kompakt/numeric/fixed_exp.hpp>
#include <kompakt/numeric/sigmoid_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct abs_i16_params {
    multiplier scale; // input scale / output scale
    // 1: 32768 becomes 32767; 0: it wraps, as it does for numbers without a scale.
    std::int32_t saturate = 1;

    template <class F>
    static constexpr void fields(F&& f) {
        f("multiplier"), f("shift"), f("saturate");
    }
};
struct abs_i16 : unary_kernel<abs_i16, std::int16_t, abs_i16_params> {
    static constexpr kernel_id id = kernel_id::abs_i16;
    static constexpr const char* name = "abs_i16";
    static status check_params(const abs_i16_params& p) noexcept {
        return check_multiplier(p.scale.q31, p.scale.shift);
    }
    static std::int16_t apply(std::int16_t x, const abs_i16_params& p) noexcept {
        const std::int32_t y = requantize(x < 0 ? -x : x, p.scale);
        return p.saturate != 0 ? saturate_i16(y) : static_cast<std::int16_t>(y);
    }
};

// 1 / sqrt(x), in 20 bits more than integers between the two multiplications; what is not above 0
// gives the greatest number.
struct rsqrt_i16_params {
    multiplier scale; // 1 / (sqrt(input scale) * output scale), 20 bits down

    template <class F>
    static constexpr void fields(F&& f) {
        f("multiplier"), f("shift");
    }
};
constexpr std::int32_t scaled_inverse_sqrt(std::int32_t x, const multiplier& scale) noexcept {
    const multiplier root = inverse_sqrt(x);
    return requantize(requantize(1, root.q31, root.shift + 20), scale);
}
struct rsqrt_i16 : unary_kernel<rsqrt_i16, std::int16_t, rsqrt_i16_params> {
    static constexpr kernel_id id = kernel_id::rsqrt_i16;
    static constexpr const char* name = "rsqrt_i16";
    static status check_params(const rsqrt_i16_params& p) noexcept {
        return check_multiplier(p.scale.q31, p.scale.shift);
    }
    static std::int16_t apply(std::int16_t x, const rsqrt_i16_params& p) noexcept {
        return x <= 0 ? INT16_MAX : saturate_i16(scaled_inverse_sqrt(x, p.scale));
    }
};

struct table_scale_params {
    table_scale scale;

    template <class F>
    static constexpr void fields(F&& f) {
        f("factor"), f("shift");
    }
};
inline status check_table_scale(const table_scale_params& p) noexcept {
    if (is_safe(p.scale)) return {};
    return fail(errc::bad_file, "factor ", p.scale.factor, " with shift ", p.scale.shift,
                ", needed 0 to 32767 and 0 to 31");
}
struct logistic_i16 : unary_kernel<logistic_i16, std::int16_t, table_scale_params> {
    static constexpr kernel_id id = kernel_id::logistic_i16;
    static constexpr const char* name = "logistic_i16";
    static status check_params(const table_scale_params& p) noexcept {
        return check_table_scale(p);
    }
    static std::int16_t apply(std::int16_t x, const table_scale_params& p) noexcept {
        return table_logistic(x, p.scale);
    }
};
struct tanh_i16 : unary_kernel<tanh_i16, std::int16_t, table_scale_params> {
    static constexpr kernel_id id = kernel_id::tanh_i16;
    static constexpr const char* name = "tanh_i16";
    static status check_params(const table_scale_params& p) noexcept {
        return check_table_scale(p);
    }
    static std::int16_t apply(std::int16_t x, const table_scale_params& p) noexcept {
        return table_tanh(x, p.scale);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
