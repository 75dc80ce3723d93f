// Elements of any integer type, one at a time: for kernels whose work does not depend on the type
// and that are too rare to be compiled for each pair.
#pragma once

#include <kompakt/kernel/call.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

constexpr bool is_integer(dtype t) noexcept {
    return t == dtype::boolean || t == dtype::i8 || t == dtype::u8 || t == dtype::i16 ||
           t == dtype::u16 || t == dtype::i32 || t == dtype::u32 || t == dtype::i64;
}

namespace detail {

template <class T>
T load_element(const std::byte* from) noexcept {
    T x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
template <class T>
void store_element(std::byte* to, std::int64_t v) noexcept {
    const auto x = static_cast<T>(static_cast<std::uint64_t>(v));
    std::memcpy(to, &x, sizeof x);
}

} // namespace detail

// Bool is 0 or 1, whatever its byte.
inline std::int64_t load_integer(const std::byte* from, dtype t) noexcept {
    switch (t) {
    case dtype::boolean:
        return *from != std::byte{0} ? 1 : 0;
    case dtype::i8:
        return detail::load_element<std::int8_t>(from);
    case dtype::u8:
        return detail::load_element<std::uint8_t>(from);
    case dtype::i16:
        return detail::load_element<std::int16_t>(from);
    case dtype::u16:
        return detail::load_element<std::uint16_t>(from);
    case dtype::i32:
        return detail::load_element<std::int32_t>(from);
    case dtype::u32:
        return detail::load_element<std::uint32_t>(from);
    default:
        return detail::load_element<std::int64_t>(from);
    }
}
// What does not fit wraps, but for bool, which is whether the number is not 0.
inline void store_integer(std::byte* to, dtype t, std::int64_t v) noexcept {
    switch (bits_of(t)) {
    case 8:
        return detail::store_element<std::uint8_t>(to, t == dtype::boolean ? v != 0 : v);
    case 16:
        return detail::store_element<std::uint16_t>(to, v);
    case 32:
        return detail::store_element<std::uint32_t>(to, v);
    default:
        return detail::store_element<std::uint64_t>(to, v);
    }
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
