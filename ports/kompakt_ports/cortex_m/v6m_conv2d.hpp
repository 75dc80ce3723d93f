// Convolution and fully connected layers on ARMv6-M: one output pixel as a column times panels of
// weights.
#pragma once

#include <kompakt_ports/cortex_m/fully_connected.hpp>
#include <kompakt_ports/cortex_m/v6m_panels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// Mostly of no or a few bytes, for which a call of memset takes longer.
inline void v6m_fill(std::int8_t* to, std::int32_t value, std::int32_t n) noexcept {
    for (; n > 0; --n) *to++ = static_cast<std::int8_t>(value);
}
inline void v6m_copy(std::int8_t* to, const std::int8_t* from, std::int32_t n) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    if (at % 4 == 0) {
        auto* t = reinterpret_cast<std::uint32_t*>(to);
        const auto* f = reinterpret_cast<const std::uint32_t*>(from);
        for (; n >= 4; n -= 4) *t++ = *f++;
        to = reinterpret_cast<std::int8_t*>(t);
        from = reinterpret_cast<const std::int8_t*>(f);
    }
    for (; n > 0; --n) *to++ = *from++;
}

// The window that starts at row y0 and column x0.
inline void v6m_window(const windowed_image& g, std::int32_t y0, std::int32_t x0,
                       std::int8_t* to) noexcept {
    const std::int32_t run = g.run(), row = g.in_w * g.in_c;
    const std::int32_t per_row = g.joined() ? 1 : g.kernel_w;
    for (std::int32_t ky = 0; ky < g.kernel_h; ++ky, y0 += g.window.dilation_h) {
        const bool inside = y0 >= 0 && y0 < g.in_h;
        for (std::int32_t r = 0; r < per_row; ++r, to += run) {
            const std::int32_t x = x0 + r * g.window.dilation_w;
            // What of the run is in the image.
            const std::int32_t first = x < 0 ? -x * g.in_c : 0, past = (g.in_w - x) * g.in_c;
            const std::int32_t last = past < run ? past : run;
            if (!inside || first >= last) {
                v6m_fill(to, g.zero_point, run);
                continue;
            }
            v6m_fill(to, g.zero_point, first);
            v6m_copy(to + first, g.in + y0 * row + x * g.in_c + first, last - first);
            v6m_fill(to + last, g.zero_point, run - last);
        }
    }
}

constexpr v6m_panel_shape v6m_panels_of(const convolution& v) noexcept {
    return {v.panels.channels, v.panels.runs * v.panels.run};
}

// Pixels that are columns as they lie in memory.
constexpr bool v6m_in_place(const convolution& v) noexcept {
    return v.pointwise() && v.image.in_c % 4 == 0;
}

// Rows [y, y_end) of one image to `out`, through `column`, or without where that is null.
KOMPAKT_NOINLINE inline void v6m_convolve_rows(const convolution& v, const std::byte* packed,
                                               std::int8_t* column, std::int32_t y,
                                               std::int32_t y_end, std::int8_t* out) noexcept {
    const windowed_image& g = v.image;
    const v6m_panel_shape s = v6m_panels_of(v);
    v6m_column m{};
    m.zero_point = v.stage.zero_point;
    const bool limited = limits_outputs(v.stage);
    const bool pointwise = v.pointwise();
    const std::int8_t* pixel = g.in + y * g.in_w * g.in_c;
    for (; y < y_end; ++y) {
        const std::int32_t y0 = y * g.window.stride_h - g.window.pad_top;
        std::int32_t x0 = -g.window.pad_left;
        for (std::int32_t left = v.out_w; left > 0; --left, x0 += g.window.stride_w) {
            const std::int8_t* at = column;
            if (column == nullptr) {
                at = pixel;
            } else if (pointwise) {
                v6m_copy(column, pixel, g.in_c);
            } else {
                v6m_window(g, y0, x0, column);
            }
            pixel += g.in_c;
            v6m_outputs(m, at, packed, s, out);
            if (limited) limit_outputs(out, s.channels, 1, v.stage);
            out += s.channels;
        }
    }
}

KOMPAKT_NOINLINE inline void v6m_convolve(const call& c) noexcept {
    convolution v = convolution_of(c);
    auto* const buffer = reinterpret_cast<std::int8_t*>(c.scratch().data());
    std::int8_t* column = nullptr;
    if (c.by_rows() || !v6m_in_place(v)) {
        column = buffer + row_buffer_bytes(c);
        // Places beyond the last tap.
        v6m_fill(column + v6m_panels_of(v).places() - 4, 0, 4);
    }
    convolve_images(
        c, v, direct_rows(c, v),
        [&](std::int32_t y, std::int32_t y_end, std::int8_t* out)
            KOMPAKT_INLINE_LAMBDA { v6m_convolve_rows(v, c.packed(), column, y, y_end, out); },
        v6m_copy);
}

