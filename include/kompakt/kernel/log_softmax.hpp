// The logarithm of softmax along the last axis: x - max - log(sum of exp(x - max)).
//
//     in [..., depth], out [..., depth], which may be the same memory
//
// int8: differences in Q5, the sum in Q12, its logarithm in Q5; the output's scale is 1/16, its
// zero point 127.
#pragma once

#include <kompakt/kernel/softmax.hpp>
#include <kompakt/kernel/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct log_softmax_i8_params {
    softmax_i8_params in;
    multiplier back; // from Q5 to the input's numbers

    template <class F>
    static constexpr void fields(F&& f) {
        softmax_i8_params::fields(f), f("back_multiplier"), f("back_shift");
    }
};

// `in` and `out` are [rows, depth].
template <class Port>
void log_softmax(portable, Port, const std::int8_t* in, std::int8_t* out, std::int32_t rows,
                 std::int32_t depth, const log_softmax_i8_params& p) noexcept {
    for (std::int32_t row = 0; row < rows; ++row, in += depth, out += depth) {
        std::int32_t largest = -128;
        for (std::int32_t i = 0; i < depth; ++i) largest = in[i] > largest ? in[i] : largest;
        std::int32_t sum = 0;
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t diff = in[i] - largest;
            if (diff < p.in.diff_min) continue;
            sum = detail::sum_up_q12(sum, exp_of_negative<5>(requantize(diff, p.in.scale)));
        }
        const std::int32_t log_sum = fixed_log<5, 12>(sum);
        // Below this the result is not in Q5.
        const std::int32_t last = requantize(wrap_add(log_sum, INT32_MIN), p.back);
        const std::int32_t least = last > p.in.diff_min - 1 ? last : p.in.diff_min - 1;
        for (std::int32_t i = 0; i < depth; ++i) {
            const std::int32_t diff = in[i] - largest;
            std::int32_t q = -128;
            if (diff > least) {
                // 22 bits are what Q5 has more than the output's sixteenths.
                const std::int32_t y = wrap_sub(requantize(diff, p.in.scale), log_sum);
                q = clamp(rounding_divide_by_pot(y, 22) + 127, -128, 127);
            }
            out[i] = static_cast<std::int8_t>(q);
        }
    }
}

template <class Port>
void log_softmax(portable, Port, const float* in, float* out, std::int32_t rows, std::int32_t depth,
                 const no_params&) noexcept {
    for (std::int32_t row = 0; row < rows; ++row, in += depth, out += depth) {
        float largest = std::numeric_limits<float>::lowest();
        for (std::int32_t i = 0; i < depth; ++i) largest = in[i] > largest ? in[i] : largest;
        float sum = 0.0f;
        for (std::int32_t i = 0; i < depth; ++i) sum += exp_f32(in[i] - largest);
        const float log_sum = log_f32(sum);
        for (std::int32_t i = 0; i < depth; ++i) out[i] = in[i] - largest - log_sum;
    }
}

struct log_softmax_i8 {
    using params = log_softmax_i8_params;
    static constexpr kernel_id id = kernel_id::log_softmax_i8;
    static constexpr const char* name = "log_softmax_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        KOMPAKT_TRY(detail::check_softmax(c, dtype::i8, dtype::i8));
        const auto p = c.params<params>();
        KOMPAKT_TRY(detail::check_softmax_i8(p.in));
        return check_multiplier(p.back.q31, p.back.shift);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto rows = detail::rows_of(c, c.input_record(0));
        log_softmax(port, port, c.input_data<std::int8_t>(0), c.output_data<std::int8_t>(0),
                    rows[0], rows[1], c.params<params>());
    }
};

struct log_softmax_f32 {
    using params = no_params;
    static constexpr kernel_id id = kernel_id::log_softmax_f32;
    static constexpr const char* name = "log_softmax_f32";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        return detail::check_softmax(c, dtype::f32, dtype::f32);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto rows = detail::rows_of(c, c.input_record(0));
        log_softmax(port, port, c.input_data<float>(0), c.output_data<float>(0), rows[0], rows[1],
                    params{});
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
