// Logical operators on bool.
#pragma once

#include <kompakt/graph/ops/logical.hpp>
#include <kompakt/io/tflite/operators/arithmetic.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline constexpr operator_entry logical_operators[] = {
    {builtin::logical_and, 1, options_type::logical_and, read_inputs<ops::logical_and, 2>,
     holds<ops::logical_and>, write_inputs<builtin::logical_and, options_type::logical_and>},
    {builtin::logical_not, 1, options_type::logical_not, read_inputs<ops::logical_not, 1>,
     holds<ops::logical_not>, write_inputs<builtin::logical_not, options_type::logical_not>},
    {builtin::logical_or, 1, options_type::logical_or, read_inputs<ops::logical_or, 2>,
     holds<ops::logical_or>, write_inputs<builtin::logical_or, options_type::logical_or>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
