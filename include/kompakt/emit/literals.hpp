// How types and numbers of a model are written in C++.
#pragma once

#include <kompakt/kernel/program.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Constants of an executable are in the order of the machine.
template <class T>
T native(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// Names come from model files: comments must stay comments.
inline std::string printable(std::string_view s) {
    std::string out;
    for (char c : s.substr(0, 72)) {
        out += c >= 0x20 && c < 0x7f && c != '\\' && c != '?' ? c : '.';
    }
    return out;
}
inline std::string float_literal(float f) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%af", static_cast<double>(f));
    return buffer;
}
inline const char* dtype_identifier(dtype t) noexcept {
    switch (t) {
    case dtype::none:
        return "none";
    case dtype::f32:
        return "f32";
    case dtype::f16:
        return "f16";
    case dtype::bf16:
        return "bf16";
    case dtype::i8:
        return "i8";
    case dtype::u8:
        return "u8";
    case dtype::i16:
        return "i16";
    case dtype::u16:
        return "u16";
    case dtype::i32:
        return "i32";
    case dtype::u32:
        return "u32";
    case dtype::i64:
        return "i64";
    case dtype::u64:
        return "u64";
    case dtype::boolean:
        return "boolean";
    case dtype::f64:
        return "f64";
    case dtype::i4:
        return "i4";
    }
    return "none";
}
inline const char* place_identifier(place p) noexcept {
    return p == place::arena      ? "arena"
           : p == place::constant ? "constant"
           : p == place::state    ? "state"
                                  : "absent";
}
// The C++ element type of a tensor; bytes where C++ has none.
inline const char* element_type(dtype t) noexcept {
    switch (t) {
    case dtype::f32:
        return "float";
    case dtype::i8:
        return "std::int8_t";
    case dtype::i16:
        return "std::int16_t";
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16:
        return "std::uint16_t";
    case dtype::i32:
        return "std::int32_t";
    case dtype::u32:
        return "std::uint32_t";
    case dtype::i64:
        return "std::int64_t";
    case dtype::u64:
        return "std::uint64_t";
    case dtype::boolean:
        return "bool";
    case dtype::f64:
        return "double";
    case dtype::none:
    case dtype::u8:
    case dtype::i4:
        break;
    }
    return "std::uint8_t";
}
// Integers as decimals, floats as hexadecimal floats; big or unprintable ones as words.
inline constexpr std::uint32_t words_above = 1u << 20;
inline bool as_words(const tensor_record& t, const std::byte* data) {
    if (t.bytes > words_above) return true;
    if (t.coding == encoding::port) return t.bytes % 4 == 0;
    if (t.type != dtype::f32 && t.type != dtype::f64) return false;
    // Infinity and NaN, whose exponent is all ones, have no literal.
    for (std::uint32_t i = 0; t.type == dtype::f64 && i < t.bytes; i += 8) {
        const std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
        if ((native<std::uint64_t>(data + i) & exponent) == exponent) return true;
    }
    for (std::uint32_t i = 0; t.type == dtype::f32 && i < t.bytes; i += 4) {
        const auto bits = native<std::uint32_t>(data + i);
        if ((bits & 0x7f800000u) == 0x7f800000u) return true;
    }
    return false;
}
inline std::size_t type_size(dtype t) noexcept {
    const unsigned bits = bits_of(t);
    return bits < 8 ? 1 : bits / 8;
}
// Element `k` of a constant at `p`; of words, the k-th word.
inline std::string literal(const tensor_record& t, const std::byte* p, bool words, std::size_t k) {
    if (words) {
        // The tail of an odd number of bytes lies in the padding of the block.
        char buffer[16];
        const std::size_t left = t.bytes - k * 4;
        std::uint32_t w = 0;
        std::memcpy(&w, p + k * 4, left < 4 ? left : 4);
        std::snprintf(buffer, sizeof buffer, "0x%xu", static_cast<unsigned>(w));
        return buffer;
    }
    switch (t.type) {
    case dtype::f32:
        return float_literal(native<float>(p + k * 4));
    case dtype::i8:
        return std::to_string(native<std::int8_t>(p + k));
    case dtype::i16:
        return std::to_string(native<std::int16_t>(p + k * 2));
    case dtype::i32: {
        const auto v = native<std::int32_t>(p + k * 4);
        return v == INT32_MIN ? "-2147483647 - 1" : std::to_string(v);
    }
    case dtype::i64: {
        const auto v = native<std::int64_t>(p + k * 8);
        return v == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(v);
    }
    case dtype::u16:
    case dtype::f16:
    case dtype::bf16:
        return std::to_string(native<std::uint16_t>(p + k * 2));
    case dtype::u32:
        return std::to_string(native<std::uint32_t>(p + k * 4)) + "u";
    case dtype::u64:
        return std::to_string(native<std::uint64_t>(p + k * 8)) + "u";
    case dtype::f64: {
        char buffer[48];
        std::snprintf(buffer, sizeof buffer, "%a", native<double>(p + k * 8));
        return buffer;
    }
    case dtype::none:
    case dtype::boolean:
    case dtype::u8:
    case dtype::i4:
        break;
    }
    return std::to_string(static_cast<unsigned>(p[k]));
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
