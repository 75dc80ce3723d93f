// Depthwise convolution by 3x3 taps, channel by channel through a plane of int16.
//
// The plane holds one channel of the image with its padding, its lines along rows or along columns,
// whichever leaves fewer places of a step unused. A step makes four outputs of a line from whole
// words, since taps lie in pairs that match: (k0, k1), (k2, 0), (0, k0), (k1, k2). Taps are doubled
// (output_stage.hpp).
//
// A channel is read as a whole before its outputs are written, so outputs may lie over inputs
// however they like, as long as they meet only inputs of their own channel.
//
// Packed, for each channel: two words, 2 * bias and multiplier; nine taps; e1; two bytes of
// nothing.
//
// A layer of one input channel is an ordinary convolution.
#pragma once

#include <kompakt_ports/cortex_m/conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// What one channel needs. The order is the assembler's: taps of stride 2 are the last six words.
struct plane_channel {
    std::uint32_t taps[12];
    std::int32_t q31, c;
    std::uint32_t e1;
    std::int8_t* out; // the next output
    std::int32_t step;
    const std::uint32_t* line_end; // of the line that is being read
    std::int32_t bias2;
    std::int32_t plane_line; // bytes
    const std::uint32_t* line;
    std::int32_t line_step;
    std::int8_t* out_line;
    std::int32_t out_line_step;
    std::int32_t lines;
    std::int32_t last; // outputs of the last step of a line, 1 to 4
};

#if KOMPAKT_DETAIL_CORTEX_M_DSP

// r0 plane, r1 the structure, r2 to r8 taps and inputs, r9 to r12 sums, lr bytes to the next line
// of the plane.
#define KOMPAKT_DETAIL_OUTPUT(r)                                                                   \
    "add r7, r3, " r ", asr #31\n smmlar " r ", " r ", r2, r7\n asr " r ", " r ", r4\n"            \
    "ssat " r ", #8, " r ", asr #1\n"
// From the sums to the end of the function. `taps` is the first byte of the taps in use.
#define KOMPAKT_DETAIL_FINISH(taps)                                                                \
    "ldm r1, {r2-r6}\n" KOMPAKT_DETAIL_OUTPUT("r9") KOMPAKT_DETAIL_OUTPUT("r10")                   \
        KOMPAKT_DETAIL_OUTPUT("r11") KOMPAKT_DETAIL_OUTPUT(                                        \
            "r12") "ldr r8, [r1, #20]\n subs r1, #48 - " taps "\n cmp r0, r8\n bhs 3f\n"           \
                   "strb r9, [r5]\n strb r10, [r5, r6]\n strb r11, [r5, r6, lsl #1]\n add r7, "    \
                   "r5, r6\n"                                                                      \
                   "strb r12, [r7, r6, lsl #1]\n add r5, r5, r6, lsl #2\n str r5, [r1, #60 "       \
                   "- " taps "]\n b 2b\n"                                                          \
                   "3:\n"                                                                          \
                   "ldr r7, [r1, #100 - " taps "]\n"                                               \
                   "strb r9, [r5]\n cmp r7, #2\n blt 4f\n strb r10, [r5, r6]\n beq 4f\n"           \
                   "cmp r7, #3\n strb r11, [r5, r6, lsl #1]\n beq 4f\n"                            \
                   "add r7, r5, r6\n strb r12, [r7, r6, lsl #1]\n"                                 \
                   "4:\n"                                                                          \
                   "ldr r2, [r1, #96 - " taps                                                      \
                   "]\n subs r2, #1\n beq 5f\n str r2, [r1, #96 - " taps "]\n"                     \
                   "ldr r0, [r1, #80 - " taps "]\n ldr r2, [r1, #84 - " taps "]\n"                 \
                   "ldr r5, [r1, #88 - " taps "]\n ldr r6, [r1, #92 - " taps "]\n"                 \
                   "add r0, r2\n add r8, r2\n add r5, r6\n"                                        \
                   "str r0, [r1, #80 - " taps "]\n str r8, [r1, #68 - " taps "]\n"                 \
                   "str r5, [r1, #88 - " taps "]\n str r5, [r1, #60 - " taps "]\n b 2b\n"          \
                   "5:\n pop {r4-r11, pc}\n"
