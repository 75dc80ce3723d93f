// The engine of `neon`: SMULL, SMLAL and SADALP, sixteen taps of a pixel and a channel at a time.
//
// Two products of eight bits are added in 16: 2 * 127 * 128 fits, 2 * 128 * 128 does not, hence
// weights of -128 take another way (`careful`). Weights of a tile of four channels are, for each
// run of taps, [sixteen taps][four channels][16], then a last [four channels][8] where taps remain.
// The four lanes of a sum are added up at the end.
#pragma once

#include <kompakt_ports/neon/lane_tiles.hpp>

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
// The next vectors of weights, as many as one load gives (see weight_vectors).
struct next_vectors {
#if defined(KOMPAKT_DETAIL_NEON64)
    static constexpr int n = 4;
#else
    static constexpr int n = 2;
#endif
    int8x16_t v[n];

    KOMPAKT_ALWAYS_INLINE explicit next_vectors(const std::int8_t*& w) noexcept {
#if defined(__clang__)
        for (int i = 0; i < n; ++i, w += 16) v[i] = vld1q_s8(w);
#elif defined(KOMPAKT_DETAIL_NEON64)
        int8x16x4_t x;
        __asm__ volatile("ld1 {%S0.16b - %V0.16b}, [%1], #64" : "=w"(x), "+r"(w)::"memory");
        v[0] = x.val[0], v[1] = x.val[1], v[2] = x.val[2], v[3] = x.val[3];
#else
        int8x16x2_t x;
        __asm__ volatile("vld1.8 %h0, [%1]!" : "=w"(x), "+r"(w)::"memory");
        v[0] = x.val[0], v[1] = x.val[1];
#endif
    }
};

struct neon_rows_engine {
    static constexpr std::int32_t unit = 8;
#if defined(KOMPAKT_DETAIL_NEON64)
    static constexpr std::int32_t pixels = 4;
    static constexpr int tiles = 4; // of a single pixel at once
#else
    static constexpr std::int32_t pixels = 2; // sixteen registers
    static constexpr int tiles = 2;
#endif

    static constexpr std::int32_t tile_channels(std::int32_t) noexcept {
        return 4;
    }
    static constexpr std::int32_t padded(std::int32_t left) noexcept {
        return (left + 3) / 4 * 4;
    }
    static constexpr std::size_t channel_bytes(std::int32_t taps) noexcept {
        return 12 + static_cast<std::size_t>(taps);
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
        const std::size_t bytes = 4 * channel_bytes(s.runs * s.run);
        const std::int32_t whole = s.channels / 4, left = s.channels % 4;
        for (; count > 0; --count, taps += P * s.step, out += P * step) {
            const std::byte* at = s.tiles;
            std::int8_t* to = out;
            std::int32_t i = 0;
            if constexpr (P == 1) {
                for (; i + tiles <= whole; i += tiles, to += 4 * tiles, at += tiles * bytes) {
                    tile<1, tiles, Careful>(s, taps, at, bytes, to, step);
                }
            }
            for (; i < whole; ++i, to += 4, at += bytes) {
                tile<P, 1, Careful>(s, taps, at, bytes, to, step);
            }
            if (left != 0) {
                partial_tile part;
                tile<P, 1, Careful>(s, taps, at, bytes, part.bytes, part.row);
                part.copy_to(to, step, P, left);
            }
        }
    }

    template <bool Careful, bool First>
    KOMPAKT_ALWAYS_INLINE static void add_16(int32x4_t& sum, int8x16_t x, int8x16_t w) noexcept {
        if constexpr (Careful) {
            add_8<First>(sum, low_product(x, w));
            add_8<false>(sum, high_product(x, w));
        } else {
            add_8<First>(sum, high_product_added(low_product(x, w), x, w));
        }
    }
    template <bool First>
    KOMPAKT_ALWAYS_INLINE static void add_8(int32x4_t& sum, int16x8_t products) noexcept {
        sum = First ? vpaddlq_s16(products) : vpadalq_s16(sum, products);
    }

    // P pixels by T tiles of four channels: the sums, their taps and weights.
    template <int P, int T>
    struct block {
        int32x4_t sums[P][4 * T];
        const std::int8_t* a[P];
        const std::int8_t* w[T];

