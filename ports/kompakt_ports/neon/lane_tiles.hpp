// Tiles of 16, 8 or 4 channels whose sums stand side by side, for engines that multiply what a
// vector holds of a pixel's taps by its 32-bit lanes: `neon_dotprod`, and `neon` for several
// pixels.
//
// Weights are [four taps][vector of four channels][16], in the engine's order within a vector.
#pragma once

#include <kompakt_ports/neon/matrix.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

// The next V vectors of weights. Assembler for gcc, which would read many of them ahead and then
// lack registers for the sums.
template <int V>
struct weight_vectors {
    int8x16_t v[V];

    KOMPAKT_ALWAYS_INLINE explicit weight_vectors(const std::int8_t*& w) noexcept {
#if !defined(KOMPAKT_DETAIL_NEON64)
        for (int i = 0; i < V; ++i, w += 16) v[i] = vld1q_s8(w);
#else
        if constexpr (V == 4) {
#if defined(__clang__)
            const int8x16x4_t x = vld1q_s8_x4(w);
            w += 64;
#else
            int8x16x4_t x;
            __asm__ volatile("ld1 {%S0.16b - %V0.16b}, [%1], #64" : "=w"(x), "+r"(w)::"memory");
#endif
            v[0] = x.val[0], v[1] = x.val[1], v[2] = x.val[2], v[3] = x.val[3];
        } else if constexpr (V == 2) {
            const int8x16x2_t x = vld1q_s8_x2(w);
            v[0] = x.val[0], v[1] = x.val[1];
            w += 32;
        } else {
            v[0] = vld1q_s8(w);
            w += 16;
        }
#endif
    }
};

KOMPAKT_ALWAYS_INLINE int8x16_t load_8(const std::int8_t* x) noexcept {
    return vcombine_s8(vld1_s8(x), vdup_n_s8(0));
}
KOMPAKT_ALWAYS_INLINE int8x16_t load_4(const std::int8_t* x) noexcept {
    std::int32_t word;
    std::memcpy(&word, x, sizeof word);
    return vreinterpretq_s8_s32(vsetq_lane_s32(word, vdupq_n_s32(0), 0));
}

// `Step::group<G>(sums, weights, taps)` adds four taps, those of lane G.
template <class Step>
struct lane_tiles {
    static constexpr std::int32_t padded(std::int32_t left) noexcept {
        return left > 8 ? 16 : left > 4 ? 8 : 4;
    }
    static constexpr std::int32_t tile_channels(std::int32_t left) noexcept { return padded(left); }
    static constexpr std::size_t channel_bytes(std::int32_t taps) noexcept {
        return 12 + static_cast<std::size_t>(taps);
    }

    static void pack_tile(const tile_source& t, std::byte* to) noexcept {
        const std::int32_t n = tile_channels(t.channels);
        for (std::int32_t i = 0; i < n; ++i) {
            std::memcpy(to + 4 * i, &t.stage[i].bias, 4);
            std::memcpy(to + 4 * (n + i), &t.stage[i].q31, 4);
            std::memcpy(to + 4 * (2 * n + i), &t.stage[i].shift, 4);
        }
        auto* w = reinterpret_cast<std::int8_t*>(to + 12 * n);
        for (std::int32_t k = 0; k < t.runs * t.run; k += 4) {
            for (std::int32_t i = 0; i < n; ++i) {
                for (std::int32_t j = 0; j < 4; ++j) {
                    w[16 * (i / 4) + Step::place(i % 4, j)] = t.at(i, k + j);
                }
            }
            w += 4 * n;
        }
    }

    // Fewer than 16 channels of P pixels.
    template <int P>
    KOMPAKT_ALWAYS_INLINE static void last_tiles(const strip& s, const std::int8_t* taps,
                                                 const std::byte* at, std::int8_t* to,
                                                 std::int32_t left, std::ptrdiff_t step) noexcept {
        if (left == 8) {
            tile<P, 2>(s, taps, at, to, step);
        } else if (left != 0) {
            partial_tile part;
            if (left > 8) {
                tile<P, 4>(s, taps, at, part.bytes, part.row);
            } else if (left > 4) {
                tile<P, 2>(s, taps, at, part.bytes, part.row);
            } else {
                tile<P, 1>(s, taps, at, part.bytes, part.row);
            }
            part.copy_to(to, step, P, left);
        }
    }

