// float32 convolution and fully connected on AVX2 with fused multiply and add.
//
// Both are one loop over tiles of 6 output pixels and 16 channels, whose 12 sums stay in registers:
// a step takes one input channel of one tap, loads 16 weights and multiplies them by the six
// pixels' values. Where a tap lies in the padding its pixel points to zeros, so the inner loop asks
// nothing. Weights are [group][tile of 8 channels][tap][channel of the group][8], the last tile
// filled up with zeros, and zeros for the padding behind them all. Constant ones are packed once;
// those that a training step makes are packed into scratch by each run, which costs 1 / pixels of
// the work.
#pragma once

#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt_ports/x86/avx2_float.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {
namespace avx2_code {

inline constexpr std::int32_t float_pixels = 6;
inline constexpr std::int32_t most_float_taps = 128;

// A convolution without the types of its views, so that there is one instance of the loop.
struct float_convolution {
    const float* in;
    std::int32_t in_h, in_w, in_c;
    std::int32_t kernel_h, kernel_w, depth; // depth: channels of a group
    std::int32_t images, out_h, out_w, out_c;
    window_params window;
    float* out;

    constexpr std::int32_t taps() const noexcept { return kernel_h * kernel_w; }
    constexpr std::int32_t groups() const noexcept { return in_c / depth; }
    constexpr std::int32_t per_group() const noexcept { return out_c / groups(); }
    constexpr std::int32_t tiles() const noexcept { return (per_group() + lanes - 1) / lanes; }
    // Floats of packed weights; the zeros behind them are `depth` more.
    constexpr std::int64_t weights() const noexcept {
        return std::int64_t{groups()} * tiles() * taps() * depth * lanes;
    }
};

// The inputs of a tile: where each tap of each pixel begins. Pixels that do not exist are the
// first.
struct pixel_taps {
    const float* at[most_float_taps][float_pixels];
};

KOMPAKT_DETAIL_AVX2 inline void point(const float_convolution& c, const float* group,
                                      std::int32_t y, std::int32_t x, const float* zeros,
                                      std::int32_t pixel, pixel_taps& taps) noexcept {
    const std::int32_t y0 = y * c.window.stride_h - c.window.pad_top;
    const std::int32_t x0 = x * c.window.stride_w - c.window.pad_left;
    std::int32_t tap = 0;
    for (std::int32_t i = 0; i < c.kernel_h; ++i) {
        const std::int32_t row = y0 + i * c.window.dilation_h;
        const bool in_row = row >= 0 && row < c.in_h;
        for (std::int32_t j = 0; j < c.kernel_w; ++j, ++tap) {
            const std::int32_t column = x0 + j * c.window.dilation_w;
            const bool inside = in_row && column >= 0 && column < c.in_w;
            taps.at[tap][pixel] =
                inside ? group + (static_cast<std::ptrdiff_t>(row) * c.in_w + column) * c.in_c
                       : zeros;
        }
    }
}

// Sums of six or three pixels by 16 or 8 channels, written out since arrays of vectors would not
// stay in registers at every level of optimization.

KOMPAKT_DETAIL_AVX2_INLINE __m256 fma(__m256 w, __m256 x, __m256 sum) noexcept {
    return _mm256_fmadd_ps(w, x, sum);
}

struct tile_place {
    const float* w;
    std::ptrdiff_t stride; // to the next tile's weights
    std::int32_t taps, depth, channel, channels;
    float* out;
    std::int32_t out_c, count;
};

KOMPAKT_DETAIL_AVX2 inline void six_by_sixteen(const pixel_taps& p, const tile_place& t,
                                               const float_stage& stage) noexcept {
    const std::int32_t second = t.channels - lanes;
    __m256 a0 = stage.start(t.channel, lanes), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
    __m256 b0 = stage.start(t.channel + lanes, second), b1 = b0, b2 = b0, b3 = b0, b4 = b0, b5 = b0;
    const float *u = t.w, *v = t.w + t.stride;
    for (std::int32_t tap = 0; tap < t.taps; ++tap) {
        const float* const(&at)[float_pixels] = p.at[tap];
        const float *x0 = at[0], *x1 = at[1], *x2 = at[2], *x3 = at[3], *x4 = at[4], *x5 = at[5];
        for (std::int32_t k = 0; k < t.depth; ++k, u += lanes, v += lanes) {
            const __m256 wa = _mm256_loadu_ps(u), wb = _mm256_loadu_ps(v);
            __m256 x = _mm256_broadcast_ss(x0 + k);
            a0 = fma(wa, x, a0), b0 = fma(wb, x, b0);
            x = _mm256_broadcast_ss(x1 + k);
            a1 = fma(wa, x, a1), b1 = fma(wb, x, b1);
            x = _mm256_broadcast_ss(x2 + k);
            a2 = fma(wa, x, a2), b2 = fma(wb, x, b2);
            x = _mm256_broadcast_ss(x3 + k);
            a3 = fma(wa, x, a3), b3 = fma(wb, x, b3);
            x = _mm256_broadcast_ss(x4 + k);
            a4 = fma(wa, x, a4), b4 = fma(wb, x, b4);
            x = _mm256_broadcast_ss(x5 + k);
            a5 = fma(wa, x, a5), b5 = fma(wb, x, b5);
        }
    }
    const __m256 a[] = {a0, a1, a2, a3, a4, a5}, b[] = {b0, b1, b2, b3, b4, b5};
    for (std::int32_t i = 0; i < t.count; ++i) {
        float* const to = t.out + static_cast<std::ptrdiff_t>(i) * t.out_c + t.channel;
        stage.finish(a[i], lanes, to);
        stage.finish(b[i], second, to + lanes);
    }
}

KOMPAKT_DETAIL_AVX2 inline void three_by_sixteen(const pixel_taps& p, const tile_place& t,
                                                 const float_stage& stage) noexcept {
    const std::int32_t second = t.channels - lanes;
    __m256 a0 = stage.start(t.channel, lanes), a1 = a0, a2 = a0;
    __m256 b0 = stage.start(t.channel + lanes, second), b1 = b0, b2 = b0;
    const float *u = t.w, *v = t.w + t.stride;
    for (std::int32_t tap = 0; tap < t.taps; ++tap) {
        const float* const(&at)[float_pixels] = p.at[tap];
        const float *x0 = at[0], *x1 = at[1], *x2 = at[2];
        for (std::int32_t k = 0; k < t.depth; ++k, u += lanes, v += lanes) {
            const __m256 wa = _mm256_loadu_ps(u), wb = _mm256_loadu_ps(v);
            __m256 x = _mm256_broadcast_ss(x0 + k);
            a0 = fma(wa, x, a0), b0 = fma(wb, x, b0);
            x = _mm256_broadcast_ss(x1 + k);
            a1 = fma(wa, x, a1), b1 = fma(wb, x, b1);
            x = _mm256_broadcast_ss(x2 + k);
            a2 = fma(wa, x, a2), b2 = fma(wb, x, b2);
        }
    }
    const __m256 a[] = {a0, a1, a2}, b[] = {b0, b1, b2};
    for (std::int32_t i = 0; i < t.count; ++i) {
        float* const to = t.out + static_cast<std::ptrdiff_t>(i) * t.out_c + t.channel;
        stage.finish(a[i], lanes, to);
        stage.finish(b[i], second, to + lanes);
    }
}

KOMPAKT_DETAIL_AVX2 inline void six_by_eight(const pixel_taps& p, const tile_place& t,
                                             const float_stage& stage) noexcept {
    __m256 a0 = stage.start(t.channel, t.channels), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
    const float* u = t.w;
    for (std::int32_t tap = 0; tap < t.taps; ++tap) {
        const float* const(&at)[float_pixels] = p.at[tap];
        const float *x0 = at[0], *x1 = at[1], *x2 = at[2], *x3 = at[3], *x4 = at[4], *x5 = at[5];
        for (std::int32_t k = 0; k < t.depth; ++k, u += lanes) {
            const __m256 w = _mm256_loadu_ps(u);
            a0 = fma(w, _mm256_broadcast_ss(x0 + k), a0);
            a1 = fma(w, _mm256_broadcast_ss(x1 + k), a1);
            a2 = fma(w, _mm256_broadcast_ss(x2 + k), a2);
            a3 = fma(w, _mm256_broadcast_ss(x3 + k), a3);
            a4 = fma(w, _mm256_broadcast_ss(x4 + k), a4);
            a5 = fma(w, _mm256_broadcast_ss(x5 + k), a5);
        }
    }
    const __m256 a[] = {a0, a1, a2, a3, a4, a5};
    for (std::int32_t i = 0; i < t.count; ++i) {
        stage.finish(a[i], t.channels,
                     t.out + static_cast<std::ptrdiff_t>(i) * t.out_c + t.channel);
    }
}

// One pixel by 32 channels: what a matrix by a vector is made of, about as fast as weights come in.
// The order of the sum is that of the others: what a pixel gives does not depend on its neighbours.
KOMPAKT_DETAIL_AVX2 inline void one_by_thirty_two(const pixel_taps& p, const tile_place& t,
                                                  const float_stage& stage) noexcept {
    const std::int32_t last = t.channels - 3 * lanes;
    __m256 a = stage.start(t.channel, lanes), b = stage.start(t.channel + lanes, lanes),
           c = stage.start(t.channel + 2 * lanes, lanes),
           d = stage.start(t.channel + 3 * lanes, last);
    const float *wa = t.w, *wb = wa + t.stride, *wc = wb + t.stride, *wd = wc + t.stride;
    std::ptrdiff_t w = 0;
    for (std::int32_t tap = 0; tap < t.taps; ++tap) {
        const float* from = p.at[tap][0];
        for (std::int32_t k = 0; k < t.depth; ++k, w += lanes) {
            const __m256 x = _mm256_broadcast_ss(from + k);
            a = fma(_mm256_loadu_ps(wa + w), x, a);
            b = fma(_mm256_loadu_ps(wb + w), x, b);
            c = fma(_mm256_loadu_ps(wc + w), x, c);
            d = fma(_mm256_loadu_ps(wd + w), x, d);
        }
    }
    float* const to = t.out + t.channel;
    stage.finish(a, lanes, to);
    stage.finish(b, lanes, to + lanes);
    stage.finish(c, lanes, to + 2 * lanes);
    stage.finish(d, last, to + 3 * lanes);
}

KOMPAKT_DETAIL_AVX2 inline void convolve(const float_convolution& c, const float* packed,
                                         const float_stage& stage) noexcept {
    pixel_taps taps;
    const float* const zeros = packed + c.weights();
    const std::int32_t per_group = c.per_group(), groups = c.groups(), tiles = c.tiles();
    const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(c.taps()) * c.depth * lanes;
    const std::int32_t total = c.images * c.out_h * c.out_w;
    const float* image = c.in;
    std::int32_t next_y = 0, next_x = 0;
    for (std::int32_t pixel = 0; pixel < total; pixel += float_pixels) {
        const std::int32_t count = total - pixel < float_pixels ? total - pixel : float_pixels;
        const float* images[float_pixels];
        std::int32_t ys[float_pixels], xs[float_pixels];
        for (std::int32_t p = 0; p < count; ++p) {
            images[p] = image, ys[p] = next_y, xs[p] = next_x;
            if (++next_x == c.out_w) next_x = 0, ++next_y;
            if (next_y == c.out_h) {
                next_y = 0;
                image += static_cast<std::ptrdiff_t>(c.in_h) * c.in_w * c.in_c;
            }
        }
        for (std::int32_t g = 0; g < groups; ++g) {
            for (std::int32_t p = 0; p < float_pixels; ++p) {
                const std::int32_t q = p < count ? p : 0;
                point(c, images[q] + g * c.depth, ys[q], xs[q], zeros, p, taps);
            }
            tile_place t{};
            t.w = packed + static_cast<std::ptrdiff_t>(g) * tiles * stride;
            t.stride = stride;
            t.taps = c.taps(), t.depth = c.depth;
            t.out = c.out + static_cast<std::ptrdiff_t>(pixel) * c.out_c;
            t.out_c = c.out_c, t.count = count;
            for (std::int32_t at = 0; at < per_group;) {
                const std::int32_t left = per_group - at;
                t.channel = g * per_group + at;
                if (count == 1 && left > 3 * lanes) {
                    t.channels = left < 4 * lanes ? left : 4 * lanes;
                    one_by_thirty_two(taps, t, stage);
                } else if (left > lanes) {
                    t.channels = left < 2 * lanes ? left : 2 * lanes;
                    if (count <= 3) {
                        three_by_sixteen(taps, t, stage);
                    } else {
                        six_by_sixteen(taps, t, stage);
                    }
                } else {
                    t.channels = left;
                    six_by_eight(taps, t, stage);
                }
                t.w += (t.channels + lanes - 1) / lanes * stride;
                at += t.channels;
            }
        }
    }
}

// Weights [output][tap][depth] in this port's order, and the zeros behind them.
inline void pack_floats(const float_convolution& c, const float* from, float* to) noexcept {
    const std::int32_t per_group = c.per_group(), row = c.taps() * c.depth;
    for (std::int32_t g = 0; g < c.groups(); ++g) {
        for (std::int32_t t = 0; t < c.tiles(); ++t) {
            for (std::int32_t i = 0; i < lanes; ++i) {
                const std::int32_t o = t * lanes + i;
                const float* w = from + static_cast<std::ptrdiff_t>(g * per_group + o) * row;
                for (std::int32_t k = 0; k < row; ++k) {
                    to[k * lanes + i] = o < per_group ? w[k] : 0.0f;
                }
            }
            to += static_cast<std::ptrdiff_t>(row) * lanes;
        }
    }
    for (std::int32_t k = 0; k < c.depth; ++k) to[k] = 0.0f;
}

} // namespace avx2_code

