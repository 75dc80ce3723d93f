// The sum of any number of int8 tensors of one shape and one scale, as TensorFlow Lite Micro has
// it: the sum starts not at zero but at the negative zero point, scaled as an input is
// (docs/arithmetic.md 18).
#pragma once

#include <kompakt/kernel/add.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct add_n_i8_params {
    std::int32_t zero_point = 0;
    multiplier input, result;
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("zero_point"), f("multiplier_input"), f("shift_input"), f("multiplier_result");
        f("shift_result"), output_stage_params::fields(f);
    }
    // An input's number at the scale of the sum.
    KOMPAKT_ALWAYS_INLINE constexpr std::int32_t term(std::int32_t q) const noexcept {
        return detail::to_common_scale<add_left_shift<std::int8_t>>(q, zero_point, input);
    }
};
inline status check_add_n(const add_n_i8_params& p) noexcept {
    KOMPAKT_TRY(check_zero_point("input", p.zero_point, dtype::i8));
    KOMPAKT_TRY(check_multiplier(p.input.q31, p.input.shift));
    KOMPAKT_TRY(check_multiplier(p.result.q31, p.result.shift));
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, dtype::i8));
    return check_clamp(p.output.min, p.output.max, dtype::i8);
}

struct add_n_i8 {
    using params = add_n_i8_params;
    static constexpr kernel_id id = kernel_id::add_n_i8;
    static constexpr const char* name = "add_n_i8";
    static constexpr bool in_place = true;

    static status check(const call& c) noexcept {
        if (c.inputs() < 1 || c.outputs() != 1) {
            return fail(errc::bad_file, "needs inputs and one output");
        }
        const tensor_record& out = c.output_record(0);
        KOMPAKT_TRY(check_operand(out, "output", dtype::i8, max_rank));
        for (std::size_t i = 0; i < c.inputs(); ++i) {
            KOMPAKT_TRY(check_operand(c.input_record(i), "input", dtype::i8, max_rank));
            if (c.elements(c.input_record(i)) != c.elements(out)) {
                return fail(errc::bad_file, "input ", i, " has ", c.elements(c.input_record(i)),
                            " elements, output ", c.elements(out));
            }
        }
        return check_add_n(c.params<params>());
    }
    template <class Port>
    static void run(Port, const call& c) noexcept {
        const auto p = c.params<params>();
        const auto n = static_cast<std::int32_t>(c.elements(c.output_record(0)));
        auto* out = c.output_data<std::int8_t>(0);
        for (std::int32_t i = 0; i < n; ++i) {
            std::int32_t sum = p.term(0);
            for (std::size_t k = 0; k < c.inputs(); ++k) {
                sum = wrap_add(sum, p.term(c.input_data<std::int8_t>(k)[i]));
            }
            out[i] = detail::to_output<std::int8_t>(sum, p.result, p.output);
        }
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
