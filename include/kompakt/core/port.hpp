// Ports: tag types, each derived from the port that it falls back to.
//
// A kernel is called as `conv2d(port, port, ...)` and declared as
//
//     template <class Port, ...> void conv2d(portable, Port port, ...);
//
// The first parameter, a concrete type, is the rung of the ladder: overload resolution takes the
// overload whose tag is nearest to the port in use. The second keeps the port in use for nested
// calls. A port's tag and its overloads share a namespace, so that argument-dependent look-up finds
// them wherever the kernel is called from.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct portable {
    static constexpr const char* name = "portable";
    static constexpr bool supported() noexcept { return true; }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
