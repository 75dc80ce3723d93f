// Windows of an image as columns of int16 for two_columns (panels.hpp): taps in runs, pairs of taps
// in words, two columns interleaved word by word.
#pragma once

#include <kompakt/kernel/window.hpp>
#include <kompakt_ports/cortex_m/intrinsics.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

#if KOMPAKT_DETAIL_CORTEX_M_DSP

// `groups` times four inputs of both columns.
inline __attribute__((naked, noinline)) void widen_two(std::uint32_t*, const std::int8_t*,
                                                       const std::int8_t*, std::int32_t) noexcept {
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "1:\n"
            "ldr r6, [r1], #4\n ldr r7, [r2], #4\n subs r3, #1\n"
            "sxtb16 r4, r6\n sxtb16 r5, r7\n sxtb16 r6, r6, ror #8\n sxtb16 r7, r7, ror #8\n"
            "stm r0!, {r4-r7}\n bne 1b\n"
            "pop {r4-r7, pc}\n");
}
// Of one column.
inline __attribute__((naked, noinline)) void widen_one(std::uint32_t*, const std::int8_t*,
                                                       std::int32_t) noexcept {
    __asm__(".syntax unified\n"
            "1:\n"
            "ldr r3, [r1], #4\n subs r2, #1\n"
            "sxtb16 r12, r3\n sxtb16 r3, r3, ror #8\n"
            "str r12, [r0], #8\n str r3, [r0], #8\n bne 1b\n"
            "bx lr\n");
}

#else

inline void widen_one(std::uint32_t* to, const std::int8_t* from, std::int32_t groups) noexcept {
    for (std::int32_t i = 0; i < groups; ++i) {
        const std::uint32_t x = load_word(from + 4 * i);
        to[4 * i] = sxtb16(x);
        to[4 * i + 2] = sxtb16_odd(x);
    }
}
inline void widen_two(std::uint32_t* to, const std::int8_t* first, const std::int8_t* second,
                      std::int32_t groups) noexcept {
    widen_one(to, first, groups);
    widen_one(to + 1, second, groups);
}

#endif

// One image, its windows and where their taps are.
struct windowed_image {
    const std::int8_t* in;
    std::int32_t in_h, in_w, in_c;
    std::int32_t kernel_h, kernel_w;
    window_params window;
    std::int32_t zero_point;

    // Without dilation the taps of a row of the window are one run.
    constexpr bool joined() const noexcept { return window.dilation_w == 1; }
    constexpr std::int32_t runs() const noexcept {
        return joined() ? kernel_h : kernel_h * kernel_w;
    }
    constexpr std::int32_t run() const noexcept { return joined() ? kernel_w * in_c : in_c; }
    constexpr std::int32_t run_words() const noexcept { return (run() + 1) / 2; }
};

