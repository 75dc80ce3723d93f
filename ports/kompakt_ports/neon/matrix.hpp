// int8 convolution and fully connected on NEON: the part that is the same for every engine.
//
// Both are a matrix product. An engine (matrix_neon.hpp, matrix_dotprod.hpp, matrix_i8mm.hpp)
// multiplies the taps of neighbouring output pixels, a "strip", by all weights:
//
//     struct engine {
//         static constexpr std::int32_t unit;      // taps are padded to a multiple of it
//         static std::int32_t tile_channels(std::int32_t left);   // of the next tile
//         static std::int32_t padded(std::int32_t left);          // channels of the last tiles
//         static std::size_t channel_bytes(std::int32_t taps);
//         static void pack_tile(const tile_source&, std::byte* to);
//         static std::size_t scratch_bytes(taps);
//         static void run(const strip&);
//     };
//
// The taps of a pixel are read where they lie, if each row of its window is a run of whole units;
// otherwise they are copied side by side first. Where there is padding, a band of input rows is
// copied with it, the padding as zero points, so that no window is cut.
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

// Pixels side by side, and all that an engine needs to compute their channels.
struct strip {
    const std::int8_t* taps; // of the first pixel …
    std::ptrdiff_t step;     // … and how far those of the next are
    std::int8_t* out;        // pixels follow each other
    std::int32_t count;      // at least 1
    std::int32_t runs;       // a window is this many runs …
    std::int32_t run;        // … of this many taps …
    std::ptrdiff_t skip;     // … with so much between the end of one and the start of the next
    const std::byte* tiles;
    std::int32_t channels;
    stage_limits limits;
    bool careful;
    std::int8_t* scratch; // the engine's own
};

// Where the outputs of a tile go whose last channels do not exist.
struct partial_tile {
    static constexpr std::int32_t row = 16;
    std::int8_t bytes[4 * row];

    void copy_to(std::int8_t* out, std::ptrdiff_t step, std::int32_t pixels,
                 std::int32_t channels) const noexcept {
        for (std::int32_t p = 0; p < pixels; ++p, out += step) {
            for (std::int32_t i = 0; i < channels; ++i) out[i] = bytes[p * row + i];
        }
    }
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
    // Short runs are better copied.
    s.direct =
        joined && kernel_w * in_c % Engine::unit == 0 && (kernel_h == 1 || kernel_w * in_c >= 16);
    s.runs = s.direct ? kernel_h : 1;
    s.run = s.direct ? kernel_w * in_c : (s.taps + Engine::unit - 1) / Engine::unit * Engine::unit;
    return s;
}

// Taps are limited so that offsets are exact in 32 bits and rows of the scratch are of modest size.
inline constexpr std::int32_t most_taps = 1 << 16;

// Of all tiles: the last one has the size that suits it.
template <class Engine>
std::size_t packed_bytes(const matrix_shape& s) noexcept {
    if (s.taps > most_taps) return 0;
    const std::int32_t left = s.channels % most_tile_channels;
    std::int32_t channels = s.channels - left;
    if (left > 0) channels += Engine::padded(left);
    const std::uint64_t n = sizeof(packed_header) + static_cast<std::uint64_t>(channels) *
                                                        Engine::channel_bytes(s.padded());
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
        to += static_cast<std::size_t>(w) * Engine::channel_bytes(s.padded());
        o += w;
    }
    header.plain = stages.plain() ? 1 : 0;
    std::memcpy(start, &header, sizeof header);
}

// The taps of `count` windows that lie `step` apart, side by side, `room` bytes for each. Writes,
// and reads of its input, whole vectors: both have room.
struct gathering {
    std::int32_t rows, runs, run;
    std::ptrdiff_t row_step, run_step, step, room;

