// The output stage in vectors: bit for bit what `output_stage` computes (kernel/requantize.hpp).
//
// Stages are packed beside the weights. Each has a bias with the input's zero point folded in, a
// multiplier and a shift for every channel. Three forms compute the same; which one is known when
// weights are packed, and from the clamp:
//
//   whole     any stage: left shifts, sums that wrap, results beyond int16
//   plain     all shifts are to the right by at least one, and no result leaves int16
//   positive  plain, and the clamp starts at the zero point, as that of a fused relu does: then the
//             rounding of negative numbers does not matter
#pragma once

#include <kompakt/kernel/requantize.hpp>
#include <kompakt_ports/neon/tags.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

#include <arm_neon.h>

// GNU's assembler wants Armv8.2 for the extensions, and a function of gcc inlines only what asks
// for no more than itself: the base has all that the compiler was told.
#if defined(KOMPAKT_DETAIL_NEON64) && !defined(__clang__)
#if defined(__ARM_FEATURE_COMPLEX)
#define KOMPAKT_DETAIL_ARM_VERSION "arch=armv8.3-a"
#else
#define KOMPAKT_DETAIL_ARM_VERSION "arch=armv8.2-a"
#endif
#if defined(__ARM_FEATURE_CRYPTO)
#define KOMPAKT_DETAIL_ARM_CRYPTO "+crypto"
#else
#define KOMPAKT_DETAIL_ARM_CRYPTO ""
#endif
#if defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
#define KOMPAKT_DETAIL_ARM_FP16 "+fp16"
#else
#define KOMPAKT_DETAIL_ARM_FP16 ""
#endif
#if defined(__ARM_FEATURE_SVE)
#define KOMPAKT_DETAIL_ARM_SVE "+sve"
#else
#define KOMPAKT_DETAIL_ARM_SVE ""
#endif
#define KOMPAKT_DETAIL_ARM_BASE                                                                    \
    KOMPAKT_DETAIL_ARM_VERSION KOMPAKT_DETAIL_ARM_CRYPTO KOMPAKT_DETAIL_ARM_FP16                   \
        KOMPAKT_DETAIL_ARM_SVE
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

enum class stage_form : std::uint32_t { whole, plain, positive };

// What packed weights start with. It may come from a file: it chooses between ways to compute,
// never what is read or written.
struct packed_header {
    std::uint32_t plain;   // see above
    std::uint32_t careful; // some weight is -128: two products may not be added in int16
    std::uint32_t spare[2];
};

// The output's side of a stage.
struct stage_limits {
    std::int32_t zero_point, min, max;
    stage_form form;

    static stage_limits of(const output_stage_params& p, const packed_header& h) noexcept {
        const stage_form form = h.plain == 0            ? stage_form::whole
                                : p.min == p.zero_point ? stage_form::positive
                                                        : stage_form::plain;
        return {p.zero_point, p.min, p.max, form};
    }
};

// Collects what the forms ask for while stages are packed.
class stage_packer {
  public:
    explicit stage_packer(const output_stage& stage, std::int32_t input_zero_point) noexcept
        : stage_(&stage), input_zero_point_(input_zero_point) {}

    struct entry {
        std::int32_t bias = 0, q31 = 0, shift = -1;
    };
    // `sum` and `magnitude` of a channel's weights and of their absolute values.
    entry take(std::int32_t channel, std::int32_t sum, std::int64_t magnitude) noexcept {
        entry e;
        e.bias = wrap_sub(stage_->bias(channel), wrap_mul(sum, input_zero_point_));
        const std::int32_t at = channel * stage_->step();
        e.q31 = stage_->multipliers()[at];
        e.shift = stage_->shifts()[at];
        // The largest accumulator: nothing wraps on the way below 2^31.
        const std::int64_t bias = e.bias;
        const std::int64_t most = magnitude * 128 + (bias < 0 ? -bias : bias);
        if (e.shift > -1 || most > INT32_MAX ||
            (((most * e.q31) >> 31) >> -e.shift) > INT16_MAX - 130) {
            plain_ = false;
        }
        return e;
    }
    bool plain() const noexcept { return plain_; }

