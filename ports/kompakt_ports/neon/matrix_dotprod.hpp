// The engine of `neon_dotprod`: SDOT, four taps of four channels at a time.
//
// Weights of a tile of 16, 8 or 4 channels are [four taps][four channels][4][4]: what a vector
// holds of the taps of a pixel serves by its 32-bit lanes. Four pixels by 16 channels have 16 sums,
// 4 vectors of taps and 4 of weights.
#pragma once

#include <kompakt_ports/neon/matrix.hpp>

#if defined(KOMPAKT_DETAIL_NEON64)

// Only functions that carry this may execute SDOT. The instruction itself is assembler, since the
// intrinsics of clang before 16 are not declared without a compiler option. Assembler is text: the
// lambdas below, which are always inlined, need no attribute.
#if defined(__ARM_FEATURE_DOTPROD)
#define KOMPAKT_DETAIL_DOTPROD
#elif defined(__clang__)
#define KOMPAKT_DETAIL_DOTPROD __attribute__((target("dotprod")))
#else
#define KOMPAKT_DETAIL_DOTPROD __attribute__((target(KOMPAKT_DETAIL_ARM_BASE "+dotprod")))
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

// sum[i] += w[4 i] * x[4 Lane] + … + w[4 i + 3] * x[4 Lane + 3]. In the order written, as
// weight_vectors.
template <int Lane>
KOMPAKT_ALWAYS_INLINE void dot_lane(int32x4_t& sum, int8x16_t w, int8x16_t x) noexcept {
    __asm__ volatile("sdot %0.4s, %1.16b, %2.4b[%3]" : "+w"(sum) : "w"(w), "w"(x), "i"(Lane));
}

// The next V vectors of weights. Assembler for gcc, which would read many of them ahead and then
// lack registers for the sums.
template <int V>
struct weight_vectors {
    int8x16_t v[V];

    KOMPAKT_ALWAYS_INLINE explicit weight_vectors(const std::int8_t*& w) noexcept {
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

struct dotprod_engine {
    static constexpr std::int32_t unit = 4;

    static constexpr std::int32_t tile_channels(std::int32_t left) noexcept {
        return left > 8 ? 16 : left > 4 ? 8 : 4;
    }
    static constexpr std::int32_t padded(std::int32_t left) noexcept {
        return left > 8 ? 16 : left > 4 ? 8 : 4;
    }
    static constexpr std::size_t channel_bytes(std::int32_t taps) noexcept {
        return 12 + static_cast<std::size_t>(taps);
    }
    static constexpr std::size_t scratch_bytes(std::int32_t) noexcept { return 0; }

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
                for (std::int32_t j = 0; j < 4; ++j) *w++ = t.at(i, k + j);
            }
        }
    }

    static void run(const strip& s) noexcept {
        const std::int32_t fours = s.count / 4, left = s.count % 4;
        if (fours > 0) strip_of<4>(s, s.taps, s.out, fours);
        if (left > 0) {
            strip_of<1>(s, s.taps + 4 * fours * s.step,
                        s.out + static_cast<std::ptrdiff_t>(4 * fours) * s.channels, left);
        }
    }

  private:
    // `count` times P pixels.
    template <int P>
    KOMPAKT_DETAIL_DOTPROD static void strip_of(const strip& s, const std::int8_t* taps,
                                                std::int8_t* out, std::int32_t count) noexcept {
        const std::ptrdiff_t step = s.channels;
        const std::size_t bytes = 16 * channel_bytes(s.runs * s.run);
        const std::int32_t whole = s.channels / 16, left = s.channels % 16;
        for (; count > 0; --count, taps += P * s.step, out += P * step) {
            const std::byte* at = s.tiles;
            std::int8_t* to = out;
            std::int32_t i = 0;
            if constexpr (P == 1) {
                for (; i + 2 <= whole; i += 2, to += 32, at += 2 * bytes) {
                    two_tiles(s, taps, at, at + bytes, to);
                }
            }
            for (; i < whole; ++i, to += 16, at += bytes) tile<P, 4>(s, taps, at, to, step);
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

    // 32 channels of one pixel: four sums would wait for each other.
    KOMPAKT_ALWAYS_INLINE static void two_tiles(const strip& s, const std::int8_t* a,
                                                const std::byte* first, const std::byte* second,
                                                std::int8_t* out) noexcept {
        const auto* u = reinterpret_cast<const std::int32_t*>(first);
        const auto* v = reinterpret_cast<const std::int32_t*>(second);
        int32x4_t x[1][4], y[1][4];
        each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
            x[0][i] = vld1q_s32(u + 4 * i);
            y[0][i] = vld1q_s32(v + 4 * i);
        });
        const auto *w = reinterpret_cast<const std::int8_t*>(u + 48),
                   *z = reinterpret_cast<const std::int8_t*>(v + 48);
        std::int32_t runs = s.runs;
        int8x16_t taps;
        const auto lane = [&](auto g) KOMPAKT_INLINE_LAMBDA {
            const weight_vectors<4> m(w);
            each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA { dot_lane<g>(x[0][i], m.v[i], taps); });
            const weight_vectors<4> n(z);
            each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA { dot_lane<g>(y[0][i], n.v[i], taps); });
        };
        do {
            for (std::int32_t k = s.run; k >= 16; k -= 16) {
                taps = vld1q_s8(a);
                a += 16;
                each<4>(lane);
            }
            if ((s.run & 8) != 0) {
                taps = load_8(a);
                a += 8;
                each<2>(lane);
            }
            if ((s.run & 4) != 0) {
                taps = load_4(a);
                a += 4;
                each<1>(lane);
            }
            a += s.skip;
        } while (--runs > 0);
        finish_any<1, 4>(s, u, x, out, 0);
        finish_any<1, 4>(s, v, y, out + 16, 0);
    }
    template <int P, int V>
    KOMPAKT_ALWAYS_INLINE static void finish_any(const strip& s, const std::int32_t* words,
                                                 const int32x4_t (&sums)[P][V], std::int8_t* out,
                                                 std::ptrdiff_t step) noexcept {
        switch (s.limits.form) {
        case stage_form::whole: return finish<stage_form::whole, P, V>(s, words, sums, out, step);
        case stage_form::plain: return finish<stage_form::plain, P, V>(s, words, sums, out, step);
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
            each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
                each<V>([&](auto v)
                            KOMPAKT_INLINE_LAMBDA { dot_lane<g>(sums[p][v], y.v[v], x[p]); });
            });
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
                store_4<2>(out + 2 * step, x);
                store_4<3>(out + 3 * step, x);
            }
        }
    }
};

} // namespace code

