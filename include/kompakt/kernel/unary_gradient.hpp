// What functions of one element send back: gradient times derivative, from the function's input or,
// where that is cheaper, its output.
//
//     unary_grad_f32: gradient, input or output -> gradient of the input
//
// Corners follow PyTorch: a clamp's gradient is zero at its ends, that of |x| at zero.
#pragma once

#include <kompakt/kernel/softmax_gradient.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// "y": the second input is the function's output.
enum class derivative : std::int32_t {
    clamp,      // y; between a and b
    logistic,   // y
    tanh,       // y
    exp,        // y
    sqrt,       // y
    rsqrt,      // y
    log,        // x
    square,     // x
    abs,        // x
    sin,        // x
    cos,        // x
    elu,        // x
    leaky_relu, // x; a: the slope below zero
    hard_swish, // x
    gelu,       // x
    gelu_tanh,  // x
    count
};

struct unary_grad_params {
    derivative kind = derivative::clamp;
    float a = 0.0f, b = 0.0f;

    template <class F>
    static constexpr void fields(F&& f) {
        f("derivative"), f("a"), f("b");
    }
};

namespace detail {

inline float derivative_of_gelu(float x) noexcept {
    constexpr float inverse_sqrt_2 = 0.707106781f, density = 0.398942280f; // 1 / sqrt(2 pi)
    return 0.5f * erfc_f32(-x * inverse_sqrt_2) + x * density * exp_f32(-0.5f * x * x);
}
inline float derivative_of_gelu_tanh(float x) noexcept {
    constexpr float scale = 0.797884561f, cube = 0.044715f; // sqrt(2 / pi)
    const float t = tanh_f32(scale * (x + cube * x * x * x));
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * scale * (1.0f + 3.0f * cube * x * x);
}
template <class F>
void multiply_by(const float* gradient, const float* v, float* to, std::int32_t n, F&& f) noexcept {
    for (std::int32_t i = 0; i < n; ++i) to[i] = gradient[i] * f(v[i]);
}

} // namespace detail

template <class Port>
void unary_grad(portable, Port, const float* g, const float* v, float* to, std::int32_t n,
                const unary_grad_params& p) noexcept {
    using detail::multiply_by;
    switch (p.kind) {
    case derivative::clamp:
        // Not a product: what is cut off may be infinite.
        for (std::int32_t i = 0; i < n; ++i) to[i] = v[i] > p.a && v[i] < p.b ? g[i] : 0.0f;
        break;
    case derivative::logistic:
        multiply_by(g, v, to, n, [](float y) { return y * (1.0f - y); });
        break;
    case derivative::tanh:
        multiply_by(g, v, to, n, [](float y) { return 1.0f - y * y; });
        break;
    case derivative::exp:
        multiply_by(g, v, to, n, [](float y) { return y; });
        break;
    case derivative::sqrt:
        multiply_by(g, v, to, n, [](float y) { return 0.5f / y; });
        break;
    case derivative::rsqrt:
        multiply_by(g, v, to, n, [](float y) { return -0.5f * y * y * y; });
        break;
    case derivative::log:
        multiply_by(g, v, to, n, [](float x) { return 1.0f / x; });
        break;
    case derivative::square:
        multiply_by(g, v, to, n, [](float x) { return 2.0f * x; });
        break;
    case derivative::abs:
        multiply_by(g, v, to, n, [](float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f; });
        break;
    case derivative::sin:
        multiply_by(g, v, to, n, [](float x) { return cos_f32(x); });
        break;
    case derivative::cos:
        multiply_by(g, v, to, n, [](float x) { return -sin_f32(x); });
        break;
    case derivative::elu:
        multiply_by(g, v, to, n, [](float x) { return x > 0.0f ? 1.0f : exp_f32(x); });
        break;
    case derivative::leaky_relu:
        multiply_by(g, v, to, n, [&](float x) { return x > 0.0f ? 1.0f : p.a; });
        break;
    case derivative::hard_swish:
        multiply_by(g, v, to, n, [](float x) {
            return x < -3.0f ? 0.0f : x <= 3.0f ? x / 3.0f + 0.5f : 1.0f;
        });
        break;
    case derivative::gelu:
        multiply_by(g, v, to, n, [](float x) { return detail::derivative_of_gelu(x); });
        break;
    case derivative::gelu_tanh:
        multiply_by(g, v, to, n, [](float x) { return detail::derivative_of_gelu_tanh(x); });
        break;
    case derivative::count:
        break;
    }
}

struct unary_grad_f32 {
    using params = unary_grad_params;
    static constexpr kernel_id id = kernel_id::unary_grad_f32;
    static constexpr const char* name = "unary_grad_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        const auto kind = static_cast<std::int32_t>(c.params<params>().kind);
        if (kind < 0 || kind >= static_cast<std::int32_t>(derivative::count)) {
            return fail(errc::bad_file, "unknown derivative ", kind);
        }
        return detail::check_same_elements(c);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        unary_grad(port, port, c.input_data<float>(0), c.input_data<float>(1),
                   c.output_data<float>(0),
                   static_cast<std::int32_t>(c.elements(c.output_record(0))), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
