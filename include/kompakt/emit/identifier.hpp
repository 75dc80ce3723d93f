// Which names C++ accepts for the namespace of an emitted header.
#pragma once

#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Whether a namespace may have this name: an identifier, no keyword, nothing reserved, and not a
// namespace that the header itself uses.
inline bool is_namespace_name(std::string_view s) {
    constexpr std::string_view taken =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char"
        " char16_t char32_t char8_t class co_await co_return co_yield compl concept const"
        " const_cast consteval constexpr constinit continue decltype default delete do"
        " double dynamic_cast else enum explicit export extern false float for friend goto"
        " if inline int kompakt long main mutable namespace new noexcept not not_eq"
        " nullptr operator or or_eq private protected public register reinterpret_cast"
        " requires return short signed sizeof static static_assert static_cast std struct"
        " switch template this thread_local throw true try typedef typeid typename union"
        " unsigned using virtual void volatile wchar_t while xor xor_eq ";
    if (taken.find(" " + std::string(s) + " ") != std::string_view::npos) return false;
    if (s.find("__") != std::string_view::npos || (s.size() > 0 && s[0] == '_')) return false;
    if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
    for (char c : s) {
        const bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!word) return false;
    }
    return true;
}

// Whether an include directive can name this: <x> or "x", on one line.
inline bool is_include(std::string_view s) {
    if (s.size() < 3) return false;
    const char close = s.front() == '<' ? '>' : s.front() == '"' ? '"' : '\0';
    if (s.back() != close) return false;
    for (const char c : s.substr(1, s.size() - 2)) {
        const bool quote = c == '"' || c == '<' || c == '>';
        if (quote || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
    return true;
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
