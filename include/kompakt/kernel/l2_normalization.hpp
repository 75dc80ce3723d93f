// Each row along the last axis divided by its Euclidean norm.
//
//     in, out: [..., channels], rank 1 to 6
//
// int8: the inverse root of the sum of squares by Newton's iteration in fixed point
// (docs/arithmetic.md 19); the output's scale is 1/128, its zero point 0. float32: norms below 1e-6
// count as 1e-6.
#pragma once

#include <kompakt/kernel/axis.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/numeric/fixed_exp.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// One input, one output of its shape and of rank 1 at least.
inline status check_l2_normalization(const call& c, dtype type) noexcept {
    KOMPAKT_TRY(check_unary(c, type, type));
    if (c.input_record(0).rank > 0) return {};
    return fail(errc::unsupported, "a scalar, needed rank 1 to ", max_rank);
}

} // namespace detail

struct l2_normalization_i8_params {
    std::int32_t zero_point = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point");
    }
};

struct l2_normalization_i8 {
    using params = l2_normalization_i8_params;
    static constexpr kernel_id id = kernel_id::l2_normalization_i8;
    static constexpr const char* name = "l2_normalization_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_l2_normalization(c, dtype::i8));
        return check_zero_point("input", c.params<params>().zero_point, dtype::i8);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const std::int32_t zero = c.params<params>().zero_point;
        const detail::axis_loops rows(c, c.input_record(0).rank - 1);
        const auto* in = c.input_data<std::int8_t>(0);
        auto* out = c.output_data<std::int8_t>(0);
        for (std::int32_t r = 0; r < rows.outer; ++r, in += rows.along, out += rows.along) {
            std::int64_t sum = 0;
            for (std::int32_t i = 0; i < rows.along; ++i) {
                const std::int32_t x = in[i] - zero;
                sum += x * x;
            }
            // TensorFlow Lite Micro's sum of 33,026 channels and more may overflow; this one does
            // not.
            multiplier m = inverse_sqrt(saturate_i32(sum));
            m.shift += 7;
            for (std::int32_t i = 0; i < rows.along; ++i) {
                out[i] = static_cast<std::int8_t>(clamp(requantize(in[i] - zero, m), -128, 127));
            }
        }
    }
};

struct l2_normalization_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::l2_normalization_f32;
    static constexpr const char* name = "l2_normalization_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        return detail::check_l2_normalization(c, dtype::f32);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const detail::axis_loops rows(c, c.input_record(0).rank - 1);
        const auto* in = c.input_data<float>(0);
        auto* out = c.output_data<float>(0);
        for (std::int32_t r = 0; r < rows.outer; ++r, in += rows.along, out += rows.along) {
            float sum = 0.0f;
            for (std::int32_t i = 0; i < rows.along; ++i) sum += in[i] * in[i];
            const float root = sqrt_f32(sum);
            const float norm = root < 1e-6f ? 1e-6f : root;
            for (std::int32_t i = 0; i < rows.along; ++i) out[i] = in[i] / norm;
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
