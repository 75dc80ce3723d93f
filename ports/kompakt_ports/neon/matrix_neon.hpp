// The engine of `neon`: SMULL, SMLAL and SADALP, sixteen taps of a pixel and a channel at a time.
//
// Two products of eight bits are added in 16: 2 * 127 * 128 fits, 2 * 128 * 128 does not, hence
// weights of -128 take another way (`careful`). Weights of a tile of four channels are, for each
// run of taps, [sixteen taps][four channels][16], then a last [four channels][8] where taps remain.
// The four lanes of a sum are added up at the end.
#pragma once

#include <kompakt_ports/neon/matrix.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

KOMPAKT_ALWAYS_INLINE int32x4_t pairs_added(int32x4_t a, int32x4_t b) noexcept {
#if defined(KOMPAKT_DETAIL_NEON64)
    return vpaddq_s32(a, b);
#else
    return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)),
                        vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
#endif
}
struct neon_engine {
    static constexpr std::int32_t unit = 8;
#if defined(KOMPAKT_DETAIL_NEON64)
    static constexpr std::int32_t pixels = 4;
#else
    static constexpr std::int32_t pixels = 2; // sixteen registers
#endif

    static constexpr std::int32_t tile_channels(std::int32_t) noexcept {
        return 4;
    }
    static constexpr std::size_t tile_bytes(std::int32_t channels, std::int32_t taps) noexcept {
        return static_cast<std::size_t>(channels) * (12 + static_cast<std::size_t>(taps));
    }
    static constexpr std::size_t scratch_bytes(std::int32_t) noexcept {
        return 0;
    }

    static void pack_tile(const tile_source& t, std::byte* to) noexcept {
        for (std::int32_t i = 0; i < 4; ++i) {
            std::memcpy(to + 4 * i, &t.stage[i].bias, 4);
            std::memcpy(to + 4 * (4 + i), &t.stage[i].q31, 4);
            std::memcpy(to + 4 * (8 + i), &t.stage[i].shift, 4);
        }
        auto* w = reinterpret_cast<std::int8_t*>(to + 48);
        for (std::int32_t r = 0; r < t.runs; ++r) {
            for (std::int32_t k = 0; k < t.run;) {
                const std::int32_t n = t.run - k >= 16 ? 16 : 8;
                for (std::int32_t i = 0; i < 4; ++i) {
                    for (std::int32_t j = 0; j < n; ++j) *w++ = t.at(i, r * t.run + k + j);
                }
                k += n;
            }
        }
    }

    static void run(const strip& s) noexcept {
        s.careful ? run_all<true>(s) : run_all<false>(s);
    }

  private:
    template <bool Careful>
    static void run_all(const strip& s) noexcept {
        const std::int32_t groups = s.count / pixels, left = s.count % pixels;
        if (groups > 0) strip_of<pixels, Careful>(s, s.taps, s.out, groups);
        if (left > 0) {
            strip_of<1, Careful>(s, s.taps + pixels * groups * s.step,
                                 s.out + static_cast<std::ptrdiff_t>(pixels * groups) * s.channels,
                                 left);
        }
    }
    // `count` times P pixels.
    template <int P, bool Careful>
    static void strip_of(const strip& s, const std::int8_t* taps, std::int8_t* out,
                         std::int32_t count) noexcept {
        const std::ptrdiff_t step = s.channels;
        const std::size_t bytes = tile_bytes(4, s.runs * s.run);
        const std::int32_t whole = s.channels / 4, left = s.channels % 4;
        for (; count > 0; --count, taps += P * s.step, out += P * step) {
            const std::byte* at = s.tiles;
            std::int8_t* to = out;
            for (std::int32_t i = 0; i < whole; ++i, to += 4, at += bytes) {
                tile<P, Careful>(s, taps, at, to, step);
            }
            if (left != 0) {
                partial_tile part;
                tile<P, Careful>(s, taps, at, part.bytes, part.row);
                part.copy_to(to, step, P, left);
            }
        }
    }

    template <bool Careful>
    KOMPAKT_ALWAYS_INLINE static void add_16(int32x4_t& sum, int8x16_t x, int8x16_t w) noexcept {
        int16x8_t products = low_product(x, w);
        if constexpr (Careful) {
            sum = vpadalq_s16(sum, products);
            sum = vpadalq_s16(sum, high_product(x, w));
        } else {
            products = high_product_added(products, x, w);
            sum = vpadalq_s16(sum, products);
        }
    }