  private:
    const output_stage* stage_;
    std::int32_t input_zero_point_;
    bool plain_ = true;
};

// f(0), …, f(N - 1) with constants, written out; f is always inlined.
template <class F, int... I>
KOMPAKT_ALWAYS_INLINE void each_of(F&& f, std::integer_sequence<int, I...>) noexcept {
    (f(std::integral_constant<int, I>{}), ...);
}
template <int N, class F>
KOMPAKT_ALWAYS_INLINE void each(F&& f) noexcept {
    each_of(f, std::make_integer_sequence<int, N>{});
}

KOMPAKT_ALWAYS_INLINE int16x8_t low_halves(int32x4_t a, int32x4_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64)
    return vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
#else
    return vcombine_s16(vmovn_s32(a), vmovn_s32(b));
#endif
}

// gcc gives the low half of a vector that lives in a loop a register of its own: assembler names
// the whole one.
KOMPAKT_ALWAYS_INLINE int16x8_t low_product(int8x16_t a, int8x16_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64) && !defined(__clang__)
    int16x8_t sum;
    __asm__("smull %0.8h, %1.8b, %2.8b" : "=w"(sum) : "w"(a), "w"(b));
    return sum;
#else
    return vmull_s8(vget_low_s8(a), vget_low_s8(b));
#endif
}
KOMPAKT_ALWAYS_INLINE int16x8_t low_product_added(int16x8_t sum, int8x16_t a,
                                                  int8x16_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64) && !defined(__clang__)
    __asm__("smlal %0.8h, %1.8b, %2.8b" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
#else
    return vmlal_s8(sum, vget_low_s8(a), vget_low_s8(b));
#endif
}
KOMPAKT_ALWAYS_INLINE int16x8_t high_product(int8x16_t a, int8x16_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64)
    return vmull_high_s8(a, b);
#else
    return vmull_s8(vget_high_s8(a), vget_high_s8(b));
#endif
}
KOMPAKT_ALWAYS_INLINE int16x8_t high_product_added(int16x8_t sum, int8x16_t a,
                                                   int8x16_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64)
    return vmlal_high_s8(sum, a, b);
#else
    return vmlal_s8(sum, vget_high_s8(a), vget_high_s8(b));
#endif
}

// The high product rounds ties up, as double_rounding does; it can be -2^31 for no multiplier, so
// that one less, for ties away from zero, does not wrap.
template <stage_form Form>
KOMPAKT_ALWAYS_INLINE int32x4_t scaled(int32x4_t sum, int32x4_t q31, int32x4_t shift) noexcept {
    if constexpr (Form == stage_form::whole) {
        const int32x4_t zero = vdupq_n_s32(0), right = vminq_s32(shift, zero);
        const int32x4_t high = vqrdmulhq_s32(vshlq_s32(sum, vmaxq_s32(shift, zero)), q31);
        // Nothing is taken off where nothing is shifted out.
        const int32x4_t less = vshrq_n_s32(vandq_s32(high, right), 31);
        return vrshlq_s32(vqaddq_s32(high, less), right);
    } else if constexpr (Form == stage_form::plain) {
        const int32x4_t high = vqrdmulhq_s32(sum, q31);
        return vrshlq_s32(vsraq_n_s32(high, high, 31), shift);
    } else {
        return vrshlq_s32(vqrdmulhq_s32(sum, q31), shift);
    }
}

// The limits as vectors, to be made outside of loops: in there, stores of bytes would make the
// compiler read them again.
template <stage_form Form>
struct limit_vectors {
    int32x4_t zero_point, min, max;

    KOMPAKT_ALWAYS_INLINE explicit limit_vectors(const stage_limits& s) noexcept
        : zero_point(vdupq_n_s32(s.zero_point)), min(vdupq_n_s32(s.min)), max(vdupq_n_s32(s.max)) {}

