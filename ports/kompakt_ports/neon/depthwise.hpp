// int8 depthwise convolution with one filter a channel, on NEON: sixteen channels side by side.
//
// Input rows are copied to a ring of rows in the scratch, with the padding as zero points. No
// window then needs a second thought: nothing is outside, and what vectors read beyond a row's last
// channel is scratch, too. The copy costs one load and one store where a 3x3 window costs nine.
// Since rows are copied before an output that may lie over them is written, running by rows needs
// nothing else.
//
// Packed weights are a header, then for each block of sixteen channels its stage and [tap][16]. The
// last block ends at the last channel and repeats some of the block before it; fewer channels than
// sixteen leave lanes idle, but eight channels at stride 1 use them for the next pixel.
#pragma once

#include <kompakt/kernel/depthwise_conv2d.hpp>
#include <kompakt_ports/neon/requantize.hpp>

#if defined(KOMPAKT_DETAIL_NEON)

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {
namespace code {

inline constexpr std::int32_t lanes = 16;
inline constexpr std::int32_t most_ring_rows = 64;

struct depthwise_shape {
    std::int32_t channels, kernel_h, kernel_w;
    std::int32_t width; // columns of a row in the ring
    std::int32_t reach; // rows of the window, with those that dilation leaves out
    std::int32_t group; // output rows that are computed together
    std::int32_t rows;  // of the ring
    bool pairs;         // eight channels: two pixels at once

    std::int32_t taps() const noexcept { return kernel_h * kernel_w; }
    std::int32_t blocks() const noexcept { return (channels + lanes - 1) / lanes; }
    // Vectors may start at the last channel.
    std::size_t row_bytes() const noexcept {
        return (static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) + 31) / 16 *
               16;
    }
    std::size_t block_bytes() const noexcept {
        return static_cast<std::size_t>(lanes * (12 + taps()));
    }
    std::size_t packed_bytes() const noexcept {
        return channels == 0
                   ? 0
                   : sizeof(packed_header) + static_cast<std::size_t>(blocks()) * block_bytes();
    }
    std::size_t scratch_bytes() const noexcept {
        return channels == 0 ? 0 : static_cast<std::size_t>(rows) * row_bytes();
    }
    std::int32_t first_channel(std::int32_t block) const noexcept {
        const std::int32_t c = block * lanes;
        return channels > lanes && c > channels - lanes ? channels - lanes : c;
    }
};

// 0 channels: not a call for this kernel.
inline depthwise_shape depthwise_shape_of(const call& c) noexcept {
    const auto in = c.input<std::int8_t, 4>(0), filter = c.input<std::int8_t, 4>(1);
    const auto out = c.output<std::int8_t, 4>(0);
    const auto p = c.params<depthwise_conv2d_i8_params>();
    depthwise_shape s{};
    if (in.dim(3) != out.dim(3) || (c.has_input(2) && c.input_record(2).where != place::constant)) {
        return s;
    }
    const std::int64_t width = std::int64_t{out.dim(2) - 1} * p.window.stride_w +
                               std::int64_t{filter.dim(2) - 1} * p.window.dilation_w + 1;
    const std::int64_t reach = std::int64_t{filter.dim(1) - 1} * p.window.dilation_h + 1;
    // Too few pixels in a row would not pay for loading the weights.
    std::int64_t group = 24 / out.dim(2);
    if (group > out.dim(1)) group = out.dim(1);
    if (group < 1) group = 1;
    while (group > 1 && (group - 1) * p.window.stride_h + reach > most_ring_rows) --group;
    const std::int64_t rows = (group - 1) * p.window.stride_h + reach;
    // The planner would pay for larger rings with memory.
    if (rows > most_ring_rows || filter.dim(1) * filter.dim(2) > 4096 ||
        rows * (width + 4) * in.dim(3) > (1 << 22)) {
        return s;
    }
    s.channels = in.dim(3), s.kernel_h = filter.dim(1), s.kernel_w = filter.dim(2);
    s.width = static_cast<std::int32_t>(width), s.reach = static_cast<std::int32_t>(reach);
    s.group = static_cast<std::int32_t>(group), s.rows = static_cast<std::int32_t>(rows);
    s.pairs = s.channels == 8 && p.window.stride_w == 1 && out.dim(2) >= 2;
    return s;
}

// One block of channels over a group of output rows.
struct depthwise_job {
    const std::int8_t* const* rows; // of the first output row's window and all below, at the block
    std::int32_t outputs;           // rows
    std::int32_t row_step, tap_row_step; // in `rows`: to the next output row, to the next tap
    std::ptrdiff_t tap_step, pixel_step; // bytes
    std::int32_t pixels;
    bool again; // one more, that ends with the row: the last one of an odd pair
    std::int8_t* out;
    std::ptrdiff_t out_row, out_pixel;
    std::int32_t store; // channels, at most 16
    std::int32_t kernel_h, kernel_w;
    const std::byte* block;
    stage_limits limits;
};

struct sixteen_sums {
    int32x4_t v[4];

    KOMPAKT_ALWAYS_INLINE void add_low(int16x8_t x) noexcept {
        v[0] = vaddw_s16(v[0], vget_low_s16(x));
#if defined(KOMPAKT_DETAIL_NEON64)
        v[1] = vaddw_high_s16(v[1], x);
#else
        v[1] = vaddw_s16(v[1], vget_high_s16(x));
#endif
    }
    KOMPAKT_ALWAYS_INLINE void add_high(int16x8_t x) noexcept {
        v[2] = vaddw_s16(v[2], vget_low_s16(x));
#if defined(KOMPAKT_DETAIL_NEON64)
        v[3] = vaddw_high_s16(v[3], x);
#else
        v[3] = vaddw_s16(v[3], vget_high_s16(x));
#endif
    }
    // One tap.
    KOMPAKT_ALWAYS_INLINE void add(int8x16_t x, int8x16_t w) noexcept {
        add_low(low_product(x, w));
        add_high(high_product(x, w));
    }
    // Two taps whose products fit 16 bits together: no weight is -128.
    KOMPAKT_ALWAYS_INLINE void add(int8x16_t x, int8x16_t w, int8x16_t x2, int8x16_t w2) noexcept {
        add_low(low_product_added(low_product(x, w), x2, w2));
        add_high(high_product_added(high_product(x, w), x2, w2));
    }
};

template <bool Whole>
KOMPAKT_ALWAYS_INLINE void store_sixteen(int8x16_t x, std::int8_t* to, std::int32_t n) noexcept {
    if constexpr (Whole) {
        vst1q_s8(to, x);
    } else if (n == 16) {
        vst1q_s8(to, x);
    } else if (n == 8) {
        store_low_8(to, x);
    } else {
        store_part(to, x, n);
    }
}

// Any window.
template <stage_form Form, bool Careful>
void depthwise_any(const depthwise_job& j) noexcept {
    const auto* words = reinterpret_cast<const std::int32_t*>(j.block);
    const auto* weights = reinterpret_cast<const std::int8_t*>(j.block) + 12 * lanes;
    sixteen_sums bias;
    stage_words stage;
    each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
        bias.v[i] = vld1q_s32(words + 4 * i);
        stage.q31[i] = vld1q_s32(words + 4 * (4 + i));
        stage.shift[i] = vld1q_s32(words + 4 * (8 + i));
    });
    const limit_vectors<Form> limits(j.limits);
    for (std::int32_t y = 0; y < j.outputs; ++y) {
        const std::int8_t* const* rows = j.rows + y * j.row_step;
        for (std::int32_t pixel = 0; pixel < j.pixels + (j.again ? 1 : 0); ++pixel) {
            // The last one of an odd number of pixels in pairs starts one pixel earlier.
            const std::ptrdiff_t back = pixel == j.pixels ? 1 : 0;
            const std::ptrdiff_t at = pixel * j.pixel_step - back * (j.pixel_step / 2);
            sixteen_sums sums = bias;
            const std::int8_t* w = weights;
            for (std::int32_t ky = 0; ky < j.kernel_h; ++ky) {
                const std::int8_t* x = rows[ky * j.tap_row_step] + at;
                std::int32_t kx = j.kernel_w;
                if (!Careful) {
                    for (; kx >= 2; kx -= 2, x += 2 * j.tap_step, w += 32) {
                        sums.add(vld1q_s8(x), vld1q_s8(w), vld1q_s8(x + j.tap_step),
                                 vld1q_s8(w + 16));
                    }
                }
                for (; kx > 0; --kx, x += j.tap_step, w += 16) sums.add(vld1q_s8(x), vld1q_s8(w));
            }
            store_sixteen<false>(
                outputs<Form>(sums.v[0], sums.v[1], sums.v[2], sums.v[3], stage, limits),
                j.out + y * j.out_row + pixel * j.out_pixel - back * (j.out_pixel / 2), j.store);
        }
    }
}

