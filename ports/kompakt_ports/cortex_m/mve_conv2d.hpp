// Convolution and fully connected layers with MVE: windows of two output pixels against panels of
// four output channels, sixteen products an instruction (VMLADAVA), sums in core registers.
//
// A step of 16 taps is 6 loads and 8 multiplies, 1.75 instructions for 16 products besides the
// loop. A panel, in the order in which it is read:
//
//     for each 16 taps: 16 weights of each of 4 channels
//     four_stages (mve_stage.hpp)
//
// Taps beyond the last are weights of zero, so inputs beyond the last may be anything. A pixel
// whose window is one run of a multiple of 16 bytes is read where it lies; others are copied to
// columns.
#pragma once

#include <kompakt_ports/cortex_m/conv2d.hpp>
#include <kompakt_ports/cortex_m/mve_stage.hpp>

#include <cstddef>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

struct mve_panel_shape {
    std::int32_t channels, taps;

    constexpr std::int32_t panels() const noexcept { return (channels + 3) / 4; }
    constexpr std::int32_t steps() const noexcept { return (taps + 15) / 16; }
    constexpr std::size_t column_bytes() const noexcept {
        return static_cast<std::size_t>(steps()) * 16;
    }
    // 0 where the sizes are beyond sense.
    constexpr std::size_t bytes() const noexcept {
        const std::uint64_t n =
            std::uint64_t(panels()) * (std::uint64_t(steps()) * 64 + sizeof(four_stages));
        return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
    }
};

inline bool mve_panels_are_exact(const mve_panel_shape& s, const plain_weights& w,
                                 const output_stage& stage,
                                 std::int32_t input_zero_point) noexcept {
    for (std::int32_t o = 0; o < s.channels; ++o) {
        if (!mve_stage_is_exact(stage, o, sums_of(w.of(o, s.taps)), input_zero_point)) return false;
    }
    return true;
}

inline void pack_mve_panels(const mve_panel_shape& s, const plain_weights& w,
                            const output_stage& stage, std::int32_t input_zero_point,
                            std::byte* to) noexcept {
    for (std::int32_t o = 0; o < s.channels; o += 4) {
        four_stages stages{};
        bool filled[4] = {};
        for (std::int32_t k = 0; k < 4 && o + k < s.channels; ++k) {
            filled[k] = put_mve_stage(stages, static_cast<std::size_t>(k), stage, o + k,
                                      sums_of(w.of(o + k, s.taps)), input_zero_point);
        }
        for (std::int32_t t = 0; t < s.steps() * 16; t += 16) {
            for (std::int32_t k = 0; k < 4; ++k) {
                for (std::int32_t i = t; i < t + 16; ++i) {
                    *to++ = filled[k] && i < s.taps
                                ? static_cast<std::byte>(
                                      w.data[static_cast<std::ptrdiff_t>(o + k) * w.channel +
                                             static_cast<std::ptrdiff_t>(i) * w.tap])
                                : std::byte{0};
                }
            }
        }
        std::memcpy(to, &stages, sizeof stages);
        to += sizeof stages;
    }
}

// One or two columns against all panels.
struct mve_columns {
    const std::byte* panels;
    const std::int8_t *first, *second; // `steps` times 16 inputs that may be read
    std::int8_t *out_first, *out_second;
    std::int32_t steps, channels;
    std::int32_t zero_point, min, max; // of the outputs
};

#if KOMPAKT_DETAIL_CORTEX_M_MVE

// Sums have to be in even registers: four of one column, four of the other take all of them, and
// addresses the odd ones. (No compiler finds this allocation by itself.)
#define KOMPAKT_DETAIL_STEP(multiply)                                                              \
    "vldrb.8 q0, [%[x]], #16\n vldrb.8 q2, [%[w]], #64\n vldrb.8 q1, [%[y]], #16\n" multiply       \
    " r0, q0, q2\n vldrb.8 q3, [%[w], #-48]\n" multiply " r8, q1, q2\n" multiply                   \
    " r2, q0, q3\n vldrb.8 q2, [%[w], #-32]\n" multiply " r10, q1, q3\n" multiply                  \
    " r4, q0, q2\n vldrb.8 q3, [%[w], #-16]\n" multiply " r12, q1, q2\n" multiply                  \
    " r6, q0, q3\n" multiply " lr, q1, q3\n"
