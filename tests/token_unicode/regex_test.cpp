#include "support/dice.hpp"
#include "reference_regex.hpp"

#include <kompakt/io/token/regex/compile.hpp>
#include <kompakt/token/regex/regex.hpp>

#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace token = kompakt::token;
using reference::list;
using reference::one;
using reference::repeat;
using reference::tree;
using token::code_point_set;
using token::regex_dialect;

namespace {

std::string utf8(const std::u32string& text) {
    return to_utf8(text);
}

std::vector<std::byte> compiled(std::string_view pattern,
                                regex_dialect dialect = regex_dialect::oniguruma) {
    auto r = token::compile_regex(pattern, {dialect});
    INFO(std::string(pattern), ": ", r.ok() ? "" : r.error().message());
    REQUIRE(r.ok());
    const auto checked = token::regex_view::check(*r);
    INFO(checked.message());
    REQUIRE(checked.ok());
    return std::move(*r);
}

using matches = std::vector<std::pair<std::size_t, std::size_t>>;

// All matches, `at_once` of them a call.
matches find_all(const token::regex_view& regex, const std::string& text, std::size_t at_once) {
    matches out;
    std::vector<token::regex_match> some(at_once);
    token::regex_cursor cursor;
    while (const std::size_t n = regex.find_many(text, cursor, some)) {
        for (std::size_t i = 0; i < n; ++i) out.push_back({some[i].begin, some[i].end});
        if (out.size() > 2 * text.size() + 2) break; // would be endless
    }
    return out;
}

std::vector<std::string> pieces(std::string_view pattern, const std::string& text,
                                regex_dialect dialect = regex_dialect::oniguruma) {
    const auto bytes = compiled(pattern, dialect);
    std::vector<std::string> out;
    for (const auto& m : find_all(token::regex_view(bytes), text, 3)) {
        out.push_back(text.substr(m.first, m.second - m.first));
    }
    return out;
}

using strings = std::vector<std::string>;

// A pattern as text and, made beside it and not from it, as the reference's tree.
class generator {
  public:
    generator(dice& r, regex_dialect dialect) : random_(r), dialect_(dialect) {}

    struct made {
        std::string pattern;
        tree meaning;
    };

    made choice(int depth) {
        made m = sequence(depth);
        if (!random_.one_in(2)) return m;
        m.meaning = list(tree::kind::choice, {m.meaning});
        for (unsigned n = random_.below(3); n != 0; --n) {
            made other = sequence(depth);
            m.pattern += "|" + other.pattern;
            m.meaning.children.push_back(other.meaning);
        }
        return m;
    }

  private:
    made sequence(int depth) {
        made m;
        for (unsigned n = random_.below(4); n != 0; --n) {
            made part = item(depth);
            m.pattern += part.pattern;
            m.meaning.children.push_back(part.meaning);
        }
        return m;
    }

    made item(int depth) {
        if (random_.one_in(7)) return assertion();
        made m = random_.one_in(3) && depth > 0 ? group(depth) : character();
        const bool single = m.meaning.what == tree::kind::set;
        if (random_.one_in(2)) return m;
        int least = 0, most = 0;
        bool interval = false;
        switch (random_.below(5)) {
        case 0:
            m.pattern += "?";
            most = 1;
            break;
        case 1:
            m.pattern += "*";
            most = -1;
            break;
        case 2:
            m.pattern += "+";
            least = 1;
            most = -1;
            break;
        case 3:
            interval = true;
            least = static_cast<int>(random_.below(3));
            m.pattern += "{" + std::to_string(least) + ",}";
            most = -1;
            break;
        default:
            interval = true;
            least = static_cast<int>(random_.below(3));
            most = least + 1 + static_cast<int>(random_.below(3));
            m.pattern += "{" + std::to_string(least) + "," + std::to_string(most) + "}";
        }
        if (most < 0 && can_be_empty(m.meaning)) most = 2 + least, fix(m.pattern, least, most);
        tree::greed how = tree::greed::greedy;
        const unsigned suffix = random_.below(6);
        const bool possessive_form = !interval || dialect_ == regex_dialect::fancy;
        if (suffix == 0) {
            m.pattern += "?";
            how = tree::greed::lazy;
        } else if (suffix < 3 && single && possessive_form && m.pattern.back() != '}') {
            m.pattern += "+";
            how = tree::greed::possessive;
        } else if (suffix < 3 && single && dialect_ == regex_dialect::fancy) {
            m.pattern += "+";
            how = tree::greed::possessive;
        }
        m.meaning = repeat(m.meaning, least, most, how);
        return m;
    }

