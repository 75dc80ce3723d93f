// Batch normalization as training runs it, over the last axis of float32 tensors [..., c]:
//
//     batch_norm_training_f32: x, gamma, beta -> y, mean, 1 / sqrt(variance + epsilon), and the
//                              running mean and variance, which are states
//     batch_norm_grad_f32:     gradient, x, gamma, mean, 1 / sqrt(variance + epsilon)
//                              -> gradients of x, gamma, beta
//
// The variance of the batch is that of n elements, the running one takes n - 1 (PyTorch, Keras):
// running = running + momentum * (batch - running). A frozen layer's statistics are constants, and
// its gradient does not flow through them.
#pragma once

#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct batch_norm_training_params {
    float epsilon = 1e-3f, momentum = 0.1f;

    template <class F>
    static constexpr void fields(F&& f) {
        f("epsilon"), f("momentum");
    }
};
struct batch_norm_grad_params {
    std::int32_t frozen = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("frozen");
    }
};

namespace detail {

struct channel_rows {
    std::int32_t rows, channels;
};
inline channel_rows channel_rows_of(const call& c, const tensor_record& t) noexcept {
    const std::int32_t channels = t.rank > 0 ? c.dims_of(t)[t.rank - 1] : 1;
    return {static_cast<std::int32_t>(c.elements(t)) / (channels > 0 ? channels : 1), channels};
}
inline status check_channels(const call& c, const tensor_record& t, const char* what,
                             std::int32_t channels) noexcept {
    KOMPAKT_TRY(check_operand(t, what, dtype::f32, max_rank));
    if (c.elements(t) == static_cast<std::size_t>(channels)) return {};
    return fail(errc::bad_file, what, ": ", c.elements(t), " elements, needed ", channels);
}

} // namespace detail

// The sums run over the rows in order, in two passes: the variance of large values is exact enough.
template <class Port>
void batch_norm_training(portable, Port, std::int32_t rows, std::int32_t channels, const float* x,
                         const float* gamma, const float* beta, float* y, float* mean,
                         float* inverse, float* running_mean, float* running_variance,
                         const batch_norm_training_params& p) noexcept {
    const float n = static_cast<float>(rows);
    for (std::int32_t k = 0; k < channels; ++k) mean[k] = inverse[k] = 0.0f;
    for (std::int32_t i = 0; i < rows; ++i)
        for (std::int32_t k = 0; k < channels; ++k) mean[k] += x[i * channels + k];
    for (std::int32_t k = 0; k < channels; ++k) mean[k] /= n;
    for (std::int32_t i = 0; i < rows; ++i) {
        for (std::int32_t k = 0; k < channels; ++k) {
            const float d = x[i * channels + k] - mean[k];
            inverse[k] += d * d;
        }
    }
    for (std::int32_t k = 0; k < channels; ++k) {
        const float unbiased = rows > 1 ? inverse[k] / (n - 1.0f) : 0.0f;
        running_mean[k] += p.momentum * (mean[k] - running_mean[k]);
        running_variance[k] += p.momentum * (unbiased - running_variance[k]);
        inverse[k] = 1.0f / sqrt_f32(inverse[k] / n + p.epsilon);
    }
    for (std::int32_t i = 0; i < rows; ++i) {
        for (std::int32_t k = 0; k < channels; ++k) {
            const float normal = (x[i * channels + k] - mean[k]) * inverse[k];
            y[i * channels + k] = normal * gamma[k] + beta[k];
        }
    }
}

template <class Port>
void batch_norm_grad(portable, Port, std::int32_t rows, std::int32_t channels,
                     const float* gradient, const float* x, const float* gamma, const float* mean,
                     const float* inverse, float* x_gradient, float* gamma_gradient,
                     float* beta_gradient, bool frozen) noexcept {
    const float n = static_cast<float>(rows);
    for (std::int32_t k = 0; k < channels; ++k) gamma_gradient[k] = beta_gradient[k] = 0.0f;
    for (std::int32_t i = 0; i < rows; ++i) {
        for (std::int32_t k = 0; k < channels; ++k) {
            const float g = gradient[i * channels + k];
            beta_gradient[k] += g;
            gamma_gradient[k] += g * (x[i * channels + k] - mean[k]) * inverse[k];
        }
    }
    for (std::int32_t i = 0; i < rows; ++i) {
        for (std::int32_t k = 0; k < channels; ++k) {
            float g = gradient[i * channels + k];
            if (!frozen) {
                const float normal = (x[i * channels + k] - mean[k]) * inverse[k];
                g -= (beta_gradient[k] + normal * gamma_gradient[k]) / n;
            }
            x_gradient[i * channels + k] = g * gamma[k] * inverse[k];
        }
    }
}

