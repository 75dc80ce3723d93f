#include "support/dice.hpp"

#include <kompakt/io/token/regex/properties.hpp>
#include <kompakt/token/unicode/bert.hpp>
#include <kompakt/token/unicode/case_map.hpp>
#include <kompakt/token/unicode/category.hpp>
#include <kompakt/token/unicode/grapheme.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace token = kompakt::token;

TEST_CASE("category: samples of each, and counts of Unicode 16.0") {
    using g = token::general_category;
    const struct {
        char32_t c;
        g category;
    } samples[] = {{0x378, g::unassigned},
                   {0x0, g::control},
                   {0xad, g::format},
                   {0xe000, g::private_use},
                   {0xd800, g::surrogate},
                   {'A', g::uppercase_letter},
                   {0xdf, g::lowercase_letter},
                   {0x1c5, g::titlecase_letter},
                   {0x2b0, g::modifier_letter},
                   {0x4e2d, g::other_letter},
                   {0x9fff, g::other_letter},
                   {0xd7a3, g::other_letter},
                   {0x301, g::nonspacing_mark},
                   {0x93e, g::spacing_mark},
                   {0x488, g::enclosing_mark},
                   {'7', g::decimal_number},
                   {0x2167, g::letter_number},
                   {0xbd, g::other_number},
                   {'_', g::connector_punctuation},
                   {'-', g::dash_punctuation},
                   {'(', g::open_punctuation},
                   {')', g::close_punctuation},
                   {0xab, g::initial_punctuation},
                   {0xbb, g::final_punctuation},
                   {'!', g::other_punctuation},
                   {'+', g::math_symbol},
                   {0x20ac, g::currency_symbol},
                   {'^', g::modifier_symbol},
                   {0x1f600, g::other_symbol},
                   {' ', g::space_separator},
                   {0x2028, g::line_separator},
                   {0x2029, g::paragraph_separator},
                   {0x10fffd, g::private_use},
                   {0x10ffff, g::unassigned},
                   {0x1ccd6, g::other_symbol}, // Unicode 16.0
                   {0x1faea, g::unassigned}};  // Unicode 17.0
    for (const auto& s : samples) {
        CAPTURE(static_cast<std::uint32_t>(s.c));
        CHECK(static_cast<int>(token::category_of(s.c)) == static_cast<int>(s.category));
    }
    // The standard's own figures: 154,998 characters, 65 controls, 137,468 for private use.
    std::size_t counts[30] = {};
    for (char32_t c = 0; c <= kompakt::last_code_point; ++c) {
        ++counts[static_cast<std::size_t>(token::category_of(c))];
        REQUIRE(token::is_white_space(c) == token::white_space_set().contains(c));
        if (c == 0x3100) c = 0x10f000; // white space ends before; sets are slow to ask
    }
    std::size_t total[30] = {};
    for (char32_t c = 0; c <= kompakt::last_code_point; ++c) {
        ++total[static_cast<std::size_t>(token::category_of(c))];
    }
    CHECK(total[1] == 65);
    CHECK(total[4] == 137468);
    CHECK(total[3] == 2048);
    std::size_t graphic = 0;
    for (std::size_t i = 0; i < 30; ++i)
        graphic += i == 0 || i == 1 || i == 3 || i == 4 ? 0 : total[i];
    CHECK(graphic == 154998);
}

TEST_CASE("properties: names") {
    const auto has = [](const char* name, char32_t c) {
        const auto set = token::property_set(name);
        REQUIRE(set.ok());
        return set->contains(c);
    };
    for (const char* name : {"L", "Letter", "letter", "gc=L", "General_Category=Letter", "Lu", "LC",
                             "Latin", "Script=Latin", "sc=latin", "Alphabetic", "Any", "ASCII",
                             "Assigned", "Uppercase", "upper case letter"}) {
        CAPTURE(name);
        CHECK(has(name, 'A'));
        CHECK(has(name, '1') == (std::string(name) == "Any" || std::string(name) == "ASCII" ||
                                 std::string(name) == "Assigned"));
    }
    CHECK(has("Han", 0x4e2d));
    CHECK(has("Han", 0x3005));
    CHECK_FALSE(has("Han", 0x3042));
    CHECK(has("Hiragana", 0x3042));
    CHECK(has("sc", '$')); // the category Sc
    for (const char* name : {"", "Klingon", "gc=Latin", "sc=L", "x=L", "=L"}) {
        CAPTURE(name);
        CHECK_FALSE(token::property_set(name).ok());
    }
    // Folding one to one, both ways.
    const auto s = token::case_closure({'s', 's'});
    CHECK(s.contains('S'));
    CHECK(s.contains(0x17f));
    CHECK(token::case_closure({0x212a, 0x212a}).contains('k'));
    CHECK(token::case_closure({0x3c2, 0x3c2}).contains(0x3a3));
    CHECK_FALSE(token::case_closure({'1', '1'}).contains('2'));
}