    // The quantifier that was written at the end becomes {least,most}.
    static void fix(std::string& pattern, int least, int most) {
        if (pattern.back() == '}') {
            pattern.resize(pattern.rfind('{'));
        } else {
            pattern.pop_back();
        }
        pattern += "{" + std::to_string(least) + "," + std::to_string(most) + "}";
    }

    static bool can_be_empty(const tree& t) {
        switch (t.what) {
        case tree::kind::set:
            return false;
        case tree::kind::repeat:
            return t.least == 0 || can_be_empty(t.children[0]);
        case tree::kind::sequence:
            for (const tree& c : t.children) {
                if (!can_be_empty(c)) return false;
            }
            return true;
        case tree::kind::choice:
            for (const tree& c : t.children) {
                if (can_be_empty(c)) return true;
            }
            return false;
        default:
            return true;
        }
    }

    made group(int depth) {
        made m = choice(depth - 1);
        m.pattern = (random_.one_in(2) ? "(?:" : "(") + m.pattern + ")";
        return m;
    }

    made assertion() {
        made m;
        const bool fancy = dialect_ == regex_dialect::fancy;
        switch (random_.below(6)) {
        case 0:
            m.pattern = "$";
            m.meaning = reference::look(
                tree::kind::ahead, fancy ? code_point_set() : code_point_set('\n', '\n'), true);
            return m;
        case 1: {
            m.pattern = "\\b";
            const code_point_set word = token::word_set(fancy), other = word.complement();
            using k = tree::kind;
            m.meaning =
                list(k::choice, {list(k::sequence, {reference::look(k::behind, word, false),
                                                    reference::look(k::ahead, other, true)}),
                                 list(k::sequence, {reference::look(k::behind, other, true),
                                                    reference::look(k::ahead, word, false)})});
            return m;
        }
        default: {
            const made c = character();
            const bool ahead = !random_.one_in(3), negative = random_.one_in(2);
            m.pattern =
                std::string("(?") + (ahead ? "" : "<") + (negative ? "!" : "=") + c.pattern + ")";
            m.meaning =
                reference::look(ahead ? tree::kind::ahead : tree::kind::behind,
                                negative ? c.meaning.set.complement() : c.meaning.set, negative);
            return m;
        }
        }
    }

    made character() {
        made m;
        const auto make = [&](const char* pattern, code_point_set set) {
            m.pattern = pattern;
            m.meaning = one(std::move(set));
        };
        const auto two = [](char32_t a, char32_t b) {
            code_point_set s(a, a);
            s.add(b);
            return s;
        };
        switch (random_.below(16)) {
        case 0:
            make("a", {'a', 'a'});
            break;
        case 1:
            make("b", {'b', 'b'});
            break;
        case 2:
            make(" ", {' ', ' '});
            break;
        case 3:
            make("\\n", {'\n', '\n'});
            break;
        case 4:
            make("[ab]", {'a', 'b'});
            break;
        case 5:
            make("[^a\\n]", two('a', '\n').complement());
            break;
        case 6:
            make("\\s", token::white_space_set());
            break;
        case 7:
            make("\\S", token::white_space_set().complement());
            break;
        case 8:
            make("\\p{L}", token::category_set(0x3e0));
            break;
        case 9:
            make("\\d", token::digit_set());
            break;
        case 10:
            make(".", code_point_set('\n', '\n').complement());
            break;
        case 11:
            make("\xe4\xb8\xad", {0x4e2d, 0x4e2d});
            break;
        case 12: {
            code_point_set s = two('s', 'S');
            s.add(0x17f);
            make("(?i:s)", s);
            break;
        }
        case 13:
            make("[\\w&&[^\\d]]", token::word_set(dialect_ == regex_dialect::fancy)
                                      .intersection(token::digit_set().complement()));
            break;
        case 14:
            make("\\x{e9}", {0xe9, 0xe9});
            break;
        default:
            make("[a-c\\s\\x{4e00}-\\x{9fff}]", [] {
                code_point_set s('a', 'c');
                s.add(token::white_space_set());
                s.add(0x4e00, 0x9fff);
                return s;
            }());
        }
        return m;
    }

