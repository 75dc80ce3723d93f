// The gated recurrent unit over a sequence; the hidden state is an output that is read, too.
//
//     z, r = logistic(W x + b + R h + d)
//     n = tanh(W x + b + r (R h + d))   reset after the product, or
//     n = tanh(W x + b + R (r h) + d)   before
//     h = (1 - z) n + z h
//
// Integers (docs/arithmetic.md 23): products are requantized to Q3.12 one by one, gates are Q0.15,
// and so is the hidden state, in int16; the output has the input's type.
#pragma once

#include <kompakt/kernel/gates.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/state.hpp>
#include <kompakt/numeric/sigmoid_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Operands. Gates are in the order update, reset, new. All weights are [units, n], biases [units];
// recurrent biases may be absent.
struct gru_operands {
    static constexpr std::size_t gates = 3;
    static constexpr std::size_t input = 0, weights = 1, recurrent = 4, bias = 7;
    static constexpr std::size_t recurrent_bias = 10;
    static constexpr std::size_t multipliers = 13, shifts = 14; // of integers: [6]
    static constexpr std::size_t output = 0, hidden = 1;
};
enum gru_gate : std::int32_t { gru_update, gru_reset, gru_new };

struct gru_order_params {
    std::int32_t time_major = 0; // input [time, batch, n] instead of [batch, time, n]
    std::int32_t reset_after = 1;
};
struct gru_integer_params {
    gru_order_params order;
    std::int32_t input_zero_point = 0, output_zero_point = 0;
    multiplier output; // from Q0.15

    template <class F>
    static constexpr void fields(F&& f) {
        f("time_major"), f("reset_after"), f("input_zero_point"), f("output_zero_point");
        f("output_multiplier"), f("output_shift");
    }
};
struct gru_f32_params {
    gru_order_params order;

    template <class F>
    static constexpr void fields(F&& f) {
        f("time_major"), f("reset_after");
    }
};

namespace detail {

// Scratch: the new state of one row, and the old one times the reset gate.
template <class H>
std::size_t gru_scratch(const call& c) noexcept {
    const auto units =
        static_cast<std::size_t>(c.input<std::byte, 2>(gru_operands::recurrent).dim(0));
    return 2 * units * sizeof(H);
}

// `Arithmetic` has, for numbers `sum` of gates, gates `gate` and states `state`:
//     sum from_input(g, u, x);  sum from_hidden(g, u, h);
//     gate logistic(sum, sum);  gate tanh(sum, sum);
//     sum times(gate, sum);  state reset(gate, state);  state mix(gate z, gate n, state h);
//     T show(state)
template <class T, class H, class Arithmetic>
void gru_sequence(const call& c, const sequence_sizes& n, bool reset_after,
                  const Arithmetic& a) noexcept {
    const T* in = c.input_data<T>(gru_operands::input);
    T* out = c.output_data<T>(gru_operands::output);
    H* hidden = c.output_data<H>(gru_operands::hidden);
    H* next = reinterpret_cast<H*>(c.scratch().data());
    H* kept = next + n.units;
    for (std::int32_t b = 0; b < n.batches; ++b) {
        H* h = hidden + b * n.units;
        for (std::int32_t t = 0; t < n.steps; ++t) {
            const std::int32_t row = n.row(b, t);
            const T* x = in + row * n.depth;
            T* y = out + row * n.units;
            const auto logistic = [&](std::int32_t g, std::int32_t u) noexcept {
                return a.logistic(a.from_input(g, u, x), a.from_hidden(g, u, h));
            };
            for (std::int32_t u = 0; u < n.units && !reset_after; ++u) {
                kept[u] = a.reset(logistic(gru_reset, u), h[u]);
            }
            for (std::int32_t u = 0; u < n.units; ++u) {
                const auto fresh =
                    reset_after ? a.times(logistic(gru_reset, u), a.from_hidden(gru_new, u, h))
                                : a.from_hidden(gru_new, u, kept);
                next[u] = a.mix(logistic(gru_update, u), a.tanh(a.from_input(gru_new, u, x), fresh),
                                h[u]);
                y[u] = a.show(next[u]);
            }
            std::memcpy(h, next, static_cast<std::size_t>(n.units) * sizeof(H));
        }
    }
}

inline status check_gru(const call& c, dtype activations, dtype weights, dtype bias, dtype hidden,
                        std::size_t inputs, const gru_order_params& p) noexcept {
    using o = gru_operands;
    if (c.inputs() != inputs || c.outputs() != 2) {
        return fail(errc::bad_file, "needs ", inputs, " inputs and 2 outputs");
    }
    KOMPAKT_TRY(check_operand(c.input_record(o::input), "input", activations, 3));
    KOMPAKT_TRY(check_operand(c.output_record(o::output), "output", activations, 3));
    KOMPAKT_TRY(check_operand(c.input_record(o::recurrent), "weights", weights, 2));
    if (p.time_major < 0 || p.time_major > 1 || p.reset_after < 0 || p.reset_after > 1) {
        return fail(errc::bad_file, "time_major ", p.time_major, ", reset_after ", p.reset_after);
    }
    const sequence_sizes n(c, p.time_major, o::recurrent);
    for (std::size_t g = 0; g < o::gates; ++g) {
        KOMPAKT_TRY(check_matrix(c, o::weights + g, weights, n.units, n.depth));
        KOMPAKT_TRY(check_matrix(c, o::recurrent + g, weights, n.units, n.units));
        KOMPAKT_TRY(check_vector(c, o::bias + g, bias, n.units));
        if (c.has_input(o::recurrent_bias + g)) {
            KOMPAKT_TRY(check_vector(c, o::recurrent_bias + g, bias, n.units));
        }
    }
    KOMPAKT_TRY(check_state_operand(c, o::hidden, "hidden state", hidden,
                                    std::int64_t{n.batches} * n.units));
    return check_sequence_output(c, n);
}

template <class Port, class T>
struct gru_integer_arithmetic {
    Port port;
    const call& c;
    const gru_integer_params& p;
    sequence_sizes n;

