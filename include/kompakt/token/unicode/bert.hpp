// The character classes of Hugging Face's BertNormalizer and BertPreTokenizer.
//
// They are those of the crate unicode_categories 0.1.1, whose tables are Unicode 8.0: younger
// punctuation does not split, younger marks stay, younger format characters are not deleted.
// (Source: its tables, compared with UnicodeData-8.0.0; its `is_other` leaves unassigned code
// points out.) The table is apart from the general categories because firmware with a WordPiece
// vocabulary needs nothing else.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/token/unicode/bert_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

enum class bert_class : std::uint8_t { other, control, punctuation, nonspacing_mark };

// Cc, Cf, Co; Pc Pd Ps Pe Pi Pf Po; Mn. Not yet what BERT does with them: see below.
constexpr bert_class bert_class_of(char32_t c) noexcept {
    return static_cast<bert_class>(detail::bert_trie(c));
}

// What the cleaning step deletes.
constexpr bool is_deleted_by_bert(char32_t c) noexcept {
    if (c == 0 || c == 0xfffd) return true;
    if (c == '\t' || c == '\n' || c == '\r') return false;
    return bert_class_of(c) == bert_class::control;
}
// What the pre-tokenizer makes a word of its own: ASCII that is no letter, digit, space or control
// counts too.
constexpr bool is_bert_punctuation(char32_t c) noexcept {
    if (c < 0x80) {
        return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) ||
               (c >= 0x7b && c <= 0x7e);
    }
    return bert_class_of(c) == bert_class::punctuation;
}
// What is put between spaces. The list skips U+2B820 to U+2B91F, as theirs does.
constexpr bool is_bert_ideograph(char32_t c) noexcept {
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
           (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
           (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}
// What its strip_accents removes, after NFD.
constexpr bool is_bert_accent(char32_t c) noexcept {
    return c >= 0x300 && bert_class_of(c) == bert_class::nonspacing_mark;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
