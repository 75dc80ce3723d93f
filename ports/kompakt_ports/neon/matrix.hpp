// int8 convolution and fully connected on NEON: the part that is the same for every engine.
//
// Both are a matrix product. An engine (matrix_neon.hpp, matrix_dotprod.hpp, matrix_i8mm.hpp)
// multiplies the taps of a few output pixels, a "strip", by all weights:
//
//     struct engine {
//         static constexpr std::int32_t unit;      // taps are padded to a multiple of it
//         static constexpr std::int32_t pixels;    // of a strip
//         static std::int32_t tile_channels(std::int32_t left);   // of the next tile
//         static std::size_t tile_bytes(std::int32_t channels, std::int32_t taps);
//         static void pack_tile(const tile_source&, std::byte* to);
//         static std::size_t scratch_bytes(taps);
//         static void run(const strip&);
//     };
//
// The taps of a pixel are read where they lie, if each row of its window is a run of whole units
// inside the image; the others are copied side by side first, those in the padding as zero points.
// Packed weights are a header, then for each tile of channels its stage and its weights; taps that
// do not exist have weight zero.
#pragma once

#include <kompakt/kernel/conv2d.hpp>
#include <kompakt/kernel/fully_connected.hpp>
#include <kompakt_ports/neon/requantize.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

inline constexpr std::int32_t most_pixels = 4;

struct strip {
    const std::int8_t* taps[most_pixels]; // pixels that do not exist repeat another
    std::int8_t* out[most_pixels];
    std::int32_t count;  // of pixels that exist
    std::int32_t runs;   // a window is this many runs …
    std::int32_t run;    // … of this many taps …
    std::ptrdiff_t skip; // … with so much between the end of one and the start of the next
    const std::byte* tiles;
    std::int32_t channels;
    stage_limits limits;
    bool careful;
    std::int8_t* scratch; // the engine's own
};

// Weights of one tile in the canonical order.
struct tile_source {
    const std::int8_t* weights;       // of its first channel
    std::int32_t channels;            // that exist
    std::int32_t taps;                // of a channel that exist
    std::int32_t runs, run;           // padded
    const stage_packer::entry* stage; // of tile_channels()

    std::int8_t at(std::int32_t channel, std::int32_t tap) const noexcept {
        if (channel >= channels || tap >= taps) return 0;
        return weights[static_cast<std::ptrdiff_t>(channel) * taps + tap];
    }
};

inline constexpr std::int32_t most_tile_channels = 16;

// A convolution without the types of its views.
struct convolution {
    const std::int8_t* in;
    std::int32_t in_h, in_w, in_c;
    std::int32_t kernel_h, kernel_w;
    std::int32_t images, out_h, out_w, out_c;
    window_params window;
    std::int32_t input_zero_point;
    std::int8_t* out;
};

// What the layout of the weights depends on.
struct matrix_shape {
    std::int32_t channels, taps;
    std::int32_t runs, run; // padded to units; one run for taps that are copied
    bool direct;            // taps are read where they lie

    std::int32_t padded() const noexcept { return runs * run; }
};

template <class Engine>
matrix_shape shape_of(std::int32_t channels, std::int32_t kernel_h, std::int32_t kernel_w,
                      std::int32_t in_c, std::int32_t dilation_w) noexcept {
    matrix_shape s{};
    s.channels = channels;
    s.taps = kernel_h * kernel_w * in_c;
    const bool joined = dilation_w == 1 || kernel_w == 1;
    s.direct = joined && kernel_w * in_c % Engine::unit == 0;
    s.runs = s.direct ? kernel_h : 1;
    s.run = s.direct ? kernel_w * in_c : (s.taps + Engine::unit - 1) / Engine::unit * Engine::unit;
    return s;
}

// Taps are limited so that offsets are exact in 32 bits and rows of the scratch are of modest size.
inline constexpr std::int32_t most_taps = 1 << 16;

template <class Engine>
std::size_t packed_bytes(const matrix_shape& s) noexcept {
    if (s.taps > most_taps) return 0;
    std::uint64_t n = sizeof(packed_header);
    for (std::int32_t o = 0; o < s.channels;) {
        const std::int32_t w = Engine::tile_channels(s.channels - o);
        n += Engine::tile_bytes(w, s.padded());
        o += w;
    }
    return n <= INT32_MAX ? static_cast<std::size_t>(n) : 0;
}

