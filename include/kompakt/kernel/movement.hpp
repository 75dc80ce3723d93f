// What kernels share that move elements of any type: by the size of an element.
#pragma once

#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Bytes of one element; only for types that check_movable accepts.
constexpr std::size_t element_bytes(const tensor_record& t) noexcept {
    return bits_of(t.type) / 8;
}

// Any type of whole bytes, the same as `type`.
inline status check_movable(const tensor_record& t, const char* what, dtype type) noexcept {
    KOMPAKT_TRY(check_operand(t, what, type, max_rank));
    if (bits_of(t.type) >= 8) return {};
    return fail(errc::unsupported, what, ": ", name_of(t.type), " elements are less than a byte");
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
