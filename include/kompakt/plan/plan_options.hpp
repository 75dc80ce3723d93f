// plan_options: what the caller may say about memory, names and ports.
#pragma once

#include <kompakt/run/default_kernels.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct plan_options {
    bool keep_inputs = false; // `run` leaves the inputs as they were
    bool keep_all = false;    // no two tensors share memory: every intermediate result can be read
    bool names = true;        // names, scales and sources for people; firmware strips them
    bool in_place = true;     // outputs may lie over inputs
    // Scratch is planned so that these kernels can run, and the portable ones always.
    const kernel_table* kernels = &kernels_of<portable>();
    // Values of named dimensions that are not bound yet.
    std::map<std::string, std::int64_t> dimensions = {{"batch", 1}};
    // Weights are stored in the order of `kernels`; only that port can then run the executable.
    bool pack = false;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
