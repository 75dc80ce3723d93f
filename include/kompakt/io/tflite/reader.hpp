// read_tflite: a TensorFlow Lite model as a graph.
#pragma once

#include <kompakt/graph/graph.hpp>
#if defined(KOMPAKT_DEFINITIONS)
#include <kompakt/io/tflite/model_reader.hpp>
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {

// A .tflite file with one subgraph in use. Errors name the operator (by number and name) or the
// tensor. Dimensions that the file leaves open become symbols: "batch" for the first of an input,
// else "dim1", "dim2", … in the order of the file.
KOMPAKT_ONCE result<graph> read_tflite(bytes_view bytes);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<graph> read_tflite(bytes_view bytes) {
    return tflite::model_reader(bytes).read();
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
