// The engine of `neon_dotprod`: SDOT, four taps of four channels at a time.
//
// Weights of a tile of 16, 8 or 4 channels are [four taps][four channels][4][4]: what a vector
// holds of the taps of a pixel serves by its 32-bit lanes. Four pixels by 16 channels have 16 sums,
// 4 vectors of taps and 4 of weights.
#pragma once

#include <kompakt_ports/neon/matrix_neon.hpp>

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

// Within a vector: [four channels][four taps].
struct dotprod_step {
    static constexpr std::int32_t place(std::int32_t channel, std::int32_t tap) noexcept {
        return 4 * channel + tap;
    }
    template <int G, int P, int V>
    KOMPAKT_ALWAYS_INLINE static void group(int32x4_t (&sums)[P][V], const int8x16_t (&w)[V],
                                            const int8x16_t (&x)[P]) noexcept {
        each<P>([&](auto p) KOMPAKT_INLINE_LAMBDA {
            each<V>([&](auto v) KOMPAKT_INLINE_LAMBDA { dot_lane<G>(sums[p][v], w[v], x[p]); });
        });
    }
};

struct dotprod_engine : lane_tiles<dotprod_step> {
    using tiles = lane_tiles<dotprod_step>;
    static constexpr std::int32_t unit = 4;
    static constexpr std::size_t scratch_bytes(std::int32_t) noexcept { return 0; }

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
        const std::size_t bytes = 16 * tiles::channel_bytes(s.runs * s.run);
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
            for (; i < whole; ++i, to += 16, at += bytes) tiles::tile<P, 4>(s, taps, at, to, step);
            tiles::last_tiles<P>(s, taps, at, to, left, step);
        }
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
        tiles::finish_any<1, 4>(s, u, x, out, 0);
        tiles::finish_any<1, 4>(s, v, y, out + 16, 0);
    }
};

template <class Family, class Use>
auto with_engine(dotprod, Family, const call&, Use&& use) noexcept {
    return use(dotprod_engine{});
}

} // namespace code

// NEON with SDOT, four taps.
constexpr std::uint32_t matrix_pack_id(dotprod) noexcept {
    return 0xa1160400;
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#undef KOMPAKT_DETAIL_DOTPROD

#endif