    dice& random_;
    regex_dialect dialect_;
};

std::u32string random_text(dice& r) {
    static const char32_t alphabet[] = {'a', 'b', ' ',   '\n', '1',    's',    'S',
                                        ' ', 'a', 0x17f, 0xe9, 0x4e2d, 0x2028, 0x1f600};
    std::u32string out;
    for (unsigned n = r.below(14); n != 0; --n) out += alphabet[r.below(14)];
    return out;
}

} // namespace

TEST_CASE("regex: random patterns match what backtracking matches") {
    dice r(1);
    int compared = 0, refused = 0;
    for (int round = 0; round < 3000; ++round) {
        const regex_dialect dialect = round % 2 ? regex_dialect::fancy : regex_dialect::oniguruma;
        const auto made = generator(r, dialect).choice(3);
        CAPTURE(made.pattern);
        const auto bytes = token::compile_regex(made.pattern, {dialect});
        if (!bytes.ok()) {
            // Nested counts can make automata that are too large; nothing else is refused.
            CHECK(bytes.error().code() == kompakt::errc::limit);
            ++refused;
            continue;
        }
        const auto checked = token::regex_view::check(*bytes);
        CAPTURE(checked.message());
        REQUIRE(checked.ok());
        const token::regex_view regex(*bytes);
        for (int t = 0; t < 6; ++t) {
            reference::matcher dull(random_text(r));
            const std::string text = utf8(dull.text());
            CAPTURE(text);
            std::vector<std::size_t> offset; // of each character, and the end
            for (std::size_t i = 0; i <= dull.text().size(); ++i) {
                offset.push_back(utf8(dull.text().substr(0, i)).size());
            }
            for (std::size_t at = 0; at < offset.size(); ++at) {
                const std::size_t end = dull.match(made.meaning, at);
                if (dull.gave_up()) continue;
                const std::size_t expected =
                    end == reference::matcher::npos ? token::regex_view::npos : offset[end];
                CAPTURE(at);
                REQUIRE(regex.match(text, offset[at]) == expected);
                ++compared;
            }
            matches expected;
            const auto all = dull.all(made.meaning);
            if (dull.gave_up()) continue;
            for (const auto& f : all) expected.push_back({offset[f.begin], offset[f.end]});
            REQUIRE(find_all(regex, text, 1) == expected);
            REQUIRE(find_all(regex, text, 5) == expected);
            if (regex.covers_all()) {
                std::size_t end = 0;
                for (const auto& m : expected) {
                    REQUIRE(m.first == end);
                    REQUIRE(m.second > end);
                    end = m.second;
                }
                REQUIRE(end == text.size());
            }
        }
    }
    MESSAGE(compared, " places compared, ", refused, " patterns refused");
    CHECK(compared > 50000);
    CHECK(refused < 50);
}

namespace {

const char* const gpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const char* const llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
const char* const cl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+)"
    R"(|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
const char* const o200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
const char* const deepseek =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
const char* const kimi =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}|.|\s)";