#define KOMPAKT_DETAIL_FIRST KOMPAKT_DETAIL_STEP("vmladav.s8")
#define KOMPAKT_DETAIL_NEXT KOMPAKT_DETAIL_STEP("vmladava.s8")

KOMPAKT_NOINLINE inline void multiply_two(const mve_columns& given) noexcept {
    mve_columns m = given;
    const std::byte* w = m.panels;
    const int32x4_t min = vdupq_n_s32(m.min), max = vdupq_n_s32(m.max);
    for (std::int32_t left = m.channels; left > 0; left -= 4) {
        const std::int8_t *x, *y;
        std::int32_t n;
        // The output stage of both (mve_scale) too, since gcc spills what it could keep.
        __asm__ volatile("ldrd %[x], %[y], [%[m], %[inputs]]\n ldr %[n], [%[m], %[steps]]\n"
                         // One step or two, then pairs of steps. Z says that none is left.
                         KOMPAKT_DETAIL_FIRST "lsrs %[n], #1\n bcs 3f\n" KOMPAKT_DETAIL_NEXT
                         "subs %[n], #1\n"
                         "3: beq 2f\n"
                         "1:\n" KOMPAKT_DETAIL_NEXT KOMPAKT_DETAIL_NEXT "subs %[n], #1\n bne 1b\n"
                         "2:\n"
                         "vmov q0[2], q0[0], r0, r4\n vmov q0[3], q0[1], r2, r6\n"
                         "vmov q1[2], q1[0], r8, r12\n vmov q1[3], q1[1], r10, lr\n"
                         "vldrw.u32 q2, [%[w]], #16\n vldrw.u32 q3, [%[w]], #16\n"
                         "vadd.i32 q0, q0, q2\n vadd.i32 q1, q1, q2\n vldrb.s32 q2, [%[w]], #4\n"
                         "vqrdmulh.s32 q0, q0, q3\n vqrdmulh.s32 q1, q1, q3\n"
                         "vshr.s32 q3, q0, #31\n vadd.i32 q0, q0, q3\n vrshl.s32 q0, q0, q2\n"
                         "vshr.s32 q3, q1, #31\n vadd.i32 q1, q1, q3\n vrshl.s32 q1, q1, q2\n"
                         "ldr r4, [%[m], %[zero_point]]\n ldrd r0, r2, [%[m], %[outputs]]\n"
                         "vadd.i32 q0, q0, r4\n vadd.i32 q1, q1, r4\n"
                         "vmax.s32 q0, q0, %q[min]\n vmax.s32 q1, q1, %q[min]\n"
                         "vmin.s32 q0, q0, %q[max]\n vmin.s32 q1, q1, %q[max]\n"
                         "vpstt\n vstrbt.32 q0, [r0], #4\n vstrbt.32 q1, [r2], #4\n"
                         "strd r0, r2, [%[m], %[outputs]]\n"
                         : [w] "+l"(w), [x] "=&r"(x), [y] "=&r"(y), [n] "=&r"(n)
                         : [m] "r"(&m), [min] "w"(min), [max] "w"(max),
                           [lanes] "Up"(vctp32q(static_cast<std::uint32_t>(left))),
                           [inputs] "i"(offsetof(mve_columns, first)),
                           [outputs] "i"(offsetof(mve_columns, out_first)),
                           [steps] "i"(offsetof(mve_columns, steps)),
                           [zero_point] "i"(offsetof(mve_columns, zero_point))
                         : "r0", "r2", "r4", "r6", "r8", "r10", "r12", "lr", "q0", "q1", "q2", "q3",
                           "cc", "memory");
    }
}
#undef KOMPAKT_DETAIL_FIRST
#undef KOMPAKT_DETAIL_STEP

