// What softmax and log-softmax along the last axis send back, from their own output.
//
//     softmax:     dx = beta * y * (g - sum(g * y))
//     log-softmax: dx = g - exp(y) * sum(g)
#pragma once

#include <kompakt/kernel/batch_norm_training.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct softmax_grad_params {
    float beta = 1.0f;

    template <class F>
    static constexpr void fields(F&& f) {
        f("beta");
    }
};

template <class Port>
void softmax_grad(portable, Port, std::int32_t rows, std::int32_t depth, const float* gradient,
                  const float* y, float* x, float beta) noexcept {
    for (; rows > 0; --rows, gradient += depth, y += depth, x += depth) {
        float sum = 0.0f;
        for (std::int32_t i = 0; i < depth; ++i) sum += gradient[i] * y[i];
        for (std::int32_t i = 0; i < depth; ++i) x[i] = beta * y[i] * (gradient[i] - sum);
    }
}
template <class Port>
void log_softmax_grad(portable, Port, std::int32_t rows, std::int32_t depth, const float* gradient,
                      const float* y, float* x) noexcept {
    for (; rows > 0; --rows, gradient += depth, y += depth, x += depth) {
        float sum = 0.0f;
        for (std::int32_t i = 0; i < depth; ++i) sum += gradient[i];
        for (std::int32_t i = 0; i < depth; ++i) x[i] = gradient[i] - exp_f32(y[i]) * sum;
    }
}

namespace detail {
// A gradient and another tensor, and an output, of the same number of elements.
inline status check_same_elements(const call& c) noexcept {
    if (c.inputs() != 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs two inputs and one output");
    }
    const std::size_t n = c.elements(c.output_record(0));
    for (std::size_t i = 0; i < 2; ++i) {
        KOMPAKT_TRY(check_operand(c.input_record(i), "input", dtype::f32, max_rank));
        if (c.elements(c.input_record(i)) != n) {
            return fail(errc::bad_file, "input ", i, " has ", c.elements(c.input_record(i)),
                        " elements, output ", n);
        }
    }
    return check_operand(c.output_record(0), "output", dtype::f32, max_rank);
}
} // namespace detail

struct softmax_grad_f32 {
    using params = softmax_grad_params;
    static constexpr kernel_id id = kernel_id::softmax_grad_f32;
    static constexpr const char* name = "softmax_grad_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_same_elements(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::channel_rows_of(c, c.input_record(1));
        softmax_grad(port, port, e.rows, e.channels, c.input_data<float>(0), c.input_data<float>(1),
                     c.output_data<float>(0), c.params<params>().beta);
    }
};

struct log_softmax_grad_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::log_softmax_grad_f32;
    static constexpr const char* name = "log_softmax_grad_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept { return detail::check_same_elements(c); }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::channel_rows_of(c, c.input_record(1));
        log_softmax_grad(port, port, e.rows, e.channels, c.input_data<float>(0),
                         c.input_data<float>(1), c.output_data<float>(0));
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
