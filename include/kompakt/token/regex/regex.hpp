// Matches a compiled regular expression (io/token/regex/compile.hpp) in place in its bytes.
//
// The bytes are a deterministic automaton over classes of characters whose priorities are resolved,
// so a match is what a backtracking engine finds, at the cost of one table step for each character.
// Layout, little-endian, any alignment, table entries of 2 bytes:
//
//     0  "KRX1"                      4  u32  bytes in all
//     8  u16  columns of the table  10  u16  start row       12  u16  flags   14  u16  column of
//     the
//    16  u32  entries               20  u32  offset of the class map               text's end
//    24  u8[8]  0
//    32  u8[128]  column of each ASCII character
//   160  u16[entries]  rows of columns; row 0 is all zeros
//        u8[32]  bit c: a match that fails at a character of class c fails at the next one too
//        u16[columns]  only if it looks behind: start row by the class before, the last at the
//        text's
//                      beginning
//        class map (token/unicode/class_map.hpp), whose classes are the columns but for the last
//
// An entry says what happens in a row when a character of a column comes next:
//   0                  no match goes on from here: the last one that was noted counts
//   bit 15             the match ends before this character. If the text is cut in one go (flags
//                      covers and gaps) the row given is that of the next match, or gap, behind
//                      this character
//   bit 14             a match that could end before this character: note it and go on
//   bits 0 to 13       index of the row's first entry
// Bits 14 and 15 are not both set. With the flag gaps the last row is that of text between matches:
// it ends, with bit 15, before a character that can begin a match.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/token/unicode/class_map.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct regex_match {
    std::size_t begin, end; // bytes of the text
};

// How far the search through a text has come. A match of no characters is not found right behind
// the match before it, as in all engines.
struct regex_cursor {
    std::size_t at = 0;
    bool may_be_empty = true;
};

class regex_view {
  public:
    static constexpr std::size_t npos = ~std::size_t{0};
    static constexpr std::size_t header_bytes = 160;
    enum flag : std::uint16_t { covers = 1, empty = 2, behind = 4, gaps = 8 };
    static constexpr std::uint32_t ends = 0x8000, notes = 0x4000, row = 0x3fff;

    regex_view() noexcept = default;
    // Bytes that `check` has found good; they must outlive the view.
    explicit regex_view(bytes_view checked) noexcept
        : data_(reinterpret_cast<const std::uint8_t*>(checked.data())),
          entries_(load_le<std::uint32_t>(data_ + 16)), columns_(load_le<std::uint16_t>(data_ + 8)),
          start_(load_le<std::uint16_t>(data_ + 10)), flags_(load_le<std::uint16_t>(data_ + 12)),
          gap_((flags_ & gaps) != 0 ? entries_ - columns_ : entries_),
          map_(checked.subspan(load_le<std::uint32_t>(data_ + 20))) {}

    // Everything that matching relies on. Time and memory are those of one pass over the bytes.
    static status check(bytes_view bytes) noexcept {
        if (bytes.size() < header_bytes || load_le<std::uint32_t>(bytes.data()) != magic) {
            return fail(errc::bad_file, "compiled regex: not one");
        }
        const auto word = [bytes](std::size_t at) {
            return std::uint32_t{load_le<std::uint16_t>(bytes.data() + at)};
        };
        const std::uint32_t size = load_le<std::uint32_t>(bytes.data() + 4);
        const std::uint32_t columns = word(8), start = word(10), flags = word(12);
        const std::uint32_t entries = load_le<std::uint32_t>(bytes.data() + 16);
        const std::uint32_t map_at = load_le<std::uint32_t>(bytes.data() + 20);
        if (size > bytes.size()) {
            return fail(errc::bad_file, "compiled regex: needs ", size, " bytes, has ",
                        bytes.size());
        }
        if (columns < 2 || columns > 256 || entries == 0 || entries > row + 1 ||
            entries % columns != 0 || word(14) != columns - 1) {
            return fail(errc::bad_file, "compiled regex: table of ", entries, " entries in ",
                        columns, " columns");
        }
        const std::size_t behind_bytes = (flags & behind) != 0 ? 2 * columns : 0;
        const bool in_one_go = (flags & (covers | gaps)) != 0;
        if (flags > (covers | empty | behind | gaps) ||
            (flags & (covers | gaps)) == (covers | gaps) ||
            (in_one_go && (flags & (empty | behind)) != 0) ||
            map_at != header_bytes + 2 * entries + 32 + behind_bytes || map_at > size) {
            return fail(errc::bad_file, "compiled regex: flags ", flags, ", class map at ", map_at);
        }
        const auto is_row = [=](std::uint32_t at) { return at < entries && at % columns == 0; };
        bool good = is_row(start);
        for (std::size_t i = 0; i < behind_bytes; i += 2) {
            good = good && is_row(word(map_at - behind_bytes + i));
        }
        for (std::size_t i = 0; i < entries; ++i) {
            const std::uint32_t e = word(header_bytes + 2 * i);
            good = good && is_row(e & row) && (e & (ends | notes)) != (ends | notes) &&
                   (i >= columns || e == 0);
        }
        // A text that is cut in one go needs a first character in each match.
        for (std::size_t i = 0; good && in_one_go && i + 1 < columns; ++i) {
            const std::uint32_t e = word(header_bytes + 2 * (start + i));
            good = e != 0 && (e & (ends | notes)) == 0;
        }
        for (std::size_t i = 0; i < 128; ++i) {
            good = good && static_cast<std::uint32_t>(bytes.data()[32 + i]) < columns - 1;
        }
        if (!good) return fail(errc::bad_file, "compiled regex: an entry is outside of the table");
        const bytes_view map = bytes.subspan(map_at, size - map_at);
        KOMPAKT_TRY(class_map_view::check(map));
        if (class_map_view(map).classes() != columns - 1) {
            return fail(errc::bad_file, "compiled regex: ", class_map_view(map).classes(),
                        " classes for ", columns, " columns");
        }
        return {};
    }

