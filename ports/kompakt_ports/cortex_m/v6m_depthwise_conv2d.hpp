// Depthwise convolution by 3x3 taps on ARMv6-M: channel by channel through a plane of unsigned
// bytes, input + 128, with its padding. One output at a time: nine loads of inputs with constant
// offsets from three addresses, nine of weights.
//
// Packed as for the DSP port (depthwise_conv2d.hpp).
#pragma once

#include <kompakt_ports/cortex_m/depthwise_conv2d.hpp>
#include <kompakt_ports/cortex_m/v6m_conv2d.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// Outputs along a line of the plane. The order is the assembler's.
struct v6m_line {
    std::int32_t taps[9];
    std::int32_t bias;      // less 128 times the sum of taps
    std::int32_t high, low; // of the multiplier
    std::uint32_t shift;
    std::int32_t zero_point;
    const std::uint8_t *row,
        *end;          // the first output's top left input, and that of one past the last
    std::int32_t line; // bytes from one row to the next
    std::int8_t* out;
    std::int32_t out_step, stride;
};

#if KOMPAKT_DETAIL_CORTEX_M_ANY

// r0 to r2 three rows, r3 an input, r4 a tap, r6 the sum, r7 and r12 the structure, r8 outputs, r9
// their step, r10 stride, r11 where the first row ends. After the taps r3 is al, r4 ah, r6 the sign
// (v6m_panels.hpp).
#define KOMPAKT_DETAIL_TAP(row, i, tap)                                                            \
    "ldrb r3, [" row ", #" #i "]\n ldr r4, [r7, #4 * " #tap "]\n muls r3, r4, r3\n"                \
    "adds r6, r6, r3\n"

inline __attribute__((naked, noinline)) void filter(const v6m_line*) noexcept {
    __asm__(
        ".syntax unified\n"
        "push {r4-r7, lr}\n"
        "mov r4, r8\n mov r5, r9\n mov r6, r10\n mov r7, r11\n push {r4-r7}\n"
        "mov r12, r0\n movs r7, r0\n"
        "ldr r0, [r7, #56]\n ldr r3, [r7, #60]\n mov r11, r3\n"
        "ldr r3, [r7, #64]\n adds r1, r0, r3\n adds r2, r1, r3\n"
        "ldr r3, [r7, #68]\n mov r8, r3\n ldr r3, [r7, #72]\n mov r9, r3\n"
        "ldr r3, [r7, #76]\n mov r10, r3\n"
        "1:\n"
        "ldr r6, [r7, #36]\n" KOMPAKT_DETAIL_TAP("r0", 0, 0) KOMPAKT_DETAIL_TAP("r0", 1, 1)
            KOMPAKT_DETAIL_TAP("r0", 2, 2) KOMPAKT_DETAIL_TAP("r1", 0, 3) KOMPAKT_DETAIL_TAP(
                "r1", 1, 4) KOMPAKT_DETAIL_TAP("r1", 2, 5) KOMPAKT_DETAIL_TAP("r2", 0, 6)
                KOMPAKT_DETAIL_TAP("r2", 1, 7) KOMPAKT_DETAIL_TAP(
                    "r2", 2,
                    8) "sxth r3, r6\n subs r4, r6, r3\n asrs r4, r4, #16\n asrs r6, r6, #31\n"
                       "ldr r5, [r7, #40]\n muls r5, r4, r5\n lsls r5, r5, #1\n adds r6, r6, r5\n"
                       "ldr r5, [r7, #40]\n muls r5, r3, r5\n"
                       "ldr r7, [r7, #44]\n muls r4, r7, r4\n muls r3, r7, r3\n asrs r3, r3, #16\n"
                       "adds r4, r4, r5\n adds r4, r4, r3\n asrs r4, r4, #15\n adcs r4, r6\n"
                       "mov r7, r12\n ldr r5, [r7, #48]\n asrs r4, r5\n ldr r5, [r7, #52]\n adcs "
                       "r4, r5\n"
                       "sxtb r5, r4\n cmp r5, r4\n beq 9f\n asrs r4, r4, #31\n movs r5, #127\n "
                       "eors r4, r5\n"
                       "9:\n"
                       "mov r5, r8\n strb r4, [r5]\n add r8, r9\n"
                       "add r0, r10\n add r1, r10\n add r2, r10\n cmp r0, r11\n bne 1b\n"
                       "pop {r4-r7}\n mov r8, r4\n mov r9, r5\n mov r10, r6\n mov r11, r7\n"
                       "pop {r4-r7, pc}\n");
}

#undef KOMPAKT_DETAIL_TAP

#else

inline void filter(const v6m_line* p) noexcept {
    std::int8_t* out = p->out;
    for (const std::uint8_t* x = p->row; x != p->end; x += p->stride, out += p->out_step) {
        std::int32_t sum = p->bias;
        for (std::int32_t i = 0; i < 9; ++i) {
            sum = wrap_add(sum, p->taps[i] * x[i / 3 * p->line + i % 3]);
        }
        const std::int32_t q31 = wrap_add(wrap_shl(p->high, 16), p->low);
        *out = v6m_output(sum, q31, p->shift, p->zero_point);
    }
}

#endif

// The plane of one channel, its lines along the longer axis.
struct v6m_plane {
    plane_axis along, across;
    bool transposed; // lines are columns of the image

