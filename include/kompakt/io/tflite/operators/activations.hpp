// Activations that stand alone.
#pragma once

#include <kompakt/graph/ops/elu.hpp>
#include <kompakt/graph/ops/gelu.hpp>
#include <kompakt/graph/ops/hard_swish.hpp>
#include <kompakt/graph/ops/leaky_relu.hpp>
#include <kompakt/graph/ops/log_softmax.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/tanh.hpp>
#include <kompakt/io/tflite/operators/unary.hpp>

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

inline status read_leaky_relu(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::leaky_relu o;
    o.alpha = r.options.scalar<float>(leaky_relu_field::alpha, 0.0f);
    return r.make(std::move(o));
}

inline status write_leaky_relu(operator_writer& w, const op& o) {
    w.add(builtin::leaky_relu, w.version(1, 1, 2), options_type::leaky_relu,
          flatbuffer::fields().scalar<float>(leaky_relu_field::alpha,
                                             o.as<ops::leaky_relu>()->alpha, 0.0f));
    return {};
}

inline status read_gelu(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::gelu o;
    o.approximate = r.options.scalar<bool>(gelu_field::approximate, false);
    return r.make(std::move(o));
}

inline status write_gelu(operator_writer& w, const op& o) {
    w.add(builtin::gelu, w.version(1, 2, 1), options_type::gelu,
          flatbuffer::fields().scalar<bool>(gelu_field::approximate, o.as<ops::gelu>()->approximate,
                                            false));
    return {};
}

inline constexpr operator_entry activation_operators[] = {
    plain_entry<ops::elu, builtin::elu, options_type::none>(1),
    {builtin::gelu, 2, options_type::gelu, read_gelu, holds<ops::gelu>, write_gelu},
    plain_entry<ops::hard_swish, builtin::hard_swish, options_type::hard_swish>(1),
    {builtin::leaky_relu, 2, options_type::leaky_relu, read_leaky_relu, holds<ops::leaky_relu>,
     write_leaky_relu},
    plain_entry<ops::log_softmax, builtin::log_softmax, options_type::log_softmax, 2>(2),
    plain_entry<ops::logistic, builtin::logistic, options_type::none, 2, 3>(3),
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
    plain_entry<ops::tanh, builtin::tanh, options_type::none, 2, 3>(3),
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