// The published patterns once more, by hand and as trees.
namespace by_hand {
using k = tree::kind;
using g = tree::greed;

code_point_set join(std::initializer_list<code_point_set> sets) {
    code_point_set out;
    for (const auto& s : sets) out.add(s);
    return out;
}
code_point_set category(const char* name) {
    return *token::property_set(name);
}
const code_point_set letter = category("L"), number = category("N");
const code_point_set space = token::white_space_set();
const code_point_set line_end = join({{'\r', '\r'}, {'\n', '\n'}});
const code_point_set other = join({space, letter, number}).complement();

tree maybe(tree t, g how = g::greedy) {
    return repeat(std::move(t), 0, 1, how);
}
tree some(const code_point_set& s, g how = g::greedy) {
    return repeat(one(s), 1, -1, how);
}
tree any(const code_point_set& s, g how = g::greedy) {
    return repeat(one(s), 0, -1, how);
}
tree row(std::vector<tree> parts) {
    return list(k::sequence, std::move(parts));
}
tree either(std::vector<tree> ways) {
    return list(k::choice, std::move(ways));
}
const tree blank = one({' ', ' '});
const tree not_before_text = reference::look(k::ahead, space, true);

tree letters_of_any_case(std::u32string_view text) {
    tree t;
    for (const char32_t c : text) t.children.push_back(one(token::case_closure({c, c})));
    return t;
}
tree contractions(bool any_case) {
    std::vector<tree> ways;
    for (const char32_t* w : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"}) {
        ways.push_back(any_case ? letters_of_any_case(w) : reference::text(w));
    }
    return either(std::move(ways));
}
tree gpt2() {
    return either({contractions(false), row({maybe(blank), some(letter)}),
                   row({maybe(blank), some(number)}), row({maybe(blank), some(other)}),
                   row({some(space), not_before_text}), some(space)});
}
tree llama3() {
    const tree opener = maybe(one(join({line_end, letter, number}).complement()));
    return either({contractions(true), row({opener, some(letter)}), repeat(one(number), 1, 3),
                   row({maybe(blank), some(other), any(line_end)}),
                   row({any(space), some(line_end)}), row({some(space), not_before_text}),
                   some(space)});
}
tree cl100k() {
    const auto p = g::possessive;
    const tree opener = maybe(one(join({line_end, letter, number}).complement()), p);
    return either({contractions(true), row({opener, some(letter, p)}), repeat(one(number), 1, 3, p),
                   row({maybe(blank), some(other, p), any(line_end, p)}),
                   row({some(space, p), reference::look(k::ahead, {}, true)}),
                   row({any(space), one(line_end)}), row({some(space), not_before_text}),
                   one(space)});
}
tree o200k() {
    const auto upper =
        join({category("Lu"), category("Lt"), category("Lm"), category("Lo"), category("M")});
    const auto lower = join({category("Ll"), category("Lm"), category("Lo"), category("M")});
    const tree opener = maybe(one(join({line_end, letter, number}).complement()));
    const tree end = maybe(contractions(true));
    return either({row({opener, any(upper), some(lower), end}),
                   row({opener, some(upper), any(lower), end}), repeat(one(number), 1, 3),
                   row({maybe(blank), some(other), any(join({line_end, {'/', '/'}}))}),
                   row({any(space), some(line_end)}), row({some(space), not_before_text}),
                   some(space)});
}
} // namespace by_hand

void compare_published(const char* pattern, regex_dialect dialect, const tree& meaning,
                       const std::u32string& text) {
    const auto bytes = compiled(pattern, dialect);
    const token::regex_view regex(bytes);
    CHECK(regex.covers_all());
    reference::matcher dull(text);
    const auto expected = dull.all(meaning);
    REQUIRE(!dull.gave_up());
    const std::string narrow = utf8(text);
    const auto got = find_all(regex, narrow, 64);
    REQUIRE(got.size() == expected.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        REQUIRE(got[i].first == at);
        at += utf8(text.substr(expected[i].begin, expected[i].end - expected[i].begin)).size();
        REQUIRE(got[i].second == at);
    }
}

