// Functions of one element.
#pragma once

#include <kompakt/graph/ops/abs.hpp>
#include <kompakt/graph/ops/ceil.hpp>
#include <kompakt/graph/ops/cos.hpp>
#include <kompakt/graph/ops/exp.hpp>
#include <kompakt/graph/ops/floor.hpp>
#include <kompakt/graph/ops/log.hpp>
#include <kompakt/graph/ops/neg.hpp>
#include <kompakt/graph/ops/round.hpp>
#include <kompakt/graph/ops/rsqrt.hpp>
#include <kompakt/graph/ops/sin.hpp>
#include <kompakt/graph/ops/sqrt.hpp>
#include <kompakt/graph/ops/square.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// int16 without a scale has a version of its own.
inline status write_abs(operator_writer& w, const op&) {
    w.add(builtin::abs, w.version(1, 2, w.input(0).quantization ? 3 : 4), options_type::abs);
    return {};
}

// An operator of the simplest kind: no attributes, options of no fields.
template <class Op, builtin Code, options_type Type, int I8 = 1, int I16 = I8>
constexpr operator_entry plain_entry(std::int32_t last_version) {
    return {Code,           last_version, Type,
            read_plain<Op>, holds<Op>,    write_plain<Code, Type, 1, I8, I16>};
}

inline constexpr operator_entry unary_operators[] = {
    {builtin::abs, 4, options_type::abs, read_plain<ops::abs>, holds<ops::abs>, write_abs},
    plain_entry<ops::ceil, builtin::ceil, options_type::none>(1),
    plain_entry<ops::cos, builtin::cos, options_type::cos>(1),
    plain_entry<ops::exp, builtin::exp, options_type::exp, 2>(2),
    plain_entry<ops::floor, builtin::floor, options_type::none>(1),
    plain_entry<ops::log, builtin::log, options_type::none, 2>(2),
    plain_entry<ops::neg, builtin::neg, options_type::neg>(1),
    plain_entry<ops::round, builtin::round, options_type::none>(1),
    plain_entry<ops::rsqrt, builtin::rsqrt, options_type::none, 2, 3>(3),
    plain_entry<ops::sin, builtin::sin, options_type::none>(1),
    plain_entry<ops::sqrt, builtin::sqrt, options_type::none>(1),
    plain_entry<ops::square, builtin::square, options_type::square>(1),
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
