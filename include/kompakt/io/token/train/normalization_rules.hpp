// The rules of SentencePiece's normalizations nfkc and nmt_nfkc, from Unicode's tables.
//
// The maps that SentencePiece ships come from an older Unicode: characters that are younger are
// normalized here and stay what they are there.
#pragma once

#include <kompakt/io/token/train/character_map.hpp>
#include <kompakt/token/unicode/normalize.hpp>

#include <map>
#include <set>
#include <unordered_map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

namespace detail {

using code_points = std::u32string;

inline std::string to_utf8(const code_points& text) {
    std::string s;
    for (const char32_t c : text) {
        char bytes[4];
        s.append(bytes, encode_utf8(c, bytes));
    }
    return s;
}
inline code_points to_code_points(std::string_view text) {
    code_points s;
    const char* p = text.data();
    const char* const last = p + text.size();
    while (p != last) {
        const utf8_character d = decode_utf8(p, last);
        s += d.code_point;
        p += d.length;
    }
    return s;
}
inline code_points normalized(token::normal_form form, const code_points& text) {
    std::string out;
    const std::string from = to_utf8(text);
    token::normalize(form, from, [&](const char* bytes, std::size_t n, std::size_t, std::size_t) {
        out.append(bytes, n);
    });
    return to_code_points(out);
}

// Rules by the characters that they map.
using rule_table = std::map<code_points, code_points>;

// What rules of at most so many characters make of a text.
inline code_points apply(const rule_table& rules, const code_points& text, std::size_t longest) {
    code_points out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t n = (std::min)(longest, text.size() - i);
        rule_table::const_iterator it = rules.end();
        for (; n > 0; --n) {
            it = rules.find(text.substr(i, n));
            if (it != rules.end()) break;
        }
        if (n == 0) {
            out += text[i++];
        } else {
            out += it->second;
            i += n;
        }
    }
    return out;
}

// Without the rules that shorter ones together do as well.
inline rule_table without_redundant(rule_table rules) {
    std::vector<std::vector<rule_table::iterator>> by_length;
    for (auto it = rules.begin(); it != rules.end(); ++it) {
        if (it->first.size() > by_length.size()) by_length.resize(it->first.size());
        by_length[it->first.size() - 1].push_back(it);
    }
    rule_table kept;
    for (std::size_t n = 1; n <= by_length.size(); ++n) {
        std::vector<rule_table::iterator> more;
        for (const auto& it : by_length[n - 1]) {
            if (n == 1 || apply(kept, it->first, n - 1) != it->second) more.push_back(it);
        }
        for (const auto& it : more) kept.insert(rules.extract(it));
    }
    return kept;
}

inline rule_table nfkc_rules() {
    using token::normal_form;
    rule_table rules;
    std::set<code_points> decomposed;                  // of several characters
    std::unordered_map<char32_t, code_points> sources; // by what they decompose to
    for (char32_t c = 1; c <= last_code_point; ++c) {
        if (c >= 0xd800 && c <= 0xdfff) continue;
        if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef)) continue;
        char bytes[4];
        const std::size_t n = encode_utf8(c, bytes);
        if (token::is_normalized<normal_form::nfkd>(text_view(bytes, n)) &&
            token::is_normalized<normal_form::nfkc>(text_view(bytes, n))) {
            continue;
        }
        const code_points self(1, c);
        const code_points composed = normalized(normal_form::nfkc, self);
        if (composed != self) rules[self] = composed;
        const code_points apart = normalized(normal_form::nfkd, self);
        if (apart.size() == 1) {
            sources[apart[0]] += c;
        } else {
            decomposed.insert(apart);
        }
    }
    for (const code_points& apart : decomposed) {
        const code_points composed = normalized(normal_form::nfc, apart);
        if (composed == apart) continue;
        // All rows of single characters that decompose to the same.
        std::vector<code_points> rows(1);
        for (const char32_t c : apart) {
            code_points all = sources.count(c) != 0 ? sources[c] : code_points();
            if (all.find(c) == code_points::npos) all += c;
            std::vector<code_points> longer;
            for (const code_points& row : rows) {
                for (const char32_t from : all) longer.push_back(row + from);
            }
            rows = std::move(longer);
        }
        for (const code_points& row : rows) {
            if (row != composed) rules[row] = composed;
        }
    }
    return rules;
}

} // namespace detail

// The bytes of a character map. "identity": none. "nfkc". "nmt_nfkc": with spaces of all kinds made
// one, control characters deleted, and the full-width tilde left alone. Fails with
// errc::bad_argument for other names.
inline result<std::string> normalization_map(std::string_view name) {
    if (name == "identity") return std::string();
    if (name != "nfkc" && name != "nmt_nfkc") {
        return fail(errc::bad_argument, "normalization ", name,
                    ": there is only nmt_nfkc, nfkc, identity");
    }
    detail::rule_table rules = detail::nfkc_rules();
    if (name == "nmt_nfkc") {
        constexpr char32_t spaces[] = {0x09,   0x0a,   0x0c,   0x0d,   0x1680, 0x200b, 0x200c,
                                       0x200e, 0x200f, 0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd};
        for (const char32_t c : spaces)
            rules[detail::code_points(1, c)] = detail::code_points(1, U' ');
        for (char32_t c = 1; c < 0x20; ++c) {
            if (c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d) continue;
            rules[detail::code_points(1, c)].clear();
        }
        for (const char32_t c : {0x7f, 0x8f, 0x9f}) rules[detail::code_points(1, c)].clear();
        rules.erase(detail::code_points(1, 0xff5e));
    }
    rules = detail::without_redundant(std::move(rules));
    // Code points are in the order of their UTF-8 bytes.
    character_map_compiler compiler;
    for (const auto& r : rules) compiler.add(detail::to_utf8(r.first), detail::to_utf8(r.second));
    return compiler.compile();
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