#define KOMPAKT_DETAIL_LINE                                                                        \
    "ldm r1!, {r2-r5}\n ldm r0, {r6-r8}\n"                                                         \
    "smlad r9, r6, r2, r9\n smlad r10, r6, r4, r10\n"                                              \
    "smlad r11, r7, r2, r11\n smlad r12, r7, r4, r12\n"                                            \
    "smlad r9, r7, r3, r9\n smlad r10, r7, r5, r10\n"                                              \
    "smlad r11, r8, r3, r11\n smlad r12, r8, r5, r12\n"

inline __attribute__((naked, noinline)) void filter_stride1(plane_channel*) noexcept {
    __asm__(".syntax unified\n"
            "push {r4-r11, lr}\n"
            "mov r1, r0\n ldr lr, [r1, #76]\n ldr r0, [r1, #80]\n"
            "2:\n"
            "ldr.w r12, [r1, #72]\n"
            "ldm r1!, {r2-r5}\n ldm r0, {r6-r8}\n add r0, lr\n"
            "smlad r9, r6, r2, r12\n smlad r10, r6, r4, r12\n"
            "smlad r11, r7, r2, r12\n smlad r12, r7, r4, r12\n"
            "smlad r9, r7, r3, r9\n smlad r10, r7, r5, r10\n"
            "smlad r11, r8, r3, r11\n smlad r12, r8, r5, r12\n" KOMPAKT_DETAIL_LINE
            "add r0, lr\n" KOMPAKT_DETAIL_LINE
            "sub r0, r0, lr, lsl #1\n adds r0, #8\n" KOMPAKT_DETAIL_FINISH("0"));
}

#undef KOMPAKT_DETAIL_LINE
// Two words of taps, five of inputs.
#define KOMPAKT_DETAIL_LINE                                                                        \
    "ldm r1!, {r2, r3}\n ldm r0, {r4-r8}\n"                                                        \
    "smlad r9, r4, r2, r9\n smlad r10, r5, r2, r10\n"                                              \
    "smlad r11, r6, r2, r11\n smlad r12, r7, r2, r12\n"                                            \
    "smlad r9, r5, r3, r9\n smlad r10, r6, r3, r10\n"                                              \
    "smlad r11, r7, r3, r11\n smlad r12, r8, r3, r12\n"

inline __attribute__((naked, noinline)) void filter_stride2(plane_channel*) noexcept {
    __asm__(".syntax unified\n"
            "push {r4-r11, lr}\n"
            "add r1, r0, #24\n ldr lr, [r1, #52]\n ldr r0, [r1, #56]\n"
            "2:\n"
            "ldr.w r12, [r1, #48]\n"
            "ldm r1!, {r2, r3}\n ldm r0, {r4-r8}\n add r0, lr\n"
            "smlad r9, r4, r2, r12\n smlad r10, r5, r2, r12\n"
            "smlad r11, r6, r2, r12\n smlad r12, r7, r2, r12\n"
            "smlad r9, r5, r3, r9\n smlad r10, r6, r3, r10\n"
            "smlad r11, r7, r3, r11\n smlad r12, r8, r3, r12\n" KOMPAKT_DETAIL_LINE
            "add r0, lr\n" KOMPAKT_DETAIL_LINE
            "sub r0, r0, lr, lsl #1\n adds r0, #16\n" KOMPAKT_DETAIL_FINISH("24"));
}

#undef KOMPAKT_DETAIL_LINE
#undef KOMPAKT_DETAIL_FINISH
#undef KOMPAKT_DETAIL_OUTPUT

// `n` inputs that lie `step` apart, at least one, to halfwords; the first is the high one of its
// word if `to` is not a multiple of 4.
inline __attribute__((naked, noinline)) void widen_line(std::int16_t*, const std::int8_t*,
                                                        std::int32_t, std::int32_t) noexcept {
    __asm__(".syntax unified\n"
            "push {r4-r7, lr}\n"
            "tst r0, #2\n beq 1f\n"
            "ldrsb r4, [r1]\n add r1, r2\n strh r4, [r0], #2\n subs r3, #1\n"
            "1:\n"
            "subs r3, #4\n blt 3f\n"
            "add r7, r2, r2, lsl #1\n"
            "2:\n"
            "ldrsb r4, [r1]\n ldrsb r5, [r1, r2]\n ldrsb.w r6, [r1, r2, lsl #1]\n"
            "ldrsb r12, [r1, r7]\n add r1, r1, r2, lsl #2\n"
            "pkhbt r4, r4, r5, lsl #16\n pkhbt r6, r6, r12, lsl #16\n"
            "subs r3, #4\n strd r4, r6, [r0], #8\n bge 2b\n"
            "3:\n"
            "adds r3, #4\n beq 5f\n"
            "4:\n"
            "ldrsb r4, [r1]\n add r1, r2\n strh r4, [r0], #2\n subs r3, #1\n bne 4b\n"
            "5:\n"
            "pop {r4-r7, pc}\n");
}

