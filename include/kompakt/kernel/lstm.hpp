// The LSTM without peepholes, projection and layer normalization, over a sequence; the hidden and
// the cell state are outputs that are read, too.
//
//     i, f, o = logistic(W x + b + R h),  g = tanh(W x + b + R h)
//     c = f c + i g,  h = o tanh(c)
//
// Integers (docs/arithmetic.md 21): the two products are requantized to int16 Q3.12 one by one and
// added with saturation, gates are Q0.15, the cell is int16, the hidden state has the input's type.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/gates.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/state.hpp>
#include <kompakt/numeric/sigmoid_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Operands. Gates are in the order input, forget, cell, output: weights at `weights` + gate and so
// on; all weights are [units, n], biases [units].
struct lstm_operands {
    static constexpr std::size_t gates = 4;
    static constexpr std::size_t input = 0, weights = 1, recurrent = 5, bias = 9;
    static constexpr std::size_t multipliers = 13, shifts = 14; // of integers: [8]
    static constexpr std::size_t output = 0, hidden = 1, cell = 2;
};
enum lstm_gate : std::int32_t { gate_input, gate_forget, gate_cell, gate_output };

struct lstm_integer_params {
    std::int32_t time_major = 0; // input [time, batch, n] instead of [batch, time, n]
    std::int32_t input_zero_point = 0, hidden_zero_point = 0;
    std::int32_t cell_clip = -1; // none
    multiplier forget_cell, input_cell, hidden;
    table_scale cell_tanh{3, 0};

    template <class F>
    static constexpr void fields(F&& f) {
        f("time_major"), f("input_zero_point"), f("hidden_zero_point"), f("cell_clip");
        f("forget_multiplier"), f("forget_shift"), f("input_multiplier"), f("input_shift");
        f("hidden_multiplier"), f("hidden_shift"), f("tanh_factor"), f("tanh_shift");
    }
};
struct lstm_f32_params {
    std::int32_t time_major = 0;
    float cell_clip = 0.0f; // 0: none

    template <class F>
    static constexpr void fields(F&& f) {
        f("time_major"), f("cell_clip");
    }
};

namespace detail {

// `step(x, h, c, y)` on the rows of every step. The new hidden state is the output; the old one is
// read by all units, so it is replaced when the row is complete.
template <class T, class Cell, class Step>
void lstm_sequence(const call& c, const sequence_sizes& n, Step&& step) noexcept {
    const T* in = c.input_data<T>(lstm_operands::input);
    T* out = c.output_data<T>(lstm_operands::output);
    T* hidden = c.output_data<T>(lstm_operands::hidden);
    Cell* cell = c.output_data<Cell>(lstm_operands::cell);
    for (std::int32_t b = 0; b < n.batches; ++b) {
        for (std::int32_t t = 0; t < n.steps; ++t) {
            const std::int32_t row = n.row(b, t);
            T* h = hidden + b * n.units;
            T* y = out + row * n.units;
            step(in + row * n.depth, h, cell + b * n.units, y);
            std::memcpy(h, y, static_cast<std::size_t>(n.units) * sizeof(T));
        }
    }
}

inline status check_lstm(const call& c, dtype activations, dtype weights, dtype bias, dtype cell,
                         std::size_t inputs, std::int32_t time_major) noexcept {
    using o = lstm_operands;
    if (c.inputs() != inputs || c.outputs() != 3) {
        return fail(errc::bad_file, "needs ", inputs, " inputs and 3 outputs");
    }
    KOMPAKT_TRY(check_operand(c.input_record(o::input), "input", activations, 3));
    KOMPAKT_TRY(check_operand(c.output_record(o::output), "output", activations, 3));
    KOMPAKT_TRY(check_operand(c.input_record(o::recurrent), "weights", weights, 2));
    if (time_major != 0 && time_major != 1) return fail(errc::bad_file, "time_major ", time_major);
    const sequence_sizes n(c, time_major, o::recurrent);
    for (std::size_t g = 0; g < o::gates; ++g) {
        KOMPAKT_TRY(check_matrix(c, o::weights + g, weights, n.units, n.depth));
        KOMPAKT_TRY(check_matrix(c, o::recurrent + g, weights, n.units, n.units));
        KOMPAKT_TRY(check_vector(c, o::bias + g, bias, n.units));
    }
    KOMPAKT_TRY(check_state_operand(c, o::hidden, "hidden state", activations,
                                    std::int64_t{n.batches} * n.units));
    KOMPAKT_TRY(
        check_state_operand(c, o::cell, "cell state", cell, std::int64_t{n.batches} * n.units));
    return check_sequence_output(c, n);
}

template <class T, class Bias>
struct lstm_integer {
    using params = lstm_integer_params;

