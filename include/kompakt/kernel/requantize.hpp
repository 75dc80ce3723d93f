// The output stage of convolution and matrix kernels: bias, multiplier and shift per channel or per
// tensor, output zero point, clamp.
#pragma once

#include <kompakt/kernel/call.hpp>
#include <kompakt/numeric/fixed_point.hpp>
#include <kompakt/quant/affine.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct output_stage_params {
    std::int32_t zero_point = 0;
    std::int32_t min = -128, max = 127;

    template <class F>
    static constexpr void fields(F&& f) {
        f("output_zero_point"), f("output_min"), f("output_max");
    }
};

// `Sum` is int32, or int64 for int16 outputs, whose multipliers are cut to 15 bits
// (fixed_point.hpp: requantize_wide).
template <class Out, class Sum>
class basic_output_stage {
  public:
    using sum = Sum;

    // `bias` may be null. `step` is 0 for one multiplier per tensor, 1 for one per channel. `p` is
    // not copied: it has to outlive the stage.
    constexpr basic_output_stage(const Sum* bias, const std::int32_t* multipliers,
                                 const std::int8_t* shifts, std::int32_t step,
                                 const output_stage_params& p) noexcept
        : bias_(bias), multipliers_(multipliers), shifts_(shifts), step_(step), params_(&p) {}

    KOMPAKT_ALWAYS_INLINE constexpr Sum bias(std::int32_t channel) const noexcept {
        return bias_ != nullptr ? bias_[channel] : 0;
    }
    // From an accumulator that holds the bias already.
    KOMPAKT_ALWAYS_INLINE constexpr Out finish(Sum accumulator,
                                               std::int32_t channel) const noexcept {
        const std::int32_t c = channel * step_;
        std::int32_t scaled = 0;
        if constexpr (std::is_same_v<Sum, std::int64_t>) {
            scaled = requantize_wide(accumulator, multipliers_[c], shifts_[c]);
        } else {
            scaled = requantize(accumulator, multipliers_[c], shifts_[c]);
        }
        return static_cast<Out>(
            clamp(wrap_add(scaled, params_->zero_point), params_->min, params_->max));
    }
    // From the sum of products alone.
    KOMPAKT_ALWAYS_INLINE constexpr Out output(Sum products, std::int32_t channel) const noexcept {
        if constexpr (std::is_same_v<Sum, std::int64_t>) {
            return finish(wrap_add_wide(products, bias(channel)), channel);
        } else {
            return finish(wrap_add(products, bias(channel)), channel);
        }
    }
    // The stage of the channels from `first` on.
    constexpr basic_output_stage from(std::int32_t first) const noexcept {
        return {bias_ != nullptr ? bias_ + first : nullptr, multipliers_ + first * step_,
                shifts_ + first * step_, step_, *params_};
    }
    constexpr const Sum* bias_data() const noexcept { return bias_; }
    constexpr const std::int32_t* multipliers() const noexcept { return multipliers_; }
    constexpr const std::int8_t* shifts() const noexcept { return shifts_; }
    constexpr std::int32_t step() const noexcept { return step_; }
    constexpr const output_stage_params& params() const noexcept { return *params_; }

  private:
    const Sum* bias_;
    const std::int32_t* multipliers_;
    const std::int8_t* shifts_;
    std::int32_t step_;
    const output_stage_params* params_;
};
using output_stage = basic_output_stage<std::int8_t, std::int32_t>;

// The operands bias (may be absent), multipliers and shifts, in this order from `first` on.
template <class Out, class Sum>
basic_output_stage<Out, Sum> output_stage_as(const call& c, std::size_t first,
                                             const output_stage_params& p) noexcept {
    const std::int32_t step = c.elements(c.input_record(first + 1)) > 1 ? 1 : 0;
    return {c.input_data<Sum>(first), c.input_data<std::int32_t>(first + 1),
            c.input_data<std::int8_t>(first + 2), step, p};
}
inline output_stage output_stage_of(const call& c, std::size_t first,
                                    const output_stage_params& p) noexcept {
    return output_stage_as<std::int8_t, std::int32_t>(c, first, p);
}

