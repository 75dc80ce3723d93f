// Fully connected: every output is a weighted sum of all inputs of its batch.
//
//     in [n, k], weights OI [o, k], bias [o], out [n, o]
//
// Operands of other ranks are seen as these. int8 and int16: TensorFlow Lite's quantization
// specification. Weights are int8, or int4 beside int8 inputs, packed two to a byte. Sums are
// int32, of int16 inputs also int64, and wrap.
#pragma once

#include <kompakt/kernel/dot.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/kernel/port_hooks.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Of all integer types; the zero points of int16 are 0.
struct fully_connected_i8_params {
    std::int32_t input_zero_point = 0;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("input_zero_point"), output_stage_params::fields(f);
    }
};

struct fully_connected_f32_params {
    float min, max;

    template <class F>
    static constexpr void fields(F&& f) {
        f("output_min"), f("output_max");
    }
};

// `Weight` is std::int8_t, or std::byte for packed int4, whose extents count elements all the same.
template <class Port, class T, class Weight, class Sum, class InE, class WeightsE, class OutE>
void fully_connected(portable, Port port, const tensor<const T, InE>& in,
                     const tensor<const Weight, WeightsE>& weights,
                     const basic_output_stage<T, Sum>& stage, const tensor<T, OutE>& out,
                     const fully_connected_i8_params& p) noexcept {
    const std::int32_t depth = weights.template dim<1>();
    const T* row = in.data();
    T* to = out.data();
    for (std::int32_t n = 0; n < out.template dim<0>(); ++n) {
        auto w = weights_of(weights.data());
        for (std::int32_t o = 0; o < out.template dim<1>();) {
            // Four outputs share what is loaded of the input.
            const std::int32_t lanes = out.template dim<1>() - o >= 4 ? 4 : 1;
            four<Sum> sums{};
            if (lanes == 4) {
                detail::dot4(port, w, depth, row, depth, p.input_zero_point, sums);
            } else {
                sums.value[0] = detail::dot(port, w, row, depth, p.input_zero_point, Sum{0});
            }
            w += lanes * depth;
            for (std::int32_t k = 0; k < lanes; ++k, ++o) *to++ = stage.output(sums.value[k], o);
        }
        row += depth;
    }
}

template <class Port, class InE, class WeightsE, class OutE>
void fully_connected(portable, Port port, const tensor<const float, InE>& in,
                     const tensor<const float, WeightsE>& weights, const float* bias,
                     const tensor<float, OutE>& out, const fully_connected_f32_params& p) noexcept {
    const std::int32_t depth = weights.template dim<1>();
    const float* row = in.data();
    float* to = out.data();
    for (std::int32_t n = 0; n < out.template dim<0>(); ++n) {
        const float* w = weights.data();
        for (std::int32_t o = 0; o < out.template dim<1>(); ++o) {
            float sum = dot_f32(port, port, w, row, depth, 0.0f);
            if (bias != nullptr) sum += bias[o];
            *to++ = limit(sum, p.min, p.max);
            w += depth;
        }
        row += depth;
    }
}

namespace detail {

// What all types have in common: inputs 0 and 1 and output 0.
inline status check_fully_connected(const call& c, dtype type, dtype weight) noexcept {
    if (c.inputs() < 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs an input, weights and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", type, max_rank));
    KOMPAKT_TRY(check_operand(c.input_record(1), "weights", weight, 2));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, max_rank));
    const auto weights = c.input<std::byte, 2>(1);
    const auto depth = static_cast<std::uint64_t>(weights.dim(1));
    const std::uint64_t given = c.elements(c.input_record(0));
    const std::uint64_t needed = given / depth * static_cast<std::uint64_t>(weights.dim(0));
    if (given % depth != 0 || c.elements(c.output_record(0)) != needed) {
        return fail(errc::bad_file, given, " inputs and ", c.elements(c.output_record(0)),
                    " outputs, weights [", weights.dim(0), ", ", weights.dim(1), "]");
    }
    if (c.by_rows()) return fail(errc::bad_file, "cannot run by rows");
    return {};
}

