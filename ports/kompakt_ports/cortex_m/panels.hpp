// Matrix times one or two columns, the heart of convolution and fully connected layers: weights in
// panels of four output channels, with the output stage of their channels behind them.
//
// A panel, all in the order in which the loop reads it:
//
//     for each pair of taps: two words    256 * b + a of channels 0 and 1, and of channels 2 and 3,
//                                         a halfword for each tap
//     four times two words                2 * bias, multiplier
//     four bytes                          e1 (output_stage.hpp)
//
// A halfword 256 * b + a is two weights: SMLAD of it gives 256 * B + A, SMLAD of its sign-extended
// low byte gives A, so one extension serves four products. B is exact where it fits 24 bits and no
// weight b is -128, which is asked when weights are packed.
//
// Taps come in runs. In a run, four neighbours are the pairs (0, 2), (1, 3), as SXTB16 takes them
// out of a word of inputs; up to three taps that are left over are the pairs (0, 1), (2, none).
#pragma once

#include <kompakt_ports/cortex_m/output_stage.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

struct panel_shape {
    std::int32_t channels;
    std::int32_t runs, run; // runs of so many taps

    constexpr std::int32_t panels() const noexcept { return (channels + 3) / 4; }
    constexpr std::int32_t pairs() const noexcept { return runs * ((run + 1) / 2); }
    constexpr std::int32_t last_channels() const noexcept { return channels - 4 * (panels() - 1); }
    // 0 where the sizes are beyond sense.
    constexpr std::size_t bytes() const noexcept {
        const std::uint64_t n = std::uint64_t(panels()) * (std::uint64_t(pairs()) * 8 + 4 * 8 + 4);
        return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
    }
};

// Weights before they are packed: of channel o and tap t `data[o * channel + t * tap]`.
struct plain_weights {
    const std::int8_t* data;
    std::int32_t channel, tap;

    constexpr channel_weights of(std::int32_t o, std::int32_t taps) const noexcept {
        return {data + static_cast<std::ptrdiff_t>(o) * channel, tap, taps};
    }
};

// Whether panels give exactly what the portable kernel gives.
inline bool panels_are_exact(const panel_shape& s, const plain_weights& w,
                             const output_stage& stage, std::int32_t input_zero_point) noexcept {
    for (std::int32_t o = 0; o < s.channels; ++o) {
        const weight_sums sums = sums_of(w.of(o, s.runs * s.run));
        if (constant_of(stage, o, sums, input_zero_point).is) continue;
        if (!stage_is_exact(stage, o, sums, input_zero_point)) return false;
        if (o % 2 == 1 && (sums.lowest || 128 * sums.magnitude >= std::int64_t{1} << 23))
            return false;
    }
    return true;
}

// The tap at place `i` of a run, or -1.
constexpr std::int32_t tap_of_place(std::int32_t i, std::int32_t run) noexcept {
    if (i < run / 4 * 4) return i % 4 == 1 || i % 4 == 2 ? i ^ 3 : i;
    return i < run ? i : -1;
}

inline void pack_panels(const panel_shape& s, const plain_weights& w, const output_stage& stage,
                        std::int32_t input_zero_point, std::byte* to) noexcept {
    const std::int32_t places = (s.run + 1) / 2 * 2;
    std::uint32_t empty = 0; // channels of a panel without weights, by bit
    const auto weight = [&](std::int32_t o, std::int32_t run, std::int32_t place) -> std::int32_t {
        const std::int32_t tap = tap_of_place(place, s.run);
        if ((empty >> o % 4 & 1) != 0 || tap < 0) return 0;
        return w.data[static_cast<std::ptrdiff_t>(o) * w.channel +
                      static_cast<std::ptrdiff_t>(run * s.run + tap) * w.tap];
    };
    const auto put = [&](std::uint32_t word) {
        std::memcpy(to, &word, 4);
        to += 4;
    };
    for (std::int32_t o = 0; o < s.channels; o += 4) {
        std::byte shifts[4] = {};
        channel_stage stages[4] = {};
        empty = 0;
        for (std::int32_t k = 0; k < 4; ++k) {
            const bool exists = o + k < s.channels;
            const weight_sums sums = exists ? sums_of(w.of(o + k, s.runs * s.run)) : weight_sums();
            if (!exists || constant_of(stage, o + k, sums, input_zero_point).is) empty |= 1u << k;
            if (exists) stages[k] = stage_of(stage, o + k, sums, input_zero_point);
        }
        for (std::int32_t run = 0; run < s.runs; ++run) {
            for (std::int32_t i = 0; i < places; i += 2) {
                for (std::int32_t k = o; k < o + 4; k += 2) {
                    put(halves(weight(k, run, i) + 256 * weight(k + 1, run, i),
                               weight(k, run, i + 1) + 256 * weight(k + 1, run, i + 1)));
                }
            }
        }
        for (std::int32_t k = 0; k < 4; ++k) {
            put(static_cast<std::uint32_t>(stages[k].bias2));
            put(static_cast<std::uint32_t>(stages[k].q31));
            shifts[k] = std::byte{stages[k].e1};
        }
        std::memcpy(to, shifts, 4);
        to += 4;
    }
}

