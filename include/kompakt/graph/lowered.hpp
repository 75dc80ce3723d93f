// The lowered form: kernel ops on plain tensors, in execution order, memory not yet assigned. Graph
// ops write it (op::lower), the planner reads it (plan/).
#pragma once

#include <kompakt/graph/constant.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct lowered_tensor {
    dtype type = dtype::none;
    std::vector<std::int32_t> dims;
    place where = place::arena;
    bool rewritten = false; // by several ops: around a loop or in branches
    // Of a constant, little-endian: made while lowering, or shared with the graph.
    std::vector<std::byte> payload;
    std::shared_ptr<const std::vector<std::byte>> shared;
    // For people: the note of the executable.
    std::string name;
    float scale = 0.0f;
    std::int32_t zero_point = 0;
    std::uint32_t source = UINT32_MAX; // number of the tensor in the graph

    bytes_view data() const noexcept { return shared ? bytes_view(*shared) : bytes_view(payload); }
    std::size_t elements() const noexcept {
        std::size_t n = 1;
        for (std::int32_t d : dims) n *= static_cast<std::size_t>(d);
        return n;
    }
    std::size_t bytes() const noexcept { return (elements() * bits_of(type) + 7) / 8; }
};

// How output 0 of an op may share memory with one of its inputs.
struct overlap {
    enum class kind : std::uint8_t {
        same_place, // element i of the output needs element i of the input and none before it
        rows,       // a window over rows, run through a row buffer
    };
    kind how = kind::same_place;
    std::uint32_t input = 0;
    std::int32_t stride_h = 1, pad_top = 0; // of `rows`
};

struct lowered_op {
    kernel_id kernel = kernel_id::none;
    std::vector<std::uint32_t> params; // of jumps: the target's position in lowered_program::ops
    std::vector<std::uint32_t> inputs, outputs; // tensor numbers
    std::vector<overlap> overlaps;
    std::uint32_t node = 0; // that it was made from
};

// A tensor whose place is `state`, and what it starts with.
struct lowered_state {
    std::uint32_t tensor = 0;
    std::uint32_t initial = no_initial; // a constant tensor
    std::uint8_t fill = 0;
};

struct lowered_program {
    std::vector<lowered_tensor> tensors;
    std::uint64_t made_bytes = 0; // of the constants that lowering added
    std::vector<lowered_op> ops;
    std::vector<std::uint32_t> inputs, outputs;
    std::vector<lowered_state> states;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
