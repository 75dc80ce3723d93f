// Checks that kernels with state share: the state itself, and constant operands of a given shape.
#pragma once

#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Output `i`: memory that lasts from run to run, of `elements` elements.
inline status check_state_operand(const call& c, std::size_t i, const char* what, dtype type,
                                  std::int64_t elements) noexcept {
    const tensor_record& t = c.output_record(i);
    KOMPAKT_TRY(check_operand(t, what, type, max_rank));
    if (t.where != place::state) return fail(errc::bad_file, what, ": is no state");
    if (static_cast<std::int64_t>(c.elements(t)) == elements) return {};
    return fail(errc::bad_file, what, ": needed ", elements, " elements, given ", c.elements(t));
}

// Input `i`: [rows, columns].
inline status check_matrix(const call& c, std::size_t i, dtype type, std::int32_t rows,
                           std::int32_t columns) noexcept {
    KOMPAKT_TRY(check_operand(c.input_record(i), "weights", type, 2));
    const auto w = c.input<std::byte, 2>(i);
    if (w.dim(0) == rows && w.dim(1) == columns) return {};
    return fail(errc::bad_file, "input ", i, " is [", w.dim(0), ", ", w.dim(1), "], needed [", rows,
                ", ", columns, "]");
}
// Input `i`: [n].
inline status check_vector(const call& c, std::size_t i, dtype type, std::int32_t n) noexcept {
    KOMPAKT_TRY(check_operand(c.input_record(i), "bias", type, 1));
    if (c.elements(c.input_record(i)) == static_cast<std::size_t>(n)) return {};
    return fail(errc::bad_file, "input ", i, " has ", c.elements(c.input_record(i)),
                " elements, needed ", n);
}

// Inputs `i` and `i` + 1: `n` multipliers and their shifts, constant.
inline status check_multipliers(const call& c, std::size_t i, std::size_t n,
                                std::int32_t most_shift = max_multiplier_shift) noexcept {
    const tensor_record &multipliers = c.input_record(i), &shifts = c.input_record(i + 1);
    if (multipliers.where != place::constant || shifts.where != place::constant ||
        multipliers.type != dtype::i32 || shifts.type != dtype::i8 ||
        c.elements(multipliers) != n || c.elements(shifts) != n) {
        return fail(errc::bad_file, "needed ", n, " constant multipliers and shifts");
    }
    for (std::size_t k = 0; k < n; ++k) {
        const std::int32_t shift = c.input_data<std::int8_t>(i + 1)[k];
        KOMPAKT_TRY(check_multiplier(c.input_data<std::int32_t>(i)[k], shift));
        if (shift > most_shift) {
            return fail(errc::bad_file, "shift ", shift, ", needed at most ", most_shift);
        }
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
