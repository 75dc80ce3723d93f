// Convolution: windows of two output pixels as columns, times panels of weights.
#pragma once

#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt_ports/cortex_m/columns.hpp>
#include <kompakt_ports/cortex_m/packed.hpp>
#include <kompakt_ports/cortex_m/panels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// A convolution as panels see it. Not for groups; a depthwise layer of one input channel is one.
struct convolution {
    windowed_image image;
    panel_shape panels;
    std::int32_t images, out_h, out_w;
    std::int8_t* out;
    output_stage_params stage;

    // Outputs are made of one pixel each, one after the other. An output may be narrower than the
    // input.
    constexpr bool pointwise() const noexcept {
        const window_params& w = image.window;
        return image.kernel_h == 1 && image.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
               w.pad_top == 0 && w.pad_left == 0 && out_w == image.in_w;
    }
    constexpr std::size_t column_bytes() const noexcept {
        return static_cast<std::size_t>(panels.pairs()) * 8;
    }
};

// Of both families, whose parameters are the same words.
inline convolution convolution_of(const call& c) noexcept {
    static_assert(sizeof(conv2d_i8_params) == sizeof(depthwise_conv2d_i8_params));
    const auto p = c.params<conv2d_i8_params>();
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    const auto out = c.output<std::int8_t, 4>(0);
    convolution v{};
    v.image = {in.data(),     in.dim(1),     in.dim(2), in.dim(3),
               filter.dim(1), filter.dim(2), p.window,  p.input_zero_point};
    v.panels = {out.dim(3), v.image.runs(), v.image.run()};
    v.images = in.dim(0), v.out_h = out.dim(1), v.out_w = out.dim(2);
    v.out = out.data();
    v.stage = p.output;
    return v;
}

// Rows [y, y_end) of one image to `out`.
KOMPAKT_NOINLINE inline void convolve_rows(const convolution& v, const std::byte* packed,
                                           std::uint32_t* columns, std::int32_t y,
                                           std::int32_t y_end, std::int8_t* out) noexcept {
    const windowed_image& g = v.image;
    const std::int32_t channels = v.panels.channels;
    two_columns m{};
    m.panels = packed;
    m.x = columns, m.end = columns + 2 * v.panels.pairs();
    m.panel_count = v.panels.panels();
    m.z2 = 2 * v.stage.zero_point + 1;
    m.last_channels = v.panels.last_channels();
    const bool limited = limits_outputs(v.stage);
    const bool pointwise = v.pointwise();
    const std::int8_t* pixel = g.in + y * g.in_w * g.in_c;
    std::int32_t y0 = y * g.window.stride_h - g.window.pad_top, x0 = -g.window.pad_left, x = 0;
    const auto next = [&] {
        x0 += g.window.stride_w;
        if (++x == v.out_w) {
            x = 0;
            x0 = -g.window.pad_left;
            y0 += g.window.stride_h;
        }
    };
    for (std::int32_t left = (y_end - y) * v.out_w; left > 0; left -= 2) {
        // The last of an odd number of pixels is computed in both columns.
        const std::int32_t second = left > 1 ? 1 : 0;
        if (pointwise) {
            const std::int8_t* other = pixel + second * g.in_c;
            widen_runs(columns, pixel, other, g.in_c);
            pixel = other + g.in_c;
        } else {
            const std::int32_t y_first = y0, x_first = x0;
            if (second != 0) next();
            widen_windows(g, y_first, x_first, y0, x0, columns);
            next();
        }
        m.first = out;
        m.second = out + second * channels;
        multiply(&m);
        if (limited) limit_outputs(out, (second + 1) * channels, 1, v.stage);
        out += (second + 1) * channels;
    }
}

inline void copy_bytes(std::int8_t* to, const std::int8_t* from, std::int32_t n) noexcept {
    std::int32_t i = 0;
    for (; i + 4 <= n; i += 4) std::memcpy(to + i, from + i, 4);
    for (; i < n; ++i) to[i] = from[i];
}

