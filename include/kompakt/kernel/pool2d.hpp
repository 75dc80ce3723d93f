// What average, maximum and L2 pooling share: parameters, checks and the two ways to run.
//
//     in NHWC [n, h, w, c], out NHWC [n, oh, ow, c]
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/requantize.hpp>
#include <kompakt/kernel/taps.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// `Value` is int32 for int8 and int16 tensors, float for float32.
template <class Value>
struct pool2d_params {
    window_params window; // no dilation
    std::int32_t kernel_h, kernel_w;
    Value min, max;

    template <class F>
    static constexpr void fields(F&& f) {
        window_params::fields(f), f("kernel_h"), f("kernel_w"), f("output_min"), f("output_max");
    }
};
using pool2d_i8_params = pool2d_params<std::int32_t>;
using pool2d_f32_params = pool2d_params<float>;

namespace detail {

template <class Value>
status check_pool2d(const call& c, const pool2d_params<Value>& p, dtype type) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, 4));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 4));
    const auto in = c.input<std::byte, 4>(0);
    const auto out = c.output<std::byte, 4>(0);
    if (in.dim(0) != out.dim(0) || in.dim(3) != out.dim(3)) {
        return fail(errc::bad_file, "output [", out.dim(0), " … ", out.dim(3), "], needed [",
                    in.dim(0), " … ", in.dim(3), "]");
    }
    KOMPAKT_TRY(check_window(c, p.window, p.kernel_h, p.kernel_w));
    if (p.window.dilation_h != 1 || p.window.dilation_w != 1) {
        return fail(errc::unsupported, "dilation ", p.window.dilation_h, "x", p.window.dilation_w,
                    ", needed 1x1");
    }
    // With check_window this says that every window has a tap inside: no division by zero.
    if (p.window.pad_top >= p.kernel_h || p.window.pad_left >= p.kernel_w) {
        return fail(errc::unsupported, "padding ", p.window.pad_top, "x", p.window.pad_left,
                    ", needed less than the window of ", p.kernel_h, "x", p.kernel_w);
    }
    return {};
}

// `kernel(in, out, params)` with the window of the rows at hand.
template <class T, class Call, class Value, class Kernel>
void run_pool2d(const Call& c, pool2d_params<Value> p, Kernel&& kernel) noexcept {
    run_windowed<T>(c, p.window, p.kernel_h,
                    [&](const auto& in, const auto& out, std::int32_t pad_top)
                        KOMPAKT_INLINE_LAMBDA {
                            p.window.pad_top = pad_top;
                            kernel(in, out, p);
                        });
}

// A family of element type T that `How::pool(port, in, out, params)` computes.
template <class How, class T>
struct pool2d_kernel {
    static constexpr bool real = is_float(dtype_of<T>);
    using params = std::conditional_t<real, pool2d_f32_params, pool2d_i8_params>;
    static constexpr bool by_rows = true;

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_pool2d(c, p, dtype_of<T>));
        if constexpr (!real) KOMPAKT_TRY(check_clamp(p.min, p.max, dtype_of<T>));
        return {};
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        run_pool2d<T>(c, c.template params<params>(),
                      [port](const auto& in, const auto& out, const params& p) {
                          How::pool(port, in, out, p);
                      });
    }
};

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
