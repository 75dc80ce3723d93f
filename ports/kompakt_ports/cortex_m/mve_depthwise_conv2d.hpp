// Depthwise convolution with MVE: eight channels of a pixel at once, two taps at a time.
//
// Products of int8 are exact in int16, and so are sums of two if no weight is -128, which is asked
// when weights are packed. A pair of taps is 2 loads of addresses, 4 loads, 3 operations on eight
// int16 lanes, and 4 that widen and add: some 13 instructions for 16 products.
//
// Taps outside the image read a pixel of zero points. Packed, for each block of eight channels:
// eight weights of each tap, then four_stages of the even channels and of the odd ones, since
// VMOVLB and VMOVLT take the lanes so.
//
// A layer of one input channel is an ordinary convolution.
#pragma once

#include <kompakt_ports/cortex_m/depthwise_conv2d.hpp>
#include <kompakt_ports/cortex_m/mve_conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

struct mve_depthwise {
    std::int32_t channels, taps;

    constexpr std::int32_t blocks() const noexcept { return (channels + 7) / 8; }
    constexpr std::size_t packed_bytes() const noexcept {
        const std::uint64_t n =
            std::uint64_t(blocks()) * (std::uint64_t(taps) * 8 + 2 * sizeof(four_stages));
        return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
    }
    // A pixel of zero points, or a window of 3x3.
    constexpr std::size_t zero_bytes() const noexcept {
        return threes() ? static_cast<std::size_t>(channels) * 9
                        : (static_cast<std::size_t>(channels) + 15) / 16 * 16;
    }
    // Whole blocks of nine taps, which filter_inner takes (where they are 3x3).
    constexpr bool threes() const noexcept { return taps == 9 && channels % 8 == 0; }
    // Addresses of taps, as large as the largest that plans for this port.
    constexpr std::size_t address_bytes() const noexcept {
        return static_cast<std::size_t>(taps) * 8;
    }
    // Larger windows are left to the portable kernel.
    constexpr bool possible() const noexcept { return taps <= 256; }
};
static_assert(sizeof(const std::int8_t*) <= 8, "addresses of taps");

// One pixel, all channels.
struct mve_pixel {
    const std::byte* packed;
    const std::int8_t* const* taps;
    std::int32_t tap_count, channels;
    std::int32_t zero_point, min, max; // of the outputs
};

#if KOMPAKT_DETAIL_CORTEX_M_MVE

struct mve_sums {
    int32x4_t even, odd;
};
// In assembler, since gcc 12 gathers all loads and products first and then lacks registers.
// `t` and `w` go to the next taps; `c` is the channel.
KOMPAKT_ALWAYS_INLINE void mve_pair(mve_sums& s, const std::int8_t* const*& t,
                                    const std::int8_t*& w, std::int32_t c,
                                    mve_pred16_t lanes) noexcept {
    const std::int8_t *a, *b;
    __asm__ volatile("ldrd %[a], %[b], [%[t]], #8\n add %[a], %[c]\n add %[b], %[c]\n"
                     "vpstt\n"
                     "vldrbt.s16 q0, [%[a]]\n vldrbt.s16 q2, [%[b]]\n"
                     "vldrb.s16 q1, [%[w]], #16\n vldrb.s16 q3, [%[w], #-8]\n"
                     "vmul.i16 q0, q0, q1\n vmul.i16 q2, q2, q3\n vadd.i16 q0, q0, q2\n"
                     "vmovlb.s16 q1, q0\n vmovlt.s16 q0, q0\n"
                     "vadd.i32 %q[even], %q[even], q1\n vadd.i32 %q[odd], %q[odd], q0\n"
                     : [a] "=&l"(a), [b] "=&l"(b), [t] "+r"(t), [w] "+l"(w), [even] "+w"(s.even),
                       [odd] "+w"(s.odd)
                     : [c] "r"(c), [lanes] "Up"(lanes)
                     : "q0", "q1", "q2", "q3", "memory");
}
KOMPAKT_ALWAYS_INLINE void mve_tap(mve_sums& s, const std::int8_t* a, const std::int8_t*& w,
                                   mve_pred16_t lanes) noexcept {
    const int16x8_t p = vmulq_s16(vldrbq_z_s16(a, lanes), vldrbq_s16(w));
    w += 8;
    s.even = vaddq_s32(s.even, vmovlbq_s16(p));
    s.odd = vaddq_s32(s.odd, vmovltq_s16(p));
}
KOMPAKT_ALWAYS_INLINE int32x4_t mve_finish(int32x4_t sums, const std::int32_t* stages,
                                           std::int32_t zero_point) noexcept {
    return vaddq_n_s32(mve_scale(sums, vldrwq_s32(stages + 4),
                                 vldrbq_s32(reinterpret_cast<const std::int8_t*>(stages + 8))),
                       zero_point);
}