    // Sixteen outputs of four scaled vectors.
    KOMPAKT_ALWAYS_INLINE int8x16_t narrowed(int32x4_t a, int32x4_t b, int32x4_t c,
                                             int32x4_t d) const noexcept {
        a = vminq_s32(vmaxq_s32(vaddq_s32(a, zero_point), min), max);
        b = vminq_s32(vmaxq_s32(vaddq_s32(b, zero_point), min), max);
        c = vminq_s32(vmaxq_s32(vaddq_s32(c, zero_point), min), max);
        d = vminq_s32(vmaxq_s32(vaddq_s32(d, zero_point), min), max);
        return vcombine_s8(vmovn_s16(low_halves(a, b)), vmovn_s16(low_halves(c, d)));
    }
};
template <>
struct limit_vectors<stage_form::plain> {
    int16x8_t zero_point;
    int8x16_t min, max;

    KOMPAKT_ALWAYS_INLINE explicit limit_vectors(const stage_limits& s) noexcept
        : zero_point(vdupq_n_s16(static_cast<std::int16_t>(s.zero_point))),
          min(vdupq_n_s8(static_cast<std::int8_t>(s.min))),
          max(vdupq_n_s8(static_cast<std::int8_t>(s.max))) {}

    KOMPAKT_ALWAYS_INLINE int8x16_t narrowed(int32x4_t a, int32x4_t b, int32x4_t c,
                                             int32x4_t d) const noexcept {
        const int8x16_t x = vcombine_s8(vqmovn_s16(vaddq_s16(low_halves(a, b), zero_point)),
                                        vqmovn_s16(vaddq_s16(low_halves(c, d), zero_point)));
        return vminq_s8(vmaxq_s8(x, min), max);
    }
};
// Numbers above the zero point, of which 255 are all there can be.
template <>
struct limit_vectors<stage_form::positive> {
    uint8x16_t zero_point, most;

    KOMPAKT_ALWAYS_INLINE explicit limit_vectors(const stage_limits& s) noexcept
        : zero_point(vdupq_n_u8(static_cast<std::uint8_t>(s.zero_point))),
          most(vdupq_n_u8(static_cast<std::uint8_t>(s.max - s.zero_point))) {}

    KOMPAKT_ALWAYS_INLINE int8x16_t narrowed(int32x4_t a, int32x4_t b, int32x4_t c,
                                             int32x4_t d) const noexcept {
        const uint8x16_t x =
            vcombine_u8(vqmovun_s16(low_halves(a, b)), vqmovun_s16(low_halves(c, d)));
        return vreinterpretq_s8_u8(vaddq_u8(vminq_u8(x, most), zero_point));
    }
};

// Sixteen outputs of four sums.
struct stage_words {
    int32x4_t q31[4], shift[4];
};
template <stage_form Form>
KOMPAKT_ALWAYS_INLINE int8x16_t outputs(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d,
                                        const stage_words& w,
                                        const limit_vectors<Form>& s) noexcept {
    return s.narrowed(scaled<Form>(a, w.q31[0], w.shift[0]), scaled<Form>(b, w.q31[1], w.shift[1]),
                      scaled<Form>(c, w.q31[2], w.shift[2]), scaled<Form>(d, w.q31[3], w.shift[3]));
}

// Lane `Lane` of four 4-byte lanes; no alignment needed.
template <int Lane>
KOMPAKT_ALWAYS_INLINE void store_4(std::int8_t* to, int8x16_t x) noexcept {
    vst1q_lane_s32(reinterpret_cast<std::int32_t*>(to), vreinterpretq_s32_s8(x), Lane);
}
KOMPAKT_ALWAYS_INLINE void store_low_8(std::int8_t* to, int8x16_t x) noexcept {
    vst1_s8(to, vget_low_s8(x));
}
KOMPAKT_ALWAYS_INLINE void store_high_8(std::int8_t* to, int8x16_t x) noexcept {
    vst1_s8(to, vget_high_s8(x));
}

// The first n < 16 bytes.
inline void store_part(std::int8_t* to, int8x16_t x, std::int32_t n) noexcept {
    std::int8_t part[16];
    vst1q_s8(part, x);
    for (std::int32_t i = 0; i < n; ++i) to[i] = part[i];
}

} // namespace code
} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
