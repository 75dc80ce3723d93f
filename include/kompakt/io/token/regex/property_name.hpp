// The shape of the generated list of properties.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {
namespace detail {

struct property_name {
    const char* name;
    bool is_script;
    std::uint32_t first; // index of its first range; the next row's is behind its last
};

} // namespace detail
} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
