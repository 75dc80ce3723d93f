#include "support/dice.hpp"

#include <kompakt/token/unicode/category.hpp>
#include <kompakt/token/unicode/normalize.hpp>

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace token = kompakt::token;
using token::normal_form;
using token::normal_version;

namespace {

struct piece {
    std::string bytes;
    std::size_t begin, end;
};

// One entry a byte: where it came from.
struct aligned {
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    bool operator==(const aligned& o) const { return text == o.text && ranges == o.ranges; }
};

aligned run(normal_form form, const std::string& text,
            normal_version version = normal_version::unicode_16) {
    aligned out;
    token::normalize(
        form, text,
        [&](const char* bytes, std::size_t n, std::size_t begin, std::size_t end) {
            REQUIRE(begin <= end);
            REQUIRE(end <= text.size());
            if (n == end - begin) { // byte for byte: each character has its own range
                const std::string part(bytes, n);
                for (std::size_t at = 0; at < n;) {
                    const auto d = kompakt::decode_utf8(part.data() + at, part.data() + n);
                    for (int i = 0; i < d.length; ++i) {
                        out.ranges.push_back({begin + at, begin + at + d.length});
                    }
                    at += d.length;
                }
            } else {
                out.ranges.insert(out.ranges.end(), n, {begin, end});
            }
            out.text.append(bytes, n);
        },
        version);
    return out;
}
std::string normalized(normal_form form, const std::u32string& text) {
    return run(form, to_utf8(text)).text;
}

// The definitions, by the letter, with the changes that Hugging Face counts: 0 replaces a
// character, 1 adds one, -n replaces one and swallows n.
struct entry {
    char32_t c;
    int change;
};

std::vector<entry> by_the_letter(normal_form form, const std::u32string& text) {
    std::vector<entry> decomposed;
    for (const char32_t c : text) {
        char32_t parts[token::longest_decomposition];
        const bool compat = form == normal_form::nfkc || form == normal_form::nfkd;
        const std::size_t n =
            compat ? token::decompose<true>(c, parts) : token::decompose<false>(c, parts);
        for (std::size_t i = 0; i < n; ++i) decomposed.push_back({parts[i], i == 0 ? 0 : 1});
    }
    for (std::size_t i = 0; i < decomposed.size();) {
        std::size_t j = i + 1;
        while (j < decomposed.size() && token::combining_class(decomposed[j].c) != 0) ++j;
        const std::size_t first = token::combining_class(decomposed[i].c) == 0 ? i + 1 : i;
        std::stable_sort(decomposed.begin() + static_cast<std::ptrdiff_t>(first),
                         decomposed.begin() + static_cast<std::ptrdiff_t>(j),
                         [](const entry& a, const entry& b) {
                             return token::combining_class(a.c) < token::combining_class(b.c);
                         });
        i = j;
    }
    if (form == normal_form::nfd || form == normal_form::nfkd) return decomposed;
    std::vector<entry> out;
    std::size_t starter = kompakt::last_code_point;
    for (const entry& e : decomposed) {
        const int k = token::combining_class(e.c);
        if (starter < out.size()) {
            // Blocked if something between has class 0 or one that is not below this one's.
            const bool adjacent = starter + 1 == out.size();
            const bool blocked = !adjacent && token::combining_class(out.back().c) >= k;
            const char32_t composite = token::compose(out[starter].c, e.c);
            if (!blocked && composite != 0) {
                out[starter] = {composite, out[starter].change + e.change - 1};
                continue;
            }
        }
        out.push_back(e);
        if (k == 0) starter = out.size() - 1;
    }
    return out;
}

// What Hugging Face's NormalizedString makes of such changes.
aligned align(const std::u32string& text, const std::vector<entry>& changes) {
    std::vector<std::pair<std::size_t, std::size_t>> source;
    std::size_t at = 0;
    for (const char32_t c : text) {
        const std::size_t n = to_utf8({c}).size();
        source.push_back({at, at + n});
        at += n;
    }
    aligned out;
    std::size_t next = 0;
    for (const entry& e : changes) {
        const auto range = e.change > 0 ? next == 0 ? std::make_pair(std::size_t{0}, std::size_t{0})
                                                    : source[next - 1]
                                        : source[next];
        const std::string bytes = to_utf8({e.c});
        out.text += bytes;
        out.ranges.insert(out.ranges.end(), bytes.size(), range);
        if (e.change <= 0) next += static_cast<std::size_t>(1 - e.change);
    }
    return out;
}

const normal_form forms[] = {normal_form::nfc, normal_form::nfd, normal_form::nfkc,
                             normal_form::nfkd};

void compare(const std::u32string& text) {
    for (const normal_form form : forms) {
        CAPTURE(static_cast<int>(form));
        const aligned expected = align(text, by_the_letter(form, text));
        const aligned got = run(form, to_utf8(text));
        CAPTURE(to_utf8(text));
        REQUIRE(got.text == expected.text);
        REQUIRE(got.ranges == expected.ranges);
    }
}

} // namespace