template <class Engine>
void pack(const matrix_shape& s, const std::int8_t* weights, const output_stage& stage,
          std::int32_t input_zero_point, std::byte* to) noexcept {
    packed_header header{};
    stage_packer stages(stage, input_zero_point);
    std::byte* const start = to;
    to += sizeof header;
    for (std::int32_t o = 0; o < s.channels;) {
        const std::int32_t w = Engine::tile_channels(s.channels - o);
        const std::int32_t exist = s.channels - o < w ? s.channels - o : w;
        stage_packer::entry entries[most_tile_channels];
        for (std::int32_t i = 0; i < exist; ++i) {
            const std::int8_t* row = weights + static_cast<std::ptrdiff_t>(o + i) * s.taps;
            std::int32_t sum = 0;
            std::int64_t magnitude = 0;
            for (std::int32_t k = 0; k < s.taps; ++k) {
                sum += row[k];
                magnitude += row[k] < 0 ? -row[k] : row[k];
                if (row[k] == -128) header.careful = 1;
            }
            entries[i] = stages.take(o + i, sum, magnitude);
        }
        Engine::pack_tile({weights + static_cast<std::ptrdiff_t>(o) * s.taps, exist, s.taps, s.runs,
                           s.run, entries},
                          to);
        to += Engine::tile_bytes(w, s.padded());
        o += w;
    }
    header.plain = stages.plain() ? 1 : 0;
    std::memcpy(start, &header, sizeof header);
}

// Copies `rows` runs of n bytes that lie `stride` apart, side by side.
template <std::int32_t Bytes>
KOMPAKT_ALWAYS_INLINE void copy_runs_overlapping(const std::int8_t* from, std::ptrdiff_t stride,
                                                 std::int32_t rows, std::int32_t n,
                                                 std::int8_t* to) noexcept {
    for (; rows > 0; --rows, from += stride, to += n) {
        // The last step overlaps the one before it.
        std::int32_t i = 0;
        for (; i + Bytes < n; i += Bytes) std::memcpy(to + i, from + i, Bytes);
        std::memcpy(to + n - Bytes, from + n - Bytes, Bytes);
    }
}
inline void copy_runs(const std::int8_t* from, std::ptrdiff_t stride, std::int32_t rows,
                      std::int32_t n, std::int8_t* to) noexcept {
    if (n >= 16) {
        copy_runs_overlapping<16>(from, stride, rows, n, to);
    } else if (n > 8) {
        for (; rows > 0; --rows, from += stride, to += n) {
            std::memcpy(to, from, 8);
            std::memcpy(to + n - 8, from + n - 8, 8);
        }
    } else if (n == 4) {
        for (; rows > 0; --rows, from += stride, to += 4) std::memcpy(to, from, 4);
    } else if (n > 4) {
        for (; rows > 0; --rows, from += stride, to += n) {
            std::memcpy(to, from, 4);
            std::memcpy(to + n - 4, from + n - 4, 4);
        }
    } else {
        for (; rows > 0; --rows, from += stride, to += n) {
            for (std::int32_t i = 0; i < n; ++i) to[i] = from[i];
        }
    }
}

// The taps of the window at (y0, x0), side by side.
inline void gather_border(const convolution& c, const std::int8_t* image, std::int32_t y0,
                          std::int32_t x0, std::int8_t* to) noexcept {
    std::memset(to, c.input_zero_point, static_cast<std::size_t>(c.kernel_h * c.kernel_w * c.in_c));
    const inside_taps t = taps_of(c.window, c.kernel_h, c.kernel_w, c.in_h, c.in_w, y0, x0);
    for (std::int32_t row = 0; row < t.rows; ++row) {
        const std::int8_t* from =
            image + static_cast<std::ptrdiff_t>(t.input_at + row * t.input_row) * c.in_c;
        std::int8_t* at = to + (t.filter_at + row * c.kernel_w) * c.in_c;
        if (t.input_column == 1) {
            copy_runs(from, 0, 1, t.columns * c.in_c, at);
        } else {
            copy_runs(from, static_cast<std::ptrdiff_t>(t.input_column) * c.in_c, t.columns, c.in_c,
                      at);
        }
    }
}
inline void gather_inside(const convolution& c, const std::int8_t* from, std::int8_t* to) noexcept {
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(c.in_w) * c.in_c * c.window.dilation_h;
    if (c.window.dilation_w == 1) {
        copy_runs(from, row, c.kernel_h, c.kernel_w * c.in_c, to);
        return;
    }
    for (std::int32_t y = 0; y < c.kernel_h; ++y, from += row) {
        copy_runs(from, static_cast<std::ptrdiff_t>(c.window.dilation_w) * c.in_c, c.kernel_w,
                  c.in_c, to);
        to += c.kernel_w * c.in_c;
    }
}