    // Every text that is not empty is cut into matches without gaps.
    bool covers_all() const noexcept { return (flags_ & covers) != 0; }
    bool can_be_empty() const noexcept { return (flags_ & empty) != 0; }
    std::size_t size_bytes() const noexcept { return load_le<std::uint32_t>(data_ + 4); }

    // The end of the match that begins at byte `at` <= text.size(); npos if there is none. `at` is
    // between characters.
    std::size_t match(text_view text, std::size_t at) const noexcept {
        const char* const first = text.data() + at;
        const char* const last = text.data() + text.size();
        const char* p = first;
        const char* noted = nullptr;
        std::uint32_t state = start_at(text, at);
        for (;;) {
            unsigned length = 0;
            const std::uint32_t e =
                entry(state, p == last ? columns_ - 1 : column(p, last, length));
            if ((e & ends) != 0) {
                noted = p;
                break;
            }
            if (e == 0 || (e & row) == gap_) break;
            if ((e & notes) != 0) noted = p;
            if (p == last) break; // no good table goes on here
            state = e & row;
            p += length;
        }
        return noted == nullptr ? npos : static_cast<std::size_t>(noted - text.data());
    }

    // The leftmost match at or behind the cursor, which moves behind it.
    bool find_next(text_view text, regex_cursor& cursor, regex_match& out) const noexcept {
        const char* const last = text.data() + text.size();
        std::size_t at = cursor.at;
        while (at <= text.size()) {
            if (!can_be_empty()) at = skip_hopeless(text, at);
            const std::size_t end = match(text, at);
            if (end != npos && (end != at || at != cursor.at || cursor.may_be_empty)) {
                out = {at, end};
                cursor.at = end;
                cursor.may_be_empty = false;
                if (end == at) { // the next one begins a character later, and may be empty again
                    cursor.at = end + (at == text.size() ? 1u : length_at(text, at));
                    cursor.may_be_empty = true;
                }
                return true;
            }
            if (at == text.size()) break;
            at =
                end != npos
                    ? at + length_at(text, at)
                    : static_cast<std::size_t>(past_hopeless(text.data() + at, last) - text.data());
        }
        cursor.at = text.size() + 1;
        return false;
    }

    // As many matches as `out` holds, or all that are left; 0 when there are no more. The fast way
    // through a text: about one table step for each byte when the expression covers all.
    std::size_t find_many(text_view text, regex_cursor& cursor,
                          span<regex_match> out) const noexcept {
        std::size_t n = 0;
        if ((flags_ & (covers | gaps)) == 0) {
            while (n < out.size() && find_next(text, cursor, out[n])) ++n;
            return n;
        }
        if (cursor.at > text.size()) return 0;
        std::size_t begin = cursor.at;
        while (n < out.size() && begin < text.size()) {
            std::size_t cut[batch];
            const std::size_t room = out.size() - n;
            const std::size_t most = room < batch ? room : batch;
            if (covers_all()) {
                const std::size_t count = cut_many<false>(text, begin, cut, most);
                for (std::size_t i = 0; i < count; ++i) {
                    out.data()[n++] = {begin, cut[i]};
                    begin = cut[i];
                }
            } else {
                const std::size_t count = cut_many<true>(text, begin, cut, most);
                for (std::size_t i = 0; i < count; ++i) {
                    out.data()[n] = {begin, cut[i] >> 1};
                    n += 1 - (cut[i] & 1);
                    begin = cut[i] >> 1;
                }
            }
        }
        cursor.at = begin;
        cursor.may_be_empty = false;
        return n;
    }

  private:
    static constexpr std::uint32_t magic = 0x3158524bu; // "KRX1"
    static constexpr std::size_t batch = 32;

