// Operators of the op specs, written as TensorFlow Lite files and read back: the same kernel ops.
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>

#include <doctest/doctest.h>
#include <ops/all_specs.hpp>

using namespace kompakt;
using namespace kompakt_test;

namespace {

// The kernel ops of a graph with their parameters; the reason where it has none.
std::string kernel_ops(const graph& g) {
    const auto p = lower(g);
    if (!p.ok()) return p.error().message();
    std::string text;
    for (const lowered_op& op : p->ops) {
        text += std::to_string(static_cast<int>(op.kernel)) + "(";
        for (const std::uint32_t word : op.params) text += std::to_string(word) + " ";
        for (const std::uint32_t i : op.inputs) {
            for (const std::int32_t d : p->tensors[i].dims) text += std::to_string(d) + ",";
            text += " ";
        }
        text += ") ";
    }
    return text;
}

} // namespace

TEST_CASE("tflite: operators are read as they were written") {
    std::size_t written = 0;
    for (const op_spec& spec : all_op_specs()) {
        for (const op_case& c : spec.cases) {
            CAPTURE(spec.op);
            CAPTURE(c.name);
            const auto file = write_tflite(c.g);
            if (!file.ok()) continue; // what the format lacks
            const aligned_buffer copy(file->size());
            std::memcpy(copy.data(), file->data(), file->size());
            const auto back = read_tflite({copy.data(), file->size()});
            CHECK_MESSAGE(back.ok(), std::string(back.ok() ? "" : back.error().message()));
            if (!back.ok()) continue;
            // Pads that the format cannot say, and hybrid weights, come back as operators more.
            if (back->order().size() != c.g.order().size()) continue;
            CHECK(kernel_ops(*back) == kernel_ops(c.g));
            ++written;
        }
    }
    CHECK(written > 1000);
}
