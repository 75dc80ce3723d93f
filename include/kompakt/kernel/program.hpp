// The tables that kernels are called from. They are the body of a .kpk file, read in place, and the
// arrays of an emitted header: the planner writes them once, nothing transforms them on the device.
//
// All offsets into the arena and the constants count blocks of 16 bytes; offsets into `words` count
// 32-bit words. Sizes and layout are part of the .kpk format (docs/kpk.md).
#pragma once

#include <kompakt/core/dtype.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

inline constexpr std::size_t block_bytes = 16;
inline constexpr std::size_t max_rank = 6;
inline constexpr std::size_t max_operands = 64;
inline constexpr std::size_t max_model_tensors = 1024; // inputs of a model, and outputs

enum class place : std::uint8_t {
    arena = 0,    // written at run time
    constant = 1, // stored with the model, never written
    absent = 2,   // an optional operand that is not there
    state = 3,    // in the arena, and kept from run to run
};

// How the payload of a constant is stored. Contract: constants (docs/contracts.md).
enum class encoding : std::uint8_t {
    dense = 0,
    packed = 1,
    codebook = 2,
    bitmask = 3,
    n_of_m = 4,
    csr_delta = 5,
    block = 6,
    huffman = 7,
    port = 8, // of weights in an executable: in the order of the port that op_record::pack_id names
};

struct tensor_record {
    dtype type;
    std::uint8_t rank;
    place where;
    encoding coding;
    std::uint32_t at;      // first block, in the constants or (arena, state) in the arena
    std::uint32_t bytes;   // of the payload
    std::uint32_t dims_at; // in words: `rank` dimensions, outermost first
};
static_assert(sizeof(tensor_record) == 16);

// What a state holds before the first run and after a reset: the elements of a constant of the same
// type and size, or one byte repeated.
inline constexpr std::uint32_t no_initial = UINT32_MAX;
struct state_record {
    std::uint32_t tensor;
    std::uint32_t initial; // tensor number of the constant, or no_initial
    std::uint32_t fill;    // 0 to 255
};
static_assert(sizeof(state_record) == 12);

// Flags of an op.
inline constexpr std::uint16_t op_by_rows = 1; // the output overlaps the input: one row at a time

struct op_record {
    std::uint16_t kernel; // kernel_id
    std::uint16_t flags;
    std::uint16_t inputs;      // operands that are read …
    std::uint16_t outputs;     // … followed by those that are written (states: read too)
    std::uint32_t operands_at; // in words: tensor numbers
    std::uint32_t params_at;   // in words: the kernel's parameter struct
    std::uint32_t scratch_at;  // first block, in the arena
    std::uint32_t scratch_bytes;
    std::uint32_t
        pack_id; // 0: weights in canonical order; else packed for the port that has this id
};
static_assert(sizeof(op_record) == 28);

// Where the tables are. Everything is const and may be in flash; programs may share one.
struct program {
    const tensor_record* tensors = nullptr;
    const op_record* ops = nullptr;
    const std::uint32_t* words = nullptr;
    const std::byte* constants = nullptr;
    std::uint32_t tensor_count = 0;
    std::uint32_t op_count = 0;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
