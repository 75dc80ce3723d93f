// What convolution, depthwise convolution and pooling share: a window that slides over rows and
// columns, and the way to run such an op when its output overlaps its input.
#pragma once

#include <kompakt/core/tensor.hpp>
#include <kompakt/kernel/call.hpp>
#include <kompakt/numeric/fixed_point.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Padding below and to the right follows from the output's extents.
struct window_params {
    std::int32_t stride_h = 1, stride_w = 1;
    std::int32_t dilation_h = 1, dilation_w = 1;
    std::int32_t pad_top = 0, pad_left = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("stride_h"), f("stride_w"), f("dilation_h"), f("dilation_w"), f("pad_top"), f("pad_left");
    }
};

// The most that strides, dilations, pads, kernel extents may be.
inline constexpr std::int32_t max_window_value = 1 << 14;

// A window of `kernel_h` x `kernel_w` taps over input 0: everything positive and small enough that
// positions are exact in int32, and the last output position starts inside the padded input.
inline status check_window(const call& c, const window_params& w, std::int32_t kernel_h,
                           std::int32_t kernel_w) noexcept {
    const auto in = c.input<std::byte, 4>(0);
    const auto out = c.output<std::byte, 4>(0);
    const std::int32_t in_h = in.dim(1), in_w = in.dim(2), out_h = out.dim(1), out_w = out.dim(2);
    if (c.by_rows() && in.dim(0) != 1) return fail(errc::bad_file, "by rows needs a batch of one");
    const auto positive = [](std::int32_t v) { return v >= 1 && v <= max_window_value; };
    if (!positive(w.stride_h) || !positive(w.stride_w)) {
        return fail(errc::unsupported, "stride ", w.stride_h, "x", w.stride_w, ", needed 1 to ",
                    max_window_value);
    }
    if (!positive(w.dilation_h) || !positive(w.dilation_w)) {
        return fail(errc::unsupported, "dilation ", w.dilation_h, "x", w.dilation_w,
                    ", needed 1 to ", max_window_value);
    }
    if (!positive(kernel_h) || !positive(kernel_w)) {
        return fail(errc::unsupported, "window ", kernel_h, "x", kernel_w, ", needed 1 to ",
                    max_window_value);
    }
    if (w.pad_top < 0 || w.pad_top > max_window_value || w.pad_left < 0 ||
        w.pad_left > max_window_value) {
        return fail(errc::unsupported, "padding ", w.pad_top, "x", w.pad_left, ", needed 0 to ",
                    max_window_value);
    }
    if (in_h > INT32_MAX / 2 || in_w > INT32_MAX / 2) {
        return fail(errc::limit, "input ", in_h, "x", in_w, ", needed at most ", INT32_MAX / 2);
    }
    const auto starts_inside = [](std::int64_t outputs, std::int64_t stride, std::int64_t pad,
                                  std::int64_t inputs) {
        return (outputs - 1) * stride - pad < inputs;
    };
    if (!starts_inside(out_h, w.stride_h, w.pad_top, in_h) ||
        !starts_inside(out_w, w.stride_w, w.pad_left, in_w)) {
        return fail(errc::bad_file, "output ", out_h, "x", out_w, " does not fit input ", in_h, "x",
                    in_w, " with stride ", w.stride_h, "x", w.stride_w);
    }
    return {};
}

// The taps [first, last) of a window that starts at `origin` and fall inside [0, extent).
struct tap_range {
    std::int32_t first, last;
};
KOMPAKT_ALWAYS_INLINE constexpr tap_range taps_inside(std::int32_t origin, std::int32_t taps,
                                                      std::int32_t dilation,
                                                      std::int32_t extent) noexcept {
    std::int32_t first = 0, last = taps;
    if (dilation == 1) {
        if (origin < 0) first = -origin;
        if (origin + taps > extent) last = extent - origin;
    } else {
        if (origin < 0) first = (-origin + dilation - 1) / dilation;
        if (origin + (taps - 1) * dilation >= extent) {
            last = origin >= extent ? 0 : (extent - 1 - origin) / dilation + 1;
        }
    }
    if (last < first) last = first;
    return {first, last};
}

