// Elementwise arithmetic on two inputs.
#pragma once

#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

template <class Op>
status read_arithmetic(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    Op o;
    if constexpr (!std::is_same_v<Op, ops::mul>) {
        // A hint for int16 that TensorFlow Lite Micro, the norm, never looks at.
        r.options.scalar<bool>(arithmetic_field::power_of_two_scale, true);
    }
    const auto fused = r.fused(arithmetic_field::activation);
    if (!fused.ok()) return fused.error();
    o.fused = *fused;
    return r.make(std::move(o));
}

template <class Op, builtin Code, options_type Type>
status write_arithmetic(operator_writer& w, const op& o) {
    // mul of version 3 and later may scale up; sub of version 3 broadcasts more than four axes.
    int version = w.version(1, 2, Code == builtin::mul ? 4 : 2);
    if (Code == builtin::mul && version == 2 && w.input(0).quantization &&
        w.input(1).quantization && w.output().quantization &&
        w.input(0).quantization->scale() * w.input(1).quantization->scale() >=
            w.output().quantization->scale()) {
        version = 3;
    }
    if (Code == builtin::sub && w.output().shape.size() > 4 &&
        w.input(0).shape != w.input(1).shape) {
        version = 3;
    }
    w.add(Code, version, Type,
          flatbuffer::fields().scalar<std::int8_t>(arithmetic_field::activation,
                                                   w.number(o.as<Op>()->fused), 0));
    return {};
}

inline constexpr operator_entry arithmetic_operators[] = {
    {builtin::add, 5, options_type::add, read_arithmetic<ops::add>, holds<ops::add>,
     write_arithmetic<ops::add, builtin::add, options_type::add>},
    {builtin::mul, 7, options_type::mul, read_arithmetic<ops::mul>, holds<ops::mul>,
     write_arithmetic<ops::mul, builtin::mul, options_type::mul>},
    {builtin::sub, 5, options_type::sub, read_arithmetic<ops::sub>, holds<ops::sub>,
     write_arithmetic<ops::sub, builtin::sub, options_type::sub>},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
