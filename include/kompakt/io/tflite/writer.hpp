// write_tflite: a graph as a TensorFlow Lite model.
//
// Tensors keep their order; those that nothing reads are left out. Symbols become open dimensions.
// The same graph gives the same bytes.
#pragma once

#include <kompakt/graph/graph.hpp>
#if defined(KOMPAKT_DEFINITIONS)
#include <kompakt/io/tflite/model_writer.hpp>
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The bytes of a .tflite file. What the format cannot hold (an operator, an encoding, a kind of
// quantization) is an error that names it. A window whose pads are neither SAME nor VALID gets an
// operator PAD before it. Keep the bytes at an address that is a multiple of 16.
KOMPAKT_ONCE result<std::vector<std::byte>> write_tflite(const graph& g);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<std::vector<std::byte>> write_tflite(const graph& g) {
    graph inferred = g;
    KOMPAKT_TRY(infer(inferred).within("tflite: "));
    return tflite::model_writer(inferred).write();
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
