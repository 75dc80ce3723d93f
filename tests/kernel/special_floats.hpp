// Names for what arithmetic has to do something sensible with.
#pragma once

#include <limits>

namespace kompakt_test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

} // namespace kompakt_test