#define KOMPAKT_DETAIL_STEP(multiply)                                                              \
    "vldrb.8 q0, [%[x]], #16\n vldrb.8 q2, [%[w]], #64\n vldrb.8 q3, [%[w], #-48]\n" multiply      \
    " r0, q0, q2\n vldrb.8 q2, [%[w], #-32]\n" multiply " r2, q0, q3\n"                            \
    "vldrb.8 q3, [%[w], #-16]\n" multiply " r4, q0, q2\n" multiply " r6, q0, q3\n"

KOMPAKT_NOINLINE inline void multiply_one(const mve_columns& given) noexcept {
    const mve_columns m = given;
    const std::byte* w = m.panels;
    std::int8_t* to = m.out_first;
    const int32x4_t min = vdupq_n_s32(m.min), max = vdupq_n_s32(m.max);
    for (std::int32_t left = m.channels; left > 0; left -= 4) {
        const std::int8_t* x = m.first;
        // The low-overhead loop needs lr, which no sum of one column does.
        __asm__ volatile("movs r0, #0\n movs r2, #0\n movs r4, #0\n movs r6, #0\n"
                         "dls lr, %[n]\n"
                         "1:\n" KOMPAKT_DETAIL_NEXT "le lr, 1b\n"
                         "vmov q0[2], q0[0], r0, r4\n vmov q0[3], q0[1], r2, r6\n"
                         "vldrw.u32 q2, [%[w]], #16\n vldrw.u32 q3, [%[w]], #16\n vadd.i32 "
                         "q0, q0, q2\n"
                         "vqrdmulh.s32 q0, q0, q3\n vldrb.s32 q2, [%[w]], #4\n vshr.s32 q3, "
                         "q0, #31\n"
                         "vadd.i32 q0, q0, q3\n vrshl.s32 q0, q0, q2\n vadd.i32 q0, q0, "
                         "%[zero_point]\n"
                         "vmax.s32 q0, q0, %q[min]\n vmin.s32 q0, q0, %q[max]\n"
                         "vpst\n vstrbt.32 q0, [%[to]], #4\n"
                         : [w] "+l"(w), [x] "+r"(x), [to] "+l"(to)
                         : [n] "r"(m.steps), [zero_point] "r"(m.zero_point), [min] "w"(min),
                           [max] "w"(max), [lanes] "Up"(vctp32q(static_cast<std::uint32_t>(left)))
                         : "r0", "r2", "r4", "r6", "lr", "q0", "q2", "q3", "cc", "memory");
    }
}
#undef KOMPAKT_DETAIL_NEXT
#undef KOMPAKT_DETAIL_STEP

// `n` may be 0 or less. No byte beyond is written or read.
KOMPAKT_ALWAYS_INLINE void mve_copy(std::int8_t* to, const std::int8_t* from,
                                    std::int32_t n) noexcept {
    if (n <= 0) return;
    __asm__ volatile("dlstp.8 lr, %[n]\n"
                     "1:\n vldrb.8 q0, [%[from]], #16\n vstrb.8 q0, [%[to]], #16\n letp lr, 1b\n"
                     : [to] "+r"(to), [from] "+r"(from)
                     : [n] "r"(n)
                     : "lr", "q0", "cc", "memory");
}
KOMPAKT_ALWAYS_INLINE void mve_fill(std::int8_t* to, std::int32_t value, std::int32_t n) noexcept {
    if (n <= 0) return;
    __asm__ volatile("vdup.8 q0, %[value]\n dlstp.8 lr, %[n]\n"
                     "1:\n vstrb.8 q0, [%[to]], #16\n letp lr, 1b\n"
                     : [to] "+r"(to)
                     : [n] "r"(n), [value] "r"(value)
                     : "lr", "q0", "cc", "memory");
}