TEST_CASE("normalize: known results") {
    // From UAX #15 and NormalizationTest.txt.
    CHECK(normalized(normal_form::nfc, U"e\u0301") == to_utf8(U"\u00e9"));
    CHECK(normalized(normal_form::nfd, U"\u00e9") == to_utf8(U"e\u0301"));
    CHECK(normalized(normal_form::nfc, U"\u212b") == to_utf8(U"\u00c5"));
    CHECK(normalized(normal_form::nfc, U"s\u0323\u0307") == to_utf8(U"\u1e69"));
    CHECK(normalized(normal_form::nfc, U"s\u0307\u0323") == to_utf8(U"\u1e69"));
    CHECK(normalized(normal_form::nfc, U"\u1e9b\u0323") == to_utf8(U"\u1e9b\u0323"));
    CHECK(normalized(normal_form::nfd, U"\u1e9b\u0323") == to_utf8(U"\u017f\u0323\u0307"));
    CHECK(normalized(normal_form::nfkc, U"\u1e9b\u0323") == to_utf8(U"\u1e69"));
    CHECK(normalized(normal_form::nfkd, U"\u1e9b\u0323") == to_utf8(U"s\u0323\u0307"));
    CHECK(normalized(normal_form::nfkc, U"\ufb01\u2460\uff21\u00a8") == to_utf8(U"fi1A \u0308"));
    CHECK(normalized(normal_form::nfd, U"\uac00\uac01") ==
          to_utf8(U"\u1100\u1161\u1100\u1161\u11a8"));
    CHECK(normalized(normal_form::nfc, U"\u1100\u1161\u11a8\u11a8") == to_utf8(U"\uac01\u11a8"));
    CHECK(normalized(normal_form::nfkc, U"\uffa1\uffc2") == to_utf8(U"\uac00"));
    CHECK(normalized(normal_form::nfc, U"\u0958") == to_utf8(U"\u0915\u093c")); // excluded
    CHECK(normalized(normal_form::nfd, U"\U0001d15e") == to_utf8(U"\U0001d157\U0001d165"));
    CHECK(normalized(normal_form::nfd, U"\u0344") == to_utf8(U"\u0308\u0301"));
    CHECK(normalized(normal_form::nfc, U"a\u0300\u05ae\u0315") == to_utf8(U"\u00e0\u05ae\u0315"));
    CHECK(normalized(normal_form::nfc, U"\u0b47\u0300\u0b3e") == to_utf8(U"\u0b47\u0300\u0b3e"));
    CHECK(normalized(normal_form::nfkd, U"\ufdfa").size() == 33);
    // Unicode 16.0: Kirat Rai, where a composite goes on composing.
    CHECK(normalized(normal_form::nfc, U"\U00016d63\U00016d68") == to_utf8(U"\U00016d6a"));
    CHECK(normalized(normal_form::nfd, U"\U00016121") == to_utf8(U"\U0001611e\U0001611e"));
}

TEST_CASE("normalize: Unicode 9.0 leaves younger characters alone") {
    const std::string young = to_utf8(U"\U00016d67\U00016d67\U00011938");
    for (const normal_form form : forms) {
        CHECK(run(form, young, normal_version::unicode_9).text == young);
        CHECK(run(form, to_utf8(U"\u1e9b\u0323"), normal_version::unicode_9) ==
              run(form, to_utf8(U"\u1e9b\u0323")));
    }
    // U+0898 (Unicode 14) has class 230: it moves behind a mark of class 220, or stays.
    const std::string marks = to_utf8(U"a\u0898\u0323");
    CHECK(run(normal_form::nfd, marks).text == to_utf8(U"a\u0323\u0898"));
    CHECK(run(normal_form::nfd, marks, normal_version::unicode_9).text == marks);
}

TEST_CASE("normalize: where the characters came from") {
    using r = std::vector<std::pair<std::size_t, std::size_t>>;
    // Composed: the first of the characters. Decomposed: all have the one.
    CHECK(run(normal_form::nfc, to_utf8(U"xe\u0301y")).ranges == r{{0, 1}, {1, 2}, {1, 2}, {4, 5}});
    CHECK(run(normal_form::nfd, to_utf8(U"x\u00e9y")).ranges ==
          r{{0, 1}, {1, 3}, {1, 3}, {1, 3}, {3, 4}});
    // Changing places leaves the ranges in order.
    CHECK(run(normal_form::nfd, to_utf8(U"a\u0301\u0323")).ranges ==
          r{{0, 1}, {1, 3}, {1, 3}, {3, 5}, {3, 5}});
    // What is added before anything was replaced belongs nowhere.
    CHECK(run(normal_form::nfkd, to_utf8(U"\u0344")).ranges == r{{0, 2}, {0, 2}, {0, 2}, {0, 2}});
}