// Runs a windowed kernel one output row at a time through `row_buffer`, so that the output may lie
// over input rows that no later window needs (the planner decides how far: plan/overlap.hpp).
// `kernel(in, out, pad_top)` computes one output row from the input rows under its window.
template <class T, class InExtents, class U, class OutExtents, class Kernel>
KOMPAKT_ALWAYS_INLINE void for_each_row(const tensor<const T, InExtents>& in,
                                        const tensor<U, OutExtents>& out, const window_params& w,
                                        std::int32_t kernel_h, void* row_buffer,
                                        Kernel&& kernel) noexcept {
    const std::int32_t in_h = in.template dim<1>(), in_w = in.template dim<2>(),
                       in_c = in.template dim<3>();
    const std::int32_t out_h = out.template dim<1>(), out_w = out.template dim<2>(),
                       out_c = out.template dim<3>();
    // Constant widths stay constant; without any, one instance of the kernel serves both ways
    // to run.
    constexpr bool plain = InExtents::all_dynamic() && OutExtents::all_dynamic();
    using rows_shape = std::conditional_t<
        plain, dynamic_extents<4>,
        extents<1, dynamic_extent, InExtents::static_dim(2), InExtents::static_dim(3)>>;
    using row_shape =
        std::conditional_t<plain, dynamic_extents<4>,
                           extents<1, 1, OutExtents::static_dim(2), OutExtents::static_dim(3)>>;
    const std::int32_t reach = (kernel_h - 1) * w.dilation_h + 1;
    const std::int32_t pad_top = w.pad_top; // `kernel` may change it
    const std::size_t row = static_cast<std::size_t>(out_w) * static_cast<std::size_t>(out_c);
    for (std::int32_t y = 0; y < out_h; ++y) {
        const std::int32_t origin = y * w.stride_h - pad_top;
        const std::int32_t first = clamp(origin, 0, in_h);
        const std::int32_t last = clamp(origin + reach, first, in_h);
        const T* rows = in.data() + static_cast<std::size_t>(first) *
                                        static_cast<std::size_t>(in_w) *
                                        static_cast<std::size_t>(in_c);
        kernel(tensor<const T, rows_shape>(rows, rows_shape(1, last - first, in_w, in_c)),
               tensor<U, row_shape>(static_cast<U*>(row_buffer), row_shape(1, 1, out_w, out_c)),
               first - origin);
        std::memcpy(out.data() + static_cast<std::size_t>(y) * row, row_buffer, row * sizeof(U));
    }
}

// Runs `kernel(in, out, pad_top)` over input 0 and output 0 at once, or by rows where the planner
// says so; the rest of the window stays what it is. Ports whose own scratch follows the row buffer
// run so too.
template <class T, class Call, class Kernel>
KOMPAKT_ALWAYS_INLINE void run_windowed(const Call& c, const window_params& w,
                                        std::int32_t kernel_h, Kernel&& kernel) noexcept {
    const auto in = c.template input<T, 4>(arg<0>);
    const auto out = c.template output<T, 4>(arg<0>);
    if (!c.by_rows()) return kernel(in, out, w.pad_top);
    for_each_row(in, out, w, kernel_h, c.scratch().data(), kernel);
}

// Bytes of the row buffer that an op needs when it runs by rows.
inline std::size_t row_buffer_bytes(const call& c) noexcept {
    if (!c.by_rows()) return 0;
    const auto out = c.output<std::byte, 4>(0);
    const std::size_t element = bits_of(c.output_record(0).type) / 8;
    return static_cast<std::size_t>(round_up(static_cast<std::uint64_t>(out.dim(2)) *
                                                 static_cast<std::uint64_t>(out.dim(3)) * element,
                                             block_bytes));
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
