// Element types. The numbers are part of the .kpk format: never change one, add at the end.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

enum class dtype : std::uint8_t {
    none = 0,
    f32 = 1,
    f16 = 2,
    bf16 = 3,
    i8 = 4,
    u8 = 5,
    i16 = 6,
    u16 = 7,
    i32 = 8,
    u32 = 9,
    i64 = 10,
    boolean = 11,
    f64 = 12,
    i4 = 13, // two to a byte, the first in the low bits
    u64 = 14,
};
inline constexpr unsigned dtype_count = 15;

constexpr unsigned bits_of(dtype t) noexcept {
    switch (t) {
    case dtype::none:
        return 0;
    case dtype::i4:
        return 4;
    case dtype::i8:
    case dtype::u8:
    case dtype::boolean:
        return 8;
    case dtype::f16:
    case dtype::bf16:
    case dtype::i16:
    case dtype::u16:
        return 16;
    case dtype::f32:
    case dtype::i32:
    case dtype::u32:
        return 32;
    case dtype::i64:
    case dtype::u64:
    case dtype::f64:
        return 64;
    }
    return 0;
}

constexpr const char* name_of(dtype t) noexcept {
    switch (t) {
    case dtype::none:
        return "none";
    case dtype::f32:
        return "float32";
    case dtype::f16:
        return "float16";
    case dtype::bf16:
        return "bfloat16";
    case dtype::i8:
        return "int8";
    case dtype::u8:
        return "uint8";
    case dtype::i16:
        return "int16";
    case dtype::u16:
        return "uint16";
    case dtype::i32:
        return "int32";
    case dtype::u32:
        return "uint32";
    case dtype::i64:
        return "int64";
    case dtype::u64:
        return "uint64";
    case dtype::boolean:
        return "bool";
    case dtype::f64:
        return "float64";
    case dtype::i4:
        return "int4";
    }
    return "unknown";
}

constexpr bool is_float(dtype t) noexcept {
    return t == dtype::f32 || t == dtype::f16 || t == dtype::bf16 || t == dtype::f64;
}

// The dtype of a C++ element type.
template <class T>
inline constexpr dtype dtype_of = dtype::none;
template <class T>
inline constexpr dtype dtype_of<const T> = dtype_of<T>;
template <>
inline constexpr dtype dtype_of<float> = dtype::f32;
template <>
inline constexpr dtype dtype_of<double> = dtype::f64;
template <>
inline constexpr dtype dtype_of<std::int8_t> = dtype::i8;
template <>
inline constexpr dtype dtype_of<std::uint8_t> = dtype::u8;
template <>
inline constexpr dtype dtype_of<std::int16_t> = dtype::i16;
template <>
inline constexpr dtype dtype_of<std::uint16_t> = dtype::u16;
template <>
inline constexpr dtype dtype_of<std::int32_t> = dtype::i32;
template <>
inline constexpr dtype dtype_of<std::uint32_t> = dtype::u32;
template <>
inline constexpr dtype dtype_of<std::int64_t> = dtype::i64;
template <>
inline constexpr dtype dtype_of<std::uint64_t> = dtype::u64;
template <>
inline constexpr dtype dtype_of<bool> = dtype::boolean;

} // namespace KOMPAKT_ABI
} // namespace kompakt