// The operands as [n, k] and [n, o].
template <class T>
dynamic_tensor<const T, 2> batches_in(const call& c, std::int32_t depth) noexcept {
    const auto n = static_cast<std::int32_t>(c.elements(c.input_record(0)));
    return {c.input_data<T>(0), dynamic_extents<2>(n / depth, depth)};
}
template <class T>
dynamic_tensor<T, 2> batches_out(const call& c, std::int32_t outputs) noexcept {
    const auto n = static_cast<std::int32_t>(c.elements(c.output_record(0)));
    return {c.output_data<T>(0), dynamic_extents<2>(n / outputs, outputs)};
}

// Inputs of the integer families: input, weights, bias or absent, multipliers, shifts.
inline status check_fully_connected_integer(const call& c, dtype type, dtype weight,
                                            dtype sum) noexcept {
    const auto p = c.params<fully_connected_i8_params>();
    KOMPAKT_TRY(check_fully_connected(c, type, weight));
    KOMPAKT_TRY(check_zero_point("input", p.input_zero_point, type));
    return check_output_stage(c, 2, c.input<std::byte, 2>(1).dim(0), p.output, type, sum);
}
template <class T, class Weight, class Sum, class Port, class Call>
void run_fully_connected_integer(Port port, const Call& c) noexcept {
    const auto p = c.template params<fully_connected_i8_params>();
    const auto weights = c.template input<Weight, 2>(arg<1>);
    fully_connected(port, port, batches_in<T>(c, weights.dim(1)), weights,
                    output_stage_as<T, Sum>(c, 2, p.output), batches_out<T>(c, weights.dim(0)), p);
}

// A family of these types; `Weight` as above.
template <class T, class Weight, class Sum>
struct fully_connected_integer {
    using params = fully_connected_i8_params;

    static status check(const call& c) noexcept {
        return check_fully_connected_integer(c, dtype_of<T>, weight_type<Weight>, dtype_of<Sum>);
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        run_fully_connected_integer<T, Weight, Sum>(port, c);
    }
};

} // namespace detail

struct fully_connected_i8
    : with_port_hooks<fully_connected_i8,
                      detail::fully_connected_integer<std::int8_t, std::int8_t, std::int32_t>> {
    static constexpr kernel_id id = kernel_id::fully_connected_i8;
    static constexpr const char* name = "fully_connected_i8";
};

// int8 inputs, int4 weights.
struct fully_connected_i4 : detail::fully_connected_integer<std::int8_t, std::byte, std::int32_t> {
    static constexpr kernel_id id = kernel_id::fully_connected_i4;
    static constexpr const char* name = "fully_connected_i4";
};

// int16 inputs, int8 weights, sums of 64 bits.
struct fully_connected_i16
    : detail::fully_connected_integer<std::int16_t, std::int8_t, std::int64_t> {
    static constexpr kernel_id id = kernel_id::fully_connected_i16;
    static constexpr const char* name = "fully_connected_i16";
};

// int16 inputs, int8 weights, sums of 32 bits.
struct fully_connected_i16_sum32
    : detail::fully_connected_integer<std::int16_t, std::int8_t, std::int32_t> {
    static constexpr kernel_id id = kernel_id::fully_connected_i16_sum32;
    static constexpr const char* name = "fully_connected_i16_sum32";
};

namespace detail {

struct fully_connected_float {
    using params = fully_connected_f32_params;

    // Inputs: input, weights, bias or absent.
    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_fully_connected(c, dtype::f32, dtype::f32));
        return check_float_bias(c, 2, c.input<std::byte, 2>(1).dim(0));
    }
    template <class Port, class Call>
    static void run(Port port, const Call& c) noexcept {
        const auto weights = c.template input<float, 2>(arg<1>);
        fully_connected(port, port, detail::batches_in<float>(c, weights.dim(1)), weights,
                        c.template input_data<float>(2),
                        detail::batches_out<float>(c, weights.dim(0)), c.template params<params>());
    }
};

} // namespace detail

struct fully_connected_f32 : with_port_hooks<fully_connected_f32, detail::fully_connected_float> {
    static constexpr kernel_id id = kernel_id::fully_connected_f32;
    static constexpr const char* name = "fully_connected_f32";
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
