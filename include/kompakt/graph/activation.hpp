// activation: what TensorFlow Lite fuses into an operator.
#pragma once

#include <cstdint>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// The activation that TensorFlow Lite fuses into an operator.
enum class activation : std::uint8_t { none, relu, relu6, relu_n1_to_1 };

constexpr const char* name_of(activation a) noexcept {
    switch (a) {
    case activation::none:
        return "none";
    case activation::relu:
        return "relu";
    case activation::relu6:
        return "relu6";
    case activation::relu_n1_to_1:
        return "relu_n1_to_1";
    }
    return "unknown";
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