// What is left of a run behind its groups of four.
inline void widen_rest(std::uint32_t* to, const std::int8_t* from, std::int32_t n) noexcept {
    if (n >= 2) {
        *to = halves(from[0], from[1]);
        to += 2;
    }
    if (n % 2 != 0) *to = halves(from[n - 1], 0);
}
inline void widen_run(std::uint32_t* to, const std::int8_t* from, std::int32_t n) noexcept {
    if (n >= 4) widen_one(to, from, n / 4);
    if (n % 4 != 0) widen_rest(to + n / 4 * 4, from + n / 4 * 4, n % 4);
}
// A run of both columns.
inline void widen_runs(std::uint32_t* to, const std::int8_t* first, const std::int8_t* second,
                       std::int32_t n) noexcept {
    if (n >= 4) widen_two(to, first, second, n / 4);
    if (n % 4 != 0) {
        const std::int32_t at = n / 4 * 4;
        widen_rest(to + at, first + at, n % 4);
        widen_rest(to + at + 1, second + at, n % 4);
    }
}
inline void fill_words(std::uint32_t* to, std::uint32_t value, std::int32_t n) noexcept {
    for (; n > 0; --n, to += 2) *to = value;
}
// A run of which only the inputs [first, last) exist; `from` is where input 0 would be.
inline void widen_partly(std::uint32_t* to, const std::int8_t* from, std::int32_t n,
                         std::int32_t first, std::int32_t last, std::int32_t zero) noexcept {
    const std::uint32_t zeros = halves(zero, zero);
    if (first >= last) return fill_words(to, zeros, (n + 1) / 2);
    if (first % 4 == 0 && last % 4 == 0) {
        fill_words(to, zeros, first / 2);
        widen_one(to + first, from + first, (last - first) / 4);
        return fill_words(to + last, zeros, (n + 1) / 2 - last / 2);
    }
    const auto input = [&](std::int32_t i) -> std::int32_t {
        return i >= first && i < last ? from[i] : zero;
    };
    std::int32_t i = 0;
    for (; i + 4 <= n; i += 4, to += 4) {
        to[0] = halves(input(i), input(i + 2));
        to[2] = halves(input(i + 1), input(i + 3));
    }
    for (; i < n; i += 2, to += 2) to[0] = halves(input(i), input(i + 1));
}

// The window that starts at row y0 and column x0, into one of two columns: every second word.
inline void widen_window(const windowed_image& g, std::int32_t y0, std::int32_t x0,
                         std::uint32_t* to) noexcept {
    const std::int32_t run = g.run(), words = 2 * g.run_words(), row = g.in_w * g.in_c;
    const std::int32_t per_row = g.joined() ? 1 : g.kernel_w;
    for (std::int32_t ky = 0; ky < g.kernel_h; ++ky) {
        const std::int32_t y = y0 + ky * g.window.dilation_h;
        const bool outside = y < 0 || y >= g.in_h;
        const std::int8_t* line = outside ? g.in : g.in + static_cast<std::ptrdiff_t>(y) * row;
        for (std::int32_t r = 0; r < per_row; ++r, to += words) {
            const std::int32_t x = x0 + r * g.window.dilation_w;
            const std::int32_t first = x < 0 ? -x * g.in_c : 0, past = (g.in_w - x) * g.in_c;
            const std::int32_t last = outside ? 0 : past < run ? past : run;
            if (first == 0 && last == run) {
                widen_run(to, line + x * g.in_c, run);
            } else {
                // Where nothing is inside, no address is computed but that of the line.
                const bool none = first >= last;
                widen_partly(to, none ? line : line + x * g.in_c, run, first, last, g.zero_point);
            }
        }
    }
}

// The windows that start at (y0, x0) and (y1, x1).
inline void widen_windows(const windowed_image& g, std::int32_t y0, std::int32_t x0,
                          std::int32_t y1, std::int32_t x1, std::uint32_t* to) noexcept {
    const std::int32_t run = g.run();
    const std::int32_t reach_h = (g.kernel_h - 1) * g.window.dilation_h;
    const std::int32_t row = g.in_w * g.in_c;
    const bool inside = y0 >= 0 && y1 >= 0 && y0 + reach_h < g.in_h && y1 + reach_h < g.in_h &&
                        x0 >= 0 && x1 >= 0 && x0 + g.kernel_w <= g.in_w &&
                        x1 + g.kernel_w <= g.in_w;
    if (!inside || !g.joined()) {
        widen_window(g, y0, x0, to);
        return widen_window(g, y1, x1, to + 1);
    }
    const std::int8_t* a = g.in + y0 * row + x0 * g.in_c;
    const std::int8_t* b = g.in + y1 * row + x1 * g.in_c;
    const std::int32_t step = g.window.dilation_h * row, words = 2 * g.run_words();
    for (std::int32_t ky = 0; ky < g.kernel_h; ++ky, a += step, b += step, to += words) {
        widen_runs(to, a, b, run);
    }
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