namespace detail {

inline avx2_code::float_convolution float_convolution_of(const call& c, conv2d_f32) noexcept {
    const auto in = c.input<float, 4>(0), filter = c.input<float, 4>(1);
    const auto out = c.output<float, 4>(0);
    avx2_code::float_convolution f{};
    f.in = in.data(), f.out = out.data();
    f.images = in.dim(0), f.in_h = in.dim(1), f.in_w = in.dim(2), f.in_c = in.dim(3);
    f.kernel_h = filter.dim(1), f.kernel_w = filter.dim(2), f.depth = filter.dim(3);
    f.out_h = out.dim(1), f.out_w = out.dim(2), f.out_c = out.dim(3);
    f.window = c.params<conv2d_f32_params>().window;
    return f;
}
// A convolution with one tap in each direction, of an image that has one column for each batch.
inline avx2_code::float_convolution float_convolution_of(const call& c,
                                                         fully_connected_f32) noexcept {
    const auto weights = c.input<float, 2>(1);
    const auto in = kompakt::detail::batches_in<float>(c, weights.dim(1));
    const auto out = kompakt::detail::batches_out<float>(c, weights.dim(0));
    avx2_code::float_convolution f{};
    f.in = in.data(), f.out = out.data();
    f.images = f.in_h = f.out_h = f.kernel_h = f.kernel_w = 1;
    f.in_w = f.out_w = in.dim(0), f.in_c = f.depth = in.dim(1), f.out_c = out.dim(1);
    return f;
}

// 0: the window is larger than what is planned for here.
inline std::size_t float_pack_bytes(const avx2_code::float_convolution& f) noexcept {
    if (f.taps() > avx2_code::most_float_taps) return 0;
    const std::int64_t bytes = (f.weights() + f.depth) * 4;
    return bytes <= INT32_MAX ? static_cast<std::size_t>(bytes) : 0;
}

// The call's weights in this port's order: those that were packed, or packed now into the scratch
// behind the row buffer. Null where the portable kernel has to run.
inline const float* packed_floats(const call& c, const avx2_code::float_convolution& f) noexcept {
    const std::size_t bytes = float_pack_bytes(f), before = row_buffer_bytes(c);
    if (bytes == 0) return nullptr;
    if (c.packed() != nullptr) return reinterpret_cast<const float*>(c.packed());
    if (c.scratch().size() < before + bytes) return nullptr;
    auto* to = reinterpret_cast<float*>(c.scratch().data() + before);
    avx2_code::pack_floats(f, c.input_data<float>(packed_input), to);
    return to;
}

} // namespace detail

