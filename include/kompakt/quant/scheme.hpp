// What the integers of a quantized tensor stand for.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class scheme : std::uint8_t { affine, qmn, binary, ternary, log2, codebook };

constexpr const char* name_of(scheme s) noexcept {
    switch (s) {
    case scheme::affine:
        return "affine";
    case scheme::qmn:
        return "qmn";
    case scheme::binary:
        return "binary";
    case scheme::ternary:
        return "ternary";
    case scheme::log2:
        return "log2";
    case scheme::codebook:
        return "codebook";
    }
    return "unknown";
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
