// The check of a buffer that a caller hands over.
#pragma once

#include <kompakt/core/status.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Null, misaligned or too small: says which. The emitted models answer with the same words.
constexpr status check_buffer(const char* what, const std::byte* data, std::size_t given,
                              std::size_t needed) noexcept {
    if (given < needed) {
        return fail(errc::bad_arena, what, ": needs ", needed, " bytes, given ", given);
    }
    if (needed == 0) return {};
    if (data == nullptr) return fail(errc::bad_arena, what, ": null, needs ", needed, " bytes");
    if (reinterpret_cast<std::uintptr_t>(data) % buffer_alignment != 0) {
        return fail(errc::bad_arena, what, ": address ends in ",
                    reinterpret_cast<std::uintptr_t>(data) % buffer_alignment,
                    ", needed a multiple of ", buffer_alignment);
    }
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