    std::uint32_t entry(std::uint32_t state, std::uint32_t c) const noexcept {
        return load_le<std::uint16_t>(data_ + header_bytes + 2 * (state + c));
    }
    std::size_t fails_on_at() const noexcept { return header_bytes + std::size_t{2} * entries_; }

    std::uint32_t column(const char* p, const char* last, unsigned& length) const noexcept {
        const auto b = static_cast<std::uint8_t>(*p);
        if (b < 0x80) {
            length = 1;
            return data_[32 + b];
        }
        return map_.class_at(p, last, length);
    }
    std::size_t length_at(text_view text, std::size_t at) const noexcept {
        return decode_utf8(text.data() + at, text.data() + text.size()).length;
    }

    std::uint32_t start_at(text_view text, std::size_t at) const noexcept {
        if ((flags_ & behind) == 0) return start_;
        std::uint32_t before = columns_ - 1;
        if (at != 0) {
            std::size_t i = at - 1;
            for (int k = 0; k < 3 && i != 0 && is_continuation_byte(text[i]); ++k) --i;
            unsigned length = 0;
            before = column(text.data() + i, text.data() + at, length);
            if (i + length != at) before = map_.class_of(replacement_character); // bad bytes
        }
        return load_le<std::uint16_t>(data_ + fails_on_at() + 32 + 2 * before);
    }

    // The first place at or behind `at` where a match can take its first character.
    std::size_t skip_hopeless(text_view text, std::size_t at) const noexcept {
        if ((flags_ & behind) != 0) return at;
        const char* const last = text.data() + text.size();
        while (at < text.size()) {
            unsigned length = 0;
            const std::uint32_t e = entry(start_, column(text.data() + at, last, length));
            if (e != 0 && (e & row) != gap_) break;
            at += length;
        }
        return at;
    }

    // Where the text from `begin` < text.size() on is cut, at most `most` > 0 places; at least one.
    // With Gaps they are doubled, and odd if what ends there is no match.
    template <bool Gaps>
    std::size_t cut_many(text_view text, std::size_t begin, std::size_t (&cut)[batch],
                         std::size_t most) const noexcept {
        const char* const base = text.data();
        const char* const last = base + text.size();
        const std::uint8_t* const ascii = data_ + 32;
        const std::uint8_t* const table = data_ + header_bytes;
        const char* p = base + begin;
        const char* noted = p;
        std::uint32_t state = start_;
        std::size_t n = 0;
        const auto place = [&](const char* q) {
            const auto at = static_cast<std::size_t>(q - base);
            return Gaps ? at << 1 | static_cast<std::size_t>(state == gap_) : at;
        };
        const auto cut_before = [&] { // the beginning of what is being read
            return base + (n == 0 ? begin : Gaps ? cut[n - 1] >> 1 : cut[n - 1]);
        };
        // Back to the end of the match that was noted last, or past a character that begins none.
        const auto go_back = [&] {
            const char* const from = cut_before();
            if (noted > from) {
                p = noted;
                state = start_;
                cut[n++] = place(p);
                return;
            }
            // A table that claims to cover all and does not may come here too.
            p = past_hopeless(from, last);
            if constexpr (Gaps) {
                state = gap_;
            } else {
                cut[n++] = place(p);
                state = start_;
            }
        };
        for (;;) {
            // Each step makes one cut at most, so so many steps need no look at `most`.
            const auto left = static_cast<std::size_t>(last - p);
            const char* const stop = p + (left < most - n ? left : most - n);
            while (p < stop) {
                const auto b = static_cast<std::uint8_t>(*p);
                unsigned length = 1;
                const std::uint32_t c =
                    b < 0x80 ? std::uint32_t{ascii[b]} : map_.class_at(p, last, length);
                const std::uint32_t e = load_le<std::uint16_t>(table + 2 * (state + c));
                if (e == 0) {
                    go_back();
                    break;
                }
                cut[n] = place(p);
                n += e >> 15;
                noted = (e & notes) != 0 ? p : noted;
                state = e & row;
                p += length;
            }
            if (n == most) return n;
            if (p == last) {
                if (cut_before() == last) return n;
                if ((entry(state, columns_ - 1) & ends) != 0) {
                    cut[n++] = place(last);
                    return n;
                }
                go_back();
                if (n == most) return n;
            }
        }
    }

    // The end of the first character at which no match that failed can begin. Past one at least.
    const char* past_hopeless(const char* p, const char* last) const noexcept {
        bool again = true;
        do {
            unsigned length = 0;
            const std::uint32_t c = column(p, last, length);
            again = (data_[fails_on_at() + c / 8] >> c % 8 & 1) != 0;
            p += length;
        } while (again && p != last);
        return p;
    }

    const std::uint8_t* data_ = nullptr;
    std::uint32_t entries_ = 0, columns_ = 0, start_ = 0, flags_ = 0;
    std::uint32_t gap_ = 0; // the row between matches; no row when there is none
    class_map_view map_;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
