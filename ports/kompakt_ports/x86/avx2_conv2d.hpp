// int8 convolution and fully connected on AVX2, bit for bit what the portable kernels compute.
//
// Both are one loop. The taps of up to four output pixels are gathered as int16 with the zero point
// subtracted, so that padding is zeros; then eight channels at a time multiply them by weights that
// are widened too. Nothing can saturate: |x - zero point| <= 255 and |w| <= 128, and `pmaddwd` adds
// two such products in 32 bits. Sums wrap, hence their order does not matter.
//
// Weights in the port's order ("packed") are [group][tile of 8 channels][pair of taps][8][2], the
// last tile and the last pair filled up with zeros: one load serves eight channels, and their sums
// stand side by side. Canonical weights are read 16 taps at a time, and sums added up at the end.
#pragma once

#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt_ports/x86/avx2_output_stage.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t taps_at_once = 512; // that are gathered; a multiple of 16
inline constexpr std::int32_t tiles_at_once = 8;  // whose sums wait for the next taps

// A convolution without the types of its views, so that there is one instance of the loop.
struct convolution {
    const std::int8_t* in;
    std::int32_t in_h, in_w, in_c;
    std::int32_t kernel_h, kernel_w, depth; // depth: channels of a group
    std::int32_t images, out_h, out_w, out_c;
    window_params window;
    std::int32_t input_zero_point;
    std::int8_t* out;

    constexpr std::int32_t taps() const noexcept { return kernel_h * kernel_w * depth; }
    constexpr std::int32_t groups() const noexcept { return in_c / depth; }
    constexpr std::int32_t per_group() const noexcept { return out_c / groups(); }
};

// to[i] = from[i] - zero_point for i < n; touches nothing else.
KOMPAKT_DETAIL_AVX2_INLINE void widen(const std::int8_t* from, std::int32_t n, __m256i zero_point,
                                      std::int16_t* to) noexcept {
    if (n >= 16) {
        // The last step overlaps the one before it.
        for (std::int32_t i = 0; i < n; i += 16) {
            const std::int32_t at = i + 16 <= n ? i : n - 16;
            const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                                _mm256_sub_epi16(_mm256_cvtepi8_epi16(x), zero_point));
        }
    } else if (n >= 8) {
        const __m128i zero = _mm256_castsi256_si128(zero_point);
        for (std::int32_t i = 0; i < n; i += 8) {
            const std::int32_t at = i + 8 <= n ? i : n - 8;
            const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + at));
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at),
                             _mm_sub_epi16(_mm_cvtepi8_epi16(x), zero));
        }
    } else {
        const auto zero =
            static_cast<std::int16_t>(_mm_cvtsi128_si32(_mm256_castsi256_si128(zero_point)));
        for (std::int32_t i = 0; i < n; ++i) to[i] = static_cast<std::int16_t>(from[i] - zero);
    }
}

// Taps first … first + n of the window at output row y and column x. `group` is the image's first
// pixel at the group's first channel.
KOMPAKT_DETAIL_AVX2 inline void gather(const convolution& c, const std::int8_t* group,
                                       std::int32_t y, std::int32_t x, std::int32_t first,
                                       std::int32_t n, std::int16_t* to) noexcept {
    const inside_taps t = taps_of(c.window, c.kernel_h, c.kernel_w, c.in_h, c.in_w,
                                  y * c.window.stride_h - c.window.pad_top,
                                  x * c.window.stride_w - c.window.pad_left);
    if (t.rows * t.columns != c.kernel_h * c.kernel_w) {
        std::memset(to, 0, static_cast<std::size_t>(n) * sizeof *to);
    }
    const __m256i zero_point = _mm256_set1_epi16(static_cast<std::int16_t>(c.input_zero_point));
    // As in the portable kernel: without groups and dilation the taps of a row are one run.
    const bool joined = c.depth == c.in_c && t.input_column == 1;
    const std::int32_t runs = joined ? 1 : t.columns;
    const std::int32_t length = joined ? t.columns * c.depth : c.depth;
    for (std::int32_t row = 0; row < t.rows; ++row) {
        for (std::int32_t r = 0; r < runs; ++r) {
            const std::int32_t tap = (t.filter_at + row * c.kernel_w + r) * c.depth;
            const std::int32_t from = tap > first ? tap : first;
            const std::int32_t end = tap + length < first + n ? tap + length : first + n;
            if (from >= end) continue;
            const std::int32_t pixel = t.input_at + row * t.input_row + r * t.input_column;
            widen(group + pixel * c.in_c + (from - tap), end - from, zero_point,
                  to + (from - first));
        }
    }
}

