// Matrix times a column on cores without long multiplication (Cortex-M0, M0+, M1): panels of eight
// output channels, weights as unsigned bytes.
//
// A load of a byte with a constant offset leaves no sign, so what is multiplied is weight + 128:
//
//     sum of weight * input = sum of (weight + 128) * input - 128 * sum of inputs
//
// whose second part is one number a column, where sums start. (An input takes one more instruction
// for eight products, which is less than another copy of it.)
//
// A panel, all in the order in which the loop reads it:
//
//     for each tap, a multiple of four of them     weight + 128 of eight channels
//     eight bytes                                  shifts, e1 + 1 (output_stage.hpp)
//     eight times two words                        bias, multiplier
//
// A last panel of up to four channels has four places for them.
//
// The output stage is the one of output_stage.hpp. Its product of 32 by 32 bits is made of four:
// with al the sign-extended low half of a sum, sum = 65536 * ah + al and q31 = 65536 * qh + ql,
//
//     round(sum * q31 / 2^31) = 2 * ah * qh + round((ah * ql + al * qh + (al * ql >> 16)) / 2^15)
//
// where nothing overflows for |sum| < 2^29. Both roundings are half up: the bit that a shift drops
// last is the carry of the addition behind it.
#pragma once

#include <kompakt_ports/cortex_m/panels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

inline constexpr std::int64_t v6m_accumulator_limit = std::int64_t{1} << 29;

struct v6m_panel_shape {
    std::int32_t channels, taps;

    // Places for taps, and bytes of a column.
    constexpr std::int32_t places() const noexcept { return (taps + 3) / 4 * 4; }
    // Of the panel that starts at a channel.
    constexpr std::int32_t width(std::int32_t first) const noexcept {
        return channels - first <= 4 ? 4 : 8;
    }
    // 0 where the sizes are beyond sense.
    constexpr std::size_t bytes() const noexcept {
        const auto rest = static_cast<std::uint64_t>(channels % 8);
        const std::uint64_t wide = std::uint64_t(channels) / 8 + (rest > 4 ? 1 : 0);
        const std::uint64_t narrow = rest > 0 && rest <= 4 ? 1 : 0;
        const std::uint64_t n =
            (2 * wide + narrow) * (std::uint64_t(places()) * 4 + 32) + 8 * (wide + narrow);
        return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
    }
};

// Whether panels give exactly what the portable kernel gives.
inline bool v6m_panels_are_exact(const v6m_panel_shape& s, const plain_weights& w,
                                 const output_stage& stage,
                                 std::int32_t input_zero_point) noexcept {
    for (std::int32_t o = 0; o < s.channels; ++o) {
        const weight_sums sums = sums_of(w.of(o, s.taps));
        if (!constant_of(stage, o, sums, input_zero_point).is &&
            !stage_is_exact(stage, o, sums, input_zero_point, v6m_accumulator_limit)) {
            return false;
        }
    }
    return true;
}

inline void pack_v6m_panels(const v6m_panel_shape& s, const plain_weights& w,
                            const output_stage& stage, std::int32_t input_zero_point,
                            std::byte* to) noexcept {
    for (std::int32_t o = 0; o < s.channels; o += 8) {
        std::byte shifts[8] = {};
        std::int32_t words[16] = {};
        const std::int32_t width = s.width(o);
        for (std::int32_t k = 0; k < width; ++k) {
            const bool exists = o + k < s.channels;
            const channel_weights channel = exists ? w.of(o + k, s.taps) : channel_weights{};
            const weight_sums sums = sums_of(channel);
            const bool empty = !exists || constant_of(stage, o + k, sums, input_zero_point).is;
            for (std::int32_t t = 0; t < s.places(); ++t) {
                const std::int32_t weight =
                    empty || t >= s.taps
                        ? 0
                        : channel.data[static_cast<std::ptrdiff_t>(t) * channel.step];
                to[t * width + k] = static_cast<std::byte>(weight + 128);
            }
            shifts[k] = std::byte{1};
            if (!exists) continue;
            const channel_stage c = stage_of(stage, o + k, sums, input_zero_point);
            words[2 * k] = c.bias2 / 2;
            words[2 * k + 1] = c.q31;
            shifts[k] = static_cast<std::byte>(c.e1 + 1);
        }
        to += width * s.places();
        std::memcpy(to, shifts, 8);
        std::memcpy(to + 8, words, static_cast<std::size_t>(width) * 8);
        to += 8 + 8 * width;
    }
}