// `Nine`: nine taps, unrolled.
template <bool Nine>
KOMPAKT_NOINLINE void filter_pixel(const mve_pixel& given, std::int8_t* out) noexcept {
    const mve_pixel v = given;
    const auto* w = reinterpret_cast<const std::int8_t*>(v.packed);
    const std::int32_t taps = Nine ? 9 : v.tap_count;
    for (std::int32_t c = 0; c < v.channels; c += 8) {
        const mve_pred16_t lanes = vctp16q(static_cast<std::uint32_t>(v.channels - c));
        const auto* stages = reinterpret_cast<const std::int32_t*>(w + taps * 8);
        mve_sums s{vldrwq_s32(stages), vldrwq_s32(stages + 9)};
        const std::int8_t* const* t = v.taps;
        if constexpr (Nine) {
            mve_pair(s, t, w, c, lanes);
            mve_pair(s, t, w, c, lanes);
            mve_pair(s, t, w, c, lanes);
            mve_pair(s, t, w, c, lanes);
            mve_tap(s, *t + c, w, lanes);
        } else {
            for (std::int32_t n = taps; n > 0; --n) mve_tap(s, *t++ + c, w, lanes);
        }
        // Limited to int16 first.
        int16x8_t r = vqmovnbq_s32(vdupq_n_s16(0), mve_finish(s.even, stages, v.zero_point));
        r = vqmovntq_s32(r, mve_finish(s.odd, stages + 9, v.zero_point));
        r = vminq_s16(vmaxq_s16(r, vdupq_n_s16(static_cast<std::int16_t>(v.min))),
                      vdupq_n_s16(static_cast<std::int16_t>(v.max)));
        vstrbq_p_s16(out + c, r, lanes);
        w = reinterpret_cast<const std::int8_t*>(stages + 18);
    }
}

#define KOMPAKT_DETAIL_PAIR                                                                        \
    "vldrb.s16 q1, [%[w]], #16\n vldrb.s16 q3, [%[w], #-8]\n"                                      \
    "vmul.i16 q0, q0, q1\n vmul.i16 q2, q2, q3\n vadd.i16 q0, q0, q2\n"                            \
    "vmovlb.s16 q1, q0\n vmovlt.s16 q0, q0\n"                                                      \
    "vadd.i32 %q[even], %q[even], q1\n vadd.i32 %q[odd], %q[odd], q0\n"

