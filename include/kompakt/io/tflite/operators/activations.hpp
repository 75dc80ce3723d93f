// Activations that stand alone.
#pragma once

#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_softmax(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::softmax s;
    s.beta = r.options.scalar<float>(softmax_field::beta, 0.0f);
    return r.make(std::move(s));
}

inline status write_softmax(operator_writer& w, const op& o) {
    w.add(
        builtin::softmax, w.version(1, 2, 3), options_type::softmax,
        flatbuffer::fields().scalar<float>(softmax_field::beta, o.as<ops::softmax>()->beta, 0.0f));
    return {};
}

template <ops::relu_kind Kind>
status read_relu(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::relu o;
    o.kind = Kind;
    return r.make(std::move(o));
}

template <ops::relu_kind Kind>
bool holds_relu(const op& o) {
    return o.as<ops::relu>() != nullptr && o.as<ops::relu>()->kind == Kind;
}

inline constexpr operator_entry activation_operators[] = {
    {builtin::logistic, 3, options_type::none, read_plain<ops::logistic>, holds<ops::logistic>,
     write_plain<builtin::logistic, options_type::none, 1, 2, 3>},
    {builtin::relu, 3, options_type::none, read_relu<ops::relu_kind::relu>,
     holds_relu<ops::relu_kind::relu>, write_plain<builtin::relu, options_type::none, 1, 2, 3>},
    {builtin::relu6, 3, options_type::none, read_relu<ops::relu_kind::relu6>,
     holds_relu<ops::relu_kind::relu6>, write_plain<builtin::relu6, options_type::none, 1, 2, 3>},
    {builtin::relu_0_to_1, 1, options_type::none, read_relu<ops::relu_kind::relu_0_to_1>,
     holds_relu<ops::relu_kind::relu_0_to_1>,
     write_plain<builtin::relu_0_to_1, options_type::none, 1, 1, 1>},
    {builtin::relu_n1_to_1, 1, options_type::none, read_relu<ops::relu_kind::relu_n1_to_1>,
     holds_relu<ops::relu_kind::relu_n1_to_1>,
     write_plain<builtin::relu_n1_to_1, options_type::none, 1, 1, 1>},
    {builtin::softmax, 3, options_type::softmax, read_softmax, holds<ops::softmax>, write_softmax},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
