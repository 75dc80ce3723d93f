// operator_entry: what the reader and the writer know of one TensorFlow Lite operator. Each family
// has a list of them in io/tflite/operators.
#pragma once

#include <kompakt/io/tflite/operator_reader.hpp>
#include <kompakt/io/tflite/operator_writer.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

struct operator_entry {
    builtin code;
    std::int32_t last_version; // what later versions mean is not known here
    options_type options;      // of its options, which may be missing
    status (*read)(operator_reader&);
    // Whether a node is written as this operator, and how. Null: another entry writes such nodes.
    bool (*holds)(const op&);
    status (*write)(operator_writer&, const op&);
    bool intermediates = false; // may name tensors for numbers that are fixed here
};

// An operator that the file names by text: only read.
struct custom_entry {
    const char* name;
    status (*read)(operator_reader&);
};

template <class Op>
bool holds(const op& o) {
    return o.as<Op>() != nullptr;
}

// Operators whose inputs are all there is to read and write.
template <class Op>
status read_plain(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    return r.make(Op());
}
template <builtin Code, options_type Type, int F32, int I8, int I16>
status write_plain(operator_writer& w, const op&) {
    w.add(Code, w.version(F32, I8, I16), Type);
    return {};
}

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