// `add` adds the products of the taps first … first + n with `channels` channels of a group, from
// `channel` on, for `count` pixels. Rows of x have room for, and zeros up to, a multiple of 16
// taps. Sums of channels and pixels that do not exist may take any value.

using gathered = std::int16_t[pixels][taps_at_once];
using tile_sums = __m256i[pixels];

struct packed_weights {
    const std::int8_t* data;
    std::int32_t pairs, tiles; // of a channel, of a group

    KOMPAKT_DETAIL_AVX2_INLINE void add(std::int32_t group, std::int32_t channel,
                                        std::int32_t channels, std::int32_t first, std::int32_t n,
                                        const gathered& x, std::int32_t count,
                                        tile_sums* sums) const noexcept {
        const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(pairs) * (2 * tile);
        const std::int8_t* w =
            data + (static_cast<std::ptrdiff_t>(group) * tiles + channel / tile) * stride +
            first * tile;
        for (; channels > 0; channels -= tile, w += stride, ++sums) {
            if (count == 1) {
                one(w, x[0], n, sums[0][0]);
            } else if (channels > tile) {
                two_tiles(w, w + stride, x, n, count, sums[0], sums[1]);
                channels -= tile, w += stride, ++sums;
            } else {
                one_tile(w, x, n, count, sums[0]);
            }
        }
    }

  private:
    // Two taps of eight channels.
    KOMPAKT_DETAIL_AVX2_INLINE static __m256i load(const std::int8_t* w) noexcept {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
    }
    // Two taps of one pixel, for all channels.
    KOMPAKT_DETAIL_AVX2_INLINE static __m256i broadcast(const std::int16_t* x) noexcept {
        std::int32_t both;
        std::memcpy(&both, x, sizeof both);
        return _mm256_set1_epi32(both);
    }
    KOMPAKT_DETAIL_AVX2_INLINE static void step(__m256i w, __m256i x, __m256i& sum) noexcept {
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(w, x));
    }
    KOMPAKT_DETAIL_AVX2_INLINE static void one(const std::int8_t* w, const std::int16_t* x,
                                               std::int32_t n, __m256i& sum) noexcept {
        __m256i a = sum, b = _mm256_setzero_si256();
        std::int32_t k = 0;
        for (; k + 2 < n; k += 4) {
            step(load(w + k * tile), broadcast(x + k), a);
            step(load(w + (k + 2) * tile), broadcast(x + k + 2), b);
        }
        if (k < n) step(load(w + k * tile), broadcast(x + k), a);
        sum = _mm256_add_epi32(a, b);
    }
    // Pixels that do not exist are computed from the first.
    KOMPAKT_DETAIL_AVX2_INLINE static void one_tile(const std::int8_t* w, const gathered& x,
                                                    std::int32_t n, std::int32_t count,
                                                    tile_sums& sums) noexcept {
        const std::int16_t *x2 = x[count > 2 ? 2 : 0], *x3 = x[count > 3 ? 3 : 0];
        __m256i a0 = sums[0], a1 = sums[1], a2 = sums[2], a3 = sums[3];
        for (std::int32_t k = 0; k < n; k += 2) {
            const __m256i v = load(w + k * tile);
            step(v, broadcast(x[0] + k), a0);
            step(v, broadcast(x[1] + k), a1);
            step(v, broadcast(x2 + k), a2);
            step(v, broadcast(x3 + k), a3);
        }
        sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
    }
    KOMPAKT_DETAIL_AVX2_INLINE static void two_tiles(const std::int8_t* w0, const std::int8_t* w1,
                                                     const gathered& x, std::int32_t n,
                                                     std::int32_t count, tile_sums& sums0,
                                                     tile_sums& sums1) noexcept {
        const std::int16_t *x2 = x[count > 2 ? 2 : 0], *x3 = x[count > 3 ? 3 : 0];
        __m256i a0 = sums0[0], a1 = sums0[1], a2 = sums0[2], a3 = sums0[3];
        __m256i b0 = sums1[0], b1 = sums1[1], b2 = sums1[2], b3 = sums1[3];
        for (std::int32_t k = 0; k < n; k += 2) {
            const __m256i v = load(w0 + k * tile), u = load(w1 + k * tile);
            __m256i y = broadcast(x[0] + k);
            step(v, y, a0), step(u, y, b0);
            y = broadcast(x[1] + k);
            step(v, y, a1), step(u, y, b1);
            y = broadcast(x2 + k);
            step(v, y, a2), step(u, y, b2);
            y = broadcast(x3 + k);
            step(v, y, a3), step(u, y, b3);
        }
        sums0[0] = a0, sums0[1] = a1, sums0[2] = a2, sums0[3] = a3;
        sums1[0] = b0, sums1[1] = b1, sums1[2] = b2, sums1[3] = b3;
    }
};