std::u32string wide(const std::string& text) {
    std::u32string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto d = kompakt::decode_utf8(text.data() + at, text.data() + text.size());
        out += d.code_point;
        at += d.length;
    }
    return out;
}

} // namespace

TEST_CASE("regex: published patterns cut as their meaning says") {
    // Characters in which the patterns' classes meet, at random.
    static const char32_t alphabet[] = {
        ' ',    ' ',     ' ',     '\n',    '\r',   '\t',   '\'',     's',    'S',    0x17f,  't',
        'r',    'e',     'E',     'v',     'l',    'L',    'm',      'd',    'a',    'Z',    '0',
        '7',    '.',     '/',     '-',     0x85,   0xa0,   0x2028,   0x3000, 0x200b, 0xfeff, 0xe9,
        0xdf,   0x1c5,   0x2b0,   0xaa,    0x4e2d, 0xac00, 0x301,    0x93e,  0x660,  0xbd,   0x2167,
        0x20ac, 0x1f600, 0x10400, 0x1d7d8, 0xe000, 0x378,  0x10ffff, 0x212a};
    dice r(7);
    std::vector<std::u32string> texts;
    for (int i = 0; i < 40; ++i) {
        std::u32string text;
        for (int n = 0; n < 500; ++n) text += alphabet[r.below(std::size(alphabet))];
        texts.push_back(text);
    }
    texts.push_back(wide("I'm you're HE'S we'LL can't\r\n\r\n  \r\nx\ny  z   \n\n  "));
    texts.push_back(wide("for (int i = 0; i < 1000; ++i) {\n    total += a[i];\n}\n\n\t// end  "));
    for (const auto& text : texts) {
        compare_published(gpt2, regex_dialect::oniguruma, by_hand::gpt2(), text);
        compare_published(llama3, regex_dialect::oniguruma, by_hand::llama3(), text);
        compare_published(cl100k, regex_dialect::fancy, by_hand::cl100k(), text);
        compare_published(o200k, regex_dialect::fancy, by_hand::o200k(), text);
    }
}

TEST_CASE("regex: pieces") {
    CHECK(pieces(gpt2, "Hello  world's 12345!\n\n x") ==
          strings{"Hello", " ", " world", "'s", " 12345", "!", "\n\n", " x"});
    CHECK(pieces(llama3, "Hello  WORLD'S 12345!\n\n x") ==
          strings{"Hello", " ", " WORLD", "'S", " ", "123", "45", "!\n\n", " x"});
    CHECK(pieces(cl100k, "a  \n b  ", regex_dialect::fancy) == strings{"a", "  \n", " b", "  "});
    CHECK(pieces(o200k, "camelCase HTTPServer don'T/\n", regex_dialect::fancy) ==
          strings{"camel", "Case", " HTTPServer", " don'T", "/\n"});
    CHECK(pieces(deepseek, "a.b  c") == strings{"a", ".b", " ", " c"});
    CHECK(pieces(kimi,
                 "\xe4\xb8\xad\xe6\x96\x87"
                 "abc",
                 regex_dialect::fancy) == strings{"\xe4\xb8\xad\xe6\x96\x87", "abc"});
    // A gap is no match, and \s takes U+0085 but not U+200B.
    CHECK(pieces(R"(\p{N}{1,3})", "ab1234c") == strings{"123", "4"});
    CHECK(pieces(R"(\s+)", "a\xc2\x85 b\xe2\x80\x8b") == strings{"\xc2\x85 "});
    // Inside of a negated class, a class in parentheses (BLOOM).
    CHECK(pieces(R"( ?[^(\s|[.,!?)])]+)", "to be, or (not) to|be") ==
          strings{"to", " be", " or", "not", " to", "be"});
    // Empty matches: none behind a match.
    CHECK(pieces("a*", "baac") == strings{"", "aa", ""});
    CHECK(pieces("", "\xc3\xa9") == strings{"", ""});
    CHECK(pieces("(?=b)", "abab") == strings{"", ""});
}