    // Sums are 64 bits wide and saturate to 32 (docs/arithmetic.md 23).
    template <class X>
    static std::int64_t dot(const std::int8_t* w, const X* x, std::int32_t depth,
                            std::int32_t zero_point) noexcept {
        std::int64_t sum = 0;
        for (std::int32_t i = 0; i < depth; ++i) sum += w[i] * (x[i] - zero_point);
        return sum;
    }
    std::int32_t scaled(std::int64_t sum, std::size_t bias, std::size_t k,
                        std::int32_t u) const noexcept {
        if (c.has_input(bias)) sum += c.input_data<std::int32_t>(bias)[u];
        const multiplier m{c.input_data<std::int32_t>(gru_operands::multipliers)[k],
                           c.input_data<std::int8_t>(gru_operands::shifts)[k]};
        return saturate_i16(requantize(saturate_i32(sum), m));
    }
    std::int32_t from_input(std::int32_t g, std::int32_t u, const T* x) const noexcept {
        const auto k = static_cast<std::size_t>(g);
        const auto* w = c.input_data<std::int8_t>(gru_operands::weights + k) + u * n.depth;
        return scaled(dot(w, x, n.depth, p.input_zero_point), gru_operands::bias + k, k, u);
    }
    std::int32_t from_hidden(std::int32_t g, std::int32_t u, const std::int16_t* h) const noexcept {
        const auto k = static_cast<std::size_t>(g);
        const auto* w = c.input_data<std::int8_t>(gru_operands::recurrent + k) + u * n.units;
        return scaled(dot(w, h, n.units, 0), gru_operands::recurrent_bias + k,
                      gru_operands::gates + k, u);
    }
    static std::int32_t logistic(std::int32_t a, std::int32_t b) noexcept {
        return table_logistic(saturate_i16(a + b), {3, 0});
    }
    static std::int32_t tanh(std::int32_t a, std::int32_t b) noexcept {
        return table_tanh(saturate_i16(a + b), {3, 0});
    }
    static std::int32_t times(std::int32_t gate, std::int32_t sum) noexcept {
        return rounding_divide_by_pot(gate * sum, 15);
    }
    static std::int16_t reset(std::int32_t gate, std::int16_t h) noexcept {
        return static_cast<std::int16_t>(times(gate, h));
    }
    // The weights of both add up to one: the sum stays within 2^30.
    static std::int16_t mix(std::int32_t z, std::int32_t fresh, std::int16_t h) noexcept {
        return saturate_i16(rounding_divide_by_pot(z * h + (32768 - z) * fresh, 15));
    }
    T show(std::int16_t h) const noexcept {
        constexpr integer_range range = range_of_type(dtype_of<T>);
        return static_cast<T>(
            clamp(wrap_add(requantize(h, p.output), p.output_zero_point), range.qmin, range.qmax));
    }
};

template <class T>
struct gru_integer {
    using params = gru_integer_params;