    constexpr std::int32_t line() const noexcept { return (along.out - 1) * along.stride + 3; }
    constexpr std::int32_t lines() const noexcept { return (across.out - 1) * across.stride + 3; }
    constexpr std::size_t bytes() const noexcept {
        return std::size_t(line()) * std::size_t(lines());
    }
};
constexpr v6m_plane v6m_plane_of(const depthwise& d) noexcept {
    const plane_axis &a = d.plane.along, &b = d.plane.across;
    if (a.out >= b.out) return {a, b, d.plane.transposed};
    return {b, a, !d.plane.transposed};
}

KOMPAKT_NOINLINE inline void v6m_filter_channel(const v6m_plane& s, const std::byte* packed,
                                                std::int32_t zero_point, const std::uint8_t* plane,
                                                std::int8_t* out) noexcept {
    v6m_line p;
    const auto* taps = reinterpret_cast<const std::int8_t*>(packed + 8);
    std::int32_t sum = 0;
    for (std::int32_t i = 0; i < 9; ++i) {
        const std::int32_t tap = taps[s.transposed ? i % 3 * 3 + i / 3 : i];
        p.taps[i] = tap;
        sum += tap;
    }
    const auto bias2 = static_cast<std::int32_t>(load_word(packed));
    p.bias = wrap_sub(bias2 / 2, 128 * sum);
    const std::uint32_t q31 = load_word(packed + 4);
    p.high = static_cast<std::int32_t>(q31 >> 16), p.low = static_cast<std::int32_t>(q31 & 0xffff);
    p.shift = static_cast<std::uint32_t>(packed[17]) + 1;
    p.zero_point = zero_point;
    p.line = s.line();
    p.out_step = s.along.out_step, p.stride = s.along.stride;
    for (std::int32_t i = 0; i < s.across.out; ++i) {
        p.row = plane + i * s.across.stride * p.line;
        p.end = p.row + s.along.out * p.stride;
        p.out = out + i * s.across.out_step;
        filter(&p);
    }
}

KOMPAKT_NOINLINE inline void v6m_filter_depthwise(const call& c) noexcept {
    const depthwise d = depthwise_of(c);
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const v6m_plane s = v6m_plane_of(d);
    auto* const plane = reinterpret_cast<std::uint8_t*>(c.scratch().data());
    std::memset(plane, p.input_zero_point + 128, s.bytes());
    // The padding stays; the image between it is another for each channel.
    const auto least = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
    const std::int32_t lines = least(s.across.in, s.lines() - s.across.pad);
    const std::int32_t length = least(s.along.in, s.line() - s.along.pad);
    const std::int8_t* in = c.input_data<std::int8_t>(0);
    std::int8_t* out = c.output_data<std::int8_t>(0);
    const std::int32_t outputs = s.along.out * s.across.out;
    for (std::int32_t n = 0; n < d.images; ++n) {
        for (std::int32_t k = 0; k < d.channels; ++k) {
            const std::int8_t* row = in + k;
            std::uint8_t* to = plane + s.across.pad * s.line() + s.along.pad;
            for (std::int32_t i = 0; i < lines; ++i, row += s.across.in_step, to += s.line()) {
                const std::int8_t* from = row;
                for (std::int32_t j = 0; j < length; ++j, from += s.along.in_step) {
                    to[j] = static_cast<std::uint8_t>(*from + 128);
                }
            }
            v6m_filter_channel(s, c.packed() + k * packed_channel_bytes, p.output.zero_point, plane,
                               out + k);
            if (limits_outputs(p.output)) limit_outputs(out + k, outputs, d.channels, p.output);
        }
        in += s.along.in * s.across.in * d.channels;
        out += outputs * d.channels;
    }
}

// The hooks (kernel/port_hooks.hpp).

constexpr std::uint32_t kernel_pack_id(v6m, depthwise_conv2d_i8) noexcept {
    return 0xc3080433;
}
constexpr std::uint32_t kernel_pack_absorbs(v6m, depthwise_conv2d_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(v6m, depthwise_conv2d_i8, const call& c) noexcept {
    if (!is_single(c)) return plane_pack_bytes(c, v6m_accumulator_limit);
    const convolution v = convolution_of(c);
    return v6m_pack_bytes(c, v6m_panels_of(v), single_weights(c, v), output_stage_of(c, 2, v.stage),
                          v.image.zero_point);
}
inline void kernel_pack(v6m, depthwise_conv2d_i8, const call& c, std::byte* to) noexcept {
    if (!is_single(c)) return pack_plane(c, to);
    const convolution v = convolution_of(c);
    pack_v6m_panels(v6m_panels_of(v), single_weights(c, v), output_stage_of(c, 2, v.stage),
                    v.image.zero_point, to);
}
inline std::size_t kernel_scratch_bytes(v6m, depthwise_conv2d_i8, const call& c) noexcept {
    const std::size_t rows = row_buffer_bytes(c);
    if (is_single(c)) return rows + v6m_column_bytes(c);
    const depthwise d = depthwise_of(c);
    const std::size_t plane = d.possible ? v6m_plane_of(d).bytes() : 0;
    return plane > rows ? plane : rows;
}
template <class Port, class Call>
void run_kernel(v6m, depthwise_conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return depthwise_conv2d_i8::run_portable(port, c);
    }
    if (is_single(c)) return v6m_convolve(c);
    v6m_filter_depthwise(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
