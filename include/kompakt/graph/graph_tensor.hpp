// graph_tensor: a typed value of the graph, and the numbers that name tensors and nodes.
#pragma once

#include <kompakt/graph/constant.hpp>
#include <kompakt/graph/shape.hpp>

#include <optional>
#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {

using tensor_id = std::uint32_t;
using node_id = std::uint32_t;
inline constexpr tensor_id no_tensor = UINT32_MAX; // an optional input that is not there

// What a state holds before the first run and after a reset: `value`, or one byte repeated.
struct state_start {
    std::uint8_t fill = 0;
    std::optional<constant> value; // of the tensor's type and shape, dense
};

// A typed value: written by a node, given as an input, constant, or a state: one that nodes read
// and update (op::updates) in the order of execution, and that lasts from run to run.
struct graph_tensor {
    std::string name;
    dtype type = dtype::none;
    kompakt::shape shape;
    std::optional<kompakt::quantization> quantization;
    std::optional<constant> value;
    std::optional<state_start> state;
};

// "scale 0.05, zero point -3" for messages; "2 scales", "no scale".
inline std::string scale_text(const graph_tensor& t) {
    if (!t.quantization) return "no scale";
    const quantization& q = *t.quantization;
    if (!q.per_tensor()) return std::to_string(q.scales.size()) + " scales";
    return fail(errc::bad_data, "scale ", q.scale(), ", zero point ", q.zero_point()).message();
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
