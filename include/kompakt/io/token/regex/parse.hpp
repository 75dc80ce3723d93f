// Reads the regular expressions of published pre-tokenizers into a tree.
//
// Read are: alternation, groups of every naming, (?i) and (?i:...), comments, classes with ranges,
// negation, nesting, && and [:names:], \p \P \d \s \w \h and their negations, escapes of
// characters, the quantifiers ? * + {n} {n,} {n,m} as greedy, lazy and possessive ones, \b \B ^ $
// \A \z, and looking ahead or behind at one character. Everything else is refused with its
// position: back references, longer lookaround, possessive groups whose backtracking matters, \G \K
// \R \X \Z.
//
// The two engines that published tokenizers were made with read some things differently, so the
// caller says which it is (Oniguruma as Hugging Face uses it, with Ruby's syntax; fancy-regex as
// tiktoken uses it):
//                  oniguruma                          fancy
//   ^ $            at lines                           at the text's ends
//   x{n,m}+        one or more times x{n,m}           possessive
//   x{n}?          x{n} or nothing                    lazy
//   x{,m}          x{0,m}                             refused
//   { elsewhere    itself                             refused
//   (?m)           . matches newlines                 refused
//   \w             without U+200C, U+200D             with
// Under (?i) characters match what they fold to one to one. Literals that Oniguruma would fold to
// several (U+FB06 and st) are refused; in classes such a folding is not made.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/io/token/regex/code_point_set.hpp>
#include <kompakt/io/token/regex/properties.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

enum class regex_dialect : std::uint8_t { oniguruma, fancy };

namespace detail {

inline constexpr std::uint32_t regex_no_limit = 0xffffffffu;
inline constexpr std::uint32_t regex_most_repeats = 100000; // Oniguruma's limit
inline constexpr int regex_deepest_nesting = 100;
inline constexpr std::size_t regex_longest_pattern = 1 << 16;
inline constexpr std::uint32_t regex_most_sets = 1000;

struct regex_node {
    enum class kind : std::uint8_t {
        empty,
        set,      // one character of sets[set]
        sequence, // children
        choice,   // children, the first ones preferred
        repeat,   // the only child, least to most times
        ahead,    // the next character is in sets[set], or there is none and `edge`
        behind,   // the same for the character before
    };
    enum class greed : std::uint8_t { greedy, lazy, possessive };

    regex_node::kind what = kind::empty;
    regex_node::greed how = greed::greedy;
    bool edge = false;
    std::uint32_t set = 0;
    std::uint32_t least = 0, most = 0;
    std::size_t at = 0; // position in the pattern, for messages
    std::vector<std::uint32_t> children;
};

// Nodes refer to each other and to sets by index.
struct regex_tree {
    std::vector<regex_node> nodes;
    std::vector<code_point_set> sets;
    std::uint32_t root = 0;
};

class regex_parser {
  public:
    regex_parser(std::string_view pattern, regex_dialect dialect)
        : pattern_(pattern), dialect_(dialect) {}

    result<regex_tree> parse() {
        if (pattern_.size() > regex_longest_pattern) {
            return fail(errc::limit, "regular expression: ", pattern_.size(),
                        " bytes, the limit is ", regex_longest_pattern);
        }
        if (!is_valid_utf8(pattern_)) {
            return fail(errc::bad_file, "regular expression: not UTF-8");
        }
        std::uint32_t root = choice(0);
        if (error_.ok() && at_ != pattern_.size()) refuse(at_, "unmatched )");
        if (!error_.ok()) return error_;
        tree_.root = root;
        return std::move(tree_);
    }

  private:
    using node = regex_node;
    using kind = regex_node::kind;

    // ---- Text.

