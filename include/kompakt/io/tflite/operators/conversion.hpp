// Between element types: quantize, dequantize, cast.
#pragma once

#include <kompakt/graph/ops/cast.hpp>
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

inline status write_dequantize(operator_writer& w, const op&) {
    const int version = w.input(0).type == dtype::f16 ? 3 : w.version(1, 2, 3);
    w.add(builtin::dequantize, version, options_type::dequantize);
    return {};
}

inline status read_cast(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    // The tensors' types decide, as in TensorFlow Lite; the options may say nothing.
    r.options.scalar<std::int8_t>(cast_field::in_type, 0);
    r.options.scalar<std::int8_t>(cast_field::out_type, 0);
    ops::cast o;
    o.to = r.output(0).type;
    return r.make(std::move(o));
}

inline status write_cast(operator_writer& w, const op& o) {
    const dtype from = w.input(0).type, to = o.as<ops::cast>()->to;
    const auto either = [&](dtype t) { return from == t || to == t; };
    const int version = either(dtype::u16) ? 4 : either(dtype::i8) ? 3 : either(dtype::u32) ? 2 : 1;
    w.add(builtin::cast, version, options_type::cast,
          flatbuffer::fields()
              .scalar<std::int8_t>(cast_field::in_type, number_of(from), 0)
              .scalar<std::int8_t>(cast_field::out_type, number_of(to), 0));
    return {};
}

inline constexpr operator_entry conversion_operators[] = {
    {builtin::cast, 5, options_type::cast, read_cast, holds<ops::cast>, write_cast},
    {builtin::dequantize, 6, options_type::dequantize, read_plain<ops::dequantize>,
     holds<ops::dequantize>, write_dequantize},
    {builtin::quantize, 4, options_type::quantize, read_plain<ops::quantize>, holds<ops::quantize>,
     write_quantize},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