// The hooks (kernel/port_hooks.hpp).

constexpr std::uint32_t kernel_pack_id(v6m, conv2d_i8) noexcept {
    return 0xc3080431;
}
constexpr std::uint32_t kernel_pack_absorbs(v6m, conv2d_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t v6m_pack_bytes(const call& c, const v6m_panel_shape& s, const plain_weights& w,
                                  const output_stage& stage,
                                  std::int32_t input_zero_point) noexcept {
    return is_packed(c) || v6m_panels_are_exact(s, w, stage, input_zero_point) ? s.bytes() : 0;
}
inline std::size_t kernel_pack_bytes(v6m, conv2d_i8, const call& c) noexcept {
    if (!without_groups(c)) return 0;
    const convolution v = convolution_of(c);
    return v6m_pack_bytes(c, v6m_panels_of(v), conv2d_weights(c, v), output_stage_of(c, 2, v.stage),
                          v.image.zero_point);
}
inline void kernel_pack(v6m, conv2d_i8, const call& c, std::byte* to) noexcept {
    const convolution v = convolution_of(c);
    pack_v6m_panels(v6m_panels_of(v), conv2d_weights(c, v), output_stage_of(c, 2, v.stage),
                    v.image.zero_point, to);
}
inline std::size_t v6m_column_bytes(const call& c) noexcept {
    const convolution v = convolution_of(c);
    const bool needed = c.by_rows() || !v6m_in_place(v);
    return needed ? static_cast<std::size_t>(v6m_panels_of(v).places()) : 0;
}
inline std::size_t kernel_scratch_bytes(v6m, conv2d_i8, const call& c) noexcept {
    return row_buffer_bytes(c) + (without_groups(c) ? v6m_column_bytes(c) : 0);
}
template <class Port, class Call>
void run_kernel(v6m, conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return conv2d_i8::run_portable(port, c);
    }
    v6m_convolve(c);
}

// Fully connected layers.

KOMPAKT_NOINLINE inline void v6m_connect(const call& c) noexcept {
    const connection f = connection_of(c);
    const v6m_panel_shape s{f.outputs, f.depth};
    const auto* in = c.input_data<std::int8_t>(0);
    auto* out = c.output_data<std::int8_t>(0);
    auto* const column = reinterpret_cast<std::int8_t*>(c.scratch().data());
    const bool in_place = s.places() == s.taps;
    if (!in_place) v6m_fill(column + s.places() - 4, 0, 4);
    v6m_column m{};
    m.zero_point = f.params.output.zero_point;
    for (std::int32_t n = 0; n < f.batches; ++n, in += f.depth, out += f.outputs) {
        if (!in_place) v6m_copy(column, in, f.depth);
        v6m_outputs(m, in_place ? in : column, c.packed(), s, out);
    }
    if (limits_outputs(f.params.output)) {
        const std::int32_t outputs = f.batches * f.outputs;
        limit_outputs(out - outputs, outputs, 1, f.params.output);
    }
}

constexpr std::uint32_t kernel_pack_id(v6m, fully_connected_i8) noexcept {
    return 0xc3080432;
}
constexpr std::uint32_t kernel_pack_absorbs(v6m, fully_connected_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(v6m, fully_connected_i8, const call& c) noexcept {
    const connection f = connection_of(c);
    return v6m_pack_bytes(c, {f.outputs, f.depth},
                          {c.input_data<std::int8_t>(packed_input), f.depth, 1},
                          output_stage_of(c, 2, f.params.output), f.params.input_zero_point);
}
inline void kernel_pack(v6m, fully_connected_i8, const call& c, std::byte* to) noexcept {
    const connection f = connection_of(c);
    pack_v6m_panels({f.outputs, f.depth}, {c.input_data<std::int8_t>(packed_input), f.depth, 1},
                    output_stage_of(c, 2, f.params.output), f.params.input_zero_point, to);
}
inline std::size_t kernel_scratch_bytes(v6m, fully_connected_i8, const call& c) noexcept {
    const connection f = connection_of(c);
    const v6m_panel_shape s{f.outputs, f.depth};
    return s.places() == s.taps ? 0 : static_cast<std::size_t>(s.places());
}
template <class Port, class Call>
void run_kernel(v6m, fully_connected_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return fully_connected_i8::run_portable(port, c);
    }
    v6m_connect(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