struct canonical_weights {
    const std::int8_t* data;
    const std::int8_t* end;
    std::int32_t taps, per_group;

    KOMPAKT_DETAIL_AVX2_INLINE void add(std::int32_t group, std::int32_t channel,
                                        std::int32_t channels, std::int32_t first, std::int32_t n,
                                        const gathered& x, std::int32_t count,
                                        tile_sums* sums) const noexcept {
        const std::int8_t* w =
            data + (static_cast<std::ptrdiff_t>(group) * per_group + channel) * taps + first;
        for (std::int32_t i = 0; i < channels; i += tile, ++sums) {
            const std::int8_t* first_four = w + static_cast<std::ptrdiff_t>(i) * taps;
            for (std::int32_t p = 0; p < count; p += 2) {
                const std::int16_t* other = x[p + 1 < count ? p + 1 : p];
                __m256i low[2], high[2];
                high[0] = high[1] = _mm256_setzero_si256();
                four(first_four, channels - i, n, x[p], other, low);
                if (channels - i > 4) {
                    four(first_four + static_cast<std::ptrdiff_t>(4) * taps, channels - i - 4, n,
                         x[p], other, high);
                }
                (*sums)[p] = _mm256_add_epi32((*sums)[p], both_halves(low[0], high[0]));
                (*sums)[p + 1] = _mm256_add_epi32((*sums)[p + 1], both_halves(low[1], high[1]));
            }
        }
    }

