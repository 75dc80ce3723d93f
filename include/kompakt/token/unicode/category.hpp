// General categories and white space, Unicode 16.0.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/token/unicode/category_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// In the order of the generated table.
enum class general_category : std::uint8_t {
    unassigned,            // Cn
    control,               // Cc
    format,                // Cf
    surrogate,             // Cs
    private_use,           // Co
    uppercase_letter,      // Lu
    lowercase_letter,      // Ll
    titlecase_letter,      // Lt
    modifier_letter,       // Lm
    other_letter,          // Lo
    nonspacing_mark,       // Mn
    spacing_mark,          // Mc
    enclosing_mark,        // Me
    decimal_number,        // Nd
    letter_number,         // Nl
    other_number,          // No
    connector_punctuation, // Pc
    dash_punctuation,      // Pd
    open_punctuation,      // Ps
    close_punctuation,     // Pe
    initial_punctuation,   // Pi
    final_punctuation,     // Pf
    other_punctuation,     // Po
    math_symbol,           // Sm
    currency_symbol,       // Sc
    modifier_symbol,       // Sk
    other_symbol,          // So
    space_separator,       // Zs
    line_separator,        // Zl
    paragraph_separator,   // Zp
};

constexpr general_category category_of(char32_t c) noexcept {
    return static_cast<general_category>(detail::category_trie(c));
}

namespace detail {
constexpr bool category_between(char32_t c, general_category low, general_category high) noexcept {
    const general_category g = category_of(c);
    return low <= g && g <= high;
}
} // namespace detail

constexpr bool is_letter(char32_t c) noexcept { // \p{L}
    return detail::category_between(c, general_category::uppercase_letter,
                                    general_category::other_letter);
}
constexpr bool is_mark(char32_t c) noexcept { // \p{M}
    return detail::category_between(c, general_category::nonspacing_mark,
                                    general_category::enclosing_mark);
}
constexpr bool is_number(char32_t c) noexcept { // \p{N}
    return detail::category_between(c, general_category::decimal_number,
                                    general_category::other_number);
}
constexpr bool is_punctuation(char32_t c) noexcept { // \p{P}
    return detail::category_between(c, general_category::connector_punctuation,
                                    general_category::other_punctuation);
}
constexpr bool is_symbol(char32_t c) noexcept { // \p{S}
    return detail::category_between(c, general_category::math_symbol,
                                    general_category::other_symbol);
}

// Property White_Space, what \s means. It has not changed since Unicode 6.3.
constexpr bool is_white_space(char32_t c) noexcept {
    if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0d);
    if (c < 0x1680) return c == 0x85 || c == 0xa0;
    return c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
