// Elementwise addition of int8 with MVE, four elements in 20 instructions; for the same parameters
// as that of the DSP extension (add.hpp).
#pragma once

#include <kompakt_ports/cortex_m/add.hpp>
#include <kompakt_ports/cortex_m/mve_stage.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// `exact` is halved, `other` scaled. Zero points are shifted as the values are.
struct mve_addition {
    std::int32_t zero_exact, zero_other;
    multiplier other, result;
    std::int32_t zero_point, min, max; // of the outputs
};
inline constexpr int mve_other_bits = add_left_shift<std::int8_t>;
inline constexpr int mve_exact_bits = mve_other_bits - 1;

#if KOMPAKT_DETAIL_CORTEX_M_MVE

template <bool BothExact>
KOMPAKT_NOINLINE void mve_add_row(const std::int8_t* a, const std::int8_t* b, std::int8_t* out,
                                  std::int32_t n, const mve_addition& given) noexcept {
    const mve_addition v = given;
    const int32x4_t least = vdupq_n_s32(v.min), most = vdupq_n_s32(v.max);
    for (; n > 0; n -= 4, a += 4, b += 4, out += 4) {
        const mve_pred16_t lanes = vctp32q(static_cast<std::uint32_t>(n));
        int32x4_t sum = vshlq_n_s32(vldrbq_z_s32(a, lanes), mve_exact_bits);
        const int32x4_t y = vldrbq_z_s32(b, lanes);
        if constexpr (BothExact) {
            sum = vsubq_n_s32(vaddq_s32(sum, vshlq_n_s32(y, mve_exact_bits)), v.zero_exact);
        } else {
            const int32x4_t x = vsubq_n_s32(vshlq_n_s32(y, mve_other_bits), v.zero_other);
            sum =
                vaddq_s32(vsubq_n_s32(sum, v.zero_exact), mve_scale(x, v.other.q31, v.other.shift));
        }
        const int32x4_t r = vaddq_n_s32(mve_scale(sum, v.result.q31, v.result.shift), v.zero_point);
        vstrbq_p_s32(out, vminq_s32(vmaxq_s32(r, least), most), lanes);
    }
}

#else

template <bool BothExact>
void mve_add_row(const std::int8_t* a, const std::int8_t* b, std::int8_t* out, std::int32_t n,
                 const mve_addition& v) noexcept {
    for (std::int32_t i = 0; i < n; ++i) {
        std::int32_t sum = a[i] * (1 << mve_exact_bits);
        if constexpr (BothExact) {
            sum = wrap_sub(wrap_add(sum, b[i] * (1 << mve_exact_bits)), v.zero_exact);
        } else {
            const std::int32_t x = wrap_sub(b[i] * (1 << mve_other_bits), v.zero_other);
            sum = wrap_add(wrap_sub(sum, v.zero_exact), mve_scale(x, v.other.q31, v.other.shift));
        }
        const std::int32_t r = mve_scale(sum, v.result.q31, v.result.shift) + v.zero_point;
        out[i] = static_cast<std::int8_t>(clamp(r, v.min, v.max));
    }
}

#endif

template <class Port>
void elementwise_row(mve, Port port, add_i8 family, const std::int8_t* a, std::int32_t step_a,
                     const std::int8_t* b, std::int32_t step_b, std::int8_t* out, std::int32_t n,
                     const add_i8_params& p) noexcept {
    const bool swapped = !is_half(p.a);
    const multiplier &first = swapped ? p.b : p.a, &second = swapped ? p.a : p.b;
    const bool both = is_half(second);
    if (step_a != 1 || step_b != 1 || !is_half(first) || !(both || is_less(second)) ||
        !is_less(p.result)) {
        return kompakt::elementwise_row(portable{}, port, family, a, step_a, b, step_b, out, n, p);
    }
    mve_addition v{};
    const std::int32_t zero_first = swapped ? p.zero_point_b : p.zero_point_a;
    const std::int32_t zero_second = swapped ? p.zero_point_a : p.zero_point_b;
    v.zero_exact = (both ? zero_first + zero_second : zero_first) * (1 << mve_exact_bits);
    v.zero_other = zero_second * (1 << mve_other_bits);
    v.other = second, v.result = p.result;
    v.zero_point = p.output.zero_point, v.min = p.output.min, v.max = p.output.max;
    if (both) {
        mve_add_row<true>(swapped ? b : a, swapped ? a : b, out, n, v);
    } else {
        mve_add_row<false>(swapped ? b : a, swapped ? a : b, out, n, v);
    }
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