  private:
    // Each of the two holds four channels twice, to be added.
    KOMPAKT_DETAIL_AVX2_INLINE static __m256i both_halves(__m256i low, __m256i high) noexcept {
        return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                                _mm256_permute2x128_si256(low, high, 0x31));
    }
    // Up to 16 taps; those beyond the weights' end are zeros.
    KOMPAKT_DETAIL_AVX2_INLINE __m256i load(const std::int8_t* w) const noexcept {
        if (end - w >= 16) {
            return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
        }
        alignas(16) std::int8_t part[16] = {};
        for (std::int32_t i = 0; i < end - w; ++i) part[i] = w[i];
        return _mm256_cvtepi8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(part)));
    }
    // Four channels, or the last of `channels` in place of those that do not exist; two pixels.
    // What is read beyond a channel's taps meets the zeros in x.
    KOMPAKT_DETAIL_AVX2_INLINE void four(const std::int8_t* w0, std::int32_t channels,
                                         std::int32_t n, const std::int16_t* x0,
                                         const std::int16_t* x1, __m256i (&out)[2]) const noexcept {
        const std::int8_t* w1 = channels > 1 ? w0 + taps : w0;
        const std::int8_t* w2 = channels > 2 ? w1 + taps : w1;
        const std::int8_t* w3 = channels > 3 ? w2 + taps : w2;
        const __m256i zero = _mm256_setzero_si256();
        __m256i a0 = zero, a1 = zero, a2 = zero, a3 = zero;
        __m256i b0 = zero, b1 = zero, b2 = zero, b3 = zero;
        // Whole steps of the last channel lie inside the weights, hence those of all.
        const std::int32_t whole = n / 16 * 16;
        for (std::int32_t k = 0; k < n; k += 16) {
            const __m256i u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x0 + k));
            const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x1 + k));
            const bool plain = k < whole;
            step(plain ? widened(w0 + k) : load(w0 + k), u, v, a0, b0);
            step(plain ? widened(w1 + k) : load(w1 + k), u, v, a1, b1);
            step(plain ? widened(w2 + k) : load(w2 + k), u, v, a2, b2);
            step(plain ? widened(w3 + k) : load(w3 + k), u, v, a3, b3);
        }
        out[0] = _mm256_hadd_epi32(_mm256_hadd_epi32(a0, a1), _mm256_hadd_epi32(a2, a3));
        out[1] = _mm256_hadd_epi32(_mm256_hadd_epi32(b0, b1), _mm256_hadd_epi32(b2, b3));
    }
    KOMPAKT_DETAIL_AVX2_INLINE static __m256i widened(const std::int8_t* w) noexcept {
        return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
    }
    KOMPAKT_DETAIL_AVX2_INLINE static void step(__m256i w, __m256i u, __m256i v, __m256i& a,
                                                __m256i& b) noexcept {
        a = _mm256_add_epi32(a, _mm256_madd_epi16(w, u));
        b = _mm256_add_epi32(b, _mm256_madd_epi16(w, v));
    }
};

template <class Weights>
KOMPAKT_DETAIL_AVX2 void convolve(const convolution& c, const Weights& weights,
                                  const output_stage& stage) noexcept {
    alignas(32) std::int16_t x[pixels][taps_at_once];
    tile_sums sums[tiles_at_once];
    const std::int32_t taps = c.taps(), per_group = c.per_group(), groups = c.groups();
    const std::int32_t total = c.images * c.out_h * c.out_w;
    const std::int8_t* image = c.in;
    std::int32_t next_y = 0, next_x = 0;
    for (std::int32_t pixel = 0; pixel < total; pixel += pixels) {
        const std::int32_t count = total - pixel < pixels ? total - pixel : pixels;
        const std::int8_t* images[pixels];
        std::int32_t ys[pixels], xs[pixels];
        for (std::int32_t p = 0; p < count; ++p) {
            images[p] = image, ys[p] = next_y, xs[p] = next_x;
            if (++next_x == c.out_w) next_x = 0, ++next_y;
            if (next_y == c.out_h) {
                next_y = 0;
                image += static_cast<std::ptrdiff_t>(c.in_h) * c.in_w * c.in_c;
            }
        }
        std::int8_t* out = c.out + static_cast<std::ptrdiff_t>(pixel) * c.out_c;
        for (std::int32_t g = 0; g < groups; ++g) {
            for (std::int32_t at = 0; at < per_group; at += tiles_at_once * tile) {
                const std::int32_t left = per_group - at;
                const std::int32_t channels =
                    left < tiles_at_once * tile ? left : tiles_at_once * tile;
                const std::int32_t channel = g * per_group + at;
                for (std::int32_t i = 0; i < channels; i += tile) {
                    const __m256i bias =
                        load_bias(stage, channel + i, channels - i < tile ? channels - i : tile);
                    for (__m256i& sum : sums[i / tile]) sum = bias;
                }
                for (std::int32_t first = 0; first < taps; first += taps_at_once) {
                    const std::int32_t n =
                        taps - first < taps_at_once ? taps - first : taps_at_once;
                    // Taps that all fit were gathered for the first tiles.
                    for (std::int32_t p = 0; p < count && (at == 0 || taps > taps_at_once); ++p) {
                        gather(c, images[p] + g * c.depth, ys[p], xs[p], first, n, x[p]);
                        for (std::int32_t k = n; k % 16 != 0; ++k) x[p][k] = 0;
                    }
                    weights.add(g, at, channels, first, n, x, count, sums);
                }
                for (std::int32_t i = 0; i < channels; i += tile) {
                    finish(stage, channel + i, channels - i < tile ? channels - i : tile,
                           sums[i / tile], count, out, c.out_c);
                }
            }
        }
    }
}

} // namespace avx2_code