// int16 is symmetric: its zero point is 0 (TensorFlow Lite's quantization specification).
inline status check_zero_point(const char* what, std::int32_t z, dtype type) noexcept {
    const integer_range r =
        type == dtype::i16 || type == dtype::i32 ? integer_range{0, 0} : range_of_type(type);
    if (z >= r.qmin && z <= r.qmax) return {};
    return fail(errc::bad_file, what, " zero point ", z, ", needed ", r.qmin, " to ", r.qmax);
}
inline status check_clamp(std::int32_t lo, std::int32_t hi, dtype type) noexcept {
    const integer_range r = range_of_type(type);
    if (lo >= r.qmin && hi <= r.qmax && lo <= hi) return {};
    return fail(errc::bad_file, "clamp to ", lo, " … ", hi, ", needed within ", r.qmin, " … ",
                r.qmax);
}
inline status check_multiplier(std::int32_t q31, std::int32_t shift) noexcept {
    if (q31 >= 0 && shift >= min_multiplier_shift && shift <= max_multiplier_shift) return {};
    return fail(errc::bad_file, "multiplier ", q31, " with shift ", shift,
                ", needed at least 0 and ", min_multiplier_shift, " to ", max_multiplier_shift);
}
// Of sums of 64 bits.
inline status check_wide_multiplier(std::int32_t q15, std::int32_t shift) noexcept {
    if (q15 >= 0 && q15 <= INT16_MAX && shift >= min_multiplier_shift && shift <= max_wide_shift) {
        return {};
    }
    return fail(errc::bad_file, "multiplier ", q15, " with shift ", shift, ", needed 0 to ",
                INT16_MAX, " and ", min_multiplier_shift, " to ", max_wide_shift);
}

// Types and sizes of the three operands for `channels` outputs of type `out`, and every stored
// multiplier. `sum` is the type of the bias and of sums.
inline status check_output_stage(const call& c, std::size_t first, std::int32_t channels,
                                 const output_stage_params& p, dtype out = dtype::i8,
                                 dtype sum = dtype::i32) noexcept {
    if (c.inputs() != first + 3) return fail(errc::bad_file, "needs ", first + 3, " inputs");
    const auto n = static_cast<std::size_t>(channels);
    if (c.has_input(first)) {
        const tensor_record& bias = c.input_record(first);
        if (bias.type != sum || c.elements(bias) != n) {
            return fail(errc::bad_file, "bias: needed ", name_of(sum), " [", channels, "], given ",
                        name_of(bias.type), " [", c.elements(bias), "]");
        }
    }
    const tensor_record& multipliers = c.input_record(first + 1);
    const tensor_record& shifts = c.input_record(first + 2);
    if (multipliers.where != place::constant || shifts.where != place::constant) {
        return fail(errc::bad_file, "multipliers and shifts must be constants");
    }
    const std::size_t given = c.elements(multipliers);
    if (multipliers.type != dtype::i32 || shifts.type != dtype::i8 || (given != n && given != 1) ||
        c.elements(shifts) != given) {
        return fail(errc::bad_file, "multipliers: needed one per tensor or ", channels, ", given ",
                    given, " and ", c.elements(shifts), " shifts");
    }
    // Packed weights may hold the values: kernels of the port are safe with any.
    const bool here = multipliers.coding != encoding::port && shifts.coding != encoding::port;
    for (std::size_t i = 0; here && i < given; ++i) {
        const std::int32_t m = c.input_data<std::int32_t>(first + 1)[i];
        const std::int32_t shift = c.input_data<std::int8_t>(first + 2)[i];
        KOMPAKT_TRY(sum == dtype::i64 ? check_wide_multiplier(m, shift)
                                      : check_multiplier(m, shift));
    }
    KOMPAKT_TRY(check_zero_point("output", p.zero_point, out));
    return check_clamp(p.min, p.max, out);
}

// Operand `i`: absent, or `channels` floats.
inline status check_float_bias(const call& c, std::size_t i, std::int32_t channels) noexcept {
    if (c.inputs() != i + 1) return fail(errc::bad_file, "needs ", i + 1, " inputs");
    if (!c.has_input(i)) return {};
    const tensor_record& bias = c.input_record(i);
    if (bias.type == dtype::f32 && c.elements(bias) == static_cast<std::size_t>(channels))
        return {};
    return fail(errc::bad_file, "bias: needed float32 [", channels, "], given ", name_of(bias.type),
                " [", c.elements(bias), "]");
}

// Dense operands of the given type and at most the given rank, and nothing that cannot be read.
inline status check_operand(const tensor_record& t, const char* what, dtype type,
                            unsigned rank) noexcept {
    if (t.type != type) {
        return fail(errc::unsupported, what, ": needed ", name_of(type), ", given ",
                    name_of(t.type));
    }
    if (t.rank > rank) {
        return fail(errc::unsupported, what, ": needed at most rank ", rank, ", given ", t.rank);
    }
    if (t.where == place::absent) return fail(errc::bad_file, what, ": missing");
    // The validator allows a port's own order for weights only.
    if (t.coding != encoding::dense && t.coding != encoding::port) {
        return fail(errc::unsupported, what, ": encoded, needed dense");
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