#else

// The same arithmetic.
inline void multiply_column(const mve_columns& m, const std::int8_t* x, std::int8_t* out) noexcept {
    const std::byte* w = m.panels;
    for (std::int32_t o = 0; o < m.channels; o += 4) {
        std::int32_t sums[4] = {};
        for (std::int32_t t = 0; t < m.steps * 16; t += 16) {
            for (std::int32_t k = 0; k < 4; ++k) {
                for (std::int32_t i = t; i < t + 16; ++i) {
                    sums[k] = wrap_add(sums[k], x[i] * static_cast<std::int8_t>(*w++));
                }
            }
        }
        four_stages stages;
        std::memcpy(&stages, w, sizeof stages);
        w += sizeof stages;
        for (std::int32_t k = 0; k < 4 && o + k < m.channels; ++k) {
            const std::int32_t r =
                mve_scale(wrap_add(sums[k], stages.bias[k]), stages.q31[k], stages.shift[k]);
            out[o + k] = static_cast<std::int8_t>(clamp(r + m.zero_point, m.min, m.max));
        }
    }
}
inline void multiply_one(const mve_columns& m) noexcept {
    multiply_column(m, m.first, m.out_first);
}
inline void multiply_two(const mve_columns& m) noexcept {
    multiply_column(m, m.first, m.out_first);
    multiply_column(m, m.second, m.out_second);
}
inline void mve_copy(std::int8_t* to, const std::int8_t* from, std::int32_t n) noexcept {
    for (std::int32_t i = 0; i < n; ++i) to[i] = from[i];
}
inline void mve_fill(std::int8_t* to, std::int32_t value, std::int32_t n) noexcept {
    for (std::int32_t i = 0; i < n; ++i) to[i] = static_cast<std::int8_t>(value);
}

#endif

inline mve_panel_shape mve_panels_of(const convolution& v) noexcept {
    return {v.panels.channels, v.panels.runs * v.panels.run};
}

// The window that starts at row y0 and column x0, run by run.
KOMPAKT_NOINLINE inline void mve_window(const windowed_image& g, std::int32_t y0, std::int32_t x0,
                                        std::int8_t* out) noexcept {
    const std::int32_t run = g.run(), row = g.in_w * g.in_c, dilation = g.window.dilation_h;
    const std::int32_t per_row = g.joined() ? 1 : g.kernel_w;
    // Nothing outside: the usual case, without spills.
    if (per_row == 1 && y0 >= 0 && y0 + (g.kernel_h - 1) * dilation < g.in_h && x0 >= 0 &&
        x0 * g.in_c + run <= row) {
        const std::int8_t* line = g.in + (y0 * row + x0 * g.in_c);
        for (std::int32_t left = g.kernel_h;;) {
            mve_copy(out, line, run);
            if (--left == 0) return;
            out += run, line += dilation * row;
        }
    }
    const auto height = static_cast<std::uint32_t>(g.in_h);
    for (std::int32_t r = 0; r < per_row; ++r, x0 += g.window.dilation_w, out += run) {
        // What of the run is in the image.
        const std::int32_t first = x0 < 0 ? -x0 * g.in_c : 0, past = (g.in_w - x0) * g.in_c;
        const std::int32_t last = past < run ? past : run, n = last - first;
        std::int32_t at = y0 * row + x0 * g.in_c + first, y = y0;
        std::int8_t* to = out;
        for (std::int32_t left = g.kernel_h; left > 0; --left) {
            if (static_cast<std::uint32_t>(y) < height && n > 0) {
                mve_fill(to, g.zero_point, first);
                mve_copy(to + first, g.in + at, n);
                mve_fill(to + last, g.zero_point, run - last);
            } else {
                mve_fill(to, g.zero_point, run);
            }
            y += dilation, at += dilation * row, to += per_row * run;
        }
    }
}