    bool done() const noexcept { return at_ >= pattern_.size(); }
    char peek(std::size_t i = 0) const noexcept {
        return at_ + i < pattern_.size() ? pattern_[at_ + i] : '\0';
    }
    bool take(std::string_view text) noexcept {
        if (pattern_.substr(at_, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    char32_t next_character() noexcept {
        const utf8_character d =
            decode_utf8(pattern_.data() + at_, pattern_.data() + pattern_.size());
        at_ += d.length;
        return d.code_point;
    }
    template <class... Parts>
    void refuse(std::size_t at, const Parts&... parts) {
        if (error_.ok()) {
            error_ = fail(errc::unsupported, "regular expression: at byte ", at, ": ", parts...);
        }
    }

    // ---- Nodes.

    std::uint32_t add(node n) {
        tree_.nodes.push_back(std::move(n));
        return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    }
    std::uint32_t add_set(const code_point_set& set, std::size_t at, kind what = kind::set,
                          bool edge = false) {
        node n;
        n.what = what;
        n.edge = edge;
        n.at = at;
        for (n.set = 0; n.set < tree_.sets.size(); ++n.set) {
            if (tree_.sets[n.set] == set) return add(std::move(n));
        }
        if (n.set == regex_most_sets) {
            refuse(at, "more than ", regex_most_sets, " different sets of characters");
            return 0;
        }
        tree_.sets.push_back(set);
        return add(std::move(n));
    }
    std::uint32_t add_list(kind what, std::vector<std::uint32_t> children, std::size_t at) {
        if (children.size() == 1) return children[0];
        node n;
        n.what = children.empty() ? kind::empty : what;
        n.at = at;
        n.children = std::move(children);
        return add(std::move(n));
    }
    std::uint32_t literal(char32_t c, std::size_t at) {
        if (flags_.ignore_case && dialect_ == regex_dialect::oniguruma) {
            const bool follows = literal_end_ == at && folds_as_one(literal_, c);
            if (follows || folds_to_several(c)) {
                refuse(at, "ignoring case, ", follows ? "two characters that stand for" : "",
                       follows ? " one" : "a character that stands for several");
            }
            literal_ = c;
            literal_end_ = at_;
        }
        const code_point_set one(c, c);
        return add_set(flags_.ignore_case ? case_closure(one) : one, at);
    }

    // Oniguruma matches them by full case folding too (Unicode, CaseFolding.txt, status F), which
    // this matcher does not.
    static bool folds_to_several(char32_t c) noexcept {
        return c == 0xdf || c == 0x130 || c == 0x149 || c == 0x1f0 || c == 0x390 || c == 0x3b0 ||
               c == 0x587 || (c >= 0x1e96 && c <= 0x1e9a) || c == 0x1e9e ||
               (c >= 0x1f50 && c <= 0x1f56) || (c >= 0x1f80 && c <= 0x1fff) ||
               (c >= 0xfb00 && c <= 0xfb17);
    }
    // Whether a character stands for these two, in any case; some that none stands for, too.
    static bool folds_as_one(char32_t a, char32_t b) noexcept {
        const auto lower = [](char32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
        const char32_t x = lower(a), y = lower(b);
        if (x == 's' || x == 0x17f) return y == 's' || y == 't' || y == 0x17f;
        if (x == 'f') return y == 'f' || y == 'i' || y == 'l';
        if (x == 0x2bc) return y == 'n';
        const bool greek = (x >= 0x370 && x < 0x400) || (x >= 0x1f00 && x < 0x2000);
        const bool armenian = x >= 0x530 && x < 0x590 && y >= 0x530 && y < 0x590;
        return armenian || (greek && (y == 0x3b9 || y == 0x399)) || y == 0x2be ||
               (y >= 0x300 && y < 0x370);
    }

    // ---- The grammar.

    std::uint32_t choice(int depth) {
        const std::size_t at = at_;
        if (depth > regex_deepest_nesting) {
            refuse(at, "nesting deeper than ", regex_deepest_nesting);
            return 0;
        }
        const flags outside = flags_; // flags set in a group end with it
        std::vector<std::uint32_t> alternatives;
        do {
            alternatives.push_back(sequence(depth, at));
        } while (error_.ok() && take("|"));
        flags_ = outside;
        return add_list(kind::choice, std::move(alternatives), at);
    }

    std::uint32_t sequence(int depth, std::size_t group_at) {
        const std::size_t at = at_;
        std::vector<std::uint32_t> parts;
        while (error_.ok() && !done() && peek() != '|' && peek() != ')') {
            const std::size_t start = at_;
            bool can_repeat = true;
            std::uint32_t part = 0;
            if (take("(?#")) {
                while (!done() && peek() != ')') {
                    if (peek() == '\\') ++at_;
                    ++at_;
                }
                if (!take(")")) refuse(start, "comment without end");
                continue;
            }
            if (peek() == '(') {
                const parsed_group g = group(depth);
                if (g.is_flags) {
                    // Further on, the engines disagree about which alternatives they hold for.
                    if (start != group_at) refuse(start, "flags inside a group");
                    continue;
                }
                part = g.node;
                can_repeat = !g.is_assertion;
            } else {
                part = atom(depth, can_repeat);
            }
            if (!error_.ok()) return 0;
            part = quantified(part, can_repeat);
            parts.push_back(part);
        }
        return add_list(kind::sequence, std::move(parts), at);
    }

    struct parsed_group {
        std::uint32_t node = 0;
        bool is_flags = false;
        bool is_assertion = false;
    };

    parsed_group group(int depth) {
        const std::size_t start = at_;
        parsed_group g;
        ++at_;
        bool ahead = false, behind = false, negative = false, atomic = false;
        const flags outside = flags_;
        if (take("?")) {
            if (take(":")) {
            } else if (take("=")) {
                ahead = true;
            } else if (take("!")) {
                ahead = negative = true;
            } else if (take("<=")) {
                behind = true;
            } else if (take("<!")) {
                behind = negative = true;
            } else if (take(">")) {
                atomic = true;
            } else if (take("P<") || take("<")) {
                while (!done() && peek() != '>') {
                    if (peek() == ')' || peek() == '(') break;
                    ++at_;
                }
                if (!take(">")) refuse(start, "group name without end");
            } else {
                const bool whole = read_flags(start);
                if (whole) {
                    g.is_flags = true;
                    return g;
                }
            }
        } else if (peek() == '*') {
            refuse(start, "(* is not supported");
        }
        if (!error_.ok()) return g;
        const std::size_t body_at = at_;
        std::uint32_t body = choice(depth + 1);
        flags_ = outside;
        if (error_.ok() && !take(")")) refuse(start, "group without end");
        if (!error_.ok()) return g;
        if (ahead || behind) {
            g.is_assertion = true;
            look l;
            if (!one_character(body, ahead, l)) {
                refuse(body_at, "looking ", ahead ? "ahead" : "behind",
                       " is supported for one character only");
                return g;
            }
            if (negative) {
                l.set = l.set.complement();
                l.edge = !l.edge;
            }
            g.node = add_set(l.set, start, ahead ? kind::ahead : kind::behind, l.edge);
            return g;
        }
        if (atomic) {
            node n;
            n.what = kind::repeat;
            n.how = node::greed::possessive;
            n.least = n.most = 1;
            n.at = start;
            n.children = {body};
            // An atomic group around one quantified class is that class, possessive.
            if (tree_.nodes[body].what == kind::repeat &&
                tree_.nodes[body].how != node::greed::lazy) {
                n = tree_.nodes[body];
                n.how = node::greed::possessive;
            }
            body = add(std::move(n));
        }
        g.node = body;
        return g;
    }

    // (?i) or (?i-m: ; true when the flags hold to the end of the surrounding group.
    bool read_flags(std::size_t start) {
        bool on = true;
        for (;;) {
            const char c = peek();
            if (done()) {
                refuse(start, "group without end");
                return false;
            }
            ++at_;
            if (c == ')') return true;
            if (c == ':') return false;
            if (c == '-') {
                on = false;
            } else if (c == 'i') {
                flags_.ignore_case = on;
            } else if (c == (dialect_ == regex_dialect::oniguruma ? 'm' : 's')) {
                flags_.dot_all = on;
            } else {
                refuse(at_ - 1, "unknown group or flag (?", std::string_view(&c, 1));
                return false;
            }
        }
    }

    struct look {
        code_point_set set;
        bool edge = false;
    };

    // What a lookaround with this body asks of the one character beside it.
    bool one_character(std::uint32_t body, bool ahead, look& out) const {
        const node& n = tree_.nodes[body];
        switch (n.what) {
        case kind::set:
            out.set.add(tree_.sets[n.set]);
            return true;
        case kind::choice:
            for (const std::uint32_t child : n.children) {
                if (!one_character(child, ahead, out)) return false;
            }
            return true;
        case kind::repeat: // x+ is beside if x is
            return n.least >= 1 && (n.least == 1 || n.most == 1) &&
                   tree_.nodes[n.children[0]].what == kind::set &&
                   one_character(n.children[0], ahead, out);
        case kind::ahead:
        case kind::behind:
            if ((n.what == kind::ahead) != ahead) return false;
            out.set.add(tree_.sets[n.set]);
            out.edge = out.edge || n.edge;
            return true;
        case kind::empty:
        case kind::sequence:
            return false;
        }
        return false;
    }

    std::uint32_t quantified(std::uint32_t part, bool can_repeat) {
        for (int count = 0; error_.ok(); ++count) {
            const std::size_t at = at_;
            node n;
            n.what = kind::repeat;
            n.at = at;
            bool interval = false;
            if (take("?")) {
                n.least = 0, n.most = 1;
            } else if (take("*")) {
                n.least = 0, n.most = regex_no_limit;
            } else if (take("+")) {
                n.least = 1, n.most = regex_no_limit;
            } else if (peek() == '{' && read_interval(n.least, n.most)) {
                interval = true;
            } else {
                return part;
            }
            if (!can_repeat) {
                refuse(at, "nothing to repeat");
                return part;
            }
            if (count > 0) {
                refuse(at, "a quantifier behind a quantifier is not supported");
                return part;
            }
            n.children = {part};
            const bool onig_interval = interval && dialect_ == regex_dialect::oniguruma;
            if (onig_interval && peek() == '?' && n.least == n.most) {
                ++at_;
                node optional;
                optional.what = kind::repeat;
                optional.at = at;
                optional.most = 1;
                optional.children = {add(std::move(n))};
                part = add(std::move(optional));
                continue;
            }
            if (onig_interval && take("+")) {
                node again;
                again.what = kind::repeat;
                again.at = at;
                again.least = 1, again.most = regex_no_limit;
                again.children = {add(std::move(n))};
                part = add(std::move(again));
                continue;
            }
            if (take("?")) {
                n.how = node::greed::lazy;
            } else if (take("+")) {
                n.how = node::greed::possessive;
            }
            part = add(std::move(n));
        }
        return part;
    }

    // {n} {n,} {n,m}, and {,m} in Oniguruma. False: this { is no quantifier.
    bool read_interval(std::uint32_t& least, std::uint32_t& most) {
        const std::size_t start = at_;
        ++at_;
        std::uint32_t a = 0, b = 0;
        const bool has_a = read_number(a);
        bool has_b = false, comma = false;
        if (take(",")) {
            comma = true;
            has_b = read_number(b);
        }
        const bool onig = dialect_ == regex_dialect::oniguruma;
        if (!take("}") || (!has_a && !(onig && comma && has_b))) {
            at_ = start;
            if (!onig) refuse(start, "{ that is no quantifier");
            return false;
        }
        least = has_a ? a : 0;
        most = !comma ? least : has_b ? b : regex_no_limit;
        if (least > regex_most_repeats || (has_b && b > regex_most_repeats)) {
            refuse(start, "more than ", regex_most_repeats, " repetitions");
        } else if (most < least) {
            refuse(start, "{n,m} with m below n");
        }
        return true;
    }
    bool read_number(std::uint32_t& out) {
        const std::size_t start = at_;
        while (peek() >= '0' && peek() <= '9') {
            out = out > regex_most_repeats ? out
                                           : out * 10 + static_cast<std::uint32_t>(peek() - '0');
            ++at_;
        }
        return at_ != start;
    }

    std::uint32_t atom(int depth, bool& can_repeat) {
        const std::size_t at = at_;
        const bool onig = dialect_ == regex_dialect::oniguruma;
        const char c = peek();
        if (c == '[') {
            const code_point_set set = char_class(depth);
            return error_.ok() ? add_set(set, at) : 0;
        }
        if (c == '.') {
            ++at_;
            return add_set(flags_.dot_all ? code_point_set::all()
                                          : code_point_set('\n', '\n').complement(),
                           at);
        }
        if (c == '^') {
            ++at_;
            can_repeat = false;
            const std::uint32_t begin = add_set({}, at, kind::behind, true);
            if (!onig) return begin;
            // Oniguruma: behind a newline too, unless that ends the text.
            const std::uint32_t behind = add_set({'\n', '\n'}, at, kind::behind);
            const std::uint32_t more = add_set(code_point_set::all(), at, kind::ahead);
            return add_list(kind::choice, {begin, add_list(kind::sequence, {behind, more}, at)},
                            at);
        }
        if (c == '$') {
            ++at_;
            can_repeat = false;
            return add_set(onig ? code_point_set('\n', '\n') : code_point_set(), at, kind::ahead,
                           true);
        }
        if (c == '*' || c == '+' || c == '?') {
            refuse(at, "nothing to repeat");
            return 0;
        }
        if (c == '{') {
            std::uint32_t a = 0, b = 0;
            if (read_interval(a, b)) refuse(at, "nothing to repeat");
            if (!error_.ok()) return 0;
            ++at_;
            return literal('{', at);
        }
        if (c == '\\') {
            const char e = peek(1);
            if (e == 'b' || e == 'B') {
                at_ += 2;
                can_repeat = false;
                if (peek() == '{') refuse(at, "\\b{ is not supported");
                return word_boundary(e == 'b', at);
            }
            if (e == 'A' || e == 'z') {
                at_ += 2;
                can_repeat = false;
                return add_set({}, at, e == 'A' ? kind::behind : kind::ahead, true);
            }
            code_point_set set;
            char32_t one = 0;
            const escape_kind k = escape(false, set, one);
            if (k == escape_kind::character) return literal(one, at);
            if (flags_.ignore_case) set = case_closure(set);
            return error_.ok() ? add_set(set, at) : 0;
        }
        return literal(next_character(), at);
    }

    std::uint32_t word_boundary(bool positive, std::size_t at) {
        const code_point_set word = word_set(dialect_ == regex_dialect::fancy);
        const code_point_set other = word.complement();
        const std::uint32_t word_before = add_set(word, at, kind::behind);
        const std::uint32_t other_before = add_set(other, at, kind::behind, true);
        const std::uint32_t word_next = add_set(word, at, kind::ahead);
        const std::uint32_t other_next = add_set(other, at, kind::ahead, true);
        return add_list(
            kind::choice,
            {add_list(kind::sequence, {word_before, positive ? other_next : word_next}, at),
             add_list(kind::sequence, {other_before, positive ? word_next : other_next}, at)},
            at);
    }

    // ---- Escapes and classes.

    enum class escape_kind : std::uint8_t { character, set };

    escape_kind escape(bool in_class, code_point_set& set, char32_t& one) {
        const std::size_t at = at_;
        const bool onig = dialect_ == regex_dialect::oniguruma;
        ++at_;
        if (done()) {
            refuse(at, "\\ at the end");
            return escape_kind::character;
        }
        const char32_t c = next_character();
        const auto negated = [&](code_point_set s, bool negative) {
            set = negative ? s.complement() : std::move(s);
            return escape_kind::set;
        };
        switch (c) {
        case 'n':
            one = '\n';
            break;
        case 'r':
            one = '\r';
            break;
        case 't':
            one = '\t';
            break;
        case 'f':
            one = '\f';
            break;
        case 'v':
            one = '\v';
            break;
        case 'a':
            one = '\a';
            break;
        case 'e':
            one = 0x1b;
            break;
        case 'x':
            one = hexadecimal(at, 2, 2, onig ? 1 : 2);
            break;
        case 'u':
            one = hexadecimal(at, 4, 4, 4);
            break;
        case 'd':
        case 'D':
            return negated(digit_set(), c == 'D');
        case 's':
        case 'S':
            return negated(white_space_set(), c == 'S');
        case 'w':
        case 'W':
            return negated(word_set(!onig), c == 'W');
        case 'h':
        case 'H': {
            code_point_set hex('0', '9');
            hex.add('A', 'F');
            hex.add('a', 'f');
            return negated(std::move(hex), c == 'H');
        }
        case 'p':
        case 'P':
            return negated(property(at), c == 'P');
        default:
            if (in_class && c == 'b') {
                one = '\b';
                break;
            }
            if (c == '0' && onig && !(peek() >= '0' && peek() <= '7')) {
                one = 0;
                break;
            }
            if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                (!onig && (c == '<' || c == '>'))) {
                const char shown[2] = {static_cast<char>(c), '\0'};
                refuse(at, "\\", static_cast<const char*>(shown), " is not supported");
            }
            one = c;
        }
        return escape_kind::character;
    }

    // Behind \x or \u: {h...} or digits.
    char32_t hexadecimal(std::size_t at, int most, int, int least) {
        const bool braces = take("{");
        std::uint32_t value = 0;
        int digits = 0;
        for (; digits < (braces ? 8 : most); ++digits) {
            const char c = peek();
            if (c >= '0' && c <= '9') {
                value = value << 4 | static_cast<std::uint32_t>(c - '0');
            } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
                value = value << 4 | static_cast<std::uint32_t>((c | 32) - 'a' + 10);
            } else {
                break;
            }
            ++at_;
        }
        if (digits < (braces ? 1 : least) || (braces && !take("}"))) {
            refuse(at, "bad hexadecimal escape");
        } else if (value > last_code_point || (value >= 0xd800 && value <= 0xdfff)) {
            refuse(at, "escape of no character");
        } else if (!braces && most == 2 && value > 0x7f && dialect_ == regex_dialect::oniguruma) {
            refuse(at, "\\x of a single byte above 7f"); // a byte of UTF-8 to Oniguruma
        }
        return value;
    }

    code_point_set property(std::size_t at) {
        std::string_view name;
        bool negative = false;
        if (take("{")) {
            const std::size_t close = pattern_.find('}', at_);
            if (close == std::string_view::npos) {
                refuse(at, "\\p without }");
                return {};
            }
            name = pattern_.substr(at_, close - at_);
            at_ = close + 1;
            if (!name.empty() && name[0] == '^') {
                negative = true;
                name.remove_prefix(1);
            }
        } else if (dialect_ == regex_dialect::fancy && !done()) {
            name = pattern_.substr(at_, 1);
            ++at_;
        } else {
            refuse(at, "\\p without {");
            return {};
        }
        auto set = property_set(name);
        if (!set.ok()) {
            refuse(at, set.error().message());
            return {};
        }
        return negative ? set->complement() : *set;
    }

    code_point_set char_class(int depth) {
        const std::size_t start = at_;
        if (depth > regex_deepest_nesting) {
            refuse(start, "nesting deeper than ", regex_deepest_nesting);
            return {};
        }
        ++at_;
        const bool negative = take("^");
        code_point_set members;
        bool has_intersection = false;
        code_point_set intersection; // of what stands before the last &&
        bool first = true;
        for (;; first = false) {
            if (!error_.ok()) return {};
            const std::size_t at = at_;
            if (done()) {
                refuse(start, "class without ]");
                return {};
            }
            if (peek() == ']' && !first) {
                ++at_;
                break;
            }
            if (peek() == ']') {
                refuse(at, "] right behind [");
                return {};
            }
            if (take("&&")) {
                close_operand(members, intersection, has_intersection);
                continue;
            }
            if (dialect_ == regex_dialect::fancy &&
                ((peek() == '-' && peek(1) == '-') || (peek() == '~' && peek(1) == '~'))) {
                refuse(at, "set operator");
                return {};
            }
            if (peek() == '[' && peek(1) == ':') {
                members.add(posix(at));
                continue;
            }
            if (peek() == '[') {
                members.add(char_class(depth + 1));
                continue;
            }
            code_point_set set;
            char32_t low = 0;
            if (!class_item(set, low)) {
                members.add(flags_.ignore_case ? case_closure(set) : set);
                if (peek() == '-' && peek(1) != ']' && dialect_ == regex_dialect::fancy) {
                    refuse(at_, "range from a class");
                }
                continue;
            }
            char32_t high = low;
            // A - is a range's unless it stands last or before a class.
            if (peek() == '-' && peek(1) != ']' && !(peek(1) == '[') && at_ + 1 < pattern_.size()) {
                const std::size_t dash = at_;
                ++at_;
                if (peek() == '&' && peek(1) == '&') {
                    at_ = dash;
                } else if (!class_item(set, high)) {
                    refuse(dash, "range to a class");
                } else if (high < low) {
                    refuse(dash, "range whose end is before its start");
                }
            }
            if (!error_.ok()) return {};
            const code_point_set range(low, high);
            members.add(flags_.ignore_case ? case_closure(range) : range);
        }
        close_operand(members, intersection, has_intersection);
        return negative ? intersection.complement() : intersection;
    }

    static void close_operand(code_point_set& members, code_point_set& intersection, bool& has) {
        intersection = has ? intersection.intersection(members) : members;
        has = true;
        members = {};
    }

    // True: one character. False: a set.
    bool class_item(code_point_set& set, char32_t& one) {
        if (peek() == '\\') return escape(true, set, one) == escape_kind::character;
        one = next_character();
        return true;
    }

    code_point_set posix(std::size_t at) {
        const std::size_t close = pattern_.find(":]", at_);
        if (close == std::string_view::npos) {
            refuse(at, "[: without :]");
            return {};
        }
        std::string_view name = pattern_.substr(at_ + 2, close - at_ - 2);
        at_ = close + 2;
        const bool negative = !name.empty() && name[0] == '^';
        if (negative) name.remove_prefix(1);
        code_point_set set;
        // The Rust engine keeps these names to ASCII, Oniguruma does not.
        const bool unicode = dialect_ == regex_dialect::oniguruma;
        const auto ascii = code_point_set(0, 0x7f);
        if (name == "alpha") {
            find_property("alphabetic", false, set);
        } else if (name == "digit") {
            set = digit_set();
        } else if (name == "alnum") {
            set = digit_set();
            find_property("alphabetic", false, set);
        } else if (name == "space") {
            set = white_space_set();
        } else if (name == "upper") {
            find_property("uppercase", false, set);
        } else if (name == "lower") {
            find_property("lowercase", false, set);
        } else if (name == "word") {
            set = word_set(false);
        } else if (name == "xdigit") {
            set.add('0', '9');
            set.add('A', 'F');
            set.add('a', 'f');
        } else if (name == "cntrl") {
            set = category_set(bits_of(1, 1));
        } else if (name == "ascii") {
            set = ascii;
        } else if (name == "punct") {
            // Since Oniguruma 6.9.5 the symbols of ASCII count.
            set = category_set(bits_of(16, 22));
            for (const char c : {'$', '+', '<', '=', '>', '^', '`', '|', '~'}) {
                set.add(static_cast<char32_t>(c));
            }
        } else {
            refuse(at, "unknown class [:", name, ":]");
        }
        if (!unicode) set = set.intersection(ascii);
        return negative ? set.complement() : set;
    }

    struct flags {
        bool ignore_case = false;
        bool dot_all = false;
    };

    std::string_view pattern_;
    regex_dialect dialect_;
    std::size_t at_ = 0;
    flags flags_;
    char32_t literal_ = 0;               // the last one under (?i) …
    std::size_t literal_end_ = SIZE_MAX; // … and the byte behind it
    regex_tree tree_;
    status error_;
};

} // namespace detail
} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
