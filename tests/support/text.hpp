// What tests ask of messages.
#pragma once

#include <string>

namespace kompakt_test {

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace kompakt_test