// 3x3, weights in registers.
template <stage_form Form, bool Whole>
void depthwise_3x3(const depthwise_job& j) noexcept {
    const auto* words = reinterpret_cast<const std::int32_t*>(j.block);
    const auto* weights = reinterpret_cast<const std::int8_t*>(j.block) + 12 * lanes;
    int8x16_t w[9];
    each<9>([&](auto i) KOMPAKT_INLINE_LAMBDA { w[i] = vld1q_s8(weights + 16 * i); });
    sixteen_sums bias;
    stage_words stage;
    each<4>([&](auto i) KOMPAKT_INLINE_LAMBDA {
        bias.v[i] = vld1q_s32(words + 4 * i);
        stage.q31[i] = vld1q_s32(words + 4 * (4 + i));
        stage.shift[i] = vld1q_s32(words + 4 * (8 + i));
    });
    const limit_vectors<Form> limits(j.limits);
    const std::int32_t store = j.store;
    const std::ptrdiff_t t1 = j.tap_step, t2 = 2 * t1, step = j.pixel_step, out_step = j.out_pixel;
    const std::int32_t last = j.again ? 1 : 0, pixels = j.pixels + last;
    for (std::int32_t y = 0; y < j.outputs; ++y) {
        const std::int8_t* const* rows = j.rows + y * j.row_step;
        const std::int8_t *r0 = rows[0], *r1 = rows[j.tap_row_step], *r2 = rows[2 * j.tap_row_step];
        std::int8_t* out = j.out + y * j.out_row;
        for (std::int32_t left = pixels; left > 0; --left) {
            if (left == last) { // see depthwise_any
                r0 -= step / 2, r1 -= step / 2, r2 -= step / 2, out -= out_step / 2;
            }
            sixteen_sums sums = bias;
            sums.add(vld1q_s8(r0), w[0], vld1q_s8(r0 + t1), w[1]);
            sums.add(vld1q_s8(r0 + t2), w[2], vld1q_s8(r1), w[3]);
            sums.add(vld1q_s8(r1 + t1), w[4], vld1q_s8(r1 + t2), w[5]);
            sums.add(vld1q_s8(r2), w[6], vld1q_s8(r2 + t1), w[7]);
            sums.add(vld1q_s8(r2 + t2), w[8]);
            store_sixteen<Whole>(
                outputs<Form>(sums.v[0], sums.v[1], sums.v[2], sums.v[3], stage, limits), out,
                store);
            r0 += step, r1 += step, r2 += step, out += out_step;
        }
    }
}

