// The order of bytes in numbers. Files are little-endian; executables and tensors in memory are in
// the order of the machine. On little-endian machines the conversions do nothing.
#pragma once

#include <kompakt/core/dtype.hpp>
#include <kompakt/core/span.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Turns each number of `size` bytes round; bytes after the last whole one stay.
inline void swap_numbers(bytes_span bytes, std::size_t size) noexcept {
    for (std::size_t at = 0; size > 1 && bytes.size() - at >= size; at += size) {
        for (std::size_t i = 0; i < size / 2; ++i) {
            const std::byte b = bytes[at + i];
            bytes[at + i] = bytes[at + size - 1 - i];
            bytes[at + size - 1 - i] = b;
        }
    }
}

// Bytes of one number of the type; 1 for packed types, whose bytes have no order.
constexpr std::size_t number_bytes(dtype type) noexcept {
    return bits_of(type) < 8 ? 1 : bits_of(type) / 8;
}

// Elements between the little-endian order of files and graphs and the machine's, either way.
inline void convert_little_endian(bytes_span bytes, dtype type) noexcept {
#if KOMPAKT_BIG_ENDIAN
    swap_numbers(bytes, number_bytes(type));
#else
    static_cast<void>(bytes);
    static_cast<void>(type);
#endif
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