        template <bool Careful, bool First>
        KOMPAKT_ALWAYS_INLINE void sixteen() noexcept {
            int8x16_t x[P];
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                x[p] = vld1q_s8(a[p]);
                a[p] += 16;
            });
            each<T>([&](auto t) KOMPAKT_INLINE_LAMBDA {
                each<4 / next_vectors::n>([&](auto part) KOMPAKT_INLINE_LAMBDA {
                    const next_vectors y(w[t]);
                    each<next_vectors::n>([&](auto v) KOMPAKT_INLINE_LAMBDA {
                        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                            add_16<Careful, First>(sums[p][4 * t + next_vectors::n * part + v],
                                                   x[p], y.v[v]);
                        });
                    });
                });
            });
        }
        template <bool First>
        KOMPAKT_ALWAYS_INLINE void eight() noexcept {
            int8x8_t x[P];
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                x[p] = vld1_s8(a[p]);
                a[p] += 8;
            });
            each<T>([&](auto t) KOMPAKT_INLINE_LAMBDA {
                each<4>([&](auto v) KOMPAKT_INLINE_LAMBDA {
                    const int8x8_t y = vld1_s8(w[t] + 8 * v);
                    each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                        add_8<First>(sums[p][4 * t + v], vmull_s8(x[p], y));
                    });
                });
                w[t] += 32;
            });
        }
    };

    template <int P, int T, bool Careful>
    KOMPAKT_ALWAYS_INLINE static void tile(const strip& s, const std::int8_t* taps,
                                           const std::byte* at, std::size_t bytes, std::int8_t* out,
                                           std::ptrdiff_t step) noexcept {
        block<P, T> b;
        each<T>([&](auto t) KOMPAKT_INLINE_LAMBDA {
            b.w[t] = reinterpret_cast<const std::int8_t*>(at) + t * bytes + 48;
        });
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { b.a[p] = taps + p * s.step; });
        std::int32_t runs = s.runs, k = s.run;
        const std::int32_t run = k;
        const std::ptrdiff_t skip = s.skip;
        if (k >= 16) {
            b.template sixteen<Careful, true>();
            k -= 16;
        } else {
            b.template eight<true>();
            k -= 8;
        }
        for (;;) {
            for (; k >= 16; k -= 16) b.template sixteen<Careful, false>();
            if (k > 0) b.template eight<false>();
            if (--runs == 0) break;
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { b.a[p] += skip; });
            k = run;
        }
        const auto* words = reinterpret_cast<const std::int32_t*>(at);
        const auto stage_step = static_cast<std::ptrdiff_t>(bytes / 4);
        // Four vectors of four channels: of pixels, or of tiles.
        static_assert(P == 1 || T == 1);
        int32x4_t x[4];
        each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            constexpr int p = P > 1 ? i : 0, t = P > 1 ? 0 : i;
            if constexpr (p < P && t < T) {
                x[i] =
                    vaddq_s32(vld1q_s32(words + t * stage_step),
                              pairs_added(pairs_added(b.sums[p][4 * t], b.sums[p][4 * t + 1]),
                                          pairs_added(b.sums[p][4 * t + 2], b.sums[p][4 * t + 3])));
            } else {
                x[i] = x[0];
            }
        });
        switch (s.limits.form) {
        case stage_form::whole:
            return finish<stage_form::whole, P, T>(s, words, stage_step, x, out, step);
        case stage_form::plain:
            return finish<stage_form::plain, P, T>(s, words, stage_step, x, out, step);
        case stage_form::positive:
            return finish<stage_form::positive, P, T>(s, words, stage_step, x, out, step);
        }
    }

    template <stage_form Form, int P, int T>
    KOMPAKT_ALWAYS_INLINE static void finish(const strip& s, const std::int32_t* words,
                                             std::ptrdiff_t stage_step, const int32x4_t (&x)[4],
                                             std::int8_t* out, std::ptrdiff_t step) noexcept {
        int32x4_t y[4];
        each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            constexpr int t = P > 1 ? 0 : i;
            if constexpr (i < P * T) {
                y[i] = scaled<Form>(x[i], vld1q_s32(words + t * stage_step + 4),
                                    vld1q_s32(words + t * stage_step + 8));
            } else {
                y[i] = y[0];
            }
        });
        const int8x16_t z = limit_vectors<Form>(s.limits).narrowed(y[0], y[1], y[2], y[3]);
        if constexpr (T == 4) {
            vst1q_s8(out, z);
        } else if constexpr (T == 2) {
            store_low_8(out, z);
        } else {
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA { store_4<p>(out + p * step, z); });
        }
    }
};