TEST_CASE("lowercase: character by character") {
    const auto lower = [](const std::u32string& text) {
        std::string out;
        const std::string source = to_utf8(text);
        std::size_t at = 0;
        token::lowercase(source,
                         [&](const char* bytes, std::size_t n, std::size_t begin, std::size_t end) {
                             CHECK(begin == at);
                             at = end;
                             out.append(bytes, n);
                         });
        CHECK(at == source.size());
        return out;
    };
    CHECK(lower(U"ABC xyz \u00c9\u0416") == to_utf8(U"abc xyz \u00e9\u0436"));
    CHECK(lower(U"\u0130") == to_utf8(U"i\u0307"));
    CHECK(lower(U"\u03a3\u03a3") == to_utf8(U"\u03c3\u03c3")); // no final sigma
    CHECK(lower(U"\u1e9e\u212a\u2126\u01c5\u10a0\uff21\U00010400\u13a0\ua7cb") ==
          to_utf8(U"\u00dfk\u03c9\u01c6\u2d00\uff41\U00010428\uab70\u0264"));
    CHECK(lower(std::u32string(1000, U'Q')) == std::string(1000, 'q'));
    std::string bad;
    token::lowercase(std::string("A\xff\xe4\xb8Z"), [&](const char* b, std::size_t n, std::size_t,
                                                        std::size_t) { bad.append(b, n); });
    CHECK(bad == "a\xff\xe4\xb8z");
    // Folding and lowercase agree where both are one to one, but for a few; counts as a checksum.
    std::size_t changed = 0;
    for (char32_t c = 0; c <= kompakt::last_code_point; ++c) {
        char32_t out[2];
        if (token::to_lowercase(c, out) != 1 || out[0] != c) ++changed;
    }
    CHECK(changed == 1460);
}

TEST_CASE("bert: Unicode 8.0's classes") {
    for (const char32_t c :
         {0x85u, 0x1cu, 0xadu, 0x200bu, 0xfeffu, 0x180eu, 0xe000u, 0u, 0xfffdu}) {
        CAPTURE(static_cast<std::uint32_t>(c));
        CHECK(token::is_deleted_by_bert(c));
    }
    for (const char32_t c : {0x378u, 0x1f600u, 0x1faeau, 0x9u, 0xau, 0xdu, 0x20u, 0x8e2u}) {
        CAPTURE(static_cast<std::uint32_t>(c));
        CHECK_FALSE(token::is_deleted_by_bert(c)); // U+08E2 is of Unicode 9.0
    }
    CHECK(token::is_bert_punctuation('$'));
    CHECK(token::is_bert_punctuation('`'));
    CHECK(token::is_bert_punctuation(0x3002));
    CHECK_FALSE(token::is_bert_punctuation(0x20ac));
    CHECK(token::is_bert_punctuation(0x2e42));
    CHECK_FALSE(token::is_bert_punctuation(0x2e43)); // Unicode 9.0
    CHECK(token::is_bert_accent(0x301));
    CHECK_FALSE(token::is_bert_accent(0x93e));
    CHECK(token::is_bert_ideograph(0x4e2d));
    CHECK_FALSE(token::is_bert_ideograph(0x2b820));
    CHECK(token::is_bert_ideograph(0x2b920));
    CHECK_FALSE(token::is_bert_ideograph(0x2ebf0));
}

TEST_CASE("grapheme clusters") {
    const auto clusters = [](const std::u32string& text) {
        std::vector<std::string> out;
        const std::string source = to_utf8(text);
        for (std::size_t at = 0; at < source.size();) {
            const std::size_t end = token::next_grapheme(source, at);
            REQUIRE(end > at);
            out.push_back(source.substr(at, end - at));
            at = end;
        }
        return out;
    };
    const auto split = [&](std::vector<std::u32string> parts) {
        std::u32string all;
        std::vector<std::string> expected;
        for (const auto& p : parts) {
            all += p;
            expected.push_back(to_utf8(p));
        }
        CAPTURE(to_utf8(all));
        CHECK(clusters(all) == expected);
    };
    // One for each rule of UAX #29, most from its own test file.
    split({U"a", U"b"});
    split({U"\r\n", U"\n", U"\r", U"a"});
    split({U"\u0001", U"\u0308"});
    split({U"a\u0308\u0301", U"b"});
    split({U"\u1100\u1161\u11a8", U"\u1100"});
    split({U"\uac00\u11a8", U"\uac01\u11a8", U"\u1100"});
    split({U"\uac01", U"\u1161"});
    split({U"a\u0903", U"b"});
    split({U"\u0600b", U"c"});
    split({U"a\u200d", U"b"});
    split({U"\U0001f1e6\U0001f1e7", U"\U0001f1e8\U0001f1e9", U"\U0001f1ea", U"x"});
    split({U"\u0600\U0001f1e6\U0001f1e7", U"\U0001f1e8"});
    split({U"\U0001f469\u200d\U0001f469\u200d\U0001f466", U"\U0001f466"});
    split({U"\U0001f476\U0001f3ff\u0308\u200d\U0001f476\U0001f3ff"});
    split({U"a\u200d", U"\U0001f6d1"});
    split({U"\u2701\u200d\u2701"});
    split({U"\u0915\u094d\u0924"}); // GB9c
    split({U"\u0915\u094d\u094d\u0924", U"x"});
    split({U"\u0915\u094d\u200d\u0924"});
    split({U"\u0915\u093c\u200d\u094d\u0924"});
    split({U"\u0915", U"\u0924"});
    split({U"\u0915\u094d", U"a"});
    split({U"a\u094d", U"\u0924"});
    split({U"\u0915\u094d\u0924\u094d\u092f"});
    split({U"\u0915\u200c\u094d", U"\u0924"}); // the non-joiner parts them
    std::u32string marks = U"a";
    marks.append(100000, U'\u0301');
    split({marks, U"b"});
}