namespace detail {

template <class InE, class FilterE, class OutE>
avx2_code::convolution convolution_of(const tensor<const std::int8_t, InE>& in,
                                      const tensor<const std::int8_t, FilterE>& filter,
                                      const tensor<std::int8_t, OutE>& out,
                                      const conv2d_i8_params& p) noexcept {
    avx2_code::convolution c{};
    c.in = in.data(), c.out = out.data();
    c.images = in.template dim<0>();
    c.in_h = in.template dim<1>(), c.in_w = in.template dim<2>(), c.in_c = in.template dim<3>();
    c.kernel_h = filter.template dim<1>(), c.kernel_w = filter.template dim<2>();
    c.depth = filter.template dim<3>();
    c.out_h = out.template dim<1>(), c.out_w = out.template dim<2>();
    c.out_c = out.template dim<3>();
    c.window = p.window, c.input_zero_point = p.input_zero_point;
    return c;
}

// Eight channels are computed together: few of them with few taps are better served one by one.
constexpr bool worth_vectors(std::int32_t per_group, std::int32_t taps) noexcept {
    return per_group >= 8 || (per_group >= 4 && taps >= 16);
}

} // namespace detail

template <class Port, class InE, class FilterE, class OutE>
void conv2d(avx2, Port port, const tensor<const std::int8_t, InE>& in,
            const tensor<const std::int8_t, FilterE>& filter, const output_stage& stage,
            const tensor<std::int8_t, OutE>& out, const conv2d_i8_params& p) noexcept {
    const avx2_code::convolution c = detail::convolution_of(in, filter, out, p);
    if (!detail::worth_vectors(c.per_group(), c.taps())) {
        return kompakt::conv2d(portable{}, port, in, filter, stage, out, p);
    }
    const avx2_code::canonical_weights weights{filter.data(), filter.data() + filter.size(),
                                               c.taps(), c.per_group()};
    avx2_code::convolve(c, weights, stage);
}

// A convolution with one tap in each direction, of an image that has one column for each batch.
template <class Port, class InE, class WeightsE, class OutE>
void fully_connected(avx2, Port, const tensor<const std::int8_t, InE>& in,
                     const tensor<const std::int8_t, WeightsE>& weights, const output_stage& stage,
                     const tensor<std::int8_t, OutE>& out,
                     const fully_connected_i8_params& p) noexcept {
    const std::int32_t batches = out.template dim<0>(), depth = weights.template dim<1>(),
                       outputs = out.template dim<1>();
    avx2_code::convolution c{};
    c.in = in.data(), c.out = out.data();
    c.in_h = c.out_h = c.kernel_h = c.kernel_w = c.images = 1;
    c.in_w = c.out_w = batches;
    c.in_c = c.depth = depth, c.out_c = outputs;
    c.input_zero_point = p.input_zero_point;
    const avx2_code::canonical_weights w{weights.data(), weights.data() + weights.size(), depth,
                                         outputs};
    avx2_code::convolve(c, w, stage);
}