    template <int P, bool Careful>
    KOMPAKT_ALWAYS_INLINE static void tile(const strip& s, const std::int8_t* taps,
                                           const std::byte* at, std::int8_t* out,
                                           std::ptrdiff_t step) noexcept {
        const auto* words = reinterpret_cast<const std::int32_t*>(at);
        const auto* w = reinterpret_cast<const std::int8_t*>(at) + 48;
        int32x4_t sums[P][4];
        each<4>([&](auto v) KOMPAKT_INLINE_LAMBDA {
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { sums[p][v] = vdupq_n_s32(0); });
        });
        const std::int8_t* a[P];
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] = taps + p * s.step; });
        std::int32_t runs = s.runs;
        const std::int32_t run = s.run;
        const std::ptrdiff_t skip = s.skip;
        do {
            for (std::int32_t k = run; k >= 16; k -= 16) {
                int8x16_t x[P];
                each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    x[p] = vld1q_s8(a[p]);
                    a[p] += 16;
                });
                each<4>([&](auto v) KOMPAKT_INLINE_LAMBDA {
                    const int8x16_t y = vld1q_s8(w + 16 * v);
                    each<P>([&](auto p)
                                KOMPAKT_INLINE_LAMBDA { add_16<Careful>(sums[p][v], x[p], y); });
                });
                w += 64;
            }
            if ((run & 8) != 0) {
                int8x8_t x[P];
                each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    x[p] = vld1_s8(a[p]);
                    a[p] += 8;
                });
                each<4>([&](auto v) KOMPAKT_INLINE_LAMBDA {
                    const int8x8_t y = vld1_s8(w + 8 * v);
                    each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                        sums[p][v] = vpadalq_s16(sums[p][v], vmull_s8(x[p], y));
                    });
                });
                w += 32;
            }
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] += skip; });
        } while (--runs > 0);

        const int32x4_t bias = vld1q_s32(words);
        int32x4_t x[4];
        each<4>([&](auto p) KOMPAKT_INLINE_LAMBDA {
            if constexpr (p < P) {
                x[p] = vaddq_s32(bias, pairs_added(pairs_added(sums[p][0], sums[p][1]),
                                                   pairs_added(sums[p][2], sums[p][3])));
            } else {
                x[p] = bias; // comes to nothing
            }
        });
        switch (s.limits.form) {
        case stage_form::whole:
            return finish<stage_form::whole, P>(s, words, x, out, step);
        case stage_form::plain:
            return finish<stage_form::plain, P>(s, words, x, out, step);
        case stage_form::positive:
            return finish<stage_form::positive, P>(s, words, x, out, step);
        }
    }

    // x: four channels of each pixel.
    template <stage_form Form, int P>
    KOMPAKT_ALWAYS_INLINE static void finish(const strip& s, const std::int32_t* words,
                                             const int32x4_t (&x)[4], std::int8_t* out,
                                             std::ptrdiff_t step) noexcept {
        const int32x4_t q31 = vld1q_s32(words + 4), shift = vld1q_s32(words + 8);
        int32x4_t y[4];
        each<4>([&](auto p) KOMPAKT_INLINE_LAMBDA {
            y[p] = p < P ? scaled<Form>(x[p], q31, shift) : y[0];
        });
        const int8x16_t z = limit_vectors<Form>(s.limits).narrowed(y[0], y[1], y[2], y[3]);
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { store_4<p>(out + p * step, z); });
    }
};

} // namespace code

// Hooks of the matrix kernels (kernel/port_hooks.hpp).

// NEON, runs of 16 taps.
constexpr std::uint32_t kernel_pack_id(neon, conv2d_i8) noexcept {
    return 0xa0160401;
}
constexpr std::uint32_t kernel_pack_id(neon, fully_connected_i8) noexcept {
    return 0xa0160402;
}
inline std::size_t kernel_pack_bytes(neon, conv2d_i8 f, const call& c) noexcept {
    return code::packed_bytes<code::neon_engine>(f, c);
}
inline std::size_t kernel_pack_bytes(neon, fully_connected_i8 f, const call& c) noexcept {
    return code::packed_bytes<code::neon_engine>(f, c);
}
inline void kernel_pack(neon, conv2d_i8 f, const call& c, std::byte* to) noexcept {
    code::pack<code::neon_engine>(f, c, to);
}
inline void kernel_pack(neon, fully_connected_i8 f, const call& c, std::byte* to) noexcept {
    code::pack<code::neon_engine>(f, c, to);
}
inline std::size_t kernel_scratch_bytes(neon, conv2d_i8 f, const call& c) noexcept {
    return row_buffer_bytes(c) + code::own_scratch<code::neon_engine>(f, c);
}
inline std::size_t kernel_scratch_bytes(neon, fully_connected_i8 f, const call& c) noexcept {
    return code::own_scratch<code::neon_engine>(f, c);
}
template <class Port, class Call>
void run_kernel(neon, conv2d_i8 f, Port port, const Call& c) noexcept {
    if (c.packed() == nullptr || code::packed_bytes<code::neon_engine>(f, c) == 0) {
        return conv2d_i8::run_portable(port, c);
    }
    code::run_packed<code::neon_engine>(f, c);
}
template <class Port, class Call>
void run_kernel(neon, fully_connected_i8 f, Port port, const Call& c) noexcept {
    if (c.packed() == nullptr || code::packed_bytes<code::neon_engine>(f, c) == 0) {
        return fully_connected_i8::run_portable(port, c);
    }
    code::run_packed<code::neon_engine>(f, c);
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