struct neon_depthwise {
    static void run(const depthwise_job& j, bool careful) noexcept {
        switch (j.limits.form) {
        case stage_form::whole:
            return of<stage_form::whole>(j, careful);
        case stage_form::plain:
            return of<stage_form::plain>(j, careful);
        case stage_form::positive:
            return of<stage_form::positive>(j, careful);
        }
    }

  private:
    template <stage_form Form>
    static void of(const depthwise_job& j, bool careful) noexcept {
        if (careful) {
            depthwise_any<Form, true>(j);
        } else if (j.kernel_h == 3 && j.kernel_w == 3) {
            j.store == lanes ? depthwise_3x3<Form, true>(j) : depthwise_3x3<Form, false>(j);
        } else {
            depthwise_any<Form, false>(j);
        }
    }
};

inline void pack_depthwise(const call& c, std::byte* to) noexcept {
    const depthwise_shape s = depthwise_shape_of(c);
    const auto p = c.params<depthwise_conv2d_i8_params>();
    const output_stage stage = output_stage_of(c, 2, p.output);
    const std::int8_t* filter = c.input_data<std::int8_t>(packed_input);
    packed_header header{};
    stage_packer stages(stage, p.input_zero_point);
    std::byte* at = to + sizeof header;
    for (std::int32_t b = 0; b < s.blocks(); ++b, at += s.block_bytes()) {
        auto* weights = reinterpret_cast<std::int8_t*>(at) + 12 * lanes;
        for (std::int32_t i = 0; i < lanes; ++i) {
            const std::int32_t o = s.first_channel(b) + (s.pairs ? i % 8 : i);
            stage_packer::entry e;
            std::int32_t sum = 0;
            std::int64_t magnitude = 0;
            for (std::int32_t k = 0; k < s.taps(); ++k) {
                const std::int8_t w = o < s.channels ? filter[k * s.channels + o] : std::int8_t{0};
                sum += w;
                magnitude += w < 0 ? -w : w;
                if (w == -128) header.careful = 1;
                weights[lanes * k + i] = w;
            }
            if (o < s.channels) e = stages.take(o, sum, magnitude);
            std::memcpy(at + 4 * i, &e.bias, 4);
            std::memcpy(at + 4 * (lanes + i), &e.q31, 4);
            std::memcpy(at + 4 * (2 * lanes + i), &e.shift, 4);
        }
    }
    header.plain = stages.plain() ? 1 : 0;
    std::memcpy(to, &header, sizeof header);
}

