// Mean and sum over any axes.
//
// int8 and int16: sum of (input - zero point), then one multiplier; a mean's holds 1 / count as
// well, which the host folds in (graph/ops/mean.hpp). Source: TensorFlow Lite's
// reference_ops::QuantizedMeanOrSum.
#pragma once

#include <kompakt/kernel/reduction.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of int8 and int16. `axes`: reduction.hpp.
struct mean_i8_params {
    std::int32_t axes = 0;
    std::int32_t input_zero_point = 0;
    std::int32_t q31 = 0, shift = 0;
    std::int32_t output_zero_point = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("axes"), f("input_zero_point"), f("multiplier"), f("shift"), f("output_zero_point");
    }
};

// int8 or int16. `out` may start where `in` does: output i needs inputs from i on only.
template <class Port, class T, class InE, class OutE>
void mean(portable, Port, const tensor<const T, InE>& in, const tensor<T, OutE>& out,
          const mean_i8_params& p) noexcept {
    const auto loops = detail::reduction_loops::of(in.shape(), p.axes);
    constexpr integer_range range = range_of_type(dtype_of<T>);
    // Wraps, as the sum does.
    const std::int32_t zeros = wrap_mul(p.input_zero_point, loops.count());
    T* to = out.data();
    loops.for_each_output([&](std::int32_t at) {
        const T* from = in.data() + at;
        std::int32_t sum = 0;
        loops.for_each_input([&](std::int32_t i) { sum = wrap_add(sum, from[i]); });
        const std::int32_t scaled = requantize(wrap_sub(sum, zeros), p.q31, p.shift);
        *to++ =
            static_cast<T>(clamp(wrap_add(scaled, p.output_zero_point), range.qmin, range.qmax));
    });
}

namespace detail {

// Sums of floats over axes, each by way of `finish(sum, count)`.
template <class InE, class OutE, class Finish>
void sum_floats(const tensor<const float, InE>& in, const tensor<float, OutE>& out,
                const reduction_params& p, Finish&& finish) noexcept {
    const auto loops = reduction_loops::of(in.shape(), p.axes);
    float* to = out.data();
    const auto kept = static_cast<std::int32_t>(out.size());
    if (kept > 1 && loops.reduces_leading(kept)) {
        // Row by row: the same sums in the same order, and memory is read once.
        const float* from = in.data();
        for (std::int32_t i = 0; i < kept; ++i) to[i] = 0.0f + from[i];
        for (std::int32_t row = 1; row < loops.count(); ++row) {
            from += kept;
            for (std::int32_t i = 0; i < kept; ++i) to[i] += from[i];
        }
        for (std::int32_t i = 0; i < kept; ++i) to[i] = finish(to[i], loops.count());
        return;
    }
    loops.for_each_output([&](std::int32_t at) {
        const float* from = in.data() + at;
        float sum = 0.0f;
        loops.for_each_input([&](std::int32_t i) { sum += from[i]; });
        *to++ = finish(sum, loops.count());
    });
}

} // namespace detail

template <class Port, class InE, class OutE>
void mean(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
          const reduction_params& p) noexcept {
    detail::sum_floats(
        in, out, p, [](float sum, std::int32_t count) { return sum / static_cast<float>(count); });
}

template <class Port, class InE, class OutE>
void sum(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
         const reduction_params& p) noexcept {
    detail::sum_floats(in, out, p, [](float x, std::int32_t) { return x; });
}

namespace detail {

// A family of means and sums of quantized values of type T.
template <class T>
struct quantized_mean {
    using params = mean_i8_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_reduction(c, p.axes, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("output", p.output_zero_point, dtype_of<T>));
        return check_multiplier(p.q31, p.shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mean(port, port, c.input<T, max_rank>(0), c.flat_output<T>(0), c.params<params>());
    }
};

struct reduction_f32 {
    using params = reduction_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        return check_reduction(c, c.params<params>().axes, dtype::f32);
    }
};

} // namespace detail

struct mean_i8 : detail::quantized_mean<std::int8_t> {
    static constexpr kernel_id id = kernel_id::mean_i8;
    static constexpr const char* name = "mean_i8";
};

struct mean_i16 : detail::quantized_mean<std::int16_t> {
    static constexpr kernel_id id = kernel_id::mean_i16;
    static constexpr const char* name = "mean_i16";
};

struct mean_f32 : detail::reduction_f32 {
    static constexpr kernel_id id = kernel_id::mean_f32;
    static constexpr const char* name = "mean_f32";

    template <class Port>
    static void run(Port port, const call& c) noexcept {
        mean(port, port, c.input<float, max_rank>(0), c.flat_output<float>(0), c.params<params>());
    }
};

struct sum_f32 : detail::reduction_f32 {
    static constexpr kernel_id id = kernel_id::sum_f32;
    static constexpr const char* name = "sum_f32";

    template <class Port>
    static void run(Port port, const call& c) noexcept {
        sum(port, port, c.input<float, max_rank>(0), c.flat_output<float>(0), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