    static gathering of(const convolution& c, std::ptrdiff_t row, std::ptrdiff_t room) noexcept {
        const bool joined = c.window.dilation_w == 1;
        return {c.kernel_h,
                joined ? 1 : c.kernel_w,
                joined ? c.kernel_w * c.in_c : c.in_c,
                row * c.window.dilation_h,
                static_cast<std::ptrdiff_t>(c.window.dilation_w) * c.in_c,
                static_cast<std::ptrdiff_t>(c.window.stride_w) * c.in_c,
                room};
    }
    // By value: stores of bytes would make the compiler read members again.
    void copy(const std::int8_t* from, std::int32_t count, std::int8_t* to) const noexcept {
        const gathering g = *this;
        if (g.runs == 1 && g.run <= 16) {
            for (; count > 0; --count, from += g.step, to += g.room) {
                const std::int8_t* x = from;
                std::int8_t* y = to;
                for (std::int32_t k = g.rows; k > 0; --k, x += g.row_step, y += g.run) {
                    vst1q_s8(y, vld1q_s8(x));
                }
            }
            return;
        }
        for (; count > 0; --count, from += g.step, to += g.room) {
            const std::int8_t* line = from;
            std::int8_t* y = to;
            for (std::int32_t k = g.rows; k > 0; --k, line += g.row_step) {
                const std::int8_t* x = line;
                for (std::int32_t r = g.runs; r > 0; --r, x += g.run_step, y += g.run) {
                    for (std::int32_t i = 0; i < g.run; i += 16) vst1q_s8(y + i, vld1q_s8(x + i));
                }
            }
        }
    }
};

// Rows of copied taps have room for whole vectors.
inline constexpr std::int32_t room(std::int32_t taps) noexcept {
    return (taps + 31) / 16 * 16;
}

// How windows over an image are read.
struct band_shape {
    bool flat;                // one tap at stride 1: pixels are rows of a matrix
    bool copied;              // through a band of padded rows
    std::int32_t left;        // columns of padding
    std::int32_t rows, group; // of the band; output rows that it serves
    std::ptrdiff_t row_bytes;

    // `reach`: rows and columns of a window, with those that dilation leaves out.
    static band_shape of(const matrix_shape& m, const window_params& w, std::int32_t kernel_h,
                         std::int32_t kernel_w, std::int32_t in_h, std::int32_t in_w,
                         std::int32_t in_c, std::int32_t out_h, std::int32_t out_w,
                         bool by_rows) noexcept {
        const std::int64_t reach_h = std::int64_t{kernel_h - 1} * w.dilation_h + 1;
        const std::int64_t reach_w = std::int64_t{kernel_w - 1} * w.dilation_w + 1;
        const std::int64_t height = std::int64_t{out_h - 1} * w.stride_h + reach_h;
        const std::int64_t width = std::int64_t{out_w - 1} * w.stride_w + reach_w;
        const bool inside = w.pad_top == 0 && w.pad_left == 0 && height <= in_h && width <= in_w;
        band_shape b{};
        b.copied = by_rows || !(m.direct && inside);
        b.flat = !b.copied && kernel_h == 1 && kernel_w == 1 && w.stride_h == 1 &&
                 w.stride_w == 1 && out_h == in_h && out_w == in_w;
        b.left = w.pad_left;
        if (!b.copied) {
            b.row_bytes = static_cast<std::ptrdiff_t>(in_w) * in_c;
            b.group = out_h;
            return b;
        }
        // Some rows are copied for each band: more output rows a band make that few of them.
        std::int64_t group = 4 + 24 / out_w;
        if (group > out_h) group = out_h;
        const std::int64_t rows = (group - 1) * w.stride_h + reach_h;
        const std::int64_t row_bytes = width * in_c;
        if (rows * row_bytes > most_band_bytes) return b; // 0 rows: too much
        b.group = static_cast<std::int32_t>(group), b.rows = static_cast<std::int32_t>(rows);
        b.row_bytes = static_cast<std::ptrdiff_t>(row_bytes);
        return b;
    }
    bool possible() const noexcept { return !copied || rows > 0; }
    std::size_t bytes() const noexcept {
        return copied ? static_cast<std::size_t>(rows) * static_cast<std::size_t>(row_bytes) + 32
                      : 0;
    }

    // What the planner may have to find room for.
    static constexpr std::int64_t most_band_bytes = 1 << 22;
};

// Windows that are copied at a time.
inline constexpr std::int32_t copied_pixels = 16;

template <class Engine>
std::size_t scratch_bytes(const matrix_shape& s, const band_shape& b) noexcept {
    const std::size_t copies =
        s.direct ? 0 : static_cast<std::size_t>(copied_pixels * room(s.padded()));
    return copies + Engine::scratch_bytes(s.padded()) + b.bytes();
}