TEST_CASE("regex: the two dialects") {
    CHECK(pieces("^.", "ab\ncd\n") == strings{"a", "c"});
    CHECK(pieces("^.", "ab\ncd\n", regex_dialect::fancy) == strings{"a"});
    CHECK(pieces(".$", "ab\ncd") == strings{"b", "d"});
    CHECK(pieces(".$", "ab\ncd", regex_dialect::fancy) == strings{"d"});
    CHECK(pieces("a{1,2}+", "aaaaa") == strings{"aaaaa"});
    CHECK(pieces("a{1,2}+", "aaaaa", regex_dialect::fancy) == strings{"aa", "aa", "a"});
    CHECK(pieces("a{2}?", "aaa") == strings{"aa", ""});
    CHECK(pieces("a{2}?", "aaa", regex_dialect::fancy) == strings{"aa"});
    CHECK(pieces("xa{,2}", "xaaa") == strings{"xaa"});
    CHECK(pieces("a{b", "a{b") == strings{"a{b"});
    CHECK(pieces("(?m:.)", "\n") == strings{"\n"});
    CHECK(pieces("(?s:.)", "\n", regex_dialect::fancy) == strings{"\n"});
    CHECK(pieces("\\w", "\xe2\x80\x8d") == strings{});
    CHECK(pieces("\\w", "\xe2\x80\x8d", regex_dialect::fancy) == strings{"\xe2\x80\x8d"});
    CHECK(pieces("\\pN", "1", regex_dialect::fancy) == strings{"1"});
    CHECK(pieces("[[:alpha:]_]+", "a\xc3\xa9_1") == strings{"a\xc3\xa9_"});
    CHECK(pieces("[[:alpha:]_]+", "a\xc3\xa9_1", regex_dialect::fancy) == strings{"a", "_"});
}

TEST_CASE("regex: refused with the position") {
    const auto message = [](const char* pattern, regex_dialect dialect) {
        const auto r = token::compile_regex(pattern, {dialect});
        return std::string(r.ok() ? "taken" : r.error().message());
    };
    const auto at = [&](const char* pattern, int position,
                        regex_dialect dialect = regex_dialect::oniguruma) {
        const std::string m = message(pattern, dialect);
        CAPTURE(pattern);
        CAPTURE(m);
        CHECK(m.find("at byte " + std::to_string(position) + ":") != std::string::npos);
    };
    at("ab(c", 2);
    at("ab)c", 2);
    at("a[bc", 1);
    at("[]", 1);
    at("a**", 2);
    at("*a", 0);
    // Oniguruma finds one character in these, and these in one character.
    at("(?i:ass)", 6);
    at("(?i:a)b(?i:FI)", 12);
    at("(?i:\xc3\x9f)", 4);
    CHECK(message("(?i:s?s)ss", regex_dialect::oniguruma) == "taken");
    CHECK(message("(?i:'s|'t|'re|'ve|'m|'ll|'d)", regex_dialect::oniguruma) == "taken");
    CHECK(message("(?i:ss\xc3\x9f)", regex_dialect::fancy) == "taken");
    at("(?=ab)", 3);
    at("(?<=a*)", 4);
    at("(?:ab)++c", 6);
    at("(a)\\1", 3);
    at("\\Gx", 0);
    at("\\Z", 0);
    at("\\R", 0);
    at("x\\K", 1);
    at("\\p{Klingon}", 0);
    at("\\p{L", 0);
    at("\\pL", 0);
    at("\\", 0);
    at("\\x{110000}", 0);
    at("\\x{d800}", 0);
    at("\\xe9", 0);
    at("\\u00", 0);
    at("[b-a]", 2);
    at("[a-\\d]", 2);
    at("(?x: a)", 2);
    at("(?<n", 0);
    at("(?", 0);
    at("(?#", 0);
    at("a{2,1}", 1);
    at("a{100001}", 1);
    at("(?:a?)*", 6);
    at("a(?i)b", 1);
    at("^*", 1);
    at("a{b", 1, regex_dialect::fancy);
    at("a{,2}", 1, regex_dialect::fancy);
    at("[\\w-a]", 3, regex_dialect::fancy);
    at("[a--b]", 2, regex_dialect::fancy);
    CHECK(message("\xff", regex_dialect::oniguruma).find("UTF-8") != std::string::npos);
    for (const char* good : {"(?:ab)++", "(?>a|b)", "a(?>b+)c", "(?>a)b", "(?i)a|b", "a{2}b{0}c",
                             "[\\w-]", "[-a]", "[a\\-z]", "\\/\\-\\'", "(?<name>a)", "(?#x)a"}) {
        CAPTURE(good);
        CHECK(message(good, regex_dialect::oniguruma) == "taken");
    }
}

