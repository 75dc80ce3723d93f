// UTF-8 (RFC 3629): decoding of text that need not be valid, encoding, scanning.
//
// Bad text has two common readings, and tokenizers use both:
//   maximal subpart  the longest front of a well-formed sequence is one error (WHATWG, Rust's
//                    from_utf8_lossy): `decode` gives its length
//   single bytes     each byte of it is one error (SentencePiece): take length 1 when `valid` is
//                    false
// Every other decoder would have to be trusted with the end of the text; this one never reads
// outside [first, last).
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>

#include <cstring>

namespace kompakt {
inline namespace KOMPAKT_ABI {
// Text: bytes, UTF-8 unless said otherwise. std::string and
// std::string_view convert to it.
using text_view = span<const char>;

inline constexpr char32_t replacement_character = 0xfffd;
inline constexpr char32_t last_code_point = 0x10ffff;

struct utf8_character {
    char32_t code_point; // U+FFFD when not valid
    std::uint8_t length; // bytes; at least 1
    bool valid;
};

// The character at `first`, which must not be `last`.
constexpr utf8_character decode_utf8(const char* first, const char* last) noexcept {
    const auto at = [first](int i) { return static_cast<std::uint8_t>(first[i]); };
    const std::uint32_t c = at(0);
    if (c < 0x80) return {static_cast<char32_t>(c), 1, true};
    const auto left = last - first;
    const auto bad = [](int n) {
        return utf8_character{replacement_character, static_cast<std::uint8_t>(n), false};
    };
    if (c < 0xc2 || c > 0xf4) return bad(1);
    if (left < 2) return bad(1);
    const std::uint32_t d = at(1);
    if (c < 0xe0) {
        if ((d & 0xc0) != 0x80) return bad(1);
        return {static_cast<char32_t>((c & 0x1f) << 6 | (d & 0x3f)), 2, true};
    }
    // The second byte rules out overlong forms, surrogates and what is beyond U+10FFFF.
    const std::uint32_t low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    const std::uint32_t high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (d < low || d > high) return bad(1);
    if (left < 3 || (at(2) & 0xc0) != 0x80) return bad(2);
    if (c < 0xf0) {
        return {static_cast<char32_t>((c & 0x0f) << 12 | (d & 0x3f) << 6 | (at(2) & 0x3fu)), 3,
                true};
    }
    if (left < 4 || (at(3) & 0xc0) != 0x80) return bad(3);
    return {static_cast<char32_t>((c & 0x07) << 18 | (d & 0x3f) << 12 | (at(2) & 0x3fu) << 6 |
                                  (at(3) & 0x3fu)),
            4, true};
}

// Writes 1 to 4 bytes, gives their number. A surrogate or a number beyond U+10FFFF becomes U+FFFD.
constexpr std::size_t encode_utf8(char32_t c, char* out) noexcept {
    if (c > last_code_point || (c >= 0xd800 && c <= 0xdfff)) c = replacement_character;
    if (c < 0x80) {
        out[0] = static_cast<char>(c);
        return 1;
    }
    if (c < 0x800) {
        out[0] = static_cast<char>(0xc0 | c >> 6);
        out[1] = static_cast<char>(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = static_cast<char>(0xe0 | c >> 12);
        out[1] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
        out[2] = static_cast<char>(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = static_cast<char>(0xf0 | c >> 18);
    out[1] = static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out[2] = static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out[3] = static_cast<char>(0x80 | (c & 0x3f));
    return 4;
}

constexpr bool is_continuation_byte(char c) noexcept {
    return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80;
}

// The first byte at or behind `first` that is not ASCII; `last` if there is none.
inline const char* skip_ascii(const char* first, const char* last) noexcept {
    while (last - first >= 8) {
        std::uint64_t word;
        std::memcpy(&word, first, sizeof word);
        if ((word & 0x8080808080808080u) != 0) break;
        first += 8;
    }
    while (first != last && static_cast<std::uint8_t>(*first) < 0x80) ++first;
    return first;
}

// The offset of the first byte that is not part of valid UTF-8; the size when all is valid.
inline std::size_t valid_utf8_prefix(text_view text) noexcept {
    const char* p = text.data();
    const char* const last = p + text.size();
    for (;;) {
        p = skip_ascii(p, last);
        if (p == last) return text.size();
        const utf8_character d = decode_utf8(p, last);
        if (!d.valid) return static_cast<std::size_t>(p - text.data());
        p += d.length;
    }
}
inline bool is_valid_utf8(text_view text) noexcept {
    return valid_utf8_prefix(text) == text.size();
}

// How many characters `text` has; a bad maximal subpart counts as one.
inline std::size_t count_characters(text_view text) noexcept {
    const char* p = text.data();
    const char* const last = p + text.size();
    std::size_t n = 0;
    while (p != last) {
        const char* const q = skip_ascii(p, last);
        n += static_cast<std::size_t>(q - p);
        p = q;
        if (p != last) {
            p += decode_utf8(p, last).length;
            ++n;
        }
    }
    return n;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
