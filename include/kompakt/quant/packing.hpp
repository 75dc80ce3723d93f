// Integers of 1, 2 or 4 bits, several to a byte: the first in the low bits.
#pragma once

#include <kompakt/core/span.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

template <unsigned Bits>
struct packed_bits {
    static_assert(Bits == 1 || Bits == 2 || Bits == 4, "packed_bits: 1, 2 or 4");
    static constexpr unsigned per_byte = 8 / Bits;
    static constexpr unsigned mask = (1u << Bits) - 1;

    static constexpr std::size_t bytes(std::size_t elements) noexcept {
        return (elements + per_byte - 1) / per_byte;
    }
    static constexpr std::uint32_t load_unsigned(bytes_view from, std::size_t i) noexcept {
        return (static_cast<unsigned>(from[i / per_byte]) >> (i % per_byte * Bits)) & mask;
    }
    // Two's complement; one bit is 0 or -1.
    static constexpr std::int32_t load_signed(bytes_view from, std::size_t i) noexcept {
        const auto u = static_cast<std::int32_t>(load_unsigned(from, i));
        return u - ((u >> (Bits - 1)) << Bits);
    }
    // The low bits of `value`; the byte's other elements stay.
    static constexpr void store(bytes_span to, std::size_t i, std::int32_t value) noexcept {
        const auto shift = static_cast<unsigned>(i % per_byte * Bits);
        const auto rest = static_cast<unsigned>(to[i / per_byte]) & ~(mask << shift);
        to[i / per_byte] =
            static_cast<std::byte>(rest | ((static_cast<unsigned>(value) & mask) << shift));
    }
};

// Bits of the last byte that belong to no element are 0.
template <unsigned Bits>
constexpr void pack_values(span<const std::int8_t> in, bytes_span out) noexcept {
    using packed = packed_bits<Bits>;
    KOMPAKT_ASSERT(out.size() == packed::bytes(in.size()), "pack_values: length of the output");
    for (std::byte& b : out) b = std::byte{0};
    for (std::size_t i = 0; i < in.size(); ++i) packed::store(out, i, in[i]);
}
template <unsigned Bits>
constexpr void unpack_signed_values(bytes_view in, span<std::int8_t> out) noexcept {
    using packed = packed_bits<Bits>;
    KOMPAKT_ASSERT(in.size() == packed::bytes(out.size()), "unpack_values: length of the input");
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<std::int8_t>(packed::load_signed(in, i));
    }
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