TEST_CASE("regex: sizes are limited") {
    const auto code = [](const std::string& pattern) {
        const auto r = token::compile_regex(pattern);
        return r.ok() ? kompakt::errc::ok : r.error().code();
    };
    const auto times = [](const std::string& text, int n) {
        std::string out;
        for (int i = 0; i < n; ++i) out += text;
        return out;
    };
    // Nesting of every kind, far beyond the limit and at it.
    for (const int depth : {90, 10000}) {
        const auto expected = depth < 100 ? kompakt::errc::ok : kompakt::errc::unsupported;
        CHECK(code(times("(", depth) + "a" + times(")", depth)) == expected);
        CHECK(code(times("(?:a|", depth) + "a" + times(")", depth)) == expected);
        CHECK(code(times("[a", depth) + times("]", depth)) == expected);
        CHECK(code(times("(?:", depth) + "a" + times(")?", depth)) == expected);
    }
    CHECK(code(times("(", 10000)) == kompakt::errc::unsupported);
    CHECK(code("((((a{100}){100}){100}){100}){100}") == kompakt::errc::limit);
    CHECK(code("(((((((((a{0}){100000}){100000}){100000}))))))") == kompakt::errc::ok);
    CHECK(code("a{100000}") == kompakt::errc::limit);
    CHECK(code("(?:a|b)*a(?:a|b){20}") == kompakt::errc::limit); // two to the twentieth states
    CHECK(code(times("a", 100000)) == kompakt::errc::limit);
    std::string many;
    for (char32_t c = 0x4e00; c < 0x4e00 + 500; ++c) many += utf8({c, '|'});
    CHECK(code(many) == kompakt::errc::limit); // classes
}

TEST_CASE("regex: damaged bytes are refused or harmless") {
    dice r(3);
    for (const char* pattern : {gpt2, "\\b\\w+|(?<=a) ", "a*?b"}) {
        const auto good = compiled(pattern);
        const std::string text =
            "It's a b  c\n\n\xc3\xa9\xe4\xb8\xad \xf0\x9f\x98\x80 x\xff\xe4\xb8";
        for (std::size_t n = 0; n < good.size(); n += n < 300 ? 1 : 97) {
            const std::unique_ptr<std::byte[]> cut(new std::byte[n + 1]);
            std::memcpy(cut.get(), good.data(), n);
            CHECK(!token::regex_view::check({cut.get(), n}).ok());
        }
        int taken = 0;
        for (int round = 0; round < 20000; ++round) {
            // The front holds all that is delicate.
            auto bytes = good;
            for (unsigned n = 1 + r.below(3); n != 0; --n) {
                const std::size_t most = r.one_in(4) ? bytes.size() : 1200;
                bytes[r.below(static_cast<unsigned>(std::min(bytes.size(), most)))] =
                    static_cast<std::byte>(r.next());
            }
            if (!token::regex_view::check(bytes).ok()) continue;
            ++taken;
            const token::regex_view regex(bytes);
            token::regex_cursor cursor;
            token::regex_match some[7];
            std::size_t end = 0, count = 0;
            while (const std::size_t n = regex.find_many(text, cursor, some)) {
                for (std::size_t i = 0; i < n; ++i) {
                    REQUIRE(some[i].begin >= end);
                    REQUIRE(some[i].end >= some[i].begin);
                    REQUIRE(some[i].end <= text.size());
                    end = some[i].end;
                }
                REQUIRE((count += n) <= 2 * text.size() + 2);
            }
            for (std::size_t at = 0; at <= text.size(); ++at) {
                const std::size_t m = regex.match(text, at);
                REQUIRE((m == token::regex_view::npos || (m >= at && m <= text.size())));
            }
        }
        CHECK(taken > 0);
    }
}