// Nine taps in three rows; the next in a row is `step` on. Channels are a multiple of eight, so
// that nothing beyond them is read.
KOMPAKT_NOINLINE inline void filter_inner(const mve_pixel& v, const std::int8_t* a,
                                          const std::int8_t* b, const std::int8_t* d,
                                          std::int32_t step, std::int8_t* out) noexcept {
    const auto* w = reinterpret_cast<const std::int8_t*>(v.packed);
    const auto zero_point = static_cast<std::int16_t>(v.zero_point);
    const int16x8_t min = vdupq_n_s16(static_cast<std::int16_t>(v.min));
    const int16x8_t max = vdupq_n_s16(static_cast<std::int16_t>(v.max));
    for (const std::int8_t* const end = out + v.channels; out != end; out += 8) {
        const auto* stages = reinterpret_cast<const std::int32_t*>(w + 72);
        int32x4_t even = vldrwq_s32(stages), odd = vldrwq_s32(stages + 9);
        const std::int8_t* x;
        __asm__ volatile(
            "vldrb.s16 q0, [%[a]], #8\n add %[x], %[a], %[next]\n vldrb.s16 q2, [%[x]]\n"
            "add %[x], %[step]\n" KOMPAKT_DETAIL_PAIR
            "vldrb.s16 q0, [%[x]]\n vldrb.s16 q2, [%[b]], #8\n" KOMPAKT_DETAIL_PAIR
            "add %[x], %[b], %[next]\n vldrb.s16 q0, [%[x]]\n add %[x], %[step]\n"
            "vldrb.s16 q2, [%[x]]\n" KOMPAKT_DETAIL_PAIR
            "vldrb.s16 q0, [%[d]], #8\n add %[x], %[d], %[next]\n vldrb.s16 q2, [%[x]]\n"
            "add %[x], %[step]\n" KOMPAKT_DETAIL_PAIR
            "vldrb.s16 q0, [%[x]]\n vldrb.s16 q1, [%[w]], #8\n vmul.i16 q0, q0, q1\n"
            "vmovlb.s16 q1, q0\n vmovlt.s16 q0, q0\n"
            "vadd.i32 %q[even], %q[even], q1\n vadd.i32 %q[odd], %q[odd], q0\n"
            : [a] "+l"(a), [b] "+l"(b), [d] "+l"(d), [w] "+l"(w), [x] "=&l"(x), [even] "+w"(even),
              [odd] "+w"(odd)
            : [step] "r"(step), [next] "r"(step - 8)
            : "q0", "q1", "q2", "q3", "memory");
        even = mve_scale(even, vldrwq_s32(stages + 4),
                         vldrbq_s32(reinterpret_cast<const std::int8_t*>(stages + 8)));
        odd = mve_scale(odd, vldrwq_s32(stages + 13),
                        vldrbq_s32(reinterpret_cast<const std::int8_t*>(stages + 17)));
        // Limited to int16 first. Adding saturates too.
        int16x8_t r = vqmovntq_s32(vqmovnbq_s32(vreinterpretq_s16_s32(even), even), odd);
        r = vminq_s16(vmaxq_s16(vqaddq_n_s16(r, zero_point), min), max);
        vstrbq_s16(out, r);
        w += 72;
    }
}
#undef KOMPAKT_DETAIL_PAIR

#else

// The same arithmetic.
template <bool Nine>
void filter_pixel(const mve_pixel& v, std::int8_t* out) noexcept {
    const std::byte* w = v.packed;
    for (std::int32_t c = 0; c < v.channels; c += 8) {
        four_stages stages[2];
        std::memcpy(stages, w + v.tap_count * 8, sizeof stages);
        for (std::int32_t k = 0; k < 8 && c + k < v.channels; ++k) {
            const four_stages& s = stages[k % 2];
            std::int32_t sum = s.bias[k / 2];
            for (std::int32_t t = 0; t < v.tap_count; t += 2) {
                std::int32_t pair = v.taps[t][c + k] * static_cast<std::int8_t>(w[t * 8 + k]);
                if (t + 1 < v.tap_count) {
                    pair += v.taps[t + 1][c + k] * static_cast<std::int8_t>(w[t * 8 + 8 + k]);
                }
                sum = wrap_add(sum, static_cast<std::int16_t>(pair));
            }
            const std::int32_t r = mve_scale(sum, s.q31[k / 2], s.shift[k / 2]) + v.zero_point;
            out[c + k] = static_cast<std::int8_t>(clamp(r, v.min, v.max));
        }
        w += v.tap_count * 8 + static_cast<std::int32_t>(sizeof stages);
    }
}
inline void filter_inner(const mve_pixel& v, const std::int8_t* a, const std::int8_t* b,
                         const std::int8_t* d, std::int32_t step, std::int8_t* out) noexcept {
    const std::int8_t* const taps[9] = {a, a + step, a + 2 * step, b, b + step, b + 2 * step,
                                        d, d + step, d + 2 * step};
    mve_pixel with = v;
    with.taps = taps;
    filter_pixel<true>(with, out);
}

