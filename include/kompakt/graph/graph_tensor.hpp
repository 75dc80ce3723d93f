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

// A typed value: written by a node, given as an input, or constant.
struct graph_tensor {
    std::string name;
    dtype type = dtype::none;
    kompakt::shape shape;
    std::optional<kompakt::quantization> quantization;
    std::optional<constant> value;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
