// Elementwise arithmetic on two or more inputs.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/add_n.hpp>
#include <kompakt/graph/ops/div.hpp>
#include <kompakt/graph/ops/extreme.hpp>
#include <kompakt/graph/ops/floor_div.hpp>
#include <kompakt/graph/ops/floor_mod.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/prelu.hpp>
#include <kompakt/graph/ops/squared_difference.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <class Op>
status read_arithmetic(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    Op o;
    if constexpr (std::is_same_v<Op, ops::add> || std::is_same_v<Op, ops::sub>) {
        // A hint for int16 that TensorFlow Lite Micro, the norm, never looks at.
        r.options.scalar<bool>(arithmetic_field::power_of_two_scale, true);
    }
    const auto fused = r.fused(arithmetic_field::activation);
    if (!fused.ok()) return fused.error();
    o.fused = *fused;
    return r.make(std::move(o));
}

// Whether two inputs broadcast to more than four axes, which needs a later version of some.
inline bool broadcasts_beyond_four(const operator_writer& w) {
    return w.output().shape.size() > 4 && w.input(0).shape != w.input(1).shape;
}
// mul of version 3 and later may scale up.
inline bool scales_up(const operator_writer& w) {
    return w.input(0).quantization && w.input(1).quantization && w.output().quantization &&
           w.input(0).quantization->scale() * w.input(1).quantization->scale() >=
               w.output().quantization->scale();
}
inline int arithmetic_version(const operator_writer& w, builtin code) {
    switch (code) {
    case builtin::add:
        return w.version(1, 2, 3);
    case builtin::sub:
        if (w.input(0).type == dtype::i16) return 5;
        return broadcasts_beyond_four(w) ? 3 : w.version(1, 2, 5);
    case builtin::mul:
        return w.version(1, scales_up(w) ? 3 : 2, 4);
    case builtin::maximum:
    case builtin::minimum:
        if (w.input(0).type == dtype::i16) return 4;
        return broadcasts_beyond_four(w) ? 3 : w.version(1, 2, 4);
    case builtin::div:
        return broadcasts_beyond_four(w) ? 2 : 1;
    case builtin::floor_div:
        return 2; // float32
    case builtin::squared_difference:
        return w.version(1, 2, 1);
    default:
        return 1;
    }
}

template <class Op, builtin Code, options_type Type>
status write_arithmetic(operator_writer& w, const op& o) {
    flatbuffer::fields fields;
    const activation fused = o.as<Op>()->fused;
    fields.scalar<std::int8_t>(arithmetic_field::activation, w.number(fused), 0);
    if constexpr (Code == builtin::add || Code == builtin::sub) {
        // Version 3 of add and 5 of sub: any scales.
        const bool general = w.input(0).type == dtype::i16;
        fields.scalar<bool>(arithmetic_field::power_of_two_scale, !general, true);
    }
    w.add(Code, arithmetic_version(w, Code), Type, fields);
    return {};
}

// Operators of any number of inputs without options.
template <class Op, std::size_t Least, std::size_t Most = Least>
status read_inputs(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(Least, Most));
    return r.make(Op());
}
template <builtin Code, options_type Type>
status write_inputs(operator_writer& w, const op&) {
    w.add(Code, arithmetic_version(w, Code), Type);
    return {};
}

inline constexpr operator_entry arithmetic_operators[] = {
    {builtin::add, 5, options_type::add, read_arithmetic<ops::add>, holds<ops::add>,
     write_arithmetic<ops::add, builtin::add, options_type::add>},
    {builtin::add_n, 1, options_type::add_n, read_inputs<ops::add_n, 2, SIZE_MAX>,
     holds<ops::add_n>, write_inputs<builtin::add_n, options_type::add_n>},
    {builtin::div, 2, options_type::div, read_arithmetic<ops::div>, holds<ops::div>,
     write_arithmetic<ops::div, builtin::div, options_type::div>},
    {builtin::floor_div, 3, options_type::floor_div, read_inputs<ops::floor_div, 2>,
     holds<ops::floor_div>, write_inputs<builtin::floor_div, options_type::floor_div>},
    {builtin::floor_mod, 2, options_type::floor_mod, read_inputs<ops::floor_mod, 2>,
     holds<ops::floor_mod>, write_inputs<builtin::floor_mod, options_type::floor_mod>},
    {builtin::maximum, 4, options_type::maximum_minimum, read_inputs<ops::maximum, 2>,
     holds<ops::maximum>, write_inputs<builtin::maximum, options_type::maximum_minimum>},
    {builtin::minimum, 4, options_type::maximum_minimum, read_inputs<ops::minimum, 2>,
     holds<ops::minimum>, write_inputs<builtin::minimum, options_type::maximum_minimum>},
    {builtin::mul, 7, options_type::mul, read_arithmetic<ops::mul>, holds<ops::mul>,
     write_arithmetic<ops::mul, builtin::mul, options_type::mul>},
    {builtin::prelu, 1, options_type::none, read_inputs<ops::prelu, 2>, holds<ops::prelu>,
     write_inputs<builtin::prelu, options_type::none>},
    {builtin::squared_difference, 2, options_type::squared_difference,
     read_inputs<ops::squared_difference, 2>, holds<ops::squared_difference>,
     write_inputs<builtin::squared_difference, options_type::squared_difference>},
    {builtin::sub, 5, options_type::sub, read_arithmetic<ops::sub>, holds<ops::sub>,
     write_arithmetic<ops::sub, builtin::sub, options_type::sub>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