// Two taps in all lanes. gcc would rather read them from memory one by one.
template <int Pair>
KOMPAKT_ALWAYS_INLINE auto pair_everywhere(int8x16_t x) noexcept {
#if !defined(KOMPAKT_DETAIL_NEON64)
    const int16x8_t pairs = vreinterpretq_s16_s8(x);
    return vreinterpret_s8_s16(
        vdup_lane_s16(Pair < 4 ? vget_low_s16(pairs) : vget_high_s16(pairs), Pair % 4));
#elif defined(__clang__)
    return vreinterpretq_s8_s16(vdupq_laneq_s16(vreinterpretq_s16_s8(x), Pair));
#else
    int8x16_t all;
    __asm__("dup %0.8h, %1.h[%2]" : "=w"(all) : "w"(x), "i"(Pair));
    return all;
#endif
}

// Several pixels: two taps of four channels at a time, so that sums stand side by side and need no
// adding up. Within a vector: [two taps][four channels][2].
template <bool Careful>
struct pairs_step {
    static constexpr std::int32_t place(std::int32_t channel, std::int32_t tap) noexcept {
        return 8 * (tap / 2) + 2 * channel + tap % 2;
    }
    template <int G, int P, int V>
    KOMPAKT_ALWAYS_INLINE static void group(int32x4_t (&sums)[P][V], const int8x16_t (&w)[V],
                                            const int8x16_t (&x)[P]) noexcept {
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
            const auto first = pair_everywhere<2 * G>(x[p]),
                       second = pair_everywhere<2 * G + 1>(x[p]);
            each<V>([&](auto v) KOMPAKT_INLINE_LAMBDA {
#if defined(KOMPAKT_DETAIL_NEON64)
                int16x8_t products = low_product(first, w[v]);
#else
                int16x8_t products = vmull_s8(first, vget_low_s8(w[v]));
#endif
                if constexpr (Careful) {
                    sums[p][v] = vpadalq_s16(sums[p][v], products);
                    products = vdupq_n_s16(0);
                }
#if defined(KOMPAKT_DETAIL_NEON64)
                products = high_product_added(products, second, w[v]);
#else
                products = vmlal_s8(products, second, vget_high_s8(w[v]));
#endif
                sums[p][v] = vpadalq_s16(sums[p][v], products);
            });
        });
    }
};

struct neon_engine {
    static constexpr std::int32_t unit = 4;
#if defined(KOMPAKT_DETAIL_NEON64)
    static constexpr std::int32_t pixels = 4;
#else
    static constexpr std::int32_t pixels = 2;
#endif
    static constexpr std::int32_t padded(std::int32_t left) noexcept {
        return lane_tiles<pairs_step<false>>::padded(left);
    }
    static constexpr std::int32_t tile_channels(std::int32_t left) noexcept {
        return padded(left);
    }
    static constexpr std::size_t channel_bytes(std::int32_t taps) noexcept {
        return lane_tiles<pairs_step<false>>::channel_bytes(taps);
    }
    static constexpr std::size_t scratch_bytes(std::int32_t) noexcept {
        return 0;
    }
    static void pack_tile(const tile_source& t, std::byte* to) noexcept {
        lane_tiles<pairs_step<false>>::pack_tile(t, to);
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
        using tiles = lane_tiles<pairs_step<Careful>>;
        const std::ptrdiff_t step = s.channels;
        const std::size_t bytes = 16 * tiles::channel_bytes(s.runs * s.run);
        const std::int32_t whole = s.channels / 16, left = s.channels % 16;
        for (; count > 0; --count, taps += P * s.step, out += P * step) {
            const std::byte* at = s.tiles;
            std::int8_t* to = out;
            for (std::int32_t i = 0; i < whole; ++i, to += 16, at += bytes) {
                tiles::template tile<P, 4>(s, taps, at, to, step);
            }
            tiles::template last_tiles<P>(s, taps, at, to, left, step);
        }
    }
};

// One pixel does not pay for bringing its taps to all lanes. Many taps pay for adding lanes up at
// the end, the fewer registers there are the sooner.
#if defined(KOMPAKT_DETAIL_NEON64)
inline constexpr std::int32_t many_taps = 96;
#else
inline constexpr std::int32_t many_taps = 24;
#endif
template <class Family>
bool by_rows_of_taps(Family f, const call& c) noexcept {
    return rows_of(f, c) == 1 || taps_of_channel(f, c) >= many_taps;
}

// The engine that a port has for a call; see matrix_hooks.hpp.
template <class Family, class Use>
auto with_engine(kompakt::neon::neon, Family f, const call& c, Use&& use) noexcept {
    return by_rows_of_taps(f, c) ? use(neon_rows_engine{}) : use(neon_engine{});
}

} // namespace code

// NEON, runs of 16 taps.
constexpr std::uint32_t matrix_pack_id(neon) noexcept {
    return 0xa0160400;
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
