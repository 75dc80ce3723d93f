// int8 depthwise convolution on AVX2, bit for bit what the portable kernel computes, where each
// channel has one filter.
//
// Eight channels of two taps are interleaved, a0 b0 a1 b1 …, so that after widening one `pmaddwd`
// multiplies and adds both; weights lie in that order. Taps outside the input read a row of zero
// points, which with the zero point times the sum of the weights leaves nothing.
//
// Packed weights are [tile of 8 channels]{correction [8] int32, [pair of taps][8][2] int8}; where
// the channels are no multiple of 8, the last tile overlaps the one before it.
#pragma once

#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt_ports/x86/avx2_output_stage.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t most_depthwise_taps = 64;
inline constexpr std::int32_t most_depthwise_channels = 2048;

struct depthwise_convolution {
    const std::int8_t* in;
    std::int32_t in_h, in_w, channels;
    std::int32_t kernel_h, kernel_w;
    std::int32_t images, out_h, out_w;
    window_params window;
    std::int32_t input_zero_point;
    std::int8_t* out;

    constexpr std::int32_t pairs() const noexcept { return (kernel_h * kernel_w + 1) / 2; }
};

// The first channel of a tile.
constexpr std::int32_t tile_channel(std::int32_t t, std::int32_t channels) noexcept {
    return t * tile + tile <= channels ? t * tile : channels - tile;
}

using tap_pointers = const std::int8_t* [most_depthwise_taps];

// Where the taps of one window read their first channel.
inline void point(const depthwise_convolution& c, const std::int8_t* image, std::int32_t y,
                  std::int32_t x, const std::int8_t* outside, tap_pointers& taps) noexcept {
    const std::int32_t y0 = y * c.window.stride_h - c.window.pad_top;
    const std::int32_t x0 = x * c.window.stride_w - c.window.pad_left;
    std::int32_t tap = 0;
    for (std::int32_t i = 0; i < c.kernel_h; ++i) {
        const std::int32_t row = y0 + i * c.window.dilation_h;
        for (std::int32_t k = 0; k < c.kernel_w; ++k, ++tap) {
            const std::int32_t column = x0 + k * c.window.dilation_w;
            const bool inside = row >= 0 && row < c.in_h && column >= 0 && column < c.in_w;
            taps[tap] =
                inside ? image + (static_cast<std::ptrdiff_t>(row) * c.in_w + column) * c.channels
                       : outside;
        }
    }
    if (tap % 2 != 0) taps[tap] = outside; // with a weight of 0
}

KOMPAKT_DETAIL_AVX2_INLINE __m256i products(const std::int8_t* a, const std::int8_t* b,
                                            __m256i weights) noexcept {
    const __m128i x = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(a)),
                                        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(b)));
    return _mm256_madd_epi16(_mm256_cvtepi8_epi16(x), weights);
}

// One tile of up to four pixels; those that do not exist are computed from the first.
KOMPAKT_DETAIL_AVX2_INLINE void tile_of(const tap_pointers* taps, std::int32_t count,
                                        std::int32_t channel, std::int32_t pairs,
                                        const std::int8_t* weights, __m256i start,
                                        __m256i* sums) noexcept {
    const tap_pointers &t0 = taps[0], &t1 = taps[count > 1 ? 1 : 0], &t2 = taps[count > 2 ? 2 : 0],
                       &t3 = taps[count > 3 ? 3 : 0];
    __m256i a0 = start, a1 = start, a2 = start, a3 = start;
    for (std::int32_t k = 0; k < 2 * pairs; k += 2, weights += 2 * tile) {
        const __m256i w =
            _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(weights)));
        a0 = _mm256_add_epi32(a0, products(t0[k] + channel, t0[k + 1] + channel, w));
        a1 = _mm256_add_epi32(a1, products(t1[k] + channel, t1[k + 1] + channel, w));
        a2 = _mm256_add_epi32(a2, products(t2[k] + channel, t2[k + 1] + channel, w));
        a3 = _mm256_add_epi32(a3, products(t3[k] + channel, t3[k + 1] + channel, w));
    }
    sums[0] = a0, sums[1] = a1, sums[2] = a2, sums[3] = a3;
}