#endif

// The addresses of the taps of the window at row y0 and column x0.
KOMPAKT_NOINLINE inline void mve_taps(const windowed_image& g, std::int32_t y0, std::int32_t x0,
                                      const std::int8_t* zeros, const std::int8_t** to) noexcept {
    const auto height = static_cast<std::uint32_t>(g.in_h);
    const auto width = static_cast<std::uint32_t>(g.in_w);
    const std::int32_t step = g.window.dilation_w * g.in_c;
    for (std::int32_t ky = 0; ky < g.kernel_h; ++ky, y0 += g.window.dilation_h) {
        const bool inside = static_cast<std::uint32_t>(y0) < height;
        std::int32_t at = inside ? (y0 * g.in_w + x0) * g.in_c : 0, x = x0;
        for (std::int32_t kx = 0; kx < g.kernel_w; ++kx) {
            *to++ = inside && static_cast<std::uint32_t>(x) < width ? g.in + at : zeros;
            at += step, x += g.window.dilation_w;
        }
    }
}

KOMPAKT_NOINLINE inline void mve_filter(const call& c) noexcept {
    convolution v = convolution_of(c);
    windowed_image& g = v.image;
    const mve_depthwise d{g.in_c, g.kernel_h * g.kernel_w};
    auto* const buffer = reinterpret_cast<std::int8_t*>(c.scratch().data());
    std::int8_t* const zeros = buffer + row_buffer_bytes(c);
    auto** const taps = reinterpret_cast<const std::int8_t**>(zeros + d.zero_bytes());
    if (!(g.kernel_h == 3 && d.threes())) mve_fill(zeros, g.zero_point, d.channels);
    const mve_pixel p{c.packed(),         taps,        d.taps,     d.channels,
                      v.stage.zero_point, v.stage.min, v.stage.max};
    const std::int32_t row = v.out_w * d.channels;
    // Of windows of 3x3 inside the image, three rows are all the addresses; others are copied.
    const bool threes = g.kernel_h == 3 && d.threes();
    const std::int32_t step = g.window.dilation_w * g.in_c;
    const std::int32_t below = g.window.dilation_h * g.in_w * g.in_c;
    const std::int32_t x_end = g.in_w - 2 * g.window.dilation_w;
    for (std::int32_t n = 0; n < v.images; ++n, g.in += g.in_h * g.in_w * g.in_c) {
        for (std::int32_t y = 0; y < v.out_h; ++y, v.out += row) {
            std::int8_t* to = c.by_rows() ? buffer : v.out;
            const std::int32_t y0 = y * g.window.stride_h - g.window.pad_top;
            std::int32_t x0 = -g.window.pad_left;
            const bool inner = threes && y0 >= 0 && y0 + 2 * g.window.dilation_h < g.in_h;
            for (std::int32_t x = 0; x < v.out_w; ++x, x0 += g.window.stride_w) {
                if (inner && x0 >= 0 && x0 < x_end) {
                    const std::int8_t* first = g.in + (y0 * g.in_w + x0) * g.in_c;
                    filter_inner(p, first, first + below, first + 2 * below, step, to);
                } else if (threes) {
                    mve_window(g, y0, x0, zeros);
                    filter_inner(p, zeros, zeros + 3 * d.channels, zeros + 6 * d.channels,
                                 d.channels, to);
                } else {
                    mve_taps(g, y0, x0, zeros, taps);
                    if (d.taps == 9) {
                        filter_pixel<true>(p, to);
                    } else {
                        filter_pixel<false>(p, to);
                    }
                }
                to += d.channels;
            }
            if (c.by_rows()) mve_copy(v.out, buffer, row);
        }
    }
}