// Rows of copied taps have room for whole vectors.
inline constexpr std::int32_t row_bytes(std::int32_t taps) noexcept {
    return (taps + 15) / 16 * 16;
}
template <class Engine>
std::size_t scratch_bytes(const matrix_shape& s) noexcept {
    if (s.taps > most_taps) return 0;
    return static_cast<std::size_t>(Engine::pixels * row_bytes(s.padded())) +
           Engine::scratch_bytes(s.padded());
}

template <class Engine>
void convolve(const convolution& c, const matrix_shape& m, const output_stage_params& p,
              const std::byte* packed, std::byte* scratch) noexcept {
    constexpr std::int32_t pixels = Engine::pixels;
    packed_header header;
    std::memcpy(&header, packed, sizeof header);
    const std::int32_t row = row_bytes(m.padded());
    auto* const copies = reinterpret_cast<std::int8_t*>(scratch);
    strip s{};
    s.tiles = packed + sizeof header;
    s.channels = c.out_c;
    s.limits = stage_limits::of(p, header);
    s.careful = header.careful != 0;
    s.scratch = copies + pixels * row;

    const std::int32_t total = c.images * c.out_h * c.out_w;
    std::int8_t* out = c.out;
    // Every pixel's taps are its channels: no window.
    const bool flat = m.direct && c.kernel_h == 1 && c.kernel_w == 1 && c.window.stride_h == 1 &&
                      c.window.stride_w == 1 && c.window.pad_top == 0 && c.window.pad_left == 0 &&
                      c.out_h == c.in_h && c.out_w == c.in_w;
    if (flat) {
        s.runs = 1, s.run = m.run, s.skip = 0;
        const std::int8_t* in = c.in;
        for (std::int32_t left = total; left > 0; left -= pixels) {
            s.count = left < pixels ? left : pixels;
            for (std::int32_t i = 0; i < pixels; ++i) {
                const std::int32_t at = i < s.count ? i : 0;
                s.taps[i] = in + static_cast<std::ptrdiff_t>(at) * c.in_c;
                s.out[i] = out + static_cast<std::ptrdiff_t>(at) * c.out_c;
            }
            Engine::run(s);
            in += static_cast<std::ptrdiff_t>(pixels) * c.in_c;
            out += static_cast<std::ptrdiff_t>(pixels) * c.out_c;
        }
        return;
    }

    // Padding taps beside the copies meet zeros, but should be the same each time.
    for (std::int32_t i = 0; i < pixels; ++i) {
        for (std::int32_t k = m.taps; k < row; ++k) copies[i * row + k] = 0;
    }
    const std::ptrdiff_t in_row = static_cast<std::ptrdiff_t>(c.in_w) * c.in_c;
    const std::int32_t last_y = c.in_h - (c.kernel_h - 1) * c.window.dilation_h - 1;
    const std::int32_t last_x = c.in_w - (c.kernel_w - 1) * c.window.dilation_w - 1;
    const std::int8_t* image = c.in;
    std::int32_t y0 = -c.window.pad_top, x0 = -c.window.pad_left, next_y = 0, next_x = 0;
    for (std::int32_t left = total; left > 0; left -= pixels) {
        s.count = left < pixels ? left : pixels;
        struct place_of {
            const std::int8_t* image;
            std::int32_t y0, x0;
        } places[pixels];
        bool all_inside = true;
        for (std::int32_t i = 0; i < pixels; ++i) {
            if (i >= s.count) {
                s.taps[i] = s.taps[0], s.out[i] = s.out[0];
                continue;
            }
            const bool inside = y0 >= 0 && y0 <= last_y && x0 >= 0 && x0 <= last_x;
            const std::int8_t* from =
                inside ? image + y0 * in_row + static_cast<std::ptrdiff_t>(x0) * c.in_c : nullptr;
            s.out[i] = out;
            out += c.out_c;
            if (m.direct) {
                all_inside = all_inside && inside;
                places[i] = {image, y0, x0};
                s.taps[i] = from;
            } else {
                std::int8_t* to = copies + i * row;
                if (inside) {
                    gather_inside(c, from, to);
                } else {
                    gather_border(c, image, y0, x0, to);
                }
                s.taps[i] = to;
            }
            x0 += c.window.stride_w;
            if (++next_x == c.out_w) {
                next_x = 0, x0 = -c.window.pad_left, y0 += c.window.stride_h;
                if (++next_y == c.out_h)
                    next_y = 0, y0 = -c.window.pad_top, image += c.in_h * in_row;
            }
        }
        s.runs = m.runs, s.run = m.run, s.skip = 0;
        if (m.direct && all_inside) {
            s.skip = in_row * c.window.dilation_h - m.run;
        } else if (m.direct) {
            for (std::int32_t i = 0; i < pixels; ++i) {
                if (i >= s.count) {
                    s.taps[i] = s.taps[0];
                    continue;
                }
                std::int8_t* to = copies + i * row;
                gather_border(c, places[i].image, places[i].y0, places[i].x0, to);
                s.taps[i] = to;
            }
        }
        Engine::run(s);
    }
}

