// SVDF: a layer of filters of rank one in time, each a dot product over the features of the last
// input and one over its last `memory` results; `rank` filters make up a unit. The results are
// state: [batch, filters * memory], an output that is read, too.
//
// Integers: input, feature weights and output are int8, state and time weights int16 or int8
// (docs/arithmetic.md 22).
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/state.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct svdf_integer_params {
    std::int32_t rank = 1;
    std::int32_t input_zero_point = 0, state_zero_point = 0, output_zero_point = 0;
    multiplier feature, output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("rank"), f("input_zero_point"), f("state_zero_point"), f("output_zero_point");
        f("feature_multiplier"), f("feature_shift"), f("output_multiplier"), f("output_shift");
    }
};
struct svdf_f32_params {
    std::int32_t rank = 1;
    clamp_f32_params clamp;

    template <class F>
    static constexpr void fields(F&& f) {
        f("rank"), clamp_f32_params::fields(f);
    }
};

namespace detail {

struct svdf_sizes {
    std::int32_t batches, depth, filters, memory;

    explicit svdf_sizes(const call& c) noexcept {
        const auto in = c.input<std::byte, 2>(0);
        const auto time = c.input<std::byte, 2>(2);
        batches = in.dim(0), depth = in.dim(1), filters = time.dim(0), memory = time.dim(1);
    }
};

// Inputs: input [batch, n], weights of features [filters, n] and of time [filters, memory], bias
// [units] or absent. Outputs: output [batch, units], state.
inline status check_svdf(const call& c, dtype activations, dtype state, dtype bias,
                         std::int32_t rank) noexcept {
    if (c.inputs() != 4 || c.outputs() != 2) {
        return fail(errc::bad_file, "needs 4 inputs and 2 outputs");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", activations, 2));
    KOMPAKT_TRY(check_operand(c.input_record(2), "time weights", state, 2));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", activations, 2));
    const svdf_sizes n(c);
    KOMPAKT_TRY(check_matrix(c, 1, activations, n.filters, n.depth));
    if (rank < 1 || n.filters % rank != 0) {
        return fail(errc::bad_file, n.filters, " filters of rank ", rank);
    }
    const std::int32_t units = n.filters / rank;
    if (c.has_input(3)) KOMPAKT_TRY(check_vector(c, 3, bias, units));
    const auto out = c.output<std::byte, 2>(0);
    if (out.dim(0) != n.batches || out.dim(1) != units) {
        return fail(errc::bad_file, "output [", out.dim(0), ", ", out.dim(1), "], needed [",
                    n.batches, ", ", units, "]");
    }
    // The product of filters and memory is that of a tensor, so it fits.
    return check_state_operand(c, 1, "state", state,
                               std::int64_t{n.batches} * (n.filters * n.memory));
}

// `feature(row of weights, input)` gives the newest entry of a filter's memory, `time(weights,
// memory)` what it adds to its unit, `finish(sum, unit)` the output.
template <class T, class State, class Sum, class Feature, class Time, class Finish>
void svdf(const call& c, std::int32_t rank, Feature&& feature, Time&& time,
          Finish&& finish) noexcept {
    const svdf_sizes n(c);
    const T* x = c.input_data<T>(0);
    T* y = c.output_data<T>(0);
    State* memory = c.output_data<State>(1);
    for (std::int32_t b = 0; b < n.batches; ++b) {
        const T* w = c.input_data<T>(1);
        const State* over_time = c.input_data<State>(2);
        for (std::int32_t u = 0; u < n.filters / rank; ++u) {
            Sum sum = c.has_input(3) ? c.input_data<Sum>(3)[u] : Sum{0};
            for (std::int32_t r = 0; r < rank; ++r) {
                std::memmove(memory, memory + 1,
                             static_cast<std::size_t>(n.memory - 1) * sizeof(State));
                memory[n.memory - 1] = feature(w, x, n.depth);
                sum = time(over_time, memory, n.memory, sum);
                w += n.depth, over_time += n.memory, memory += n.memory;
            }
            *y++ = finish(sum);
        }
        x += n.depth;
    }
}

template <class State>
struct svdf_integer {
    using params = svdf_integer_params;

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_svdf(c, dtype::i8, dtype_of<State>, dtype::i32, p.rank));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype::i8));
        KOMPAKT_TRY(check_zero_point("state", p.state_zero_point, dtype_of<State>));
        KOMPAKT_TRY(check_zero_point("output", p.output_zero_point, dtype::i8));
        KOMPAKT_TRY(check_multiplier(p.feature.q31, p.feature.shift));
        return check_multiplier(p.output.q31, p.output.shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        constexpr integer_range range = range_of_type(dtype_of<State>);
        svdf<std::int8_t, State, std::int32_t>(
            c, p.rank,
            [&](const std::int8_t* w, const std::int8_t* x, std::int32_t n) noexcept {
                const std::int32_t scaled =
                    requantize(dot_i8(port, port, w, x, n, p.input_zero_point, 0), p.feature);
                // Clamped before the zero point is added, then cut off: it may wrap, as the
                // reference does.
                return static_cast<State>(clamp(scaled, range.qmin, range.qmax) +
                                          p.state_zero_point);
            },
            [&](const State* w, const State* s, std::int32_t n, std::int32_t sum) noexcept {
                for (std::int32_t i = 0; i < n; ++i) {
                    sum = wrap_add(sum, w[i] * (s[i] - p.state_zero_point));
                }
                return sum;
            },
            [&](std::int32_t sum) noexcept {
                return static_cast<std::int8_t>(clamp(
                    wrap_add(requantize(sum, p.output), p.output_zero_point), INT8_MIN, INT8_MAX));
            });
    }
};

} // namespace detail

struct svdf_i8_state16 : detail::svdf_integer<std::int16_t> {
    static constexpr kernel_id id = kernel_id::svdf_i8_state16;
    static constexpr const char* name = "svdf_i8_state16";
};
struct svdf_i8_state8 : detail::svdf_integer<std::int8_t> {
    static constexpr kernel_id id = kernel_id::svdf_i8_state8;
    static constexpr const char* name = "svdf_i8_state8";
};

struct svdf_f32 {
    using params = svdf_f32_params;
    static constexpr kernel_id id = kernel_id::svdf_f32;
    static constexpr const char* name = "svdf_f32";

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        KOMPAKT_TRY(detail::check_svdf(c, dtype::f32, dtype::f32, dtype::f32, p.rank));
        return check_float_clamp(p.clamp);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        detail::svdf<float, float, float>(
            c, p.rank,
            [&](const float* w, const float* x, std::int32_t n) noexcept {
                return dot_f32(port, port, w, x, n, 0.0f);
            },
            [&](const float* w, const float* s, std::int32_t n, float sum) noexcept {
                return sum + dot_f32(port, port, w, s, n, 0.0f);
            },
            [&](float sum) noexcept { return p.clamp.apply(sum); });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
