// emit_options: how an executable is written as C++.
#pragma once

#include <kompakt/run/default_kernels.hpp>

#include <string>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Size: one instance of a kernel for all layers. Speed: an instance with constant extents for every
// layer. Balanced: such an instance for layers of one shape that do a quarter of the work or more.
enum class optimize : std::uint8_t { size, speed, balanced };

struct emit_options {
    kompakt::optimize optimize = kompakt::optimize::size;
    std::string include = "<kompakt/device.hpp>"; // or "\"kompakt_device.hpp\""
    std::string port = "kompakt::default_port";   // the tag that the calls use
    std::string port_include;                     // of its kernels, if `include` lacks them
    std::string title; // first comment line: which model, how it was made
    // The port that the weights were packed for, if they were.
    const kernel_table* kernels = &kernels_of<portable>();
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