// x86, float32, tiles of 8 channels.
constexpr std::uint32_t kernel_pack_id(avx2, conv2d_f32) noexcept {
    return 0x86080300;
}
constexpr std::uint32_t kernel_pack_id(avx2, fully_connected_f32) noexcept {
    return 0x86080301;
}

inline std::size_t kernel_pack_bytes(avx2, conv2d_f32 f, const call& c) noexcept {
    return detail::float_pack_bytes(detail::float_convolution_of(c, f));
}
inline std::size_t kernel_pack_bytes(avx2, fully_connected_f32 f, const call& c) noexcept {
    return detail::float_pack_bytes(detail::float_convolution_of(c, f));
}
inline void kernel_pack(avx2, conv2d_f32 f, const call& c, std::byte* to) noexcept {
    avx2_code::pack_floats(detail::float_convolution_of(c, f), c.input_data<float>(packed_input),
                           reinterpret_cast<float*>(to));
}
inline void kernel_pack(avx2, fully_connected_f32 f, const call& c, std::byte* to) noexcept {
    avx2_code::pack_floats(detail::float_convolution_of(c, f), c.input_data<float>(packed_input),
                           reinterpret_cast<float*>(to));
}

// Weights that a run makes itself are packed into scratch.
inline std::size_t kernel_scratch_bytes(avx2 tag, conv2d_f32 f, const call& c) noexcept {
    const bool constant = c.input_record(packed_input).where == place::constant;
    return row_buffer_bytes(c) + (constant ? 0 : kernel_pack_bytes(tag, f, c));
}
inline std::size_t kernel_scratch_bytes(avx2 tag, fully_connected_f32 f, const call& c) noexcept {
    const bool constant = c.input_record(packed_input).where == place::constant;
    return constant ? 0 : kernel_pack_bytes(tag, f, c);
}

