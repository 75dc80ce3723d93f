// The engine of `neon_i8mm`: SMMLA, eight taps of two pixels and two channels at a time.
//
// Weights of a tile of 16 or 8 channels are [eight taps][two channels][2][8]. The taps of two
// pixels are brought to the same order first, once for all channels. A sum holds two channels of
// one pixel, then of the other: stages are packed so as well, and the pixels part after the last
// narrowing.
#pragma once

#include <kompakt_ports/neon/matrix_dotprod.hpp>

#if defined(KOMPAKT_DETAIL_NEON64)

// As KOMPAKT_DETAIL_DOTPROD.
#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_DOTPROD)
#define KOMPAKT_DETAIL_I8MM
#elif defined(__clang__)
#define KOMPAKT_DETAIL_I8MM __attribute__((target("dotprod,i8mm")))
#else
#define KOMPAKT_DETAIL_I8MM __attribute__((target(KOMPAKT_DETAIL_ARM_BASE "+dotprod+i8mm")))
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

// The 2x2 sums of the rows of x (pixels) and w (channels), eight taps each.
KOMPAKT_ALWAYS_INLINE void dot_2x2(int32x4_t& sum, int8x16_t x, int8x16_t w) noexcept {
    __asm__("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(x), "w"(w));
}

struct i8mm_engine {
    static constexpr std::int32_t unit = 8;

    static constexpr std::int32_t tile_channels(std::int32_t left) noexcept {
        return left > 8 ? 16 : 8;
    }
    static constexpr std::int32_t padded(std::int32_t left) noexcept { return left > 8 ? 16 : 8; }
    static constexpr std::size_t channel_bytes(std::int32_t taps) noexcept {
        return 24 + static_cast<std::size_t>(taps);
    }
    static constexpr std::size_t scratch_bytes(std::int32_t taps) noexcept {
        return 4 * static_cast<std::size_t>(taps);
    }

    static void pack_tile(const tile_source& t, std::byte* to) noexcept {
        const std::int32_t n = tile_channels(t.channels);
        for (std::int32_t i = 0; i < n; i += 2) {
            for (std::int32_t twice = 0; twice < 2; ++twice) {
                for (std::int32_t j = 0; j < 2; ++j) {
                    const std::int32_t at = 2 * i + 2 * twice + j;
                    std::memcpy(to + 4 * at, &t.stage[i + j].bias, 4);
                    std::memcpy(to + 4 * (2 * n + at), &t.stage[i + j].q31, 4);
                    std::memcpy(to + 4 * (4 * n + at), &t.stage[i + j].shift, 4);
                }
            }
        }
        auto* w = reinterpret_cast<std::int8_t*>(to + 24 * n);
        for (std::int32_t k = 0; k < t.runs * t.run; k += 8) {
            for (std::int32_t i = 0; i < n; ++i) {
                for (std::int32_t j = 0; j < 8; ++j) *w++ = t.at(i, k + j);
            }
        }
    }

    static void run(const strip& s) noexcept {
        const std::int32_t fours = s.count / 4, pairs = s.count % 4 / 2;
        if (fours > 0) strip_of<2>(s, s.taps, s.step, s.out, s.channels, fours);
        const std::int8_t* taps = s.taps + 4 * fours * s.step;
        std::int8_t* out = s.out + static_cast<std::ptrdiff_t>(4 * fours) * s.channels;
        if (pairs > 0) {
            strip_of<1>(s, taps, s.step, out, s.channels, 1);
            taps += 2 * s.step, out += static_cast<std::ptrdiff_t>(2) * s.channels;
        }
        // A single one is a pair with itself.
        if (s.count % 2 != 0) strip_of<1>(s, taps, 0, out, 0, 1);
    }

  private:
    // [eight taps][pair of pixels][2][8]
    template <int Pairs>
    KOMPAKT_ALWAYS_INLINE static void zip(const strip& s, const std::int8_t* taps,
                                          std::ptrdiff_t step) noexcept {
        constexpr int P = 2 * Pairs;
        const std::int8_t* a[P];
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] = taps + p * step; });
        std::int8_t* to = s.scratch;
        const std::int32_t run = s.run;
        const std::ptrdiff_t skip = s.skip;
        for (std::int32_t runs = s.runs; runs > 0; --runs) {
            for (std::int32_t k = run; k >= 16; k -= 16) {
                each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    const int64x2_t x = vreinterpretq_s64_s8(vld1q_s8(a[2 * p])),
                                    y = vreinterpretq_s64_s8(vld1q_s8(a[2 * p + 1]));
                    vst1q_s8(to + 16 * p, vreinterpretq_s8_s64(vzip1q_s64(x, y)));
                    vst1q_s8(to + 16 * (Pairs + p), vreinterpretq_s8_s64(vzip2q_s64(x, y)));
                    a[2 * p] += 16, a[2 * p + 1] += 16;
                });
                to += 32 * Pairs;
            }
            if ((run & 8) != 0) {
                each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    vst1q_s8(to + 16 * p, vcombine_s8(vld1_s8(a[2 * p]), vld1_s8(a[2 * p + 1])));
                    a[2 * p] += 8, a[2 * p + 1] += 8;
                });
                to += 16 * Pairs;
            }
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] += skip; });
        }
    }

    template <int Pairs>
    KOMPAKT_DETAIL_I8MM static void strip_of(const strip& s, const std::int8_t* taps,
                                             std::ptrdiff_t tap_step, std::int8_t* out,
                                             std::ptrdiff_t step, std::int32_t count) noexcept {
        const std::size_t bytes = 16 * channel_bytes(s.runs * s.run);
        const std::int32_t whole = s.channels / 16, left = s.channels % 16;
        for (; count > 0; --count, taps += 2 * Pairs * tap_step, out += 2 * Pairs * step) {
            zip<Pairs>(s, taps, tap_step);
            const std::byte* at = s.tiles;
            std::int8_t* to = out;
            for (std::int32_t i = 0; i < whole; ++i, to += 16, at += bytes) {
                tile<Pairs, 8>(s, at, to, step);
            }
            if (left == 8) {
                tile<Pairs, 4>(s, at, to, step);
            } else if (left != 0) {
                partial_tile part;
                if (left > 8) {
                    tile<Pairs, 8>(s, at, part.bytes, part.row);
                } else {
                    tile<Pairs, 4>(s, at, part.bytes, part.row);
                }
                part.copy_to(to, step, 2 * Pairs, left);
            }
        }
    }

    // 2 V channels of Pairs pairs of pixels; outputs of pixels are `step` apart.
    template <int Pairs, int V>
    KOMPAKT_ALWAYS_INLINE static void tile(const strip& s, const std::byte* at, std::int8_t* out,
                                           std::ptrdiff_t step) noexcept {
        const auto* words = reinterpret_cast<const std::int32_t*>(at);
        int32x4_t sums[Pairs][V];
        each<V>([&](auto v) KOMPAKT_INLINE_LAMBDA {
            const int32x4_t bias = vld1q_s32(words + 4 * v);
            each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA { sums[p][v] = bias; });
        });
        const auto* w = reinterpret_cast<const std::int8_t*>(words + 12 * V);
        const std::int8_t* a = s.scratch;
        std::int32_t k = s.runs * s.run;
        do {
            const weight_vectors<Pairs> x(a);
            each<V / 4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
                const weight_vectors<4> y(w);
                each<4>([&](auto v) KOMPAKT_INLINE_LAMBDA {
                    each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                        dot_2x2(sums[p][4 * i + v], x.v[p], y.v[v]);
                    });
                });
            });
            k -= 8;
        } while (k > 0);
        switch (s.limits.form) {
        case stage_form::whole:
            return finish<stage_form::whole, Pairs, V>(s, words, sums, out, step);
        case stage_form::plain:
            return finish<stage_form::plain, Pairs, V>(s, words, sums, out, step);
        case stage_form::positive:
            return finish<stage_form::positive, Pairs, V>(s, words, sums, out, step);
        }
    }

    template <stage_form Form, int Pairs, int V>
    KOMPAKT_ALWAYS_INLINE static void finish(const strip& s, const std::int32_t* words,
                                             const int32x4_t (&sums)[Pairs][V], std::int8_t* out,
                                             std::ptrdiff_t step) noexcept {
        const limit_vectors<Form> limits(s.limits);
        constexpr int parts = V / 4; // of eight channels
        int8x16_t x[Pairs][parts];
        each<parts>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            stage_words w;
            each<4>([&](auto k) KOMPAKT_INLINE_LAMBDA {
                w.q31[k] = vld1q_s32(words + 4 * (V + 4 * i + k));
                w.shift[k] = vld1q_s32(words + 4 * (2 * V + 4 * i + k));
            });
            each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                x[p][i] = outputs<Form>(sums[p][4 * i], sums[p][4 * i + 1], sums[p][4 * i + 2],
                                        sums[p][4 * i + 3], w, limits);
            });
        });
        each<Pairs>([&](auto p) KOMPAKT_INLINE_LAMBDA {
            const int16x8_t low = vreinterpretq_s16_s8(x[p][0]),
                            high = vreinterpretq_s16_s8(x[p][parts - 1]);
            const int8x16_t first = vreinterpretq_s8_s16(vuzp1q_s16(low, high)),
                            second = vreinterpretq_s8_s16(vuzp2q_s16(low, high));
            if constexpr (V == 8) {
                vst1q_s8(out + 2 * p * step, first);
                vst1q_s8(out + (2 * p + 1) * step, second);
            } else {
                store_low_8(out + 2 * p * step, first);
                store_low_8(out + (2 * p + 1) * step, second);
            }
        });
    }
};

// SMMLA gains nothing for a single pixel, nor where taps would have to be copied for it alone.
template <class Family>
bool worth_i8mm(Family f, const call& c) noexcept {
    return rows_of(f, c) > 1 &&
           (shape_of<i8mm_engine>(f, c).direct || !shape_of<dotprod_engine>(f, c).direct);
}
template <class Family, class Use>
auto with_engine(i8mm, Family f, const call& c, Use&& use) noexcept {
    return worth_i8mm(f, c) ? use(i8mm_engine{}) : use(dotprod_engine{});
}

} // namespace code

// NEON with SMMLA, eight taps, and with SDOT where that is better.
constexpr std::uint32_t matrix_pack_id(i8mm) noexcept {
    return 0xa2160800;
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#undef KOMPAKT_DETAIL_I8MM

#endif