// Hooks of the matrix kernels (kernel/port_hooks.hpp).

// NEON with SDOT, four taps.
constexpr std::uint32_t kernel_pack_id(dotprod, conv2d_i8) noexcept {
    return 0xa1160401;
}
constexpr std::uint32_t kernel_pack_id(dotprod, fully_connected_i8) noexcept {
    return 0xa1160402;
}
inline std::size_t kernel_pack_bytes(dotprod, conv2d_i8 f, const call& c) noexcept {
    return code::packed_bytes<code::dotprod_engine>(f, c);
}
inline std::size_t kernel_pack_bytes(dotprod, fully_connected_i8 f, const call& c) noexcept {
    return code::packed_bytes<code::dotprod_engine>(f, c);
}
inline void kernel_pack(dotprod, conv2d_i8 f, const call& c, std::byte* to) noexcept {
    code::pack<code::dotprod_engine>(f, c, to);
}
inline void kernel_pack(dotprod, fully_connected_i8 f, const call& c, std::byte* to) noexcept {
    code::pack<code::dotprod_engine>(f, c, to);
}
inline std::size_t kernel_scratch_bytes(dotprod, conv2d_i8 f, const call& c) noexcept {
    return row_buffer_bytes(c) + code::own_scratch<code::dotprod_engine>(f, c);
}
inline std::size_t kernel_scratch_bytes(dotprod, fully_connected_i8 f, const call& c) noexcept {
    return code::own_scratch<code::dotprod_engine>(f, c);
}
template <class Port, class Call>
void run_kernel(dotprod, conv2d_i8 f, Port port, const Call& c) noexcept {
    const code::matrix_plan plan = code::plan_of<code::dotprod_engine>(f, c);
    if (c.packed() == nullptr || plan.bytes == 0) return conv2d_i8::run_portable(port, c);
    code::run_packed<code::dotprod_engine>(f, c, plan);
}
template <class Port, class Call>
void run_kernel(dotprod, fully_connected_i8 f, Port port, const Call& c) noexcept {
    const code::matrix_plan plan = code::plan_of<code::dotprod_engine>(f, c);
    if (c.packed() == nullptr || plan.bytes == 0) return fully_connected_i8::run_portable(port, c);
    code::run_packed<code::dotprod_engine>(f, c, plan);
}
} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#undef KOMPAKT_DETAIL_DOTPROD

#endif
