// Unicode properties by name, as \p{...} has them, and the classes that have escapes.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/io/token/regex/code_point_set.hpp>
#include <kompakt/io/token/regex/fold_table.hpp>
#include <kompakt/io/token/regex/property_table.hpp>
#include <kompakt/token/unicode/category.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

namespace detail {

// Names compare without case, spaces, hyphens and underscores (UAX #44, loose matching).
inline std::string loose(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c == ' ' || c == '_' || c == '-') continue;
        out += static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 32 : 0));
    }
    return out;
}

struct category_name {
    const char* short_name;
    const char* long_name;
    std::uint32_t mask; // bits by general_category
};

constexpr std::uint32_t bits_of(unsigned first, unsigned last) noexcept {
    return (~std::uint32_t{0} >> (31 - last)) & (~std::uint32_t{0} << first);
}

inline constexpr category_name category_names[] = {
    {"cn", "unassigned", bits_of(0, 0)},
    {"cc", "control", bits_of(1, 1)},
    {"cf", "format", bits_of(2, 2)},
    {"cs", "surrogate", bits_of(3, 3)},
    {"co", "privateuse", bits_of(4, 4)},
    {"lu", "uppercaseletter", bits_of(5, 5)},
    {"ll", "lowercaseletter", bits_of(6, 6)},
    {"lt", "titlecaseletter", bits_of(7, 7)},
    {"lm", "modifierletter", bits_of(8, 8)},
    {"lo", "otherletter", bits_of(9, 9)},
    {"mn", "nonspacingmark", bits_of(10, 10)},
    {"mc", "spacingmark", bits_of(11, 11)},
    {"me", "enclosingmark", bits_of(12, 12)},
    {"nd", "decimalnumber", bits_of(13, 13)},
    {"nl", "letternumber", bits_of(14, 14)},
    {"no", "othernumber", bits_of(15, 15)},
    {"pc", "connectorpunctuation", bits_of(16, 16)},
    {"pd", "dashpunctuation", bits_of(17, 17)},
    {"ps", "openpunctuation", bits_of(18, 18)},
    {"pe", "closepunctuation", bits_of(19, 19)},
    {"pi", "initialpunctuation", bits_of(20, 20)},
    {"pf", "finalpunctuation", bits_of(21, 21)},
    {"po", "otherpunctuation", bits_of(22, 22)},
    {"sm", "mathsymbol", bits_of(23, 23)},
    {"sc", "currencysymbol", bits_of(24, 24)},
    {"sk", "modifiersymbol", bits_of(25, 25)},
    {"so", "othersymbol", bits_of(26, 26)},
    {"zs", "spaceseparator", bits_of(27, 27)},
    {"zl", "lineseparator", bits_of(28, 28)},
    {"zp", "paragraphseparator", bits_of(29, 29)},
    {"c", "other", bits_of(0, 4)},
    {"l", "letter", bits_of(5, 9)},
    {"lc", "casedletter", bits_of(5, 7)},
    {"l&", "casedletter", bits_of(5, 7)},
    {"m", "mark", bits_of(10, 12)},
    {"n", "number", bits_of(13, 15)},
    {"p", "punctuation", bits_of(16, 22)},
    {"s", "symbol", bits_of(23, 26)},
    {"z", "separator", bits_of(27, 29)},
};

} // namespace detail

namespace detail {

struct category_run {
    char32_t first, last;
    std::uint8_t category;
};

// The table read once from end to end; a pattern names a dozen categories.
inline const std::vector<category_run>& category_runs() {
    static const std::vector<category_run> runs = [] {
        std::vector<category_run> out;
        const char32_t step = char32_t{1} << category_trie.low_bits;
        std::uint32_t flat_leaf = ~std::uint32_t{0}; // a leaf of one category, that of the last run
        for (char32_t c = 0; c < code_point_set::end; c += step) {
            const std::uint32_t leaf = category_trie.leaf_of(c);
            if (leaf == flat_leaf) {
                out.back().last += step;
                continue;
            }
            bool flat = true;
            for (char32_t i = c; i < c + step; ++i) {
                const std::uint8_t category = category_trie(i);
                flat = flat && category == category_trie(c);
                if (!out.empty() && out.back().category == category) {
                    out.back().last = i;
                } else {
                    out.push_back({i, i, category});
                }
            }
            flat_leaf = flat ? leaf : ~std::uint32_t{0};
        }
        return out;
    }();
    return runs;
}

} // namespace detail

