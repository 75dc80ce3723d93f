// The normalizer steps of a .ktok, one after another.
#pragma once

#include <kompakt/token/charsmap.hpp>
#include <kompakt/token/format.hpp>
#include <kompakt/token/parts.hpp>
#include <kompakt/token/regex/regex.hpp>
#include <kompakt/token/stage.hpp>
#include <kompakt/token/unicode/bert.hpp>
#include <kompakt/token/unicode/case_map.hpp>
#include <kompakt/token/unicode/category.hpp>
#include <kompakt/token/unicode/grapheme.hpp>
#include <kompakt/token/unicode/normalize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {
namespace detail {

inline bool equal(const char* p, const char* last, text_view what) noexcept {
    return static_cast<std::size_t>(last - p) >= what.size() &&
           (what.empty() || std::memcmp(p, what.data(), what.size()) == 0);
}
// The first place at or behind p where `what` stands, or last.
inline const char* search(const char* p, const char* last, text_view what) noexcept {
    if (what.empty()) return last;
    while (static_cast<std::size_t>(last - p) >= what.size()) {
        const void* hit =
            std::memchr(p, what.data()[0], static_cast<std::size_t>(last - p) - what.size() + 1);
        if (hit == nullptr) break;
        p = static_cast<const char*>(hit);
        if (equal(p, last, what)) return p;
        ++p;
    }
    return last;
}

// Keeps the characters that `keep` wants.
template <class Keep>
void filter(const piece_view& in, text_stage& out, Keep&& keep) noexcept {
    const char* const data = in.data;
    const char* const last = data + in.size;
    const char* from = data;
    const auto flush = [&](const char* to) {
        if (from != to) {
            out.put(from, static_cast<std::size_t>(to - from),
                    static_cast<std::size_t>(from - data), static_cast<std::size_t>(to - data));
        }
    };
    for (const char* p = data; p != last;) {
        const utf8_character d = decode_utf8(p, last);
        if (!keep(d.code_point)) {
            flush(p);
            from = p + d.length;
        }
        p += d.length;
    }
    flush(last);
}
// What a map gives for a character that vanishes.
inline constexpr char32_t deleted = 0xffffffffu;
// Replaces characters by other single ones, or deletes them.
template <class Map>
void map_characters(const piece_view& in, text_stage& out, Map&& map) noexcept {
    const char* const data = in.data;
    const char* const last = data + in.size;
    const char* from = data;
    const auto at = [data](const char* p) { return static_cast<std::size_t>(p - data); };
    const auto flush = [&](const char* to) {
        if (from != to) out.put(from, static_cast<std::size_t>(to - from), at(from), at(to));
    };
    for (const char* p = data; p != last;) {
        const utf8_character d = decode_utf8(p, last);
        const char32_t to = map(d.code_point);
        if (to != d.code_point) {
            flush(p);
            if (to != deleted) {
                char bytes[4];
                out.put(bytes, encode_utf8(to, bytes), at(p), at(p + d.length));
            }
            from = p + d.length;
        }
        p += d.length;
    }
    flush(last);
}

inline void clean_for_bert(const piece_view& in, text_stage& out) noexcept {
    map_characters(in, out, [](char32_t c) -> char32_t {
        if (c < 0x80)
            return c >= 0x20 && c < 0x7f ? c : c == '\t' || c == '\n' || c == '\r' ? ' ' : deleted;
        if (is_deleted_by_bert(c)) return deleted;
        return is_white_space(c) ? ' ' : c;
    });
}
inline void space_ideographs(const piece_view& in, text_stage& out) noexcept {
    const char* const data = in.data;
    const char* const last = data + in.size;
    const char* from = data;
    const auto at = [data](const char* p) { return static_cast<std::size_t>(p - data); };
    for (const char* p = data; p != last;) {
        const utf8_character d = decode_utf8(p, last);
        const char* const next = p + d.length;
        if (d.code_point >= 0x3400 && is_bert_ideograph(d.code_point)) {
            if (from != p) out.put(from, static_cast<std::size_t>(p - from), at(from), at(p));
            out.put(" ", 1, at(p), at(next));
            out.put(p, d.length, at(p), at(next));
            out.put(" ", 1, at(p), at(next));
            from = next;
        }
        p = next;
    }
    if (from != last) out.put(from, static_cast<std::size_t>(last - from), at(from), at(last));
}
// Hugging Face's Nmt.
constexpr char32_t nmt_of(char32_t c) noexcept {
    if ((c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f ||
        c == 0x8f || c == 0x9f) {
        return deleted;
    }
    if (c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 ||
        (c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff ||
        c == 0xfffd) {
        return ' ';
    }
    return c;
}

inline void strip(const piece_view& in, text_stage& out, bool left, bool right) noexcept {
    const char* p = in.data;
    const char* last = p + in.size;
    while (left && p != last) {
        const utf8_character d = decode_utf8(p, last);
        if (!is_white_space(d.code_point)) break;
        p += d.length;
    }
    while (right && p != last) {
        const char* q = last - 1;
        while (q != p && is_continuation_byte(*q)) --q;
        if (!is_white_space(decode_utf8(q, last).code_point)) break;
        last = q;
    }
    out.put(p, static_cast<std::size_t>(last - p), static_cast<std::size_t>(p - in.data),
            static_cast<std::size_t>(last - in.data));
}

// Hugging Face's alignments give everything that replaces a match the origin of its last byte.
inline void put_replacement(text_stage& out, text_view content, std::size_t match_end) noexcept {
    for (std::size_t i = 0; i < content.size(); ++i) {
        const std::size_t from = match_end != 0 ? match_end - 1 : 0;
        out.put(content.data() + i, 1, from, from + 1);
    }
}

inline void replace_text(const piece_view& in, text_stage& out, text_view what,
                         text_view content) noexcept {
    const char* p = in.data;
    const char* const last = p + in.size;
    const auto at = [&](const char* q) { return static_cast<std::size_t>(q - in.data); };
    for (;;) {
        const char* const hit = search(p, last, what);
        if (hit != p) out.put(p, static_cast<std::size_t>(hit - p), at(p), at(hit));
        if (hit == last) return;
        p = hit + what.size();
        if (out.with_origins()) {
            put_replacement(out, content, at(p));
        } else {
            out.put(content.data(), content.size(), 0, 0);
        }
    }
}

inline void replace_regex(const piece_view& in, text_stage& out, const regex_view& regex,
                          text_view content) noexcept {
    std::size_t from = 0;
    regex_cursor cursor;
    regex_match m{};
    while (out.ok() && regex.find_next(in.text(), cursor, m)) {
        if (from < m.begin) out.put(in.data + from, m.begin - from, from, m.begin);
        if (out.with_origins()) {
            put_replacement(out, content, m.end);
        } else {
            out.put(content.data(), content.size(), 0, 0);
        }
        from = m.end;
    }
    if (from < in.size) out.put(in.data + from, in.size - from, from, in.size);
}

// Hugging Face's alignments of a rewritten text, character by character: each new character either
// takes the place of the next old one, or is an addition and belongs to the one before. Old ones
// that vanish are counted to the new character before them; in front of all new ones they are not
// counted at all, so that everything behind is off by as many. That is what the peer gives.
class alignment {
  public:
    alignment(const piece_view& in, text_stage& out) noexcept : in_(in), out_(out) {}
    void put(const char* bytes, std::size_t n, bool adds) noexcept {
        flush();
        std::memcpy(bytes_, bytes, n);
        size_ = n;
        adds_ = adds;
    }
    void remove(std::size_t n) noexcept {
        if (size_ != 0) removes_ += n;
    }
    void flush() noexcept {
        if (size_ == 0) return;
        std::size_t begin = source_, end = source_;
        if (adds_) {
            while (begin != 0 && is_continuation_byte(in_.data[--begin])) {
            }
            for (std::size_t i = 0; i < size_; ++i) out_.put(bytes_ + i, 1, begin, end);
        } else {
            end = next(source_);
            for (std::size_t i = 0; i < size_; ++i) out_.put(bytes_ + i, 1, begin, end);
            source_ = end;
            for (; removes_ != 0; --removes_) source_ = next(source_);
        }
        size_ = removes_ = 0;
    }

  private:
    std::size_t next(std::size_t at) const noexcept {
        return at < in_.size ? at + decode_utf8(in_.data + at, in_.data + in_.size).length : at;
    }
    const piece_view& in_;
    text_stage& out_;
    std::size_t source_ = 0, size_ = 0, removes_ = 0;
    char bytes_[4] = {};
    bool adds_ = false;
};

// Hugging Face's way with a character map: by grapheme clusters of less than 6 bytes, else by
// characters, and the shortest key.
inline void precompiled(const piece_view& in, text_stage& out, const charsmap_view& map,
                        const ascii_set& keeps) noexcept {
    const char* const data = in.data;
    std::size_t at = 0, from = 0;
    alignment aligned(in, out);
    const auto flush = [&](std::size_t to) {
        if (from == to) return;
        if (!out.with_origins()) {
            out.put(data + from, to - from, from, to);
            return;
        }
        while (from < to) {
            const std::size_t n = decode_utf8(data + from, data + to).length;
            aligned.put(data + from, n, false);
            from += n;
        }
    };
    const auto change = [&](std::size_t begin, std::size_t end, text_view to) {
        flush(begin);
        from = end;
        if (!out.with_origins()) {
            out.put(to.data(), to.size(), begin, end);
            return;
        }
        const std::size_t chars_old = count_characters({data + begin, end - begin});
        const char* p = to.data();
        const char* const last = p + to.size();
        std::size_t k = 0;
        for (; p != last; ++k) {
            const std::size_t n = decode_utf8(p, last).length;
            aligned.put(p, n, k >= chars_old);
            p += n;
        }
        if (k < chars_old) aligned.remove(chars_old - k);
    };
    while (at < in.size) {
        const auto c = static_cast<std::uint8_t>(data[at]);
        if (c < 0x80 && keeps.has(c) && c != '\r' &&
            (at + 1 == in.size || static_cast<std::uint8_t>(data[at + 1]) < 0x80)) {
            ++at;
            continue;
        }
        const std::size_t end = next_grapheme(in.text(), at);
        text_view to;
        if (end - at < 6 && map.match(data + at, end - at, false, to) != 0) {
            change(at, end, to);
        } else {
            for (std::size_t p = at; p < end;) {
                const std::size_t n = decode_utf8(data + p, data + end).length;
                if (map.match(data + p, n, false, to) != 0) change(p, p + n, to);
                p += n;
            }
        }
        at = end;
    }
    flush(in.size);
    aligned.flush();
}

// SentencePiece: its map with the longest key, its rules for spaces. `user` finds user-defined
// pieces, which pass unchanged.
inline void sentencepiece_text(const piece_view& in, text_stage& out, const charsmap_view& map,
                               const trie_view& user, std::uint32_t flags,
                               ascii_set keeps) noexcept {
    const char* const data = in.data;
    const bool remove = (flags & step_remove_spaces) != 0, escape = (flags & step_escape) != 0;
    const bool suffix = (flags & step_suffix) != 0, dummy = (flags & step_dummy_prefix) != 0;
    const text_view space = escape ? text_view("\xe2\x96\x81", 3) : text_view(" ", 1);
    // A space between ASCII characters may be one that no rule changes.
    bool plain_space = keeps.has(' ');
    if (!user.empty()) {
        for (std::uint32_t c = 0; c < 128; ++c) {
            trie_view::cursor k = user.start();
            if (k.next(static_cast<char>(c))) {
                keeps.bits[c >> 5] &= ~(1u << (c & 31));
                if (c == ' ') plain_space = false;
            }
        }
    }
    struct rune {
        text_view to;
        std::size_t length;
    };
    const auto next = [&](std::size_t at) -> rune {
        std::size_t n = 0;
        if (user.longest(data + at, in.size - at, n) != none) return {{data + at, n}, n};
        text_view to;
        n = map.match(data + at, in.size - at, true, to);
        if (n != 0) return {to, n};
        const utf8_character d = decode_utf8(data + at, data + in.size);
        if (!d.valid) return {{"\xef\xbf\xbd", 3}, 1};
        return {{data + at, d.length}, d.length};
    };
    std::size_t at = 0;
    while (remove && at < in.size) {
        const rune r = next(at);
        if (r.to.size() != 1 || r.to.data()[0] != ' ') break;
        at += r.length;
    }
    if (at == in.size) return;
    const auto put_space = [&](std::size_t begin, std::size_t end) {
        out.put(space.data(), space.size(), begin, end);
    };
    if (!suffix && dummy) put_space(at, at);
    bool after_space = remove;
    while (at < in.size) {
        // Plain ASCII passes in runs.
        std::size_t run = at;
        while (run < in.size && static_cast<std::uint8_t>(data[run]) < 0x80 && data[run] != ' ' &&
               keeps.has(static_cast<std::uint8_t>(data[run])) &&
               (run + 1 == in.size || static_cast<std::uint8_t>(data[run + 1]) < 0x80)) {
            ++run;
        }
        if (run != at) {
            out.put(data + at, run - at, at, run);
            at = run;
            after_space = false;
            if (at == in.size) break;
        }
        // And single spaces between it.
        if (plain_space && data[at] == ' ' &&
            (at + 1 == in.size || static_cast<std::uint8_t>(data[at + 1]) < 0x80)) {
            if (!after_space) put_space(at, at + 1);
            after_space = remove;
            ++at;
            continue;
        }
        rune r = next(at);
        text_view to = r.to;
        while (after_space && !to.empty() && to.data()[0] == ' ') to = to.subspan(1);
        if (!to.empty()) {
            for (std::size_t i = 0; i < to.size();) {
                if (to.data()[i] == ' ') {
                    put_space(at, at + r.length);
                    ++i;
                    continue;
                }
                std::size_t j = i + 1;
                while (j < to.size() && to.data()[j] != ' ') ++j;
                out.put(to.data() + i, j - i, at, at + r.length);
                i = j;
            }
            after_space = to.data()[to.size() - 1] == ' ';
        }
        at += r.length;
        if (!remove) after_space = false;
    }
    if (remove) {
        while (out.written_bytes() >= space.size() &&
               std::memcmp(out.written() + out.written_bytes() - space.size(), space.data(),
                           space.size()) == 0) {
            out.drop_last(space.size());
        }
    }
    if (suffix && dummy) put_space(in.size, in.size);
}

// The character that a byte is written as in byte-level vocabularies (GPT-2's encoder.py).
constexpr char32_t character_of_byte(std::uint8_t b) noexcept {
    if ((b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae) return b;
    if (b <= 0x20) return 0x100u + b;
    if (b == 0xad) return 0x143;
    return 0x121u + (b - 0x7fu); // 0x7f … 0xa0
}
inline void map_bytes(const piece_view& in, text_stage& out) noexcept {
    const char* const last = in.data + in.size;
    for (const char* p = in.data; p != last;) {
        const std::uint32_t n = decode_utf8(p, last).length;
        const auto at = static_cast<std::size_t>(p - in.data);
        for (std::uint32_t i = 0; i < n; ++i) {
            char bytes[4];
            const std::size_t k =
                encode_utf8(character_of_byte(static_cast<std::uint8_t>(p[i])), bytes);
            for (std::size_t j = 0; j < k; ++j) out.put(bytes + j, 1, at + i, at + i + 1);
        }
        p += n;
    }
}

inline void prepend(const piece_view& in, text_stage& out, text_view what) noexcept {
    if (in.size == 0) return;
    const std::uint32_t n = decode_utf8(in.data, in.data + in.size).length;
    for (std::size_t i = 0; i < what.size(); ++i) {
        out.put(what.data() + i, 1, 0, out.with_origins() ? 1 : 0);
    }
    out.put(in.data, n, 0, n);
    if (in.size > n) out.put(in.data + n, in.size - n, n, in.size);
}

} // namespace detail

// Runs one normalizer step. `out.start(in)` has been called.
template <std::uint32_t Parts>
void run_normalizer(const tables& t, const step_record& s, const piece_view& in, text_stage& out,
                    int bert_pass = 0, const ascii_set& kept = {}) noexcept {
    const auto sink = [&](const char* b, std::size_t n, std::size_t from, std::size_t to) {
        out.put(b, n, from, to);
    };
    constexpr normal_version version = normal_version::unicode_9;
    switch (s.kind) {
    case step_kind::nfc:
        if constexpr ((Parts & part_forms) != 0)
            return normalize<normal_form::nfc>(in.text(), sink, version);
        break;
    case step_kind::nfd:
        if constexpr ((Parts & part_forms) != 0)
            return normalize<normal_form::nfd>(in.text(), sink, version);
        break;
    case step_kind::nfkc:
        if constexpr ((Parts & part_compatible) != 0)
            return normalize<normal_form::nfkc>(in.text(), sink, version);
        break;
    case step_kind::nfkd:
        if constexpr ((Parts & part_compatible) != 0)
            return normalize<normal_form::nfkd>(in.text(), sink, version);
        break;
    case step_kind::lowercase:
        if constexpr ((Parts & part_bert) != 0) return lowercase(in.text(), sink);
        break;
    case step_kind::strip_accents:
        if constexpr ((Parts & part_categories) != 0)
            return detail::filter(in, out, [](char32_t c) { return !is_mark(c); });
        break;
    case step_kind::strip:
        return detail::strip(in, out, (s.flags & step_left) != 0, (s.flags & step_right) != 0);
    case step_kind::nmt:
        return detail::map_characters(in, out, [](char32_t c) { return detail::nmt_of(c); });
    case step_kind::bert: // one pass for each bit, in the order of the bits
        if constexpr ((Parts & part_bert) != 0) {
            if (bert_pass == 0) return detail::clean_for_bert(in, out);
            if (bert_pass == 1) return detail::space_ideographs(in, out);
            if (bert_pass == 2) return normalize<normal_form::nfd>(in.text(), sink, version);
            if (bert_pass == 3) {
                return detail::filter(in, out, [](char32_t c) { return !is_bert_accent(c); });
            }
            return lowercase(in.text(), sink);
        }
        break;
    case step_kind::replace:
        if ((s.flags & 1) != 0) {
            if constexpr ((Parts & part_regex) != 0) {
                const bytes_view regex = t.blob(s.a, s.a_bytes);
                if (!regex_view::check(regex).ok()) break;
                return detail::replace_regex(in, out, regex_view(regex), t.text(s.b, s.b_bytes));
            }
        }
        return detail::replace_text(in, out, t.text(s.a, s.a_bytes), t.text(s.b, s.b_bytes));
    case step_kind::prepend:
        return detail::prepend(in, out, t.text(s.a, s.a_bytes));
    case step_kind::precompiled:
        if constexpr ((Parts & part_precompiled) != 0) {
            return detail::precompiled(in, out, charsmap_view(t.blob(s.a, s.a_bytes)), kept);
        }
        break;
    case step_kind::sentencepiece:
        if constexpr ((Parts & part_sentencepiece) != 0) {
            return detail::sentencepiece_text(in, out, charsmap_view(t.blob(s.a, s.a_bytes)),
                                              trie_view(t.blob(s.b, s.b_bytes)), s.flags, kept);
        }
        break;
    case step_kind::byte_level_text:
        return detail::map_bytes(in, out);
    default:
        break;
    }
    out.put(in.data, in.size, 0, in.size);
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
