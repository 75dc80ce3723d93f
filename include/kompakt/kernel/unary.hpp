// Functions of one float32 or int16 element, each a kernel family of its own so that a device links
// those that it runs; and `lookup_i8`, which is every function of one int8 element.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/numeric/float_math.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// `out` may be `in`.
template <class Port, class T, class Params, class Function>
void unary(portable, Port, const T* in, T* out, std::int32_t n, const Params& p,
           Function) noexcept {
    for (std::int32_t i = 0; i < n; ++i) out[i] = Function::apply(in[i], p);
}

// A family is `struct x : unary_kernel<x, T, Params>` with id, name, `T apply(T, const Params&)`
// and, where params could be wrong, `status check_params(const Params&)`.
template <class Function, class T, class Params>
struct unary_kernel {
    using params = Params;
    static constexpr bool in_place = true;

    static status check_params(const Params&) noexcept { return {}; }
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(check_unary(c, dtype_of<T>, dtype_of<T>));
        return Function::check_params(params_of(c));
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto n = static_cast<std::int32_t>(c.elements(c.output_record(0)));
        unary(port, port, c.input_data<T>(0), c.output_data<T>(0), n, params_of(c), Function{});
    }

  private:
    static Params params_of(const call& c) noexcept {
        if constexpr (std::is_empty_v<Params>) {
            return {};
        } else {
            return c.params<Params>();
        }
    }
};

struct unary_abs_f32 : unary_kernel<unary_abs_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_abs_f32;
    static constexpr const char* name = "unary_abs_f32";
    static float apply(float x, const no_params&) noexcept { return abs_f32(x); }
};
struct unary_neg_f32 : unary_kernel<unary_neg_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_neg_f32;
    static constexpr const char* name = "unary_neg_f32";
    static float apply(float x, const no_params&) noexcept { return -x; }
};
struct unary_sqrt_f32 : unary_kernel<unary_sqrt_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_sqrt_f32;
    static constexpr const char* name = "unary_sqrt_f32";
    static float apply(float x, const no_params&) noexcept { return sqrt_f32(x); }
};
struct unary_rsqrt_f32 : unary_kernel<unary_rsqrt_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_rsqrt_f32;
    static constexpr const char* name = "unary_rsqrt_f32";
    static float apply(float x, const no_params&) noexcept { return 1.0f / sqrt_f32(x); }
};
struct unary_exp_f32 : unary_kernel<unary_exp_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_exp_f32;
    static constexpr const char* name = "unary_exp_f32";
    static float apply(float x, const no_params&) noexcept { return exp_f32(x); }
};
struct unary_log_f32 : unary_kernel<unary_log_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_log_f32;
    static constexpr const char* name = "unary_log_f32";
    static float apply(float x, const no_params&) noexcept { return log_f32(x); }
};
struct unary_square_f32 : unary_kernel<unary_square_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_square_f32;
    static constexpr const char* name = "unary_square_f32";
    static float apply(float x, const no_params&) noexcept { return x * x; }
};
struct unary_sin_f32 : unary_kernel<unary_sin_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_sin_f32;
    static constexpr const char* name = "unary_sin_f32";
    static float apply(float x, const no_params&) noexcept { return sin_f32(x); }
};
struct unary_cos_f32 : unary_kernel<unary_cos_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_cos_f32;
    static constexpr const char* name = "unary_cos_f32";
    static float apply(float x, const no_params&) noexcept { return cos_f32(x); }
};
struct unary_floor_f32 : unary_kernel<unary_floor_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_floor_f32;
    static constexpr const char* name = "unary_floor_f32";
    static float apply(float x, const no_params&) noexcept { return floor_f32(x); }
};
struct unary_ceil_f32 : unary_kernel<unary_ceil_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_ceil_f32;
    static constexpr const char* name = "unary_ceil_f32";
    static float apply(float x, const no_params&) noexcept { return ceil_f32(x); }
};
struct unary_round_f32 : unary_kernel<unary_round_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_round_f32;
    static constexpr const char* name = "unary_round_f32";
    static float apply(float x, const no_params&) noexcept { return round_half_even_f32(x); }
};
struct unary_tanh_f32 : unary_kernel<unary_tanh_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_tanh_f32;
    static constexpr const char* name = "unary_tanh_f32";
    static float apply(float x, const no_params&) noexcept { return tanh_f32(x); }
};
struct unary_elu_f32 : unary_kernel<unary_elu_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_elu_f32;
    static constexpr const char* name = "unary_elu_f32";
    static float apply(float x, const no_params&) noexcept { return x < 0.0f ? expm1_f32(x) : x; }
};
struct unary_hard_swish_f32 : unary_kernel<unary_hard_swish_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_hard_swish_f32;
    static constexpr const char* name = "unary_hard_swish_f32";
    static float apply(float x, const no_params&) noexcept {
        const float y = x + 3.0f;
        return x * (y > 6.0f ? 6.0f : y > 0.0f ? y : 0.0f) / 6.0f;
    }
};
// x times the normal distribution's probability of less than x; and its approximation by tanh.
struct unary_gelu_f32 : unary_kernel<unary_gelu_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_gelu_f32;
    static constexpr const char* name = "unary_gelu_f32";
    static float apply(float x, const no_params&) noexcept {
        return 0.5f * x * erfc_f32(x * -0.707106781f);
    }
};
struct unary_gelu_tanh_f32 : unary_kernel<unary_gelu_tanh_f32, float, no_params> {
    static constexpr kernel_id id = kernel_id::unary_gelu_tanh_f32;
    static constexpr const char* name = "unary_gelu_tanh_f32";
    static float apply(float x, const no_params&) noexcept {
        return 0.5f * x * (1.0f + tanh_f32(0.797884561f * (x + 0.044715f * x * x * x)));
    }
};

template <class Port>
void lookup(portable, Port, const std::int8_t* in, const std::int8_t* table, std::int8_t* out,
            std::int32_t n) noexcept {
    for (std::int32_t i = 0; i < n; ++i) out[i] = table[static_cast<std::uint8_t>(in[i])];
}

// Every function of one int8 element: output = table[input as an unsigned byte]. Inputs: the
// elements, and a constant of 256 bytes. No byte of a file can lead outside of it.
struct lookup_i8 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::lookup_i8;
    static constexpr const char* name = "lookup_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        if (c.inputs() != 2 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs two inputs and one output");
        }
        const tensor_record &in = c.input_record(0), &table = c.input_record(1),
                            &out = c.output_record(0);
        KOMPAKT_TRY(check_operand(in, "input", dtype::i8, max_rank));
        KOMPAKT_TRY(check_operand(table, "table", dtype::i8, 1));
        KOMPAKT_TRY(check_operand(out, "output", dtype::i8, max_rank));
        if (table.where != place::constant || c.elements(table) != 256) {
            return fail(errc::bad_file, "table: needed a constant of 256 elements, given ",
                        c.elements(table));
        }
        if (c.elements(in) == c.elements(out)) return {};
        return fail(errc::bad_file, "output has ", c.elements(out), " elements, input ",
                    c.elements(in));
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto n = static_cast<std::int32_t>(c.elements(c.output_record(0)));
        lookup(port, port, c.input_data<std::int8_t>(0), c.input_data<std::int8_t>(1),
               c.output_data<std::int8_t>(0), n);
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