#else

template <std::int32_t Stride>
void filter_plane(plane_channel* p) noexcept {
    constexpr std::int32_t words = Stride == 1 ? 4 : 2;
    const std::uint32_t* const taps = Stride == 1 ? p->taps : p->taps + 6;
    for (; p->lines > 0; --p->lines) {
        const std::uint32_t* x = p->line;
        p->out = p->out_line;
        while (x < p->line_end) {
            std::int32_t sums[4];
            for (std::int32_t k = 0; k < 4; ++k) {
                // Stride 1: the odd outputs have taps of their own, on the same words.
                const std::int32_t from = Stride == 1 ? k / 2 : k;
                const std::int32_t tap = Stride == 1 ? k % 2 * 2 : 0;
                std::int32_t sum = p->bias2;
                for (std::int32_t row = 0; row < 3; ++row) {
                    const std::uint32_t* in = x + row * (p->plane_line / 4) + from;
                    sum = smlad(in[0], taps[row * words + tap], sum);
                    sum = smlad(in[1], taps[row * words + tap + 1], sum);
                }
                sums[k] = stage_output(sum, p->q31, p->c, p->e1);
            }
            x += Stride == 1 ? 2 : 4;
            const std::int32_t count = x < p->line_end ? 4 : p->last;
            for (std::int32_t k = 0; k < count; ++k) {
                p->out[static_cast<std::ptrdiff_t>(k) * p->step] =
                    static_cast<std::int8_t>(sums[k]);
            }
            if (x < p->line_end) p->out += static_cast<std::ptrdiff_t>(4) * p->step;
        }
        p->line += p->line_step / 4;
        p->line_end += p->line_step / 4;
        if (p->lines > 1) p->out_line += p->out_line_step;
    }
}
inline void filter_stride1(plane_channel* p) noexcept {
    filter_plane<1>(p);
}
inline void filter_stride2(plane_channel* p) noexcept {
    filter_plane<2>(p);
}
inline void widen_line(std::int16_t* to, const std::int8_t* from, std::int32_t step,
                       std::int32_t n) noexcept {
    for (std::int32_t i = 0; i < n; ++i) to[i] = from[static_cast<std::ptrdiff_t>(i) * step];
}

#endif

// One axis of a depthwise layer.
struct plane_axis {
    std::int32_t in, out, stride, pad; // extents and window
    std::int32_t in_step, out_step;    // elements from one to the next
};
struct plane_shape {
    plane_axis along, across; // of the plane's lines
    bool transposed;          // lines are columns of the image
    std::int32_t steps;       // of a line

    // Halfwords of a line: what the steps read, the last one a word more than it needs.
    constexpr std::int32_t line() const noexcept { return steps * 4 * along.stride + 2; }
    constexpr std::int32_t lines() const noexcept { return (across.out - 1) * across.stride + 3; }
    constexpr std::size_t bytes() const noexcept {
        return std::size_t(line()) * std::size_t(lines()) * 2;
    }
};

struct depthwise {
    plane_shape plane;
    std::int32_t images, channels;
    bool possible;
};
// A plane takes at most half as much as the image: smaller ones than that have four channels.
inline constexpr std::int32_t least_channels = 4;