// Rows [y, y_end) of one image to `out`. `columns` holds two.
KOMPAKT_NOINLINE inline void mve_convolve_rows(const convolution& v, const std::byte* packed,
                                               std::int8_t* columns, std::int32_t y,
                                               std::int32_t y_end, std::int8_t* out) noexcept {
    const windowed_image& g = v.image;
    const mve_panel_shape s = mve_panels_of(v);
    mve_columns m{};
    m.panels = packed;
    m.steps = s.steps(), m.channels = s.channels;
    m.zero_point = v.stage.zero_point, m.min = v.stage.min, m.max = v.stage.max;
    const bool in_place = v.panels.runs == 1 && s.taps % 16 == 0;
    const auto column_bytes = static_cast<std::int32_t>(s.column_bytes());
    std::int32_t y0 = y * g.window.stride_h - g.window.pad_top, x0 = -g.window.pad_left, x = 0;
    const auto next = [&](std::int8_t* column) -> const std::int8_t* {
        const std::int8_t* at = column;
        if (in_place && y0 >= 0 && y0 < g.in_h && x0 >= 0 && x0 + g.kernel_w <= g.in_w) {
            at = g.in + (y0 * g.in_w + x0) * g.in_c;
        } else {
            mve_window(g, y0, x0, column);
        }
        x0 += g.window.stride_w;
        if (++x == v.out_w) {
            x = 0;
            x0 = -g.window.pad_left;
            y0 += g.window.stride_h;
        }
        return at;
    };
    for (std::int32_t left = (y_end - y) * v.out_w; left > 0; left -= 2) {
        m.first = next(columns);
        m.out_first = out;
        out += s.channels;
        if (left == 1) return multiply_one(m);
        m.second = next(columns + column_bytes);
        m.out_second = out;
        out += s.channels;
        multiply_two(m);
    }
}

KOMPAKT_NOINLINE inline void mve_convolve(const call& c) noexcept {
    convolution v = convolution_of(c);
    auto* const buffer = reinterpret_cast<std::int8_t*>(c.scratch().data());
    std::int8_t* const columns = buffer + row_buffer_bytes(c);
    // Places beyond the last tap are read, and have to be something.
    const mve_panel_shape s = mve_panels_of(v);
    const auto column_bytes = static_cast<std::int32_t>(s.column_bytes());
    mve_fill(columns, 0, 2 * column_bytes);
    // Outputs of a pixel that is read where it lies must not reach it before its last panel.
    const bool grows = v.panels.channels > v.image.in_c, in_place = s.taps % 16 == 0;
    const std::int32_t direct = c.by_rows() && (grows || in_place) ? 0 : direct_rows(c, v);
    convolve_images(
        c, v, direct,
        [&](std::int32_t y, std::int32_t y_end, std::int8_t* out)
            KOMPAKT_INLINE_LAMBDA { mve_convolve_rows(v, c.packed(), columns, y, y_end, out); },
        [](std::int8_t* to, const std::int8_t* from, std::int32_t n)
            KOMPAKT_INLINE_LAMBDA { mve_copy(to, from, n); });
}

// The hooks (kernel/port_hooks.hpp).

constexpr std::uint32_t kernel_pack_id(mve, conv2d_i8) noexcept {
    return 0xc3080421;
}
constexpr std::uint32_t kernel_pack_absorbs(mve, conv2d_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(mve, conv2d_i8, const call& c) noexcept {
    if (!without_groups(c)) return 0;
    const convolution v = convolution_of(c);
    if (!is_packed(c) &&
        !mve_panels_are_exact(mve_panels_of(v), conv2d_weights(c, v),
                              output_stage_of(c, 2, v.stage), v.image.zero_point)) {
        return 0;
    }
    return mve_panels_of(v).bytes();
}
inline void kernel_pack(mve, conv2d_i8, const call& c, std::byte* to) noexcept {
    const convolution v = convolution_of(c);
    pack_mve_panels(mve_panels_of(v), conv2d_weights(c, v), output_stage_of(c, 2, v.stage),
                    v.image.zero_point, to);
}
inline std::size_t kernel_scratch_bytes(mve, conv2d_i8, const call& c) noexcept {
    const std::size_t rows = row_buffer_bytes(c);
    return without_groups(c) ? rows + 2 * mve_panels_of(convolution_of(c)).column_bytes() : rows;
}
template <class Port, class Call>
void run_kernel(mve, conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return conv2d_i8::run_portable(port, c);
    }
    mve_convolve(c);
}