// How many rows may be written to their place at once. Pixels of a pointwise layer that are copied
// are read before outputs reach them: always where there are no more outputs than inputs, else in
// all rows but the last (plan/overlap.hpp).
inline std::int32_t direct_rows(const call& c, const convolution& v) noexcept {
    if (!c.by_rows()) return v.out_h;
    const bool shrinks = v.panels.channels <= v.image.in_c;
    return !v.pointwise() ? 0 : shrinks ? v.out_h : v.out_h - 1;
}

// All images: `rows(y, y_end, out)` makes rows of the current one, the first `direct` in place, the
// others through the row buffer, from which `copy(to, from, n)` takes them.
template <class Rows, class Copy>
KOMPAKT_ALWAYS_INLINE void convolve_images(const call& c, convolution& v, std::int32_t direct,
                                           Rows&& rows, Copy&& copy) noexcept {
    const std::int32_t row = v.out_w * v.panels.channels;
    const std::int32_t in_image = v.image.in_h * v.image.in_w * v.image.in_c;
    for (std::int32_t n = 0; n < v.images; ++n) {
        rows(0, direct, v.out);
        v.out += direct * row;
        for (std::int32_t y = direct; y < v.out_h; ++y, v.out += row) {
            auto* const buffer = reinterpret_cast<std::int8_t*>(c.scratch().data());
            rows(y, y + 1, buffer);
            copy(v.out, buffer, row);
        }
        v.image.in += in_image;
    }
}

// Not inlined, as all that has a frame of its own: a model's `run` would hold one for each layer.
KOMPAKT_NOINLINE inline void convolve(const call& c) noexcept {
    convolution v = convolution_of(c);
    auto* const columns =
        reinterpret_cast<std::uint32_t*>(c.scratch().data() + row_buffer_bytes(c));
    convolve_images(
        c, v, direct_rows(c, v),
        [&](std::int32_t y, std::int32_t y_end, std::int8_t* out)
            KOMPAKT_INLINE_LAMBDA { convolve_rows(v, c.packed(), columns, y, y_end, out); },
        copy_bytes);
}

// The hooks (kernel/port_hooks.hpp) of convolution.

inline plain_weights conv2d_weights(const call& c, const convolution& v) noexcept {
    return {c.input_data<std::int8_t>(packed_input), v.panels.runs * v.panels.run, 1};
}
inline bool without_groups(const call& c) noexcept {
    return c.input<std::int8_t, 4>(packed_input).dim(3) == c.input<std::int8_t, 4>(0).dim(3);
}

constexpr std::uint32_t kernel_pack_id(dsp, conv2d_i8) noexcept {
    return 0xc3080401;
}
constexpr std::uint32_t kernel_pack_absorbs(dsp, conv2d_i8) noexcept {
    return absorbs_stage;
}
inline std::size_t kernel_pack_bytes(dsp, conv2d_i8, const call& c) noexcept {
    if (!without_groups(c)) return 0;
    const convolution v = convolution_of(c);
    if (!is_packed(c) && !panels_are_exact(v.panels, conv2d_weights(c, v),
                                           output_stage_of(c, 2, v.stage), v.image.zero_point)) {
        return 0;
    }
    return v.panels.bytes();
}
inline void kernel_pack(dsp, conv2d_i8, const call& c, std::byte* to) noexcept {
    const convolution v = convolution_of(c);
    pack_panels(v.panels, conv2d_weights(c, v), output_stage_of(c, 2, v.stage), v.image.zero_point,
                to);
}
inline std::size_t kernel_scratch_bytes(dsp, conv2d_i8, const call& c) noexcept {
    const std::size_t rows = row_buffer_bytes(c);
    return without_groups(c) ? rows + convolution_of(c).column_bytes() : rows;
}
template <class Port, class Call>
void run_kernel(dsp, conv2d_i8, Port port, const Call& c) noexcept {
    if constexpr (!always_packed<Call>) {
        if (c.packed() == nullptr) return conv2d_i8::run_portable(port, c);
    }
    convolve(c);
}

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