// Weights in the port's order (kernel/port_hooks.hpp).

// x86, tiles of 8 channels and 2 taps.
constexpr std::uint32_t kernel_pack_id(avx2, conv2d_i8) noexcept {
    return 0x86080200;
}

namespace detail {

struct packed_shape {
    std::int32_t groups, per_group, taps;
    std::int32_t tiles, pairs; // of a group, of a channel

    // 0: canonical weights are as good.
    constexpr std::size_t bytes() const noexcept {
        if (!worth_vectors(per_group, taps)) return 0;
        const std::uint64_t n = std::uint64_t(groups) * std::uint64_t(tiles) *
                                std::uint64_t(pairs) * (2 * avx2_code::tile);
        return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
    }
};

inline packed_shape packed_shape_of(const call& c) noexcept {
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    packed_shape s{};
    s.groups = in.dim(3) / filter.dim(3);
    s.per_group = filter.dim(0) / s.groups;
    s.taps = filter.dim(1) * filter.dim(2) * filter.dim(3);
    s.tiles = (s.per_group + avx2_code::tile - 1) / avx2_code::tile;
    s.pairs = (s.taps + 1) / 2;
    return s;
}

template <class InE, class FilterE, class OutE>
void conv2d_packed(const packed_shape& s, const std::byte* packed,
                   const tensor<const std::int8_t, InE>& in,
                   const tensor<const std::int8_t, FilterE>& filter, const output_stage& stage,
                   const tensor<std::int8_t, OutE>& out, const conv2d_i8_params& p) noexcept {
    const avx2_code::packed_weights weights{reinterpret_cast<const std::int8_t*>(packed), s.pairs,
                                            s.tiles};
    avx2_code::convolve(convolution_of(in, filter, out, p), weights, stage);
}

} // namespace detail

inline std::size_t kernel_pack_bytes(avx2, conv2d_i8, const call& c) noexcept {
    return detail::packed_shape_of(c).bytes();
}

inline void kernel_pack(avx2, conv2d_i8, const call& c, std::byte* to) noexcept {
    const detail::packed_shape s = detail::packed_shape_of(c);
    const std::int8_t* from = c.input_data<std::int8_t>(packed_input);
    auto* w = reinterpret_cast<std::int8_t*>(to);
    for (std::int32_t g = 0; g < s.groups; ++g) {
        for (std::int32_t t = 0; t < s.tiles; ++t) {
            for (std::int32_t k = 0; k < s.pairs; ++k) {
                for (std::int32_t i = 0; i < 2 * avx2_code::tile; ++i) {
                    const std::int32_t o = t * avx2_code::tile + i / 2, tap = 2 * k + i % 2;
                    const bool exists = o < s.per_group && tap < s.taps;
                    *w++ = exists ? from[(g * s.per_group + o) * s.taps + tap] : std::int8_t{0};
                }
            }
        }
    }
}

template <class Port, class Call>
void run_kernel(avx2, conv2d_i8, Port port, const Call& c) noexcept {
    const std::byte* packed = c.packed();
    const detail::packed_shape s = detail::packed_shape_of(c);
    if (packed == nullptr || s.bytes() == 0) {
        return conv2d_i8::run_portable(port, c);
    }
    auto p = c.template params<conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    const auto filter = c.template input<std::int8_t, 4>(arg<1>);
    run_windowed<std::int8_t>(c, p.window, filter.dim(1),
                              [&](const auto& in, const auto& out, std::int32_t pad_top) {
                                  p.window.pad_top = pad_top;
                                  detail::conv2d_packed(s, packed, in, filter, stage, out, p);
                              });
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
