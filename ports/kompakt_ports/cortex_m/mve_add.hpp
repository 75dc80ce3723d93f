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

// Four sums, and what the other addend takes between. VMLAS is vector * vector + scalar.
#define KOMPAKT_DETAIL_ADD(other)                                                                  \
    "dlstp.32 lr, %[n]\n"                                                                          \
    "1:\n vldrb.s32 q0, [%[a]], #4\n vmlas.u32 q0, %q[to_exact], %[minus_exact]\n"                 \
    "vldrb.s32 q1, [%[b]], #4\n vmlas.u32 q1, %q[to_other], %[minus_other]\n" other                \
    "vadd.i32 q0, q0, q1\n"                                                                        \
    "vqrdmulh.s32 q0, q0, %[q31]\n vshr.s32 q1, q0, #31\n vadd.i32 q0, q0, q1\n"                   \
    "vrshl.s32 q0, %[shift]\n vadd.i32 q0, q0, %[zero_point]\n"                                    \
    "vmax.s32 q0, q0, %q[least]\n vmin.s32 q0, q0, %q[most]\n"                                     \
    "vstrb.32 q0, [%[out]], #4\n letp lr, 1b\n"

template <bool BothExact>
KOMPAKT_NOINLINE void mve_add_row(const std::int8_t* a, const std::int8_t* b, std::int8_t* out,
                                  std::int32_t n, const mve_addition& v) noexcept {
    if (n <= 0) return;
    const int32x4_t least = vdupq_n_s32(v.min), most = vdupq_n_s32(v.max);
    const int32x4_t to_exact = vdupq_n_s32(1 << mve_exact_bits);
    if constexpr (BothExact) {
        __asm__ volatile(KOMPAKT_DETAIL_ADD("")
                         : [a] "+l"(a), [b] "+l"(b), [out] "+l"(out)
                         : [n] "r"(n), [to_exact] "w"(to_exact), [to_other] "w"(to_exact),
                           [minus_exact] "r"(wrap_sub(0, v.zero_exact)), [minus_other] "r"(0),
                           [q31] "r"(v.result.q31), [shift] "r"(v.result.shift),
                           [zero_point] "r"(v.zero_point), [least] "w"(least), [most] "w"(most)
                         : "lr", "q0", "q1", "cc", "memory");
    } else {
        const int32x4_t to_other = vdupq_n_s32(1 << mve_other_bits);
        __asm__ volatile(KOMPAKT_DETAIL_ADD("vqrdmulh.s32 q1, q1, %[other]\n vshr.s32 q2, q1, #31\n"
                                            "vadd.i32 q1, q1, q2\n vrshl.s32 q1, %[other_shift]\n")
                         : [a] "+l"(a), [b] "+l"(b), [out] "+l"(out)
                         : [n] "r"(n), [to_exact] "w"(to_exact), [to_other] "w"(to_other),
                           [minus_exact] "r"(wrap_sub(0, v.zero_exact)),
                           [minus_other] "r"(wrap_sub(0, v.zero_other)), [q31] "r"(v.result.q31),
                           [shift] "r"(v.result.shift), [other] "r"(v.other.q31),
                           [other_shift] "r"(v.other.shift), [zero_point] "r"(v.zero_point),
                           [least] "w"(least), [most] "w"(most)
                         : "lr", "q0", "q1", "q2", "cc", "memory");
    }
}
#undef KOMPAKT_DETAIL_ADD

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
    const ordered_operands x = exact_first(a, step_a, b, step_b, p);
    if (!x.possible) {
        return kompakt::elementwise_row(portable{}, port, family, a, step_a, b, step_b, out, n, p);
    }
    mve_addition v{};
    v.zero_exact = (x.both ? x.zero_a + x.zero_b : x.zero_a) * (1 << mve_exact_bits);
    v.zero_other = x.zero_b * (1 << mve_other_bits);
    v.other = x.m_b, v.result = p.result;
    v.zero_point = p.output.zero_point, v.min = p.output.min, v.max = p.output.max;
    if (x.both) {
        mve_add_row<true>(x.a, x.b, out, n, v);
    } else {
        mve_add_row<false>(x.a, x.b, out, n, v);
    }
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