// What a call packs, by any engine. Sums and stages are packed too, hence they have to be
// constants.
inline bool constant_bias(const call& c) noexcept {
    return !c.has_input(2) || c.input_record(2).where == place::constant;
}
template <class Engine>
matrix_shape shape_of(conv2d_i8, const call& c) noexcept {
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    if (in.dim(3) != filter.dim(3)) return {}; // groups
    return shape_of<Engine>(filter.dim(0), filter.dim(1), filter.dim(2), filter.dim(3),
                            c.params<conv2d_i8_params>().window.dilation_w);
}
template <class Engine>
matrix_shape shape_of(fully_connected_i8, const call& c) noexcept {
    const auto weights = c.input<std::int8_t, 2>(1);
    return shape_of<Engine>(weights.dim(0), 1, 1, weights.dim(1), 1);
}
// Pixels that share the weights.
inline std::uint64_t rows_of(conv2d_i8, const call& c) noexcept {
    const auto out = c.output<std::int8_t, 4>(0);
    return static_cast<std::uint64_t>(out.dim(0)) * static_cast<std::uint64_t>(out.dim(1)) *
           static_cast<std::uint64_t>(out.dim(2));
}
inline std::uint64_t rows_of(fully_connected_i8, const call& c) noexcept {
    return c.elements(c.output_record(0)) /
           static_cast<std::uint64_t>(c.input<std::int8_t, 2>(1).dim(0));
}

template <class Engine, class Family>
std::size_t packed_bytes(Family f, const call& c) noexcept {
    const matrix_shape s = shape_of<Engine>(f, c);
    return s.channels == 0 || !constant_bias(c) ? 0 : packed_bytes<Engine>(s);
}
template <class Engine, class Family>
void pack(Family f, const call& c, std::byte* to) noexcept {
    const auto p = c.params<typename Family::params>();
    pack<Engine>(shape_of<Engine>(f, c), c.input_data<std::int8_t>(packed_input),
                 output_stage_of(c, 2, p.output), p.input_zero_point, to);
}
template <class Engine, class Family>
std::size_t own_scratch(Family f, const call& c) noexcept {
    return packed_bytes<Engine>(f, c) == 0 ? 0 : scratch_bytes<Engine>(shape_of<Engine>(f, c));
}

template <class Engine, class Call>
void run_packed(conv2d_i8 f, const Call& c) noexcept {
    auto p = c.template params<conv2d_i8_params>();
    const auto filter = c.template input<std::int8_t, 4>(arg<1>);
    const matrix_shape s = shape_of<Engine>(f, c);
    std::byte* scratch = c.scratch().data() + row_buffer_bytes(c);
    run_windowed<std::int8_t>(c, p.window, filter.dim(1),
                              [&](const auto& in, const auto& out, std::int32_t pad_top) {
                                  convolution v{};
                                  v.in = in.data(), v.out = out.data();
                                  v.images = in.template dim<0>();
                                  v.in_h = in.template dim<1>(), v.in_w = in.template dim<2>();
                                  v.in_c = in.template dim<3>();
                                  v.kernel_h = filter.dim(1), v.kernel_w = filter.dim(2);
                                  v.out_h = out.template dim<1>(), v.out_w = out.template dim<2>();
                                  v.out_c = out.template dim<3>();
                                  v.window = p.window, v.window.pad_top = pad_top;
                                  v.input_zero_point = p.input_zero_point;
                                  convolve<Engine>(v, s, p.output, c.packed(), scratch);
                              });
}
template <class Engine, class Call>
void run_packed(fully_connected_i8 f, const Call& c) noexcept {
    const auto p = c.template params<fully_connected_i8_params>();
    const matrix_shape s = shape_of<Engine>(f, c);
    convolution v{};
    v.in = c.template input_data<std::int8_t>(0), v.out = c.template output_data<std::int8_t>(0);
    v.in_h = v.out_h = v.kernel_h = v.kernel_w = v.images = 1;
    v.in_w = v.out_w = static_cast<std::int32_t>(rows_of(f, c));
    v.in_c = s.taps, v.out_c = s.channels;
    v.input_zero_point = p.input_zero_point;
    convolve<Engine>(v, s, p.output, c.packed(), c.scratch().data());
}

} // namespace code
} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
