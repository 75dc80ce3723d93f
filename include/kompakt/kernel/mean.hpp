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

namespace detail {

// A family of means and sums of quantized values of type T.
template <class T>
struct quantized_mean {
    using params = mean_i8_params;
    static constexpr bool in_place = true; // output i needs inputs from i on only

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_reduction(c, p.axes, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("output", p.output_zero_point, dtype_of<T>));
        return check_multiplier(p.q31, p.shift);
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const reduction_loops loops(c, p.axes);
        const integer_range range = range_of_type(dtype_of<T>);
        const T* in = c.input_data<T>(0);
        T* to = c.output_data<T>(0);
        // Wraps, as the sum does.
        const std::int32_t zeros = wrap_mul(p.input_zero_point, loops.count());
        loops.for_each_output([&](std::int32_t at) {
            std::int32_t sum = 0;
            loops.for_each_input([&](std::int32_t i) { sum = wrap_add(sum, in[at + i]); });
            const std::int32_t scaled = requantize(wrap_sub(sum, zeros), p.q31, p.shift);
            *to++ = static_cast<T>(
                clamp(wrap_add(scaled, p.output_zero_point), range.qmin, range.qmax));
        });
    }
};

// Sum of floats over axes, each result by way of `finish`.
template <class Finish>
void sum_floats(const call& c, const reduction_loops& loops, Finish&& finish) noexcept {
    const float* in = c.input_data<float>(0);
    float* to = c.output_data<float>(0);
    loops.for_each_output([&](std::int32_t at) {
        float sum = 0.0f;
        loops.for_each_input([&](std::int32_t i) { sum += in[at + i]; });
        *to++ = finish(sum);
    });
}

struct reduction_f32 {
    using params = reduction_params;
    static constexpr bool in_place = true; // output i needs inputs from i on only

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
    static void run(Port, const call& c) noexcept {
        const detail::reduction_loops loops(c, c.params<params>().axes);
        const auto count = static_cast<float>(loops.count());
        detail::sum_floats(c, loops, [count](float sum) { return sum / count; });
    }
};

struct sum_f32 : detail::reduction_f32 {
    static constexpr kernel_id id = kernel_id::sum_f32;
    static constexpr const char* name = "sum_f32";

    template <class Port>
    static void run(Port, const call& c) noexcept {
        const detail::reduction_loops loops(c, c.params<params>().axes);
        detail::sum_floats(c, loops, [](float sum) { return sum; });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