// Fully connected layers.

KOMPAKT_NOINLINE inline void mve_connect(const call& c) noexcept {
    const auto weights = c.input<std::int8_t, 2>(packed_input);
    const auto p = c.params<fully_connected_i8_params>();
    const std::int32_t depth = weights.dim(1), outputs = weights.dim(0);
    const std::int32_t batches = static_cast<std::int32_t>(c.elements(c.input_record(0))) / depth;
    const auto* in = c.input_data<std::int8_t>(0);
    auto* out = c.output_data<std::int8_t>(0);
    const mve_panel_shape s{outputs, depth};
    mve_columns m{};
    m.panels = c.packed();
    m.steps = s.steps(), m.channels = outputs;
    m.zero_point = p.output.zero_point, m.min = p.output.min, m.max = p.output.max;
    auto* const column = reinterpret_cast<std::int8_t*>(c.scratch().data());
    const auto column_bytes = static_cast<std::int32_t>(s.column_bytes());
    const bool copies = depth % 16 != 0;
    if (copies) mve_fill(column, 0, 2 * column_bytes);
    const auto next = [&](std::int8_t* to) -> const std::int8_t* {
        const std::int8_t* at = in;
        if (copies) {
            mve_copy(to, in, depth);
            at = to;
        }
        in += depth;
        return at;
    };
    for (std::int32_t left = batches; left > 0; left -= 2) {
        m.first = next(column), m.out_first = out;
        out += outputs;
        if (left == 1) return multiply_one(m);
        m.second = next(column + column_bytes), m.out_second = out;
        out += outputs;
        multiply_two(m);
    }
}

inline mve_panel_shape mve_connection_of(const call& c) noexcept {
    const auto weights = c.input<std::int8_t, 2>(packed_input);
    return {weights.dim(0), weights.dim(1)};
}
constexpr std::uint32_t kernel_pack_id(mve, fully_connected_i8) noexcept {
    return 0xc3080422;
}
constexpr std::uint32_t kernel_pack_absorbs(mve, fully_connected_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(mve, fully_connected_i8, const call& c) noexcept {
    const mve_panel_shape s = mve_connection_of(c);
    const plain_weights w{c.input_data<std::int8_t>(packed_input), s.taps, 1};
    const auto p = c.params<fully_connected_i8_params>();
    if (!is_packed(c) &&
        !mve_panels_are_exact(s, w, output_stage_of(c, 2, p.output), p.input_zero_point)) {
        return 0;
    }
    return s.bytes();
}
inline void kernel_pack(mve, fully_connected_i8, const call& c, std::byte* to) noexcept {
    const mve_panel_shape s = mve_connection_of(c);
    const plain_weights w{c.input_data<std::int8_t>(packed_input), s.taps, 1};
    const auto p = c.params<fully_connected_i8_params>();
    pack_mve_panels(s, w, output_stage_of(c, 2, p.output), p.input_zero_point, to);
}
inline std::size_t kernel_scratch_bytes(mve, fully_connected_i8, const call& c) noexcept {
    const mve_panel_shape s = mve_connection_of(c);
    return s.taps % 16 == 0 ? 0 : 2 * s.column_bytes();
}
template <class Port, class Call>
void run_kernel(mve, fully_connected_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return fully_connected_i8::run_portable(port, c);
    }
    mve_connect(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