KOMPAKT_ALWAYS_INLINE constexpr std::int32_t v6m_product(std::int32_t a, std::int32_t b) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
// x / 2^n, half up, as a shift and its carry make it.
KOMPAKT_ALWAYS_INLINE std::int32_t v6m_shift(std::int32_t x, std::uint32_t n) noexcept {
    return shift_right(x, n) + (n == 0 ? 0 : shift_right(x, n - 1) & 1);
}
// The output of a sum that holds the bias.
inline std::int8_t v6m_output(std::int32_t sum, std::int32_t q31, std::uint32_t shift,
                              std::int32_t zero_point) noexcept {
    const std::int32_t al = low_half(static_cast<std::uint32_t>(sum));
    const std::int32_t ah = wrap_sub(sum, al) >> 16;
    const std::int32_t qh = q31 >> 16, ql = q31 & 0xffff;
    const std::int32_t middle =
        wrap_add(wrap_add(v6m_product(ah, ql), v6m_product(al, qh)), v6m_product(al, ql) >> 16);
    const std::int32_t high = wrap_add(v6m_product(2 * ah, qh), sum >> 31);
    const std::int32_t scaled = v6m_shift(wrap_add(high, v6m_shift(middle, 15)), shift);
    return static_cast<std::int8_t>(clamp(wrap_add(scaled, zero_point), -128, 127));
}

// A column of inputs and what becomes of it. `multiply_eight` moves `panels` and `out` on.
struct v6m_column {
    const std::byte* panels;
    const std::int8_t *x, *end; // a multiple of four, at least one
    std::int8_t* out;
    std::int32_t panel_count; // at least one
    std::int32_t zero_point;  // of the outputs
    std::int32_t start;       // -128 * sum of inputs
};

#if KOMPAKT_DETAIL_CORTEX_M_ANY

// r0 inputs, r1 panels, r2 an input, r3 a weight, r4 to r11 sums, r12 where the inputs end.
#define KOMPAKT_DETAIL_LOW(at, r)                                                                  \
    "ldrb r3, [r1, #" #at "]\n muls r3, r2, r3\n adds " r ", " r ", r3\n"
#define KOMPAKT_DETAIL_HIGH(at, r) "ldrb r3, [r1, #" #at "]\n muls r3, r2, r3\n add " r ", r3\n"
#define KOMPAKT_DETAIL_FOUR(t, at)                                                                 \
    "ldrb r2, [r0, #" #t "]\n sxtb r2, r2\n" KOMPAKT_DETAIL_LOW(at, "r4")                          \
        KOMPAKT_DETAIL_LOW(at + 1, "r5") KOMPAKT_DETAIL_LOW(at + 2, "r6")                          \
            KOMPAKT_DETAIL_LOW(at + 3, "r7")
#define KOMPAKT_DETAIL_EIGHT(t, at)                                                                \
    KOMPAKT_DETAIL_FOUR(t, at)                                                                     \
    KOMPAKT_DETAIL_HIGH(at + 4, "r8")                                                              \
    KOMPAKT_DETAIL_HIGH(at + 5, "r9")                                                              \
    KOMPAKT_DETAIL_HIGH(at + 6, "r10") KOMPAKT_DETAIL_HIGH(at + 7, "r11")
// r0 behind the taps, r1 outputs, r8 zero point; sums are on the stack. The sum becomes al in r3
// and ah in r4, its sign stays in r2.
#define KOMPAKT_DETAIL_OUTPUT(k)                                                                   \
    "ldr r2, [sp, #4 * " #k "]\n ldr r3, [r0, #8 + 8 * " #k "]\n adds r2, r2, r3\n"                \
    "ldr r5, [r0, #12 + 8 * " #k "]\n lsrs r6, r5, #16\n uxth r5, r5\n"                            \
    "sxth r3, r2\n subs r4, r2, r3\n asrs r4, r4, #16\n"                                           \
    "movs r7, r4\n muls r7, r6, r7\n muls r4, r5, r4\n muls r6, r3, r6\n muls r5, r3, r5\n"        \
    "asrs r5, r5, #16\n adds r4, r4, r6\n adds r4, r4, r5\n asrs r2, r2, #31\n"                    \
    "lsls r7, r7, #1\n adds r7, r7, r2\n asrs r4, r4, #15\n adcs r4, r7\n"                         \
    "ldrb r5, [r0, #" #k "]\n asrs r4, r5\n mov r6, r8\n adcs r4, r6\n"                            \
    "sxtb r6, r4\n cmp r6, r4\n beq 9f\n asrs r4, r4, #31\n movs r6, #127\n eors r4, r6\n"         \
    "9:\n strb r4, [r1, #" #k "]\n"