template <class Engine, class Call>
void run_depthwise(const Call& c) noexcept {
    const depthwise_shape s = depthwise_shape_of(c);
    const auto p = c.template params<depthwise_conv2d_i8_params>();
    const auto in = c.template input<std::int8_t, 4>(arg<0>);
    const auto out = c.template output<std::int8_t, 4>(arg<0>);
    const std::int32_t in_h = in.dim(1), in_w = in.dim(2), channels = s.channels;
    const std::int32_t out_h = out.dim(1), out_w = out.dim(2);
    packed_header header;
    std::memcpy(&header, c.packed(), sizeof header);
    auto* const ring = reinterpret_cast<std::int8_t*>(c.scratch().data());
    const std::size_t row_bytes = s.row_bytes();

    depthwise_job j{};
    const std::int8_t* rows[most_ring_rows];
    j.rows = rows;
    j.row_step = p.window.stride_h, j.tap_row_step = p.window.dilation_h;
    j.tap_step = static_cast<std::ptrdiff_t>(channels) * p.window.dilation_w;
    j.pixel_step = static_cast<std::ptrdiff_t>(channels) * p.window.stride_w * (s.pairs ? 2 : 1);
    j.pixels = s.pairs ? out_w / 2 : out_w;
    j.again = s.pairs && out_w % 2 != 0;
    j.out_pixel = s.pairs ? 16 : channels;
    j.out_row = static_cast<std::ptrdiff_t>(out_w) * channels;
    j.store = s.pairs || channels > lanes ? lanes : channels;
    j.kernel_h = s.kernel_h, j.kernel_w = s.kernel_w;
    j.limits = stage_limits::of(p.output, header);

    // Columns of a row: padding, what exists of the input, padding.
    const std::int32_t left = p.window.pad_left < s.width ? p.window.pad_left : s.width;
    const std::int32_t inside = s.width - left < in_w ? s.width - left : in_w;
    const std::size_t before = static_cast<std::size_t>(left) * static_cast<std::size_t>(channels);
    const std::size_t used = static_cast<std::size_t>(inside) * static_cast<std::size_t>(channels);
    std::memset(ring, p.input_zero_point, s.scratch_bytes());

    for (std::int32_t n = 0; n < in.dim(0); ++n) {
        const std::int8_t* image =
            in.data() + static_cast<std::ptrdiff_t>(n) * in_h * in_w * channels;
        std::int32_t filled = -p.window.pad_top; // the next row that is not in the ring
        std::int32_t slot = 0;                   // of that row
        for (std::int32_t y = 0; y < out_h; y += s.group) {
            j.outputs = out_h - y < s.group ? out_h - y : s.group;
            const std::int32_t first = y * p.window.stride_h - p.window.pad_top;
            const std::int32_t needed = (j.outputs - 1) * p.window.stride_h + s.reach;
            if (filled < first) {
                slot = (slot + first - filled) % s.rows;
                filled = first;
            }
            for (; filled < first + needed; ++filled) {
                std::int8_t* to = ring + static_cast<std::size_t>(slot) * row_bytes + before;
                if (filled >= 0 && filled < in_h) {
                    std::memcpy(to, image + static_cast<std::ptrdiff_t>(filled) * in_w * channels,
                                used);
                } else {
                    std::memset(to, p.input_zero_point, used);
                }
                if (++slot == s.rows) slot = 0;
            }
            // The window's first row lies `needed` rows before the next slot.
            std::int32_t at = slot - needed;
            while (at < 0) at += s.rows;
            for (std::int32_t i = 0; i < needed; ++i) {
                rows[i] = ring + static_cast<std::size_t>(at) * row_bytes;
                if (++at == s.rows) at = 0;
            }
            j.out = out.data() + (static_cast<std::ptrdiff_t>(n) * out_h + y) * j.out_row;
            j.block = c.packed() + sizeof header;
            std::int32_t channel = 0;
            for (std::int32_t b = 0; b < s.blocks(); ++b, j.block += s.block_bytes()) {
                const std::int32_t next = s.first_channel(b);
                for (std::int32_t i = 0; i < needed; ++i) rows[i] += next - channel;
                j.out += next - channel;
                channel = next;
                Engine::run(j, header.careful != 0);
            }
        }
    }
}

} // namespace code

// Hooks (kernel/port_hooks.hpp): NEON, blocks of sixteen channels.
constexpr std::uint32_t kernel_pack_id(neon, depthwise_conv2d_i8) noexcept {
    return 0xa0160103;
}
inline std::size_t kernel_pack_bytes(neon, depthwise_conv2d_i8, const call& c) noexcept {
    return code::depthwise_shape_of(c).packed_bytes();
}
inline void kernel_pack(neon, depthwise_conv2d_i8, const call& c, std::byte* to) noexcept {
    code::pack_depthwise(c, to);
}
// Not both at once: by rows, too, outputs are written straight to their place.
inline std::size_t kernel_scratch_bytes(neon, depthwise_conv2d_i8, const call& c) noexcept {
    const std::size_t ring = code::depthwise_shape_of(c).scratch_bytes(), row = row_buffer_bytes(c);
    return ring > row ? ring : row;
}
template <class Port, class Call>
void run_kernel(neon, depthwise_conv2d_i8, Port port, const Call& c) noexcept {
    if (c.packed() == nullptr || code::depthwise_shape_of(c).channels == 0) {
        return depthwise_conv2d_i8::run_portable(port, c);
    }
    code::run_depthwise<code::neon_depthwise>(c);
}

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