    // 4 V channels of P pixels; outputs of pixels are `step` apart.
    template <int P, int V>
    KOMPAKT_ALWAYS_INLINE static void tile(const strip& s, const std::int8_t* taps,
                                           const std::byte* at, std::int8_t* out,
                                           std::ptrdiff_t step) noexcept {
        const auto* words = reinterpret_cast<const std::int32_t*>(at);
        int32x4_t sums[P][V];
        each<V>([&](auto v) KOMPAKT_INLINE_LAMBDA {
            const int32x4_t bias = vld1q_s32(words + 4 * v);
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { sums[p][v] = bias; });
        });
        multiply<P, V>(s, taps, reinterpret_cast<const std::int8_t*>(words + 12 * V), sums);
        finish_any<P, V>(s, words, sums, out, step);
    }

    template <int P, int V>
    KOMPAKT_ALWAYS_INLINE static void finish_any(const strip& s, const std::int32_t* words,
                                                 const int32x4_t (&sums)[P][V], std::int8_t* out,
                                                 std::ptrdiff_t step) noexcept {
        switch (s.limits.form) {
        case stage_form::whole:
            return finish<stage_form::whole, P, V>(s, words, sums, out, step);
        case stage_form::plain:
            return finish<stage_form::plain, P, V>(s, words, sums, out, step);
        case stage_form::positive:
            return finish<stage_form::positive, P, V>(s, words, sums, out, step);
        }
    }

    template <int P, int V>
    KOMPAKT_ALWAYS_INLINE static void multiply(const strip& s, const std::int8_t* taps,
                                               const std::int8_t* w,
                                               int32x4_t (&sums)[P][V]) noexcept {
        const std::int8_t* a[P];
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] = taps + p * s.step; });
        std::int32_t runs = s.runs;
        const std::int32_t run = s.run;
        const std::ptrdiff_t skip = s.skip;
        int8x16_t x[P];
        const auto lane = [&](auto g) KOMPAKT_INLINE_LAMBDA {
            const weight_vectors<V> y(w);
            Step::template group<g>(sums, y.v, x);
        };
        do {
            for (std::int32_t k = run; k >= 16; k -= 16) {
                each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    x[p] = vld1q_s8(a[p]);
                    a[p] += 16;
                });
                each<4>(lane);
            }
            if ((run & 8) != 0) {
                each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    x[p] = load_8(a[p]);
                    a[p] += 8;
                });
                each<2>(lane);
            }
            if ((run & 4) != 0) {
                each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                    x[p] = load_4(a[p]);
                    a[p] += 4;
                });
                each<1>(lane);
            }
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { a[p] += skip; });
        } while (--runs > 0);
    }

    // Sums of several pixels are finished together where they are fewer than four vectors.
    template <stage_form Form, int P, int V>
    KOMPAKT_ALWAYS_INLINE static void finish(const strip& s, const std::int32_t* words,
                                             const int32x4_t (&sums)[P][V], std::int8_t* out,
                                             std::ptrdiff_t step) noexcept {
        stage_words w;
        each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            w.q31[i] = vld1q_s32(words + 4 * (V + i % V));
            w.shift[i] = vld1q_s32(words + 4 * (2 * V + i % V));
        });
        const limit_vectors<Form> limits(s.limits);
        constexpr int together = P < 4 / V ? P : 4 / V; // pixels
        each<P / together>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            constexpr int p = i * together;
            int32x4_t x[4];
            each<4>([&](auto k) KOMPAKT_INLINE_LAMBDA {
                x[k] = sums[p + k / V < P ? p + k / V : p][k % V];
            });
            store<together, V>(outputs<Form>(x[0], x[1], x[2], x[3], w, limits), out + p * step,
                               step);
        });
    }
    template <int Together, int V>
    KOMPAKT_ALWAYS_INLINE static void store(int8x16_t x, std::int8_t* out,
                                            std::ptrdiff_t step) noexcept {
        if constexpr (V == 4) {
            vst1q_s8(out, x);
        } else if constexpr (V == 2) {
            store_low_8(out, x);
            if constexpr (Together > 1) store_high_8(out + step, x);
        } else {
            store_4<0>(out, x);
            if constexpr (Together > 1) {
                store_4<1>(out + step, x);
            }
            if constexpr (Together > 2) {
                store_4<2>(out + 2 * step, x);
                store_4<3>(out + 3 * step, x);
            }
        }
    }
};

} // namespace code
} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