#define KOMPAKT_DETAIL_BEGIN                                                                       \
    ".syntax unified\n push {r4-r7, lr}\n"                                                         \
    "mov r4, r8\n mov r5, r9\n mov r6, r10\n mov r7, r11\n push {r4-r7}\n"                         \
    "sub sp, #36\n str r0, [sp, #32]\n ldr r1, [r0]\n"                                             \
    "1:\n ldr r2, [r0, #8]\n mov r12, r2\n ldr r4, [r0, #24]\n ldr r0, [r0, #4]\n"                 \
    "movs r5, r4\n movs r6, r4\n movs r7, r4\n"
// Behind the taps: sums to the stack, then r0 and r1 for the stage.
#define KOMPAKT_DETAIL_STORE                                                                       \
    "str r4, [sp, #0]\n str r5, [sp, #4]\n str r6, [sp, #8]\n str r7, [sp, #12]\n"
#define KOMPAKT_DETAIL_STAGE                                                                       \
    "movs r0, r1\n ldr r2, [sp, #32]\n ldr r3, [r2, #20]\n mov r8, r3\n ldr r1, [r2, #12]\n"
#define KOMPAKT_DETAIL_END                                                                         \
    "add sp, #36\n pop {r4-r7}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n"            \
    "pop {r4-r7, pc}\n"

inline __attribute__((naked, noinline)) void multiply_eight(v6m_column*) noexcept {
    __asm__(
        KOMPAKT_DETAIL_BEGIN
        "mov r8, r4\n mov r9, r4\n mov r10, r4\n mov r11, r4\n"
        "2:\n" KOMPAKT_DETAIL_EIGHT(0, 0) KOMPAKT_DETAIL_EIGHT(1, 8) KOMPAKT_DETAIL_EIGHT(2, 16)
            KOMPAKT_DETAIL_EIGHT(
                3,
                24) "adds r0, #4\n adds r1, #32\n cmp r0, r12\n bne 2b\n" KOMPAKT_DETAIL_STORE
                    "mov r4, r8\n mov r5, r9\n mov r6, r10\n mov r7, r11\n"
                    "str r4, [sp, #16]\n str r5, [sp, #20]\n str r6, [sp, #24]\n str r7, [sp, "
                    "#28]\n" KOMPAKT_DETAIL_STAGE KOMPAKT_DETAIL_OUTPUT(0) KOMPAKT_DETAIL_OUTPUT(1)
                        KOMPAKT_DETAIL_OUTPUT(2) KOMPAKT_DETAIL_OUTPUT(3) KOMPAKT_DETAIL_OUTPUT(4)
                            KOMPAKT_DETAIL_OUTPUT(5) KOMPAKT_DETAIL_OUTPUT(6) KOMPAKT_DETAIL_OUTPUT(
                                7) "adds r1, #8\n adds r0, #72\n ldr r2, [sp, #32]\n str r1, [r2, "
                                   "#12]\n"
                                   "movs r1, r0\n movs r0, r2\n str r1, [r0]\n"
                                   "ldr r2, [r0, #16]\n subs r2, #1\n str r2, [r0, #16]\n beq 3f\n "
                                   "b 1b\n"
                                   "3:\n" KOMPAKT_DETAIL_END);
}
// One panel of four.
inline __attribute__((naked, noinline)) void multiply_four(v6m_column*) noexcept {
    __asm__(
        KOMPAKT_DETAIL_BEGIN "2:\n" KOMPAKT_DETAIL_FOUR(0, 0) KOMPAKT_DETAIL_FOUR(1, 4)
            KOMPAKT_DETAIL_FOUR(2, 8) KOMPAKT_DETAIL_FOUR(
                3, 12) "adds r0, #4\n adds r1, #16\n cmp r0, r12\n bne 2b\n" KOMPAKT_DETAIL_STORE
                KOMPAKT_DETAIL_STAGE KOMPAKT_DETAIL_OUTPUT(0) KOMPAKT_DETAIL_OUTPUT(1)
                    KOMPAKT_DETAIL_OUTPUT(2) KOMPAKT_DETAIL_OUTPUT(3) KOMPAKT_DETAIL_END);
}