// Two columns of int16 inputs, pair by pair: a word of the first, a word of the second.
struct two_columns {
    const std::byte* panels;
    const std::uint32_t *x, *end; // at least one pair
    std::int8_t *first, *second;  // where the outputs of each column go
    std::int32_t panel_count;
    std::int32_t z2;            // 2 * output zero point + 1
    std::int32_t last_channels; // of the last panel, 1 to 4
};

// One column of int8 inputs, a multiple of four.
struct one_column {
    const std::byte* panels;
    const std::int8_t *x, *end;
    std::int8_t* out;
    std::int32_t panel_count;
    std::int32_t z2;
    std::int32_t last_channels;
};

#if KOMPAKT_DETAIL_CORTEX_M_DSP

// Written as whole functions in assembler, since they need every register: r0 inputs, r1 panels,
// r2 and r3 a pair of each column, r4 and r5 weights, r6 to r12 and lr eight sums. What else there
// is lies on the stack. Every instruction of a step has 32 bits: the loop of four is entered in the
// middle.
#define KOMPAKT_DETAIL_STEP                                                                        \
    "ldrd r2, r3, [r0], #8\n ldrd r4, r5, [r1], #8\n"                                              \
    "smlad r6, r2, r4, r6\n smlad r7, r3, r4, r7\n sxtb16 r4, r4\n"                                \
    "smlad r8, r2, r4, r8\n smlad r9, r3, r4, r9\n"                                                \
    "smlad r10, r2, r5, r10\n smlad r11, r3, r5, r11\n sxtb16 r5, r5\n"                            \
    "smlad r12, r2, r5, r12\n smlad lr, r3, r5, lr\n"
// The constants of channel `k`: twice the bias r2, multiplier r3, e1 r4, c r5.
#define KOMPAKT_DETAIL_CHANNEL(k)                                                                  \
    "ldrd r2, r3, [r1, #8 * " #k "]\n ldrb r4, [r1, #32 + " #k "]\n ldr r5, [sp, #20]\n"           \
    "lsl r5, r5, r4\n"
// An output from a sum A, or from 256 * B.
#define KOMPAKT_DETAIL_OUTPUT(r, shift)                                                            \
    "add " r ", r2, " r ", " shift "\n add r0, r5, " r ", asr #31\n"                               \
    "smmlar " r ", " r ", r3, r0\n asr " r ", " r ", r4\n ssat " r ", #8, " r ", asr #1\n"