// The hooks (kernel/port_hooks.hpp).

inline mve_depthwise mve_depthwise_of(const call& c) noexcept {
    const auto filter = c.input<std::int8_t, 4>(packed_input);
    return {filter.dim(3), filter.dim(1) * filter.dim(2)};
}
inline bool mve_filters(const call& c) noexcept {
    return mve_depthwise_of(c).possible() &&
           c.input<std::int8_t, 4>(0).dim(3) == c.output<std::int8_t, 4>(0).dim(3);
}
inline channel_weights mve_channel(const call& c, std::int32_t channel) noexcept {
    const mve_depthwise d = mve_depthwise_of(c);
    return {c.input_data<std::int8_t>(packed_input) + channel, d.channels, d.taps};
}

constexpr std::uint32_t kernel_pack_id(mve, depthwise_conv2d_i8) noexcept {
    return 0xc3080423;
}
constexpr std::uint32_t kernel_pack_absorbs(mve, depthwise_conv2d_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(mve, depthwise_conv2d_i8, const call& c) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    if (is_single(c)) {
        const convolution v = convolution_of(c);
        if (!is_packed(c) && !mve_panels_are_exact(mve_panels_of(v), single_weights(c, v), stage,
                                                   p.input_zero_point)) {
            return 0;
        }
        return mve_panels_of(v).bytes();
    }
    if (!mve_filters(c)) return 0;
    const mve_depthwise d = mve_depthwise_of(c);
    for (std::int32_t k = 0; k < d.channels && !is_packed(c); ++k) {
        const weight_sums sums = sums_of(mve_channel(c, k));
        if (sums.lowest || !mve_stage_is_exact(stage, k, sums, p.input_zero_point)) return 0;
    }
    return d.packed_bytes();
}
inline void kernel_pack(mve, depthwise_conv2d_i8, const call& c, std::byte* to) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    if (is_single(c)) {
        const convolution v = convolution_of(c);
        return pack_mve_panels(mve_panels_of(v), single_weights(c, v), stage, p.input_zero_point,
                               to);
    }
    const mve_depthwise d = mve_depthwise_of(c);
    for (std::int32_t o = 0; o < d.channels; o += 8) {
        four_stages stages[2] = {};
        bool filled[8] = {};
        for (std::int32_t k = 0; k < 8 && o + k < d.channels; ++k) {
            filled[k] = put_mve_stage(stages[k % 2], static_cast<std::size_t>(k) / 2, stage, o + k,
                                      sums_of(mve_channel(c, o + k)), p.input_zero_point);
        }
        for (std::int32_t t = 0; t < d.taps; ++t) {
            for (std::int32_t k = 0; k < 8; ++k) {
                *to++ = filled[k] ? static_cast<std::byte>(
                                        mve_channel(c, o + k)
                                            .data[static_cast<std::ptrdiff_t>(t) * d.channels])
                                  : std::byte{0};
            }
        }
        std::memcpy(to, stages, sizeof stages);
        to += sizeof stages;
    }
}
inline std::size_t kernel_scratch_bytes(mve, depthwise_conv2d_i8, const call& c) noexcept {
    const std::size_t rows = row_buffer_bytes(c);
    if (is_single(c)) return rows + 2 * mve_panels_of(convolution_of(c)).column_bytes();
    if (!mve_filters(c)) return rows;
    const mve_depthwise d = mve_depthwise_of(c);
    return rows + d.zero_bytes() + d.address_bytes();
}
template <class Port, class Call>
void run_kernel(mve, depthwise_conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return depthwise_conv2d_i8::run_portable(port, c);
    }
    if (is_single(c)) return mve_convolve(c);
    mve_filter(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