    template <class Port>
    static std::size_t scratch_bytes(Port, const call& c) noexcept {
        return gru_scratch<std::int16_t>(c);
    }
    static status check(const call& c) noexcept {
        using o = gru_operands;
        const auto p = c.params<params>();
        KOMPAKT_TRY(check_gru(c, dtype_of<T>, dtype::i8, dtype::i32, dtype::i16, 15, p.order));
        KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, dtype_of<T>));
        KOMPAKT_TRY(check_zero_point("output", p.output_zero_point, dtype_of<T>));
        KOMPAKT_TRY(check_multiplier(p.output.q31, p.output.shift));
        return check_multipliers(c, o::multipliers, 2 * o::gates);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        const sequence_sizes n(c, p.order.time_major, gru_operands::recurrent);
        gru_sequence<T, std::int16_t>(c, n, p.order.reset_after != 0,
                                      gru_integer_arithmetic<Port, T>{port, c, p, n});
    }
};

template <class Port>
struct gru_float_arithmetic {
    Port port;
    const call& c;
    sequence_sizes n;

    float product(std::size_t weights, std::size_t bias, std::int32_t u, const float* x,
                  std::int32_t depth) const noexcept {
        const float first = c.has_input(bias) ? c.input_data<float>(bias)[u] : 0.0f;
        return first +
               dot_f32(port, port, c.input_data<float>(weights) + u * depth, x, depth, 0.0f);
    }
    float from_input(std::int32_t g, std::int32_t u, const float* x) const noexcept {
        const auto k = static_cast<std::size_t>(g);
        return product(gru_operands::weights + k, gru_operands::bias + k, u, x, n.depth);
    }
    float from_hidden(std::int32_t g, std::int32_t u, const float* h) const noexcept {
        const auto k = static_cast<std::size_t>(g);
        return product(gru_operands::recurrent + k, gru_operands::recurrent_bias + k, u, h,
                       n.units);
    }
    static float logistic(float a, float b) noexcept { return sigmoid_f32(a + b); }
    static float tanh(float a, float b) noexcept { return tanh_f32(a + b); }
    static float times(float gate, float sum) noexcept { return gate * sum; }
    static float reset(float gate, float h) noexcept { return gate * h; }
    static float mix(float z, float fresh, float h) noexcept { return (1.0f - z) * fresh + z * h; }
    static float show(float h) noexcept { return h; }
};

} // namespace detail

struct gru_i8 : detail::gru_integer<std::int8_t> {
    static constexpr kernel_id id = kernel_id::gru_i8;
    static constexpr const char* name = "gru_i8";
};
struct gru_i16 : detail::gru_integer<std::int16_t> {
    static constexpr kernel_id id = kernel_id::gru_i16;
    static constexpr const char* name = "gru_i16";
};

struct gru_f32 {
    using params = gru_f32_params;
    static constexpr kernel_id id = kernel_id::gru_f32;
    static constexpr const char* name = "gru_f32";

    template <class Port>
    static std::size_t scratch_bytes(Port, const call& c) noexcept {
        return detail::gru_scratch<float>(c);
    }
    static status check(const call& c) noexcept {
        return detail::check_gru(c, dtype::f32, dtype::f32, dtype::f32, dtype::f32, 13,
                                 c.params<params>().order);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        const detail::sequence_sizes n(c, p.order.time_major, gru_operands::recurrent);
        detail::gru_sequence<float, float>(c, n, p.order.reset_after != 0,
                                           detail::gru_float_arithmetic<Port>{port, c, n});
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
