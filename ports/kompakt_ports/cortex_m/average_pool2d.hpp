// Average pooling of int8: four channels of a pixel in one word, summed as int16.
#pragma once

#include <kompakt/kernel/average_pool2d.hpp>
#include <kompakt_ports/cortex_m/intrinsics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

KOMPAKT_ALWAYS_INLINE std::int8_t mean_of(std::int32_t sum, std::int32_t count,
                                          const pool2d_i8_params& p) noexcept {
    const std::int32_t half = count / 2;
    return static_cast<std::int8_t>(
        clamp(wrap_add(sum, sum > 0 ? half : -half) / count, p.min, p.max));
}

// `from` is the window's first pixel inside.
KOMPAKT_NOINLINE inline void average_window(const std::int8_t* from, const inside_taps& t,
                                            std::int32_t channels, std::int8_t* to,
                                            const pool2d_i8_params& p) noexcept {
    const std::int32_t count = t.rows * t.columns, row = t.input_row * channels;
    // 128 times 255 is the most that int16 holds.
    std::int32_t c = 0;
    for (; c + 4 <= channels && count <= 255; c += 4, from += 4) {
        std::uint32_t even = 0, odd = 0;
        const std::int8_t* line = from;
        for (std::int32_t y = 0; y < t.rows; ++y, line += row) {
            const std::int8_t* pixel = line;
            for (std::int32_t x = 0; x < t.columns; ++x, pixel += channels) {
                const std::uint32_t four = load_word(pixel);
                even = sxtab16(even, four);
                odd = sxtab16_odd(odd, four);
            }
        }
        *to++ = mean_of(low_half(even), count, p);
        *to++ = mean_of(low_half(odd), count, p);
        *to++ = mean_of(high_half(even), count, p);
        *to++ = mean_of(high_half(odd), count, p);
    }
    for (; c < channels; ++c, ++from) {
        std::int32_t sum = 0;
        const std::int8_t* line = from;
        for (std::int32_t y = 0; y < t.rows; ++y, line += row) {
            for (std::int32_t x = 0; x < t.columns; ++x) sum = wrap_add(sum, line[x * channels]);
        }
        *to++ = mean_of(sum, count, p);
    }
}

template <class Port, class InE, class OutE>
void average_pool2d(dsp, Port, const tensor<const std::int8_t, InE>& in,
                    const tensor<std::int8_t, OutE>& out, const pool2d_i8_params& p) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       channels = in.template dim<3>();
    const std::int8_t* image = in.data();
    std::int8_t* to = out.data();
    for (std::int32_t n = 0; n < in.template dim<0>(); ++n) {
        for (std::int32_t y = 0; y < out.template dim<1>(); ++y) {
            const std::int32_t y0 = y * p.window.stride_h - p.window.pad_top;
            for (std::int32_t x = 0; x < out.template dim<2>(); ++x, to += channels) {
                const std::int32_t x0 = x * p.window.stride_w - p.window.pad_left;
                const inside_taps t = taps_of(p.window, p.kernel_h, p.kernel_w, in_h, in_w, y0, x0);
                average_window(image + t.input_at * channels, t, channels, to, p);
            }
        }
        image += in_h * in_w * channels;
    }
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
