// Words as rows of characters, with the alphabet that covers so much of the text: what both
// SentencePiece trainers start from.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/io/token/train/piece_rules.hpp>
#include <kompakt/io/token/train/word_counts.hpp>

#include <string>
#include <unordered_map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct alphabet_entry {
    char32_t character;
    std::uint64_t count;
};

struct piece_alphabet {
    std::vector<alphabet_entry> required; // most frequent first, then by code point
    std::uint64_t characters = 0;         // in the text
    std::uint64_t covered = 0;
};

namespace detail {

template <class F>
void each_character(std::string_view text, F&& f) {
    const char* p = text.data();
    const char* const last = p + text.size();
    while (p != last) {
        const utf8_character d = decode_utf8(p, last);
        p += d.length;
        f(d.code_point);
    }
}

inline std::string utf8_of(span<const char32_t> text) {
    std::string s;
    for (const char32_t c : text) {
        char bytes[4];
        s.append(bytes, encode_utf8(c, bytes));
    }
    return s;
}

} // namespace detail

// The most frequent characters until `coverage` of all are covered; those of `always` are counted
// as more frequent than all others. Tabs stand for borders and are never among them.
inline piece_alphabet find_alphabet(const word_list& words, double coverage,
                                    const std::u32string& always = {}) {
    struct seen {
        std::uint64_t count = 0;
        bool always = false;
    };
    std::unordered_map<char32_t, seen> all;
    for (const char32_t c : always) {
        if (c != 0) all[c].always = true;
    }
    piece_alphabet out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint64_t n = words.count(i);
        detail::each_character(words.word(i), [&](char32_t c) {
            if (c == 0 || c == U' ') return;
            all[c].count += n;
            out.characters += n;
        });
    }
    std::vector<std::pair<char32_t, seen>> sorted(all.begin(), all.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        if (a.second.always != b.second.always) return a.second.always;
        if (a.second.count != b.second.count) return a.second.count > b.second.count;
        return a.first < b.first;
    });
    for (const auto& s : sorted) {
        // In single precision, as in the original, since the border depends on it.
        const auto so_far = static_cast<float>(static_cast<double>(out.covered) /
                                               static_cast<double>(out.characters));
        if (so_far >= static_cast<float>(coverage)) break;
        out.covered += s.second.count;
        if (s.first == U'\t') continue;
        out.required.push_back({s.first, s.second.count});
    }
    std::stable_sort(out.required.begin(), out.required.end(), [](const auto& a, const auto& b) {
        return a.count != b.count ? a.count > b.count : a.character < b.character;
    });
    return out;
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