struct batch_norm_training_f32 {
    using params = batch_norm_training_params;
    static constexpr kernel_id id = kernel_id::batch_norm_training_f32;
    static constexpr const char* name = "batch_norm_training_f32";

    static status check(const call& c) noexcept {
        if (c.inputs() != 3 || c.outputs() != 5) {
            return fail(errc::bad_file, "needs three inputs and five outputs");
        }
        KOMPAKT_TRY(check_operand(c.input_record(0), "input", dtype::f32, max_rank));
        KOMPAKT_TRY(check_operand(c.output_record(0), "output", dtype::f32, max_rank));
        const std::int32_t channels = detail::channel_rows_of(c, c.input_record(0)).channels;
        if (c.elements(c.output_record(0)) != c.elements(c.input_record(0))) {
            return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                        " elements, input ", c.elements(c.input_record(0)));
        }
        KOMPAKT_TRY(detail::check_channels(c, c.input_record(1), "gamma", channels));
        KOMPAKT_TRY(detail::check_channels(c, c.input_record(2), "beta", channels));
        for (std::size_t i = 1; i < 5; ++i) {
            KOMPAKT_TRY(detail::check_channels(c, c.output_record(i), "statistics", channels));
        }
        for (std::size_t i = 3; i < 5; ++i) {
            if (c.output_record(i).where != place::state) {
                return fail(errc::bad_file, "running statistics: needed states");
            }
        }
        return {};
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::channel_rows_of(c, c.input_record(0));
        batch_norm_training(port, port, e.rows, e.channels, c.input_data<float>(0),
                            c.input_data<float>(1), c.input_data<float>(2), c.output_data<float>(0),
                            c.output_data<float>(1), c.output_data<float>(2),
                            c.output_data<float>(3), c.output_data<float>(4), c.params<params>());
    }
};

struct batch_norm_grad_f32 {
    using params = batch_norm_grad_params;
    static constexpr kernel_id id = kernel_id::batch_norm_grad_f32;
    static constexpr const char* name = "batch_norm_grad_f32";

    // Inputs: gradient, x, gamma, mean, inverse deviation. Outputs: of x, gamma, beta.
    static status check(const call& c) noexcept {
        if (c.inputs() != 5 || c.outputs() != 3) {
            return fail(errc::bad_file, "needs five inputs and three outputs");
        }
        const std::int32_t channels = detail::channel_rows_of(c, c.input_record(0)).channels;
        const tensor_record* full[] = {&c.input_record(0), &c.input_record(1), &c.output_record(0)};
        for (const tensor_record* t : full) {
            KOMPAKT_TRY(check_operand(*t, "gradient or input", dtype::f32, max_rank));
            if (c.elements(*t) != c.elements(c.input_record(0))) {
                return fail(errc::bad_file, "gradient or input has ", c.elements(*t),
                            " elements, needed ", c.elements(c.input_record(0)));
            }
        }
        for (std::size_t i = 2; i < 5; ++i) {
            KOMPAKT_TRY(detail::check_channels(c, c.input_record(i), "parameter", channels));
        }
        KOMPAKT_TRY(detail::check_channels(c, c.output_record(1), "gamma gradient", channels));
        return detail::check_channels(c, c.output_record(2), "beta gradient", channels);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto e = detail::channel_rows_of(c, c.input_record(0));
        batch_norm_grad(port, port, e.rows, e.channels, c.input_data<float>(0),
                        c.input_data<float>(1), c.input_data<float>(2), c.input_data<float>(3),
                        c.input_data<float>(4), c.output_data<float>(0), c.output_data<float>(1),
                        c.output_data<float>(2), c.params<params>().frozen != 0);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
