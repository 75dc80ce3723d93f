// The taps of one window that lie inside the input, for kernels that keep the channels apart
// (depthwise convolution, pooling).
#pragma once

#include <kompakt/kernel/window.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Counted in taps (filter) and pixels (input); channels are the caller's. Tap (row, column) of the
// inside is filter tap `filter_at + row * kernel_w + column` and input pixel
// `input_at + row * input_row + column * input_column`.
struct inside_taps {
    std::int32_t rows = 0, columns = 0; // none inside: 0 rows
    std::int32_t filter_at = 0;
    std::int32_t input_at = 0, input_row = 0, input_column = 0;
};

// The window of kernel_h x kernel_w taps that starts at row y0 and column x0.
KOMPAKT_ALWAYS_INLINE inside_taps taps_of(const window_params& w, std::int32_t kernel_h,
                                          std::int32_t kernel_w, std::int32_t in_h,
                                          std::int32_t in_w, std::int32_t y0,
                                          std::int32_t x0) noexcept {
    const tap_range ys = taps_inside(y0, kernel_h, w.dilation_h, in_h);
    const tap_range xs = taps_inside(x0, kernel_w, w.dilation_w, in_w);
    inside_taps t;
    // Positions are only computed where they are inside, hence small.
    if (ys.first == ys.last || xs.first == xs.last) return t;
    t.rows = ys.last - ys.first;
    t.columns = xs.last - xs.first;
    t.filter_at = ys.first * kernel_w + xs.first;
    t.input_at = (y0 + ys.first * w.dilation_h) * in_w + x0 + xs.first * w.dilation_w;
    t.input_row = t.rows > 1 ? w.dilation_h * in_w : 0;
    t.input_column = w.dilation_w;
    return t;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
