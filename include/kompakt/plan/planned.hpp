// planned: the executable and what people may ask about how it came to be.
#pragma once

#include <kompakt/graph/lowered.hpp>
#include <kompakt/host/aligned_buffer.hpp>

#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// One row of the memory map.
struct memory_row {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t first = 0, last = 0; // ops
    bool scratch = false;
};

struct planned {
    aligned_buffer storage;
    lowered_program lowered; // what was written, with the tensors' numbers
    std::vector<memory_row> map;
    std::uint64_t arena_bytes = 0;
    std::uint64_t lower_bound = 0; // of the arena, for the order of ops as it is

    bytes_view bytes() const noexcept { return {storage.data(), storage.size()}; }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