inline depthwise depthwise_of(const call& c) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(packed_input);
    const auto out = c.output<std::int8_t, 4>(0);
    const window_params& w = p.window;
    depthwise d{};
    d.images = in.dim(0), d.channels = in.dim(3);
    // Beyond these no sensible layer goes, and all sizes stay far inside int32.
    constexpr std::int32_t most = 1 << 12;
    d.possible = filter.dim(1) == 3 && filter.dim(2) == 3 && out.dim(3) == in.dim(3) &&
                 w.dilation_h == 1 && w.dilation_w == 1 && d.channels >= least_channels &&
                 w.stride_h <= 2 && w.stride_w <= 2 && w.pad_top <= 2 && w.pad_left <= 2 &&
                 in.dim(1) <= most && in.dim(2) <= most && out.dim(1) <= most && out.dim(2) <= most;
    if (!d.possible) return d;
    const plane_axis x{in.dim(2), out.dim(2), w.stride_w, w.pad_left, in.dim(3), in.dim(3)};
    const plane_axis y{in.dim(1),
                       out.dim(1),
                       w.stride_h,
                       w.pad_top,
                       in.dim(2) * in.dim(3),
                       out.dim(2) * in.dim(3)};
    const auto steps = [](const plane_axis& a) { return (a.out + 3) / 4; };
    d.plane = {x, y, false, steps(x)};
    if (steps(y) * x.out < steps(x) * y.out) d.plane = {y, x, true, steps(y)};
    return d;
}

// Outputs over inputs only of their own channel.
inline bool channels_meet(const call& c, std::int32_t channels) noexcept {
    if (!c.by_rows()) return true;
    const std::int64_t blocks = std::int64_t{c.input_record(0).at} - c.output_record(0).at;
    return blocks * std::int64_t{block_bytes} % channels == 0;
}

inline constexpr std::int32_t packed_channel_bytes = 20;

KOMPAKT_NOINLINE inline void filter_channel(const plane_shape& s, const std::byte* packed,
                                            std::int32_t z2, const std::uint32_t* plane,
                                            std::int8_t* out) noexcept {
    plane_channel p;
    p.bias2 = static_cast<std::int32_t>(load_word(packed));
    p.q31 = static_cast<std::int32_t>(load_word(packed + 4));
    const auto* taps = reinterpret_cast<const std::int8_t*>(packed + 8);
    p.e1 = static_cast<std::uint32_t>(packed[17]);
    p.c = shift_left(z2, p.e1);
    const std::int32_t next = s.transposed ? 3 : 1, line = s.transposed ? 1 : 3;
    const bool dense = s.along.stride == 1;
    std::uint32_t* to = dense ? p.taps : p.taps + 6;
    for (std::int32_t row = 0; row < 3; ++row, taps += line) {
        const std::int32_t k0 = 2 * taps[0], k1 = 2 * taps[next], k2 = 2 * taps[2 * next];
        *to++ = halves(k0, k1);
        *to++ = halves(k2, 0);
        if (!dense) continue;
        *to++ = halves(0, k0);
        *to++ = halves(k1, k2);
    }
    p.out = p.out_line = out;
    p.step = s.along.out_step;
    p.plane_line = s.line() * 2;
    p.line = plane;
    p.line_end = plane + s.steps * 2 * s.along.stride;
    p.line_step = p.plane_line * s.across.stride;
    p.out_line_step = s.across.out_step;
    p.lines = s.across.out;
    p.last = s.along.out - 4 * (s.steps - 1);
    if (dense) {
        filter_stride1(&p);
    } else {
        filter_stride2(&p);
    }
}

KOMPAKT_NOINLINE inline void filter_depthwise(const call& c) noexcept {
    const depthwise d = depthwise_of(c);
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const plane_shape& s = d.plane;
    auto* const plane = reinterpret_cast<std::uint32_t*>(c.scratch().data());
    const std::int32_t words = s.line() / 2 * s.lines();
    const std::uint32_t zeros = halves(p.input_zero_point, p.input_zero_point);
    for (std::int32_t i = 0; i < words; ++i) plane[i] = zeros;
    // The padding stays; the image between it is another for each channel.
    auto* const inside =
        reinterpret_cast<std::int16_t*>(plane) + s.across.pad * s.line() + s.along.pad;
    const auto least = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
    const std::int32_t lines = least(s.across.in, s.lines() - s.across.pad);
    const std::int32_t length = least(s.along.in, s.line() - s.along.pad);
    const std::int8_t* in = c.input_data<std::int8_t>(0);
    std::int8_t* out = c.output_data<std::int8_t>(0);
    const std::int32_t z2 = 2 * p.output.zero_point + 1;
    const std::int32_t outputs = s.along.out * s.across.out;
    for (std::int32_t n = 0; n < d.images; ++n) {
        for (std::int32_t k = 0; k < d.channels; ++k) {
            const std::int8_t* from = in + k;
            std::int16_t* to = inside;
            for (std::int32_t i = 0; i < lines; ++i, from += s.across.in_step, to += s.line()) {
                if (length > 0) widen_line(to, from, s.along.in_step, length);
            }
            filter_channel(s, c.packed() + k * packed_channel_bytes, z2, plane, out + k);
            if (limits_outputs(p.output)) {
                limit_outputs(out + k, outputs, d.channels, p.output);
            }
        }
        in += s.along.in * s.across.in * d.channels;
        out += outputs * d.channels;
    }
}