inline __attribute__((naked, noinline)) void multiply(const two_columns*) noexcept {
    __asm__(
        ".syntax unified\n"
        "push {r4-r11, lr}\n"
        "ldm r0, {r1-r8}\n"
        // The loop of four steps is entered so that the last round is a whole one.
        "subs r9, r3, r2\n subs r9, r9, #8\n"
        "rsb r10, r9, #0\n ubfx r10, r10, #3, #2\n"
        "movs r11, #48\n mul r10, r10, r11\n"
        "adr.w r11, 2f\n add r10, r10, r11\n"
        "cmp r9, #0\n it eq\n adreq.w r10, 3f\n"
        "orr r10, r10, #1\n"
        // x, end, first, second, panel_count, z2, last_channels, entry
        "push {r2-r8, r10}\n"
        "1:\n"
        "ldr r0, [sp]\n"
        "ldrd r2, r3, [r0], #8\n ldrd r4, r5, [r1], #8\n"
        "smuad r6, r2, r4\n smuad r7, r3, r4\n sxtb16 r4, r4\n"
        "smuad r8, r2, r4\n smuad r9, r3, r4\n"
        "smuad r10, r2, r5\n smuad r11, r3, r5\n sxtb16 r5, r5\n"
        "smuad r12, r2, r5\n smuad lr, r3, r5\n"
        "ldr pc, [sp, #28]\n"
        ".balign 4\n"
        "2:\n" KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP
        "ldr r4, [sp, #4]\n cmp r0, r4\n bne 2b\n"
        ".balign 4\n"
        "3:\n"
        "sub r6, r6, r8\n sub r7, r7, r9\n sub r10, r10, r12\n sub r11, r11, "
        "lr\n" KOMPAKT_DETAIL_CHANNEL(0) KOMPAKT_DETAIL_OUTPUT("r8", "lsl #1")
            KOMPAKT_DETAIL_OUTPUT("r9", "lsl #1") KOMPAKT_DETAIL_CHANNEL(1) KOMPAKT_DETAIL_OUTPUT(
                "r6", "asr #7") KOMPAKT_DETAIL_OUTPUT("r7", "asr #7") KOMPAKT_DETAIL_CHANNEL(2)
                KOMPAKT_DETAIL_OUTPUT("r12", "lsl #1") KOMPAKT_DETAIL_OUTPUT(
                    "lr", "lsl #1") KOMPAKT_DETAIL_CHANNEL(3) KOMPAKT_DETAIL_OUTPUT("r10", "asr #7")
                    KOMPAKT_DETAIL_OUTPUT(
                        "r11",
                        "asr #7") "adds r1, #36\n"
                                  "ldrd r2, r3, [sp, #8]\n ldr r4, [sp, #16]\n subs r4, #1\n beq "
                                  "4f\n"
                                  "strb r8, [r2], #1\n strb r6, [r2], #1\n strb r12, [r2], #1\n "
                                  "strb r10, [r2], #1\n"
                                  "strb r9, [r3], #1\n strb r7, [r3], #1\n strb lr, [r3], #1\n "
                                  "strb r11, [r3], #1\n"
                                  "strd r2, r3, [sp, #8]\n str r4, [sp, #16]\n b 1b\n"
                                  "4:\n"
                                  "ldr r4, [sp, #24]\n"
                                  "strb r8, [r2]\n strb r9, [r3]\n cmp r4, #2\n blt 5f\n"
                                  "strb r6, [r2, #1]\n strb r7, [r3, #1]\n beq 5f\n cmp r4, #3\n"
                                  "strb r12, [r2, #2]\n strb lr, [r3, #2]\n beq 5f\n"
                                  "strb r10, [r2, #3]\n strb r11, [r3, #3]\n"
                                  "5:\n"
                                  "add sp, #32\n pop {r4-r11, pc}\n");
}

#undef KOMPAKT_DETAIL_STEP
#undef KOMPAKT_DETAIL_CHANNEL
#undef KOMPAKT_DETAIL_OUTPUT

// r0 inputs, r1 panels, r2 and r3 two pairs, r4 to r7 weights, r8 to r11 sums, r12 where the inputs
// end, lr z2.
#define KOMPAKT_DETAIL_STEP                                                                        \
    "ldr r2, [r0], #4\n ldm.w r1!, {r4-r7}\n sxtb16 r3, r2, ror #8\n sxtb16 r2, r2\n"              \
    "smlad r8, r2, r4, r8\n sxtb16 r4, r4\n smlad r9, r2, r4, r9\n"                                \
    "smlad r10, r2, r5, r10\n sxtb16 r5, r5\n smlad r11, r2, r5, r11\n"                            \
    "smlad r8, r3, r6, r8\n sxtb16 r6, r6\n smlad r9, r3, r6, r9\n"                                \
    "smlad r10, r3, r7, r10\n sxtb16 r7, r7\n smlad r11, r3, r7, r11\n"
#define KOMPAKT_DETAIL_OUTPUT(k, r, shift)                                                         \
    "ldrd r2, r3, [r1, #8 * " #k "]\n ldrb r4, [r1, #32 + " #k "]\n lsl r5, lr, r4\n"              \
    "add " r ", r2, " r ", " shift "\n add r6, r5, " r ", asr #31\n"                               \
    "smmlar " r ", " r ", r3, r6\n asr " r ", " r ", r4\n ssat " r ", #8, " r ", asr #1\n"

