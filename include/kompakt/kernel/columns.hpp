// Windows as rows of a matrix ("im2col"), for convolutions that are matrix products: one row of
// kernel_h * kernel_w * channels for each output pixel, zeros where the window hangs over the edge.
// Rows are made a tile at a time, so the matrix never exists as a whole.
#pragma once

#include <kompakt/kernel/taps.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

struct window_columns {
    window_params window;
    std::int32_t in_h, in_w, channels;
    std::int32_t kernel_h, kernel_w;
    std::int32_t images, out_h, out_w;

    std::int32_t width() const noexcept { return kernel_h * kernel_w * channels; }
    std::int32_t pixels() const noexcept { return images * out_h * out_w; }
    // Pixels of a tile: about 64 KB of matrix, which stays in the nearer caches.
    static std::int32_t tile_of(std::int32_t width) noexcept {
        const std::int32_t n = 16384 / (width > 0 ? width : 1);
        return n < 24 ? 24 : n > 240 ? 240 : n / 24 * 24;
    }
    std::int32_t tile() const noexcept { return tile_of(width()); }
    // Whether the input already is the matrix.
    bool is_input() const noexcept {
        return kernel_h == 1 && kernel_w == 1 && window.stride_h == 1 && window.stride_w == 1 &&
               out_h == in_h && out_w == in_w && window.pad_top == 0 && window.pad_left == 0;
    }
};

// The taps of output pixel `pixel` (counted over all images) and its image's first element.
inline inside_taps taps_of_pixel(const window_columns& c, std::int32_t pixel,
                                 std::int32_t& image) noexcept {
    const std::int32_t x = pixel % c.out_w, row = pixel / c.out_w;
    image = row / c.out_h * c.in_h * c.in_w * c.channels;
    return taps_of(c.window, c.kernel_h, c.kernel_w, c.in_h, c.in_w,
                   row % c.out_h * c.window.stride_h - c.window.pad_top,
                   x * c.window.stride_w - c.window.pad_left);
}

// Calls `run(at_column, at_input, length)` for runs that lie side by side in both.
template <class Run>
KOMPAKT_ALWAYS_INLINE void for_column_runs(const window_columns& c, const inside_taps& t,
                                           std::int32_t image, Run&& run) noexcept {
    const bool joined = t.input_column == 1;
    const std::int32_t runs = joined ? 1 : t.columns;
    const std::int32_t length = joined ? t.columns * c.channels : c.channels;
    for (std::int32_t row = 0; row < t.rows; ++row) {
        for (std::int32_t r = 0; r < runs; ++r) {
            run((t.filter_at + row * c.kernel_w + r) * c.channels,
                image + (t.input_at + row * t.input_row + r * t.input_column) * c.channels, length);
        }
    }
}

// Rows first … first + n of the matrix.
inline void gather_columns(const window_columns& c, const float* in, std::int32_t first,
                           std::int32_t n, float* to) noexcept {
    const std::int32_t width = c.width();
    for (std::int32_t i = 0; i < n; ++i, to += width) {
        std::int32_t image = 0;
        const inside_taps t = taps_of_pixel(c, first + i, image);
        if (t.rows * t.columns != c.kernel_h * c.kernel_w) {
            for (std::int32_t k = 0; k < width; ++k) to[k] = 0.0f;
        }
        for_column_runs(c, t, image, [&](std::int32_t at, std::int32_t from, std::int32_t length) {
            for (std::int32_t k = 0; k < length; ++k) to[at + k] = in[from + k];
        });
    }
}

// Adds rows of the matrix back to the pixels that they came from.
inline void scatter_columns(const window_columns& c, const float* from, std::int32_t first,
                            std::int32_t n, float* in) noexcept {
    const std::int32_t width = c.width();
    for (std::int32_t i = 0; i < n; ++i, from += width) {
        std::int32_t image = 0;
        const inside_taps t = taps_of_pixel(c, first + i, image);
        for_column_runs(c, t, image, [&](std::int32_t at, std::int32_t to, std::int32_t length) {
            for (std::int32_t k = 0; k < length; ++k) in[to + k] += from[at + k];
        });
    }
}

} // namespace detail
} // namespace KOMPAKT_ABI
} // namespace kompakt