// All code points whose general category is in `mask` (bit i stands for general_category i).
inline code_point_set category_set(std::uint32_t mask) {
    code_point_set out;
    for (const detail::category_run& r : detail::category_runs()) {
        if ((mask >> r.category & 1u) != 0) out.add(r.first, r.last);
    }
    return out;
}

// Ranges of a script or a binary property by its loose name; false when there is none.
inline bool find_property(std::string_view loose_name, bool script, code_point_set& out) {
    constexpr std::size_t n = sizeof detail::property_names / sizeof detail::property_names[0];
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const detail::property_name& p = detail::property_names[i];
        if (p.is_script != script || detail::loose(p.name) != loose_name) continue;
        for (std::uint32_t r = p.first; r < detail::property_names[i + 1].first; ++r) {
            out.add(detail::property_range[2 * r], detail::property_range[2 * r + 1]);
        }
        return true;
    }
    return false;
}

namespace detail {
inline bool find_category(std::string_view loose_name, code_point_set& out) {
    for (const category_name& c : category_names) {
        if (loose_name != c.short_name && loose_name != c.long_name) continue;
        out = category_set(c.mask);
        return true;
    }
    return false;
}
} // namespace detail

// \s: White_Space.
inline code_point_set white_space_set() {
    code_point_set out;
    find_property("whitespace", false, out);
    return out;
}
// \d: Nd.
inline code_point_set digit_set() {
    return category_set(detail::bits_of(13, 13));
}
// \w: letters and other alphabetic characters, marks, decimal numbers, connectors (UTS #18, which
// also has the two joiners; Oniguruma has not).
inline code_point_set word_set(bool with_joiners) {
    code_point_set out = category_set(detail::bits_of(10, 13) | detail::bits_of(16, 16));
    find_property("alphabetic", false, out);
    if (with_joiners) find_property("joincontrol", false, out);
    return out;
}

// \p{name}: a general category, a script, a binary property, Any, ASCII, Assigned; also with
// `gc=`, `sc=` or `script=` in front.
inline result<code_point_set> property_set(std::string_view name) {
    const std::string all = detail::loose(name);
    std::string_view value = all;
    bool may_be_category = true, may_be_script = true, may_be_binary = true;
    if (const std::size_t equals = all.find('='); equals != std::string::npos) {
        const std::string key = all.substr(0, equals);
        value.remove_prefix(equals + 1);
        may_be_binary = false;
        may_be_category = key == "gc" || key == "generalcategory";
        may_be_script = key == "sc" || key == "script";
    }
    code_point_set out;
    if (may_be_category && detail::find_category(value, out)) return out;
    if (may_be_script && find_property(value, true, out)) return out;
    if (may_be_binary) {
        if (find_property(value, false, out)) return out;
        if (value == "any") return code_point_set::all();
        if (value == "ascii") return code_point_set(0, 0x7f);
        if (value == "assigned") return category_set(detail::bits_of(1, 29));
        if (value == "space") return white_space_set();
    }
    return fail(errc::unsupported, "unknown property '", name, "'");
}

// Everything that differs from a member only by simple case folding, and the members.
inline code_point_set case_closure(const code_point_set& set) {
    code_point_set folded = set;
    for (const detail::case_run& r : detail::fold_runs) {
        for (std::uint32_t i = 0; i <= r.length; i += r.step) {
            if (set.contains(r.first + i)) {
                folded.add(
                    static_cast<char32_t>(static_cast<std::int32_t>(r.first + i) + r.distance));
            }
        }
    }
    code_point_set out = folded;
    for (const detail::case_run& r : detail::fold_runs) {
        for (std::uint32_t i = 0; i <= r.length; i += r.step) {
            if (folded.contains(
                    static_cast<char32_t>(static_cast<std::int32_t>(r.first + i) + r.distance))) {
                out.add(r.first + i);
            }
        }
    }
    return out;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