#undef KOMPAKT_DETAIL_BEGIN
#undef KOMPAKT_DETAIL_STORE
#undef KOMPAKT_DETAIL_STAGE
#undef KOMPAKT_DETAIL_END
#undef KOMPAKT_DETAIL_FOUR
#undef KOMPAKT_DETAIL_EIGHT
#undef KOMPAKT_DETAIL_LOW
#undef KOMPAKT_DETAIL_HIGH
#undef KOMPAKT_DETAIL_OUTPUT

#else

template <std::int32_t Width>
void multiply_panel(v6m_column* m) noexcept {
    const auto taps = static_cast<std::int32_t>(m->end - m->x);
    const std::byte* const stage = m->panels + Width * taps;
    for (std::int32_t k = 0; k < Width; ++k) {
        std::int32_t sum = m->start;
        for (std::int32_t t = 0; t < taps; ++t) {
            sum = wrap_add(sum, static_cast<std::int32_t>(m->panels[Width * t + k]) * m->x[t]);
        }
        const auto bias = static_cast<std::int32_t>(load_word(stage + 8 + 8 * k));
        const auto q31 = static_cast<std::int32_t>(load_word(stage + 12 + 8 * k));
        m->out[k] = v6m_output(wrap_add(sum, bias), q31, static_cast<std::uint32_t>(stage[k]),
                               m->zero_point);
    }
    m->out += Width, m->panels = stage + 8 + 8 * Width;
}
inline void multiply_eight(v6m_column* m) noexcept {
    for (; m->panel_count > 0; --m->panel_count) multiply_panel<8>(m);
}
inline void multiply_four(v6m_column* m) noexcept {
    multiply_panel<4>(m);
}

#endif

// `start` of `n` inputs, a multiple of four.
inline std::int32_t v6m_start(const std::int8_t* x, std::int32_t n) noexcept {
    std::uint32_t sum = 0;
    if (reinterpret_cast<std::uintptr_t>(x) % 4 != 0) {
        for (; n > 0; --n) sum += static_cast<std::uint32_t>(*x++);
        return static_cast<std::int32_t>(0u - 128 * sum);
    }
    constexpr std::uint32_t even = 0x00ff00ff;
    const auto* word = reinterpret_cast<const std::uint32_t*>(x);
    sum -= 128 * static_cast<std::uint32_t>(n); // of inputs + 128
    while (n > 0) {
        // Each half holds the sum of 256 bytes.
        std::int32_t left = n < 512 ? n : 512;
        n -= left;
        std::uint32_t sums = 0;
        for (; left > 0; left -= 4) {
            const std::uint32_t x4 = *word++ ^ 0x80808080u;
            sums += (x4 & even) + (x4 >> 8 & even);
        }
        sum += (sums & 0xffffu) + (sums >> 16);
    }
    return static_cast<std::int32_t>(0u - 128 * sum);
}

// All outputs of one column to `out`. Of `m` only the output's zero point is asked.
inline void v6m_outputs(v6m_column& m, const std::int8_t* column, const std::byte* panels,
                        const v6m_panel_shape& s, std::int8_t* out) noexcept {
    m.panels = panels;
    m.x = column, m.end = column + s.places();
    m.start = v6m_start(column, s.places());
    m.out = out;
    m.panel_count = s.channels / 8;
    if (m.panel_count > 0) multiply_eight(&m);
    const std::int32_t rest = s.channels % 8;
    if (rest == 0) return;
    std::int8_t* const to = m.out;
    std::int8_t last[8];
    m.out = last, m.panel_count = 1;
    if (rest <= 4) {
        multiply_four(&m);
    } else {
        multiply_eight(&m);
    }
    for (std::int32_t k = 0; k < rest; ++k) to[k] = last[k];
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