template <class Port, class Call>
void run_kernel(avx2, conv2d_f32 family, Port port, const Call& c) noexcept {
    auto f = detail::float_convolution_of(c, family);
    const float* packed = detail::packed_floats(c, f);
    if (packed == nullptr) return conv2d_f32::run_portable(port, c);
    const auto p = c.template params<conv2d_f32_params>();
    const avx2_code::float_stage stage{c.template input_data<float>(2), p.min, p.max};
    run_windowed<float>(c, p.window, f.kernel_h,
                        [&](const auto& in, const auto& out, std::int32_t pad_top) {
                            f.window.pad_top = pad_top;
                            f.in = in.data(), f.out = out.data();
                            f.images = in.dim(0), f.in_h = in.dim(1), f.out_h = out.dim(1);
                            avx2_code::convolve(f, packed, stage);
                        });
}
template <class Port, class Call>
void run_kernel(avx2, fully_connected_f32 family, Port port, const Call& c) noexcept {
    const auto f = detail::float_convolution_of(c, family);
    const float* packed = detail::packed_floats(c, f);
    if (packed == nullptr) return fully_connected_f32::run_portable(port, c);
    const auto p = c.template params<fully_connected_f32_params>();
    const avx2_code::float_stage stage{c.template input_data<float>(2), p.min, p.max};
    avx2_code::convolve(f, packed, stage);
}

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