TEST_CASE("regex: bad UTF-8 counts as U+FFFD") {
    const auto bytes = compiled("[^\\x{fffd}]+|\\x{fffd}");
    const std::string text = "a\xffz\xe4\xb8g\xf0\x9f\x98";
    const matches expected = {{0, 1}, {1, 2}, {2, 3}, {3, 5}, {5, 6}, {6, 9}};
    CHECK(find_all(token::regex_view(bytes), text, 2) == expected);
}

TEST_CASE("regex: long monotonous text takes linear time") {
    const std::size_t size = std::size_t{1} << 20;
    const char* const patterns[] = {gpt2,     llama3,         cl100k,          o200k,
                                    deepseek, R"(\s+(?!\S))", R"(\s*[\r\n]+)", R"(\p{N}{1,3})",
                                    R"(\s+$)"};
    for (const char* pattern : patterns) {
        CAPTURE(pattern);
        const auto bytes = compiled(pattern, regex_dialect::fancy);
        const token::regex_view regex(bytes);
        for (const char* unit : {"a", " ", "\n", "1", "\xcc\x81", "  a", "A", "aA", "\n ", "'",
                                 "a\xe4\xb8\xad", ".", "\x01", " \xd0\x96"}) {
            CAPTURE(unit);
            std::string text;
            while (text.size() < size) text += unit;
            // Quadratic time would be hours.
            std::size_t end = 0;
            token::regex_match some[64];
            token::regex_cursor cursor;
            while (const std::size_t n = regex.find_many(text, cursor, some)) {
                REQUIRE(some[0].begin >= end);
                end = some[n - 1].end;
            }
            if (regex.covers_all()) CHECK(end == text.size());
        }
    }
}

TEST_CASE("regex: text escaped matches itself") {
    const std::string text = "a.b*[c]\\d(e)|^$ {2}#-&~\xc3\xa9";
    for (const auto dialect : {regex_dialect::oniguruma, regex_dialect::fancy}) {
        CHECK(pieces(token::escape_regex(text), "x" + text + "a", dialect) == strings{text});
    }
}

TEST_CASE("class map: classes of sets") {
    using token::class_map_view;
    const std::vector<code_point_set> sets = {
        {'a', 'f'}, {'e', 0x2fff}, *token::property_set("Han")};
    const auto bytes = token::build_class_map(sets);
    REQUIRE(bytes.ok());
    REQUIRE(class_map_view::check(*bytes).ok());
    const class_map_view map(*bytes);
    CHECK(map.classes() == 4);
    CHECK(map.size_bytes() == bytes->size());
    for (char32_t c = 0; c <= kompakt::last_code_point; ++c) {
        unsigned expected = 0;
        for (std::size_t s = sets.size(); s-- != 0;) {
            if (sets[s].contains(c)) expected = static_cast<unsigned>(s + 1);
        }
        if (map.class_of(c) != expected) {
            CAPTURE(static_cast<std::uint32_t>(c));
            REQUIRE(map.class_of(c) == expected);
        }
        if (c >= 0xd800 && c <= 0xdfff) continue;
        const std::string text = utf8({c});
        unsigned length = 0;
        REQUIRE(map.class_at(text.data(), text.data() + text.size(), length) == expected);
        REQUIRE(length == text.size());
    }
}