KOMPAKT_DETAIL_AVX2 inline void convolve(const depthwise_convolution& c, const std::int8_t* packed,
                                         const output_stage& stage) noexcept {
    std::int8_t outside[most_depthwise_channels];
    std::memset(outside, c.input_zero_point, static_cast<std::size_t>(c.channels));
    tap_pointers taps[pixels];
    const std::int32_t pairs = c.pairs(), tiles = (c.channels + tile - 1) / tile;
    const std::ptrdiff_t tile_bytes = 4 * tile + static_cast<std::ptrdiff_t>(pairs) * (2 * tile);
    const std::int32_t total = c.images * c.out_h * c.out_w;
    const std::int8_t* image = c.in;
    std::int32_t y = 0, x = 0;
    for (std::int32_t pixel = 0; pixel < total; pixel += pixels) {
        const std::int32_t count = total - pixel < pixels ? total - pixel : pixels;
        for (std::int32_t p = 0; p < count; ++p) {
            point(c, image, y, x, outside, taps[p]);
            if (++x == c.out_w) x = 0, ++y;
            if (y == c.out_h) {
                y = 0;
                image += static_cast<std::ptrdiff_t>(c.in_h) * c.in_w * c.channels;
            }
        }
        std::int8_t* out = c.out + static_cast<std::ptrdiff_t>(pixel) * c.channels;
        for (std::int32_t t = 0; t < tiles; ++t) {
            const std::int32_t channel = tile_channel(t, c.channels);
            const std::int8_t* w = packed + t * tile_bytes;
            const __m256i start =
                _mm256_add_epi32(load_bias(stage, channel, tile),
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)));
            __m256i sums[pixels];
            tile_of(taps, count, channel, pairs, w + 4 * tile, start, sums);
            finish(stage, channel, tile, sums, count, out, c.channels);
        }
    }
}

} // namespace avx2_code

// x86, depthwise, tiles of 8 channels and 2 taps.
constexpr std::uint32_t kernel_pack_id(avx2, depthwise_conv2d_i8) noexcept {
    return 0x86080201;
}

inline std::size_t kernel_pack_bytes(avx2, depthwise_conv2d_i8, const call& c) noexcept {
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    const std::int32_t channels = filter.dim(3);
    if (in.dim(3) != channels || channels < avx2_code::tile ||
        channels > avx2_code::most_depthwise_channels ||
        std::int64_t{filter.dim(1)} * filter.dim(2) > avx2_code::most_depthwise_taps) {
        return 0;
    }
    const std::int32_t tiles = (channels + avx2_code::tile - 1) / avx2_code::tile;
    const std::int32_t pairs = (filter.dim(1) * filter.dim(2) + 1) / 2;
    return static_cast<std::size_t>(tiles) *
           static_cast<std::size_t>(4 * avx2_code::tile + pairs * 2 * avx2_code::tile);
}

inline void kernel_pack(avx2, depthwise_conv2d_i8, const call& c, std::byte* to) noexcept {
    const auto filter = c.input<std::int8_t, 4>(1);
    const std::int32_t channels = filter.dim(3), taps = filter.dim(1) * filter.dim(2);
    const std::int32_t tiles = (channels + avx2_code::tile - 1) / avx2_code::tile;
    const std::int32_t zero_point = c.params<depthwise_conv2d_i8_params>().input_zero_point;
    for (std::int32_t t = 0; t < tiles; ++t) {
        const std::int32_t channel = avx2_code::tile_channel(t, channels);
        for (std::int32_t i = 0; i < avx2_code::tile; ++i, to += 4) {
            std::int32_t sum = 0;
            for (std::int32_t k = 0; k < taps; ++k) {
                sum += filter.data()[k * channels + channel + i];
            }
            const std::int32_t correction = -zero_point * sum;
            std::memcpy(to, &correction, sizeof correction);
        }
        for (std::int32_t k = 0; k < taps; k += 2) {
            for (std::int32_t i = 0; i < avx2_code::tile; ++i) {
                const std::int8_t* w = filter.data() + k * channels + channel + i;
                *to++ = static_cast<std::byte>(w[0]);
                *to++ = static_cast<std::byte>(k + 1 < taps ? w[channels] : std::int8_t{0});
            }
        }
    }
}

template <class Port, class Call>
void run_kernel(avx2 port_tag, depthwise_conv2d_i8 family, Port port, const Call& c) noexcept {
    const std::byte* packed = c.packed();
    if (packed == nullptr || kernel_pack_bytes(port_tag, family, c) == 0) {
        return depthwise_conv2d_i8::run_portable(port, c);
    }
    const auto p = c.template params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    const auto filter = c.template input<std::int8_t, 4>(arg<1>);
    avx2_code::depthwise_convolution d{};
    d.kernel_h = filter.dim(1), d.kernel_w = filter.dim(2);
    d.window = p.window, d.input_zero_point = p.input_zero_point;
    run_windowed<std::int8_t>(
        c, p.window, filter.dim(1), [&](const auto& in, const auto& out, std::int32_t pad_top) {
            d.window.pad_top = pad_top;
            d.in = in.data(), d.out = out.data();
            d.images = in.dim(0), d.in_h = in.dim(1), d.in_w = in.dim(2), d.channels = in.dim(3);
            d.out_h = out.dim(1), d.out_w = out.dim(2);
            avx2_code::convolve(d, reinterpret_cast<const std::int8_t*>(packed), stage);
        });
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