template <class Engine>
void convolve(const convolution& c, const matrix_shape& m, const band_shape& b,
              const output_stage_params& p, const std::byte* packed, std::byte* scratch) noexcept {
    packed_header header;
    std::memcpy(&header, packed, sizeof header);
    strip s{};
    s.tiles = packed + sizeof header;
    s.channels = c.out_c;
    s.limits = stage_limits::of(p, header);
    s.careful = header.careful != 0;
    s.scratch = reinterpret_cast<std::int8_t*>(scratch);
    s.runs = m.runs, s.run = m.run;

    s.out = c.out;
    s.step = static_cast<std::ptrdiff_t>(c.window.stride_w) * c.in_c;
    if (b.flat) {
        s.taps = c.in, s.count = c.images * c.out_h * c.out_w;
        return Engine::run(s);
    }

    std::int8_t* const copies = s.scratch + Engine::scratch_bytes(m.padded());
    const std::int32_t copy = m.direct ? 0 : room(m.padded());
    std::int8_t* const band = copies + copied_pixels * copy;
    const std::ptrdiff_t in_row = static_cast<std::ptrdiff_t>(c.in_w) * c.in_c;
    const std::ptrdiff_t row = b.row_bytes;
    if (m.direct) s.skip = row * c.window.dilation_h - m.run;

    // Columns of a band: padding, what exists of the input, padding.
    const std::ptrdiff_t padding = static_cast<std::ptrdiff_t>(b.left) * c.in_c;
    const std::ptrdiff_t before = padding < row ? padding : row;
    const std::ptrdiff_t used = row - before < in_row ? row - before : in_row;
    if (b.copied) std::memset(band, c.input_zero_point, b.bytes());
    if (copy != 0) {
        std::memset(copies, 0, static_cast<std::size_t>(copied_pixels * copy));
    }

    const gathering windows = gathering::of(c, row, copy);
    // The next row's first pixel is where one more of this row's would be.
    const bool rows_join = copy == 0 && c.window.stride_h * row == c.out_w * s.step;
    const std::ptrdiff_t row_step = row * c.window.stride_h;
    for (std::int32_t n = 0; n < c.images; ++n) {
        const std::int8_t* image = c.in + n * c.in_h * in_row;
        for (std::int32_t y = 0; y < c.out_h; y += b.group) {
            const std::int32_t group = c.out_h - y < b.group ? c.out_h - y : b.group;
            const std::int8_t* line = image;
            if (b.copied) {
                const std::int32_t first = y * c.window.stride_h - c.window.pad_top;
                for (std::int32_t i = 0; i < b.rows; ++i) {
                    std::int8_t* to = band + i * row + before;
                    if (first + i >= 0 && first + i < c.in_h) {
                        std::memcpy(to, image + (first + i) * in_row,
                                    static_cast<std::size_t>(used));
                    } else {
                        std::memset(to, c.input_zero_point, static_cast<std::size_t>(used));
                    }
                }
                line = band;
            }
            if (rows_join) {
                s.taps = line, s.count = group * c.out_w;
                Engine::run(s);
                s.out += static_cast<std::ptrdiff_t>(s.count) * c.out_c;
                continue;
            }
            std::int32_t waiting = 0; // windows that are copied
            for (std::int32_t i = 0; i < group; ++i, line += row_step) {
                if (copy == 0) {
                    s.taps = line, s.count = c.out_w;
                    Engine::run(s);
                    s.out += static_cast<std::ptrdiff_t>(c.out_w) * c.out_c;
                    continue;
                }
                const bool last = i + 1 == group;
                for (std::int32_t x = 0; x < c.out_w;) {
                    const std::int32_t free = copied_pixels - waiting;
                    const std::int32_t n = c.out_w - x < free ? c.out_w - x : free;
                    windows.copy(line + x * windows.step, n, copies + waiting * copy);
                    waiting += n, x += n;
                    if (waiting < copied_pixels && !(last && x == c.out_w)) continue;
                    s.taps = copies, s.step = copy, s.count = waiting;
                    Engine::run(s);
                    s.out += static_cast<std::ptrdiff_t>(waiting) * c.out_c;
                    waiting = 0;
                }
            }
        }
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

inline band_shape band_of(conv2d_i8, const matrix_shape& s, const call& c) noexcept {
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    const auto out = c.output<std::int8_t, 4>(0);
    return band_shape::of(s, c.params<conv2d_i8_params>().window, filter.dim(1), filter.dim(2),
                          in.dim(1), in.dim(2), in.dim(3), out.dim(1), out.dim(2), c.by_rows());
}
inline band_shape band_of(fully_connected_i8 f, const matrix_shape& s, const call& c) noexcept {
    const auto rows = static_cast<std::int32_t>(rows_of(f, c));
    return band_shape::of(s, {}, 1, 1, 1, rows, s.taps, 1, rows, false);
}

// All that a run needs to know of a call; 0 bytes: not one for this engine.
struct matrix_plan {
    matrix_shape shape;
    band_shape band;
    std::size_t bytes; // of packed weights
};
template <class Engine, class Family>
matrix_plan plan_of(Family f, const call& c) noexcept {
    matrix_plan p{};
    p.shape = shape_of<Engine>(f, c);
    if (p.shape.channels == 0 || !constant_bias(c)) return p;
    p.band = band_of(f, p.shape, c);
    if (p.band.possible()) p.bytes = packed_bytes<Engine>(p.shape);
    return p;
}
template <class Engine, class Family>
std::size_t packed_bytes(Family f, const call& c) noexcept {
    return plan_of<Engine>(f, c).bytes;
}
inline std::int32_t taps_of_channel(conv2d_i8, const call& c) noexcept {
    const auto filter = c.input<std::int8_t, 4>(1);
    return filter.dim(1) * filter.dim(2) * filter.dim(3);
}
inline std::int32_t taps_of_channel(fully_connected_i8, const call& c) noexcept {
    return c.input<std::int8_t, 2>(1).dim(1);
}

template <class Engine, class Family>
void pack(Family f, const call& c, std::byte* to) noexcept {
    const auto p = c.params<typename Family::params>();
    pack<Engine>(shape_of<Engine>(f, c), c.input_data<std::int8_t>(packed_input),
                 output_stage_of(c, 2, p.output), p.input_zero_point, to);
}
template <class Engine, class Family>
std::size_t own_scratch(Family f, const call& c) noexcept {
    const matrix_plan p = plan_of<Engine>(f, c);
    return p.bytes == 0 ? 0 : scratch_bytes<Engine>(p.shape, p.band);
}

// By rows, too, outputs are written straight to their place: bands are copied before, and input
// rows that a later band copies again are needed by its windows, hence not yet overwritten.
template <class Engine, class Call>
void run_packed(conv2d_i8, const Call& c, const matrix_plan& plan) noexcept {
    const auto p = c.template params<conv2d_i8_params>();
    const auto in = c.template input<std::int8_t, 4>(arg<0>);
    const auto filter = c.template input<std::int8_t, 4>(arg<1>);
    const auto out = c.template output<std::int8_t, 4>(arg<0>);
    convolution v{};
    v.in = in.data(), v.out = out.data();
    v.images = in.dim(0);
    v.in_h = in.dim(1), v.in_w = in.dim(2), v.in_c = in.dim(3);
    v.kernel_h = filter.dim(1), v.kernel_w = filter.dim(2);
    v.out_h = out.dim(1), v.out_w = out.dim(2), v.out_c = out.dim(3);
    v.window = p.window;
    v.input_zero_point = p.input_zero_point;
    convolve<Engine>(v, plan.shape, plan.band, p.output, c.packed(), c.scratch().data());
}
template <class Engine, class Call>
void run_packed(fully_connected_i8 f, const Call& c, const matrix_plan& plan) noexcept {
    const auto p = c.template params<fully_connected_i8_params>();
    const matrix_shape& s = plan.shape;
    convolution v{};
    v.in = c.template input_data<std::int8_t>(0), v.out = c.template output_data<std::int8_t>(0);
    v.in_h = v.out_h = v.kernel_h = v.kernel_w = v.images = 1;
    v.in_w = v.out_w = static_cast<std::int32_t>(rows_of(f, c));
    v.in_c = s.taps, v.out_c = s.channels;
    v.input_zero_point = p.input_zero_point;
    convolve<Engine>(v, s, plan.band, p.output, c.packed(), c.scratch().data());
}

} // namespace code
} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