// The hooks (kernel/port_hooks.hpp).

inline channel_weights depthwise_weights(const call& c, std::int32_t channel,
                                         std::int32_t channels) noexcept {
    return {c.input_data<std::int8_t>(packed_input) + channel, channels, 9};
}
inline plain_weights single_weights(const call& c, const convolution& v) noexcept {
    return {c.input_data<std::int8_t>(packed_input), 1, v.panels.channels};
}
// One input channel: a convolution.
inline bool is_single(const call& c) noexcept {
    return c.input<std::int8_t, 4>(0).dim(3) == 1;
}

constexpr std::uint32_t kernel_pack_id(dsp, depthwise_conv2d_i8) noexcept {
    return 0xc3080403;
}
constexpr std::uint32_t kernel_pack_absorbs(dsp, depthwise_conv2d_i8) noexcept {
    return absorbs_stage;
}
// Of the layers that have a plane.
inline std::size_t plane_pack_bytes(const call& c, std::int64_t limit) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    const depthwise d = depthwise_of(c);
    if (!d.possible || !channels_meet(c, d.channels)) return 0;
    for (std::int32_t k = 0; k < d.channels && !is_packed(c); ++k) {
        const weight_sums sums = sums_of(depthwise_weights(c, k, d.channels));
        if (!constant_of(stage, k, sums, p.input_zero_point).is &&
            !stage_is_exact(stage, k, sums, p.input_zero_point, limit)) {
            return 0;
        }
    }
    return static_cast<std::size_t>(d.channels) * packed_channel_bytes;
}
inline void pack_plane(const call& c, std::byte* to) noexcept {
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    const std::int32_t channels = depthwise_of(c).channels;
    for (std::int32_t k = 0; k < channels; ++k, to += packed_channel_bytes) {
        const channel_weights w = depthwise_weights(c, k, channels);
        const weight_sums sums = sums_of(w);
        const bool empty = constant_of(stage, k, sums, p.input_zero_point).is;
        const channel_stage s = stage_of(stage, k, sums, p.input_zero_point);
        std::memcpy(to, &s.bias2, 4);
        std::memcpy(to + 4, &s.q31, 4);
        for (std::int32_t i = 0; i < 9; ++i) to[8 + i] = std::byte(empty ? 0 : w.data[i * w.step]);
        to[17] = std::byte{s.e1};
        to[18] = to[19] = std::byte{0};
    }
}

inline std::size_t kernel_pack_bytes(dsp, depthwise_conv2d_i8, const call& c) noexcept {
    if (!is_single(c)) return plane_pack_bytes(c, accumulator_limit);
    const convolution v = convolution_of(c);
    if (!is_packed(c) && !panels_are_exact(v.panels, single_weights(c, v),
                                           output_stage_of(c, 2, v.stage), v.image.zero_point)) {
        return 0;
    }
    return v.panels.bytes();
}
inline void kernel_pack(dsp, depthwise_conv2d_i8, const call& c, std::byte* to) noexcept {
    if (!is_single(c)) return pack_plane(c, to);
    const convolution v = convolution_of(c);
    pack_panels(v.panels, single_weights(c, v), output_stage_of(c, 2, v.stage), v.image.zero_point,
                to);
}
inline std::size_t kernel_scratch_bytes(dsp, depthwise_conv2d_i8, const call& c) noexcept {
    const std::size_t rows = row_buffer_bytes(c);
    if (is_single(c)) return rows + convolution_of(c).column_bytes();
    const depthwise d = depthwise_of(c);
    const std::size_t plane = d.possible ? d.plane.bytes() : 0;
    return plane > rows ? plane : rows;
}
template <class Port, class Call>
void run_kernel(dsp, depthwise_conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return depthwise_conv2d_i8::run_portable(port, c);
    }
    if (is_single(c)) return convolve(c);
    filter_depthwise(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