inline __attribute__((naked, noinline)) void multiply(const one_column*) noexcept {
    __asm__(".syntax unified\n"
            "push {r4-r11, lr}\n"
            "ldm r0, {r1-r7}\n"
            "mov r12, r3\n mov lr, r6\n"
            "sub r9, r3, r2\n rsb r10, r9, #0\n ubfx r10, r10, #2, #2\n"
            "adr.w r11, 2f\n add r11, r11, r10, lsl #6\n orr r3, r11, #1\n"
            "push {r2-r7}\n" // x, entry, out, panel_count, z2, last_channels
            "1:\n"
            "ldr r0, [sp]\n"
            "mov.w r8, #0\n mov.w r9, #0\n mov.w r10, #0\n mov.w r11, #0\n"
            "ldr pc, [sp, #4]\n"
            ".balign 4\n"
            "2:\n" KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP KOMPAKT_DETAIL_STEP
            "cmp r0, r12\n bne 2b\n"
            "sub r8, r8, r9\n sub r10, r10, r11\n" KOMPAKT_DETAIL_OUTPUT(
                0, "r9", "lsl #1") KOMPAKT_DETAIL_OUTPUT(1, "r8", "asr #7")
                KOMPAKT_DETAIL_OUTPUT(2, "r11", "lsl #1") KOMPAKT_DETAIL_OUTPUT(
                    3, "r10",
                    "asr #7") "adds r1, #36\n"
                              "ldrd r2, r3, [sp, #8]\n subs r3, #1\n beq 4f\n"
                              "strb r9, [r2], #1\n strb r8, [r2], #1\n strb r11, [r2], #1\n strb "
                              "r10, [r2], #1\n"
                              "strd r2, r3, [sp, #8]\n b 1b\n"
                              "4:\n"
                              "ldr r4, [sp, #20]\n"
                              "strb r9, [r2]\n cmp r4, #2\n blt 5f\n strb r8, [r2, #1]\n beq 5f\n"
                              "cmp r4, #3\n strb r11, [r2, #2]\n beq 5f\n strb r10, [r2, #3]\n"
                              "5:\n"
                              "add sp, #24\n pop {r4-r11, pc}\n");
}

#undef KOMPAKT_DETAIL_STEP
#undef KOMPAKT_DETAIL_OUTPUT

#else

// The same arithmetic. `Columns` is 1 or 2; `pair(k, column)` gives the inputs.
template <std::int32_t Columns, class Pair>
void multiply_panels(const std::byte* panels, std::int32_t pairs, std::int32_t panel_count,
                     std::int32_t z2, std::int32_t last_channels,
                     std::int8_t* const (&out)[Columns], Pair&& pair) noexcept {
    for (std::int32_t panel = 0; panel < panel_count; ++panel) {
        std::int32_t mixed[2][Columns] = {}, low[2][Columns] = {};
        for (std::int32_t k = 0; k < pairs; ++k) {
            for (std::int32_t w = 0; w < 2; ++w, panels += 4) {
                const std::uint32_t weights = load_word(panels);
                for (std::int32_t c = 0; c < Columns; ++c) {
                    mixed[w][c] = smlad(pair(k, c), weights, mixed[w][c]);
                    low[w][c] = smlad(pair(k, c), sxtb16(weights), low[w][c]);
                }
            }
        }
        const std::int32_t channels = panel + 1 == panel_count ? last_channels : 4;
        for (std::int32_t k = 0; k < channels; ++k) {
            const auto bias2 = static_cast<std::int32_t>(load_word(panels + 8 * k));
            const auto q31 = static_cast<std::int32_t>(load_word(panels + 8 * k + 4));
            const auto e1 = static_cast<std::uint32_t>(panels[32 + k]);
            for (std::int32_t c = 0; c < Columns; ++c) {
                const std::int32_t a = low[k / 2][c];
                const std::int32_t sum2 =
                    k % 2 == 0 ? wrap_shl(a, 1) : wrap_sub(mixed[k / 2][c], a) >> 7;
                out[c][4 * panel + k] = static_cast<std::int8_t>(
                    stage_output(wrap_add(bias2, sum2), q31, shift_left(z2, e1), e1));
            }
        }
        panels += 36;
    }
}

inline void multiply(const two_columns* m) noexcept {
    std::int8_t* const out[] = {m->first, m->second};
    multiply_panels<2>(m->panels, static_cast<std::int32_t>((m->end - m->x) / 2), m->panel_count,
                       m->z2, m->last_channels, out,
                       [m](std::int32_t k, std::int32_t column) { return m->x[2 * k + column]; });
}
inline void multiply(const one_column* m) noexcept {
    std::int8_t* const out[] = {m->out};
    multiply_panels<1>(m->panels, static_cast<std::int32_t>((m->end - m->x) / 2), m->panel_count,
                       m->z2, m->last_channels, out, [m](std::int32_t k, std::int32_t) {
                           const std::uint32_t x = load_word(m->x + k / 2 * 4);
                           return k % 2 == 0 ? sxtb16(x) : sxtb16_odd(x);
                       });
}

#endif

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
