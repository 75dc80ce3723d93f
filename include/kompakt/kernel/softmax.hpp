// Softmax along the last axis: exp(beta * x) / sum of exp(beta * x).
//
//     in [..., depth], out [..., depth], which may be the same memory
//
// int8: the difference to the row's maximum is scaled to Q5, sums of exponentials are kept in Q12;
// the output is an unsigned fraction of 8 or 16 bits, shifted to int8 or int16 (docs/arithmetic.md
// 9). int16: exponential and reciprocal are tables of 512 steps (softmax_i16).
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>
#include <kompakt/numeric/fixed_exp.hpp>
#include <kompakt/numeric/float_math.hpp>

#include <limits>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct softmax_i8_params {
    multiplier scale;          // beta * input scale, to Q5
    std::int32_t diff_min = 0; // smaller differences to the maximum count as exp(-infinity)

    template <class F>
    static constexpr void fields(F&& f) {
        f("multiplier"), f("shift"), f("diff_min");
    }
};

struct softmax_f32_params {
    float beta = 1.0f;

    template <class F>
    static constexpr void fields(F&& f) {
        f("beta");
    }
};

namespace detail {

// The sum of exponentials in Q12. It saturates where TensorFlow Lite Micro's wraps: at 4096 times
// the greatest.
constexpr std::int32_t sum_up_q12(std::int32_t sum, std::int32_t exp_q0) noexcept {
    return saturate_i32(std::int64_t{sum} + rounding_divide_by_pot(exp_q0, 12));
}

} // namespace detail

// `in` and `out` are [rows, depth]; `Out` is int8 or int16.
template <class Port, class InE, class Out, class OutE>
void softmax(portable, Port, const tensor<const std::int8_t, InE>& in, const tensor<Out, OutE>& out,
             const softmax_i8_params& p) noexcept {
    constexpr int diff_bits = 5, sum_bits = 12, out_bits = 8 * static_cast<int>(sizeof(Out));
    constexpr std::int32_t most = std::numeric_limits<Out>::max(),
                           least = std::numeric_limits<Out>::min();
    const std::int32_t depth = in.template dim<1>();
    const std::int8_t* from = in.data();
    Out* to = out.data();
    // Only for differences of at least diff_min: there the scaling does not overflow.
    const auto exp_of = [&](std::int32_t diff) {
        return exp_of_negative<diff_bits>(requantize(diff, p.scale));
    };
    for (std::int32_t row = 0; row < in.template dim<0>(); ++row, from += depth, to += depth) {
        std::int32_t largest = -128;
        for (std::int32_t i = 0; i < depth; ++i) largest = from[i] > largest ? from[i] : largest;
        std::int32_t sum = 0;
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t diff = from[i] - largest;
            if (diff >= p.diff_min) sum = detail::sum_up_q12(sum, exp_of(diff));
        }
        const fixed_reciprocal r = reciprocal<sum_bits>(sum);
        const int exponent = r.exponent + 31 - out_bits;
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t diff = from[i] - largest;
            std::int32_t q = 0;
            if (diff >= p.diff_min && exponent <= 31) {
                q = rounding_divide_by_pot(rounding_doubling_high_mul(r.mantissa, exp_of(diff)),
                                           exponent);
            }
            to[i] = static_cast<Out>(q > most - least ? most : q + least);
        }
    }
}

template <class Port, class InE, class OutE>
void softmax(portable, Port, const tensor<const float, InE>& in, const tensor<float, OutE>& out,
             const softmax_f32_params& p) noexcept {
    const std::int32_t depth = in.template dim<1>();
    const float* from = in.data();
    float* to = out.data();
    for (std::int32_t row = 0; row < in.template dim<0>(); ++row, from += depth, to += depth) {
        float largest = std::numeric_limits<float>::lowest();
        for (std::int32_t i = 0; i < depth; ++i) largest = from[i] > largest ? from[i] : largest;
        float sum = 0.0f;
        for (std::int32_t i = 0; i < depth; ++i) {
            to[i] = exp_f32((from[i] - largest) * p.beta);
            sum += to[i];
        }
        for (std::int32_t i = 0; i < depth; ++i) to[i] /= sum;
    }
}

namespace detail {

// [rows, depth] of an operand of any rank.
inline dynamic_extents<2> rows_of(const call& c, const tensor_record& t) noexcept {
    const std::int32_t depth = t.rank > 0 ? c.dims_of(t)[t.rank - 1] : 1;
    return dynamic_extents<2>(static_cast<std::int32_t>(c.elements(t)) / depth, depth);
}
inline status check_rows(const call& c) noexcept {
    const std::int32_t in = rows_of(c, c.input_record(0))[1],
                       out = rows_of(c, c.output_record(0))[1];
    if (in != out)
        return fail(errc::bad_file, "last dimension of the output ", out,
                    ", needed that of the input, ", in);
    return {};
}
inline status check_softmax(const call& c, dtype in_type, dtype out_type) noexcept {
    KOMPAKT_TRY(check_unary(c, in_type, out_type));
    return check_rows(c);
}
// Multiplier and least difference of int8 inputs, whatever the output.
inline status check_softmax_i8(const softmax_i8_params& p) noexcept {
    KOMPAKT_TRY(check_multiplier(p.scale.q31, p.scale.shift));
    if (p.scale.shift < 0)
        return fail(errc::bad_file, "shift ", p.scale.shift, ", needed at least 0");
    // The scaled difference must stay above -32: |diff_min| * 2^shift <= 31 * 2^26.
    const std::int64_t least = std::int64_t{p.diff_min} * (std::int64_t{1} << p.scale.shift);
    if (p.diff_min > 0 || least < -(std::int64_t{31} << 26)) {
        return fail(errc::bad_file, "diff_min ", p.diff_min, " does not fit shift ", p.scale.shift);
    }
    return {};
}

} // namespace detail

template <class Out>
struct softmax_of_i8 {
    using params = softmax_i8_params;
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_softmax(c, dtype::i8, dtype_of<Out>));
        return detail::check_softmax_i8(c.params<params>());
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto rows = detail::rows_of(c, c.input_record(0));
        softmax(port, port,
                dynamic_tensor<const std::int8_t, 2>(c.input_data<std::int8_t>(0), rows),
                dynamic_tensor<Out, 2>(c.output_data<Out>(0), rows), c.params<params>());
    }
};
struct softmax_i8 : softmax_of_i8<std::int8_t> {
    static constexpr kernel_id id = kernel_id::softmax_i8;
    static constexpr const char* name = "softmax_i8";
};
struct softmax_i8_i16 : softmax_of_i8<std::int16_t> {
    static constexpr kernel_id id = kernel_id::softmax_i8_i16;
    static constexpr const char* name = "softmax_i8_i16";
};

struct softmax_f32 {
    using params = softmax_f32_params;
    static constexpr kernel_id id = kernel_id::softmax_f32;
    static constexpr const char* name = "softmax_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_softmax(c, dtype::f32, dtype::f32));
        const float beta = c.params<params>().beta;
        if (beta > 0.0f && beta <= (std::numeric_limits<float>::max)()) return {};
        return fail(errc::bad_file, "beta ", beta, ", needed a positive number");
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto rows = detail::rows_of(c, c.input_record(0));
        softmax(port, port, dynamic_tensor<const float, 2>(c.input_data<float>(0), rows),
                dynamic_tensor<float, 2>(c.output_data<float>(0), rows), c.params<params>());
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