TEST_CASE("normalize: random text, by the letter") {
    // Characters with something to them, and plain ones.
    std::u32string special, marks;
    for (char32_t c = 0xa0; c <= 0x2fa1d; ++c) {
        char32_t parts[token::longest_decomposition];
        if (c >= 0xac00 && c < 0xd7a4) continue;
        if (token::combining_class(c) != 0) marks += c;
        if (token::decompose<true>(c, parts) != 1 || parts[0] != c || token::is_mark(c)) {
            special += c;
        }
    }
    REQUIRE(special.size() > 7000);
    for (const char32_t c : special) compare({U'a', c, U'\u0301', c, U'b'});
    dice r(2);
    const auto pick = [&r](const std::u32string& from) {
        return from[r.below(static_cast<unsigned>(from.size()))];
    };
    for (int round = 0; round < 20000; ++round) {
        std::u32string text;
        for (unsigned n = r.below(10); n != 0; --n) {
            switch (r.below(9)) {
            case 0:
                text += U'a' + r.below(26);
                break;
            case 1:
                text += pick(marks);
                break;
            case 2:
                text += pick(U"\u0300\u0301\u0302\u0307\u0308\u0323\u0327\u0328\u0331\u0338\u0345");
                break;
            case 3:
                text += 0xac00 + r.below(11172);
                break;
            case 4:
                text += pick(U"\u1100\u1112\u1161\u1175\u11a8\u11c2\u11a7\uffa1\uffc2");
                break;
            case 5:
                text += pick(U"\u09c7\u09be\u09d7\u0b47\u0b56\U00016d67\U00016d68\U00016d63");
                break;
            case 6:
                text += pick(U"aeosAEOSu\u00f4\u1ea1\u01a1\u03b1\u1f00");
                break;
            default:
                text += pick(special);
            }
        }
        compare(text);
    }
    // Runs of marks around and beyond the length of the sorting buffer.
    for (int round = 0; round < 300; ++round) {
        std::u32string text = r.one_in(4) ? U"" : std::u32string(1, pick(U"aes\u01a1\u0915\uac00"));
        const unsigned few = 1 + r.below(6);
        std::u32string some;
        for (unsigned i = 0; i < few; ++i) {
            some += r.one_in(2) ? pick(U"\u0301\u0323\u0307\u0302\u0344\u0345\u1e9b") : pick(marks);
        }
        for (unsigned n = 25 + r.below(100); n != 0; --n) text += pick(some);
        if (r.one_in(2)) text += U"x\u0301\u00e9";
        compare(text);
    }
}

TEST_CASE("normalize: normalized text stays, and is recognized") {
    dice r(4);
    for (int round = 0; round < 2000; ++round) {
        std::u32string text;
        for (unsigned n = r.below(8); n != 0; --n) {
            text += r.one_in(2) ? 0xa0 + r.below(0x3000) : r.below(0x20000);
        }
        const std::string source = to_utf8(text);
        const auto c = run(normal_form::nfc, source).text, d = run(normal_form::nfd, source).text;
        CHECK(token::is_normalized<normal_form::nfc>(c));
        CHECK(token::is_normalized<normal_form::nfd>(d));
        CHECK(token::is_normalized<normal_form::nfc>(source) == (source == c));
        CHECK(token::is_normalized<normal_form::nfkd>(source) ==
              (run(normal_form::nfkd, source).text == source));
        CHECK(run(normal_form::nfc, d).text == c);
        CHECK(run(normal_form::nfd, c).text == d);
    }
}

TEST_CASE("normalize: bad UTF-8 passes") {
    const std::string text = "\xff"
                             "e\xcc\x81\xe4\xb8\xcc\x81\xcc\xa3\xf0\x9f";
    const std::string expected = "\xff\xc3\xa9\xe4\xb8\xcc\xa3\xcc\x81\xf0\x9f";
    CHECK(run(normal_form::nfc, text).text == expected);
    dice r(6);
    for (int round = 0; round < 20000; ++round) {
        std::string bytes;
        for (unsigned n = r.below(12); n != 0; --n) {
            static const char* const parts[] = {
                "a",        "e",    "\xcc",         "\x81",         "\xcc\x81",     "\xcc\xa3",
                "\xc3\xa9", "\xff", "\xea\xb0\x80", "\xe1\x84\x80", "\xe1\x85\xa1", "\xf0"};
            bytes += parts[r.below(12)];
        }
        for (const normal_form form : forms) {
            const std::string once = run(form, bytes).text;
            REQUIRE(run(form, once).text == once);
        }
    }
}

TEST_CASE("normalize: a million marks") {
    std::string text = "a";
    for (int i = 0; i < 500000; ++i) text += "\xcc\x81\xcc\xa3"; // U+0301, U+0323
    const auto got = run(normal_form::nfc, text);
    CHECK(got.text.substr(0, 5) == to_utf8(U"\u1ea1\u0323")); // one U+0323 went into the letter
    CHECK(got.text.size() == text.size() - 1 - 2 + 3);
    CHECK(run(normal_form::nfc, got.text).text == got.text);
}
