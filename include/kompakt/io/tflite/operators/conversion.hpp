// Quantize and dequantize.
#pragma once

#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status write_quantize(operator_writer& w, const op&) {
    w.add(builtin::quantize, w.output().type == dtype::i16 ? 2 : 1, options_type::quantize);
    return {};
}

inline constexpr operator_entry conversion_operators[] = {
    {builtin::dequantize, 6, options_type::dequantize, read_plain<ops::dequantize>,
     holds<ops::dequantize>, write_plain<builtin::dequantize, options_type::dequantize, 1, 2, 3>},
    {builtin::quantize, 4, options_type::quantize, read_plain<ops::quantize>, holds<ops::quantize>,
     write_quantize},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