    static status check(const call& c) noexcept {
        using o = lstm_operands;
        const auto p = c.params<params>();
        KOMPAKT_TRY(
            check_lstm(c, dtype_of<T>, dtype::i8, dtype_of<Bias>, dtype::i16, 15, p.time_major));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("hidden state", p.hidden_zero_point, dtype_of<T>));
        if (p.cell_clip < -1 || p.cell_clip > INT16_MAX) {
            return fail(errc::bad_file, "cell clipped at ", p.cell_clip);
        }
        for (const multiplier& m : {p.forget_cell, p.input_cell, p.hidden}) {
            KOMPAKT_TRY(check_multiplier(m.q31, m.shift));
        }
        if (!is_safe(p.cell_tanh)) {
            return fail(errc::bad_file, "tanh of the cell times ", p.cell_tanh.factor,
                        ", shifted by ", p.cell_tanh.shift);
        }
        return check_multipliers(c, o::multipliers, 2 * o::gates,
                                 sizeof(Bias) == 8 ? 7 : max_multiplier_shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        using o = lstm_operands;
        const auto p = c.params<params>();
        const sequence_sizes n(c, p.time_major, o::recurrent);
        constexpr table_scale q12{3, 0};
        constexpr integer_range range = range_of_type(dtype_of<T>);
        lstm_sequence<T, std::int16_t>(
            c, n, [&](const T* x, const T* h, std::int16_t* cell, T* y) noexcept {
                for (std::int32_t u = 0; u < n.units; ++u) {
                    std::int16_t gate[o::gates];
                    for (std::size_t g = 0; g < o::gates; ++g) {
                        const auto scale = [&](std::size_t k) noexcept {
                            return multiplier{c.input_data<std::int32_t>(o::multipliers)[k],
                                              c.input_data<std::int8_t>(o::shifts)[k]};
                        };
                        const std::int32_t from_input = gate_product(
                            port, c.input_data<std::int8_t>(o::weights + g) + u * n.depth, x,
                            n.depth, p.input_zero_point, c.input_data<Bias>(o::bias + g)[u],
                            scale(g));
                        const std::int32_t from_hidden = gate_product(
                            port, c.input_data<std::int8_t>(o::recurrent + g) + u * n.units, h,
                            n.units, p.hidden_zero_point, Bias{0}, scale(o::gates + g));
                        const std::int16_t sum = saturate_i16(from_input + from_hidden);
                        gate[g] = g == gate_cell ? table_tanh(sum, q12) : table_logistic(sum, q12);
                    }
                    const std::int32_t kept =
                        saturate_i16(requantize(gate[gate_forget] * cell[u], p.forget_cell));
                    const std::int32_t fresh =
                        saturate_i16(requantize(gate[gate_input] * gate[gate_cell], p.input_cell));
                    std::int16_t next = saturate_i16(kept + fresh);
                    if (p.cell_clip >= 0) {
                        next = static_cast<std::int16_t>(clamp(next, -p.cell_clip, p.cell_clip));
                    }
                    cell[u] = next;
                    const std::int32_t shown =
                        requantize(table_tanh(next, p.cell_tanh) * gate[gate_output], p.hidden);
                    y[u] = static_cast<T>(
                        clamp(wrap_add(shown, p.hidden_zero_point), range.qmin, range.qmax));
                }
            });
    }
};

} // namespace detail

struct lstm_i8 : detail::lstm_integer<std::int8_t, std::int32_t> {
    static constexpr kernel_id id = kernel_id::lstm_i8;
    static constexpr const char* name = "lstm_i8";
};
struct lstm_i16 : detail::lstm_integer<std::int16_t, std::int64_t> {
    static constexpr kernel_id id = kernel_id::lstm_i16;
    static constexpr const char* name = "lstm_i16";
};

struct lstm_f32 {
    using params = lstm_f32_params;
    static constexpr kernel_id id = kernel_id::lstm_f32;
    static constexpr const char* name = "lstm_f32";

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        if (!(p.cell_clip >= 0.0f)) return fail(errc::bad_file, "cell clipped below 0");
        return detail::check_lstm(c, dtype::f32, dtype::f32, dtype::f32, dtype::f32, 13,
                                  p.time_major);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        using o = lstm_operands;
        const auto p = c.params<params>();
        const detail::sequence_sizes n(c, p.time_major, o::recurrent);
        detail::lstm_sequence<float, float>(
            c, n, [&](const float* x, const float* h, float* cell, float* y) noexcept {
                for (std::int32_t u = 0; u < n.units; ++u) {
                    float gate[o::gates];
                    for (std::size_t g = 0; g < o::gates; ++g) {
                        const float* w = c.input_data<float>(o::weights + g) + u * n.depth;
                        const float* r = c.input_data<float>(o::recurrent + g) + u * n.units;
                        const float sum = dot_f32(port, port, w, x, n.depth, 0.0f) +
                                          c.input_data<float>(o::bias + g)[u] +
                                          dot_f32(port, port, r, h, n.units, 0.0f);
                        gate[g] = g == gate_cell ? tanh_f32(sum) : sigmoid_f32(sum);
                    }
                    float next = gate[gate_forget] * cell[u] + gate[gate_input] * gate[gate_cell];
                    if (p.cell_clip > 0.0f) next = limit(next, -p.cell_clip, p.cell_clip);
                    cell[u] = next;
                    y[u] = tanh_f32(next) * gate[gate_output];
                }
            });
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
