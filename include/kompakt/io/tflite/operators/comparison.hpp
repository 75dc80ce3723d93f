// Comparisons, and the choice by their results.
#pragma once

#include <kompakt/graph/ops/comparison.hpp>
#include <kompakt/graph/ops/select.hpp>
#include <kompakt/io/tflite/operators/arithmetic.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <builtin Code, options_type Type>
status write_comparison(operator_writer& w, const op&) {
    w.add(Code, w.version(1, 2, 1), Type);
    return {};
}

// The first select knows no broadcasting; it takes a vector of conditions by rows of the others.
inline status read_select(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(3, 3));
    const shape &condition = r.input(0).shape, &x = r.input(1).shape;
    if (condition == x || condition.empty()) return r.make(ops::select());
    return fail(errc::unsupported, "condition ", text_of(condition), " beside ", text_of(x),
                ", needed one shape");
}

inline constexpr operator_entry comparison_operators[] = {
    {builtin::equal, 3, options_type::equal, read_inputs<ops::equal, 2>, holds<ops::equal>,
     write_comparison<builtin::equal, options_type::equal>},
    {builtin::greater, 2, options_type::greater, read_inputs<ops::greater, 2>, holds<ops::greater>,
     write_comparison<builtin::greater, options_type::greater>},
    {builtin::greater_equal, 3, options_type::greater_equal, read_inputs<ops::greater_equal, 2>,
     holds<ops::greater_equal>,
     write_comparison<builtin::greater_equal, options_type::greater_equal>},
    {builtin::less, 3, options_type::less, read_inputs<ops::less, 2>, holds<ops::less>,
     write_comparison<builtin::less, options_type::less>},
    {builtin::less_equal, 2, options_type::less_equal, read_inputs<ops::less_equal, 2>,
     holds<ops::less_equal>, write_comparison<builtin::less_equal, options_type::less_equal>},
    {builtin::not_equal, 3, options_type::not_equal, read_inputs<ops::not_equal, 2>,
     holds<ops::not_equal>, write_comparison<builtin::not_equal, options_type::not_equal>},
    {builtin::select, 4, options_type::select, read_select, nullptr, nullptr},
    {builtin::select_v2, 2, options_type::select_v2, read_inputs<ops::select, 3>,
     holds<ops::select>, write_inputs<builtin::select_v2, options_type::select_v2>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
