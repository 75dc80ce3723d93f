// Which strings may be pieces of a SentencePiece vocabulary.
#pragma once

#include <kompakt/core/span.hpp>
#include <kompakt/io/token/train/script_table.hpp>

#include <algorithm>
#include <iterator>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// The mark that stands for a space in front of a word.
inline constexpr char32_t space_mark = 0x2581;

// The number of a character's script in script_table.hpp; 0 (Common) for unassigned characters.
inline std::uint32_t script_of(char32_t c) noexcept {
    const auto* end = std::end(detail::script_ranges);
    const auto* next = std::upper_bound(std::begin(detail::script_ranges), end,
                                        static_cast<std::uint32_t>(c) << 8 | 0xff);
    return *(next - 1) & 0xff;
}

// SentencePiece's rules with split_by_whitespace: the space mark only in front, characters of one
// script (Han, Hiragana and Katakana count as one; Inherited ones take that of the character before
// them), digits apart from letters.
struct piece_rules {
    std::uint32_t longest = 16; // characters
    bool split_by_script = true;
    bool split_by_number = true; // digits are of the script Common, so letters keep apart from them
    bool split_digits = false;   // each digit is a piece of its own

    static constexpr std::uint32_t any_script = 255;

    static bool is_digit(char32_t c) noexcept {
        return (c >= '0' && c <= '9') || (c >= 0xff10 && c <= 0xff19);
    }

    // What `c` counts as behind a character that counted as `before`.
    std::uint32_t script(char32_t c, std::uint32_t before) const noexcept {
        std::uint32_t s = script_of(c);
        if (s == 3 || s == 4 || c == 0x30fc) s = 2;
        if (s == 1) s = before;
        if (!split_by_number && is_digit(c)) s = any_script;
        return s;
    }

    // How many characters from the front of `text` may be one piece: all shorter fronts may as
    // well, no longer one. A single character always may.
    std::size_t longest_piece(span<const char32_t> text) const noexcept {
        std::uint32_t before = any_script;
        const std::size_t most = (std::min)(text.size(), std::size_t{longest});
        for (std::size_t i = 0; i < most; ++i) {
            const char32_t c = text[i];
            if (c == space_mark) {
                if (i > 0) return i;
                continue;
            }
            if (split_digits && is_digit(c)) return (std::max)(i, std::size_t{1});
            const std::uint32_t s = script(c, before);
            if (split_by_script && s != any_script && before != any_script && before != s) return i;
            before = s;
        }
        return most;
    }
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
