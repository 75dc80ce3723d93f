// The operators of TensorFlow Lite that the graph knows, by family. A new operator is one entry in
// its family's list.
#pragma once

#include <kompakt/io/tflite/operators/activations.hpp>
#include <kompakt/io/tflite/operators/arithmetic.hpp>
#include <kompakt/io/tflite/operators/batch_matmul.hpp>
#include <kompakt/io/tflite/operators/comparison.hpp>
#include <kompakt/io/tflite/operators/control.hpp>
#include <kompakt/io/tflite/operators/conversion.hpp>
#include <kompakt/io/tflite/operators/convolution.hpp>
#include <kompakt/io/tflite/operators/fully_connected.hpp>
#include <kompakt/io/tflite/operators/indexing.hpp>
#include <kompakt/io/tflite/operators/logical.hpp>
#include <kompakt/io/tflite/operators/movement.hpp>
#include <kompakt/io/tflite/operators/pooling.hpp>
#include <kompakt/io/tflite/operators/rearrangement.hpp>
#include <kompakt/io/tflite/operators/reduction.hpp>
#include <kompakt/io/tflite/operators/resizing.hpp>
#include <kompakt/io/tflite/operators/shape.hpp>
#include <kompakt/io/tflite/operators/signal.hpp>
#include <kompakt/io/tflite/operators/slicing.hpp>
#include <kompakt/io/tflite/operators/state.hpp>
#include <kompakt/io/tflite/operators/transpose_conv.hpp>
#include <kompakt/io/tflite/operators/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// The first entry that `f` accepts; null when there is none.
template <class F>
const operator_entry* find_operator_if(F&& f) {
    const operator_entry* found = nullptr;
    const auto look = [&](const auto& family) {
        for (const operator_entry& e : family) {
            if (found == nullptr && f(e)) found = &e;
        }
    };
    look(activation_operators);
    look(arithmetic_operators);
    look(comparison_operators);
    look(batch_matmul_operators);
    look(control_operators);
    look(conversion_operators);
    look(convolution_operators);
    look(fully_connected_operators);
    look(indexing_operators);
    look(logical_operators);
    look(movement_operators);
    look(pooling_operators);
    look(rearrangement_operators);
    look(reduction_operators);
    look(resizing_operators);
    look(shape_operators);
    look(slicing_operators);
    look(unary_operators);
    look(transpose_conv_operators);
    look(state_operators);
    return found;
}

inline const custom_entry* find_custom_operator(std::string_view name) {
    for (const custom_entry& e : signal_operators) {
        if (name == e.name) return &e;
    }
    return nullptr;
}
inline const operator_entry* find_operator(builtin code) {
    return find_operator_if([&](const operator_entry& e) { return e.code == code; });
}
inline const operator_entry* find_operator(const op& o) {
    return find_operator_if(
        [&](const operator_entry& e) { return e.holds != nullptr && e.holds(o); });
}

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
