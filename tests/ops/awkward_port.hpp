// A port that exists to test the mechanisms: dot products in tiles of seven from the back, and an
// int8 convolution with packed weights (panels of three output channels), scratch of an odd size
// and blocks of five taps. Nothing about it is fast.
#pragma once

#include <kompakt/run/default_kernels.hpp>

namespace kompakt_test {

struct awkward : kompakt::portable {
    static constexpr const char* name = "awkward";
    static constexpr bool supported() noexcept { return true; }
};

// How often the port's own convolution ran.
inline int awkward_convolutions = 0;

template <class Port>
std::int32_t dot_i8(awkward, Port, const std::int8_t* a, const std::int8_t* b, std::int32_t n,
                    std::int32_t zero_point, std::int32_t sum) noexcept {
    std::int32_t done = 0;
    for (; n - done >= 7; done += 7) {
        std::int32_t tile = 0;
        for (std::int32_t i = 6; i >= 0; --i) {
            tile = kompakt::wrap_add(tile, a[done + i] * (b[done + i] - zero_point));
        }
        sum = kompakt::wrap_add(sum, tile);
    }
    for (std::int32_t i = n - 1; i >= done; --i) {
        sum = kompakt::wrap_add(sum, a[i] * (b[i] - zero_point));
    }
    return sum;
}

inline constexpr std::int32_t awkward_panel = 3, awkward_block = 5;

// The one predicate: only convolutions without groups are packed.
inline bool awkward_packs(const kompakt::call& c) noexcept {
    return c.input<std::int8_t, 4>(1).dim(3) == c.input<std::int8_t, 4>(0).dim(3);
}
inline std::int32_t awkward_taps(const kompakt::call& c) noexcept {
    const auto filter = c.input<std::int8_t, 4>(1);
    return filter.dim(1) * filter.dim(2) * filter.dim(3);
}

constexpr std::uint32_t kernel_pack_id(awkward, kompakt::conv2d_i8) noexcept {
    return 0x7a7a;
}
inline std::size_t kernel_pack_bytes(awkward, kompakt::conv2d_i8, const kompakt::call& c) noexcept {
    if (!awkward_packs(c)) return 0;
    const std::int32_t out = c.input<std::int8_t, 4>(1).dim(0);
    const std::int32_t panels = (out + awkward_panel - 1) / awkward_panel;
    return static_cast<std::size_t>(panels * awkward_panel * awkward_taps(c));
}
// [panel][tap][channel of the panel], missing channels as zeros
inline void kernel_pack(awkward, kompakt::conv2d_i8, const kompakt::call& c,
                        std::byte* to) noexcept {
    const auto filter = c.input<std::int8_t, 4>(1);
    const std::int32_t taps = awkward_taps(c);
    auto* packed = reinterpret_cast<std::int8_t*>(to);
    for (std::int32_t first = 0; first < filter.dim(0); first += awkward_panel) {
        for (std::int32_t t = 0; t < taps; ++t) {
            for (std::int32_t o = first; o < first + awkward_panel; ++o) {
                *packed++ = o < filter.dim(0) ? filter.data()[o * taps + t] : std::int8_t{0};
            }
        }
    }
}

// The input under one window and an odd byte.
inline std::size_t kernel_scratch_bytes(awkward, kompakt::conv2d_i8,
                                        const kompakt::call& c) noexcept {
    const std::size_t own = awkward_packs(c) ? static_cast<std::size_t>(awkward_taps(c)) + 1 : 0;
    return kompakt::row_buffer_bytes(c) + own;
}

// As the portable convolution, but for packed weights and with room for the input under a window.
template <class In, class Out>
void awkward_conv2d(const In& in, const Out& out, const std::int8_t* packed, std::int32_t kernel_h,
                    std::int32_t kernel_w, const kompakt::output_stage& stage,
                    const kompakt::conv2d_i8_params& p, std::int8_t* patch) noexcept {
    const std::int32_t depth = in.dim(3), taps = kernel_h * kernel_w * depth;
    std::int8_t* to = out.data();
    for (std::int32_t n = 0; n < in.dim(0); ++n) {
        for (std::int32_t y = 0; y < out.dim(1); ++y) {
            for (std::int32_t x = 0; x < out.dim(2); ++x) {
                std::int8_t* place = patch;
                for (std::int32_t k = 0; k < kernel_h * kernel_w; ++k) {
                    const std::int32_t iy = y * p.window.stride_h - p.window.pad_top +
                                            k / kernel_w * p.window.dilation_h;
                    const std::int32_t ix = x * p.window.stride_w - p.window.pad_left +
                                            k % kernel_w * p.window.dilation_w;
                    const bool inside = iy >= 0 && iy < in.dim(1) && ix >= 0 && ix < in.dim(2);
                    for (std::int32_t i = 0; i < depth; ++i) {
                        *place++ =
                            inside ? in.data()[((n * in.dim(1) + iy) * in.dim(2) + ix) * depth + i]
                                   : static_cast<std::int8_t>(p.input_zero_point);
                    }
                }
                patch[taps] = 77; // the odd byte
                for (std::int32_t first = 0; first < out.dim(3); first += awkward_panel) {
                    const std::int8_t* weights = packed + first * taps;
                    std::int32_t sums[awkward_panel] = {};
                    for (std::int32_t t = 0; t < taps; t += awkward_block) {
                        const std::int32_t end =
                            t + awkward_block < taps ? t + awkward_block : taps;
                        for (std::int32_t o = 0; o < awkward_panel; ++o) {
                            for (std::int32_t k = t; k < end; ++k) {
                                sums[o] =
                                    kompakt::wrap_add(sums[o], weights[k * awkward_panel + o] *
                                                                   (patch[k] - p.input_zero_point));
                            }
                        }
                    }
                    for (std::int32_t o = 0; o < awkward_panel && first + o < out.dim(3); ++o) {
                        *to++ = stage.finish(kompakt::wrap_add(sums[o], stage.bias(first + o)),
                                             first + o);
                    }
                }
            }
        }
    }
}

template <class Port>
void run_kernel(awkward, kompakt::conv2d_i8, Port port, const kompakt::call& c) noexcept {
    if (!awkward_packs(c) || c.packed() == nullptr)
        return kompakt::conv2d_i8::run_portable(port, c);
    ++awkward_convolutions;
    auto p = c.params<kompakt::conv2d_i8_params>();
    const kompakt::output_stage stage = kompakt::output_stage_of(c, 2, p.output);
    const auto filter = c.input<std::int8_t, 4>(1);
    const auto* packed = reinterpret_cast<const std::int8_t*>(c.packed());
    auto* patch = reinterpret_cast<std::int8_t*>(c.scratch().data() + kompakt::row_buffer_bytes(c));
    kompakt::run_windowed<std::int8_t>(
        c, p.window, filter.dim(1), [&](const auto& in, const auto& out, std::int32_t pad_top) {
            p.window.pad_top = pad_top;
            awkward_conv2d(in, out, packed, filter.dim(1), filter.dim(2), stage, p, patch);
        });
}

// All ports of this processor, the preferred one first, those that it emulates, and the awkward
// one.
inline kompakt::port_list all_ports() noexcept {
    kompakt::port_list list = kompakt::available_ports();
    const kompakt::kernel_table& emulated = kompakt::kernels_of<kompakt::cortex_m::dsp>();
    if (list.find(emulated.port) == nullptr) list.tables[list.size++] = &emulated;
    list.tables[list.size++] = &kompakt::kernels_of<awkward>();
    return list;
}

// Calls f(tag) for each of them.
template <class F>
void for_each_port(F&& f) {
    f(kompakt::portable{});
    f(awkward{});
#if defined(KOMPAKT_DETAIL_X86)
    if (kompakt::x86::avx2::supported()) f(kompakt::x86::avx2{});
#endif
}

} // namespace kompakt_test
