// Compiles a regular expression to the bytes that token/regex/regex.hpp matches.
//
//     const auto regex = token::compile_regex(R"(\p{N}{1,3}|\p{L}+|\s+(?!\S)|\s+|.)");
//     if (!regex) return regex.error();
//     const token::regex_view view(*regex);
//
// The way: tree (parse.hpp) -> ordered automaton with choices (Thompson's) -> deterministic one. A
// state of the latter is the list of the former's threads in the order in which a backtracking
// engine would try them; a match cuts off what stands behind it. Looking ahead at one character is
// a thread that waits for that character: whether a match ends is therefore known one character
// later, and entries of the table say "before this character". Possessive repetition of one class
// is repetition with a look ahead that no more of the class follows.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/io/token/regex/class_map_builder.hpp>
#include <kompakt/io/token/regex/code_point_set.hpp>
#include <kompakt/io/token/regex/parse.hpp>
#include <kompakt/token/regex/regex.hpp>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct regex_options {
    regex_dialect dialect = regex_dialect::oniguruma;
};

namespace detail {

inline constexpr std::size_t regex_most_instructions = 50000;
inline constexpr std::size_t regex_most_states = 5400;
inline constexpr std::size_t regex_most_steps = 10000000; // of construction: a fraction of a second
inline constexpr std::size_t regex_most_merging = 5000000;
inline constexpr std::size_t regex_most_behind = 32;

class regex_compiler {
  public:
    regex_compiler(std::string_view pattern, regex_options options)
        : pattern_(pattern), options_(options) {}

    result<std::vector<std::byte>> compile() {
        auto tree = regex_parser(pattern_, options_.dialect).parse();
        if (!tree.ok()) return tree.error();
        tree_ = std::move(*tree);
        classes_ = partition(tree_.sets);
        if (classes_.count > most_classes) {
            return fail(errc::limit, "regular expression: ", classes_.count,
                        " classes of characters, the limit is ", most_classes);
        }
        masks_.resize(tree_.sets.size());
        for (std::size_t s = 0; s < masks_.size(); ++s) {
            for (std::size_t c = 0; c < classes_.count; ++c) masks_[s][c] = classes_.members[s][c];
        }
        const std::uint32_t match = emit({instruction::kind::match, 0, false, 0, 0, 0});
        entry_ = build(tree_.root, match, true);
        if (!error_.ok()) return error_;
        determinize();
        if (!error_.ok()) return error_;
        minimize();
        return write();
    }

  private:
    static constexpr std::size_t most_classes = 254;
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    using class_bits = std::bitset<256>;
    using node = regex_node;

    // ---- The ordered automaton.

    struct instruction {
        enum class kind : std::uint8_t { match, take, either, ahead, behind };
        kind what;
        std::uint32_t set;
        bool negative; // all but the set; `edge` says what the text's end counts as
        bool edge;
        std::uint32_t next;
        std::uint32_t other; // of `either`: tried second
    };

    template <class... Parts>
    void refuse(errc code, const Parts&... parts) {
        if (error_.ok()) error_ = fail(code, "regular expression: ", parts...);
    }

    std::uint32_t emit(instruction i) {
        if (program_.size() >= regex_most_instructions) {
            refuse(errc::limit, "more than ", regex_most_instructions,
                   " steps once its repetitions are written out");
            return 0;
        }
        program_.push_back(i);
        return static_cast<std::uint32_t>(program_.size() - 1);
    }

    // Instructions that match `n` and go on at `next`. With `tail` nothing but a match follows, so
    // the first way through is the only one.
    std::uint32_t build(std::uint32_t index, std::uint32_t next, bool tail) {
        const node& n = tree_.nodes[index];
        if (!error_.ok()) return next;
        switch (n.what) {
        case node::kind::empty:
            return next;
        case node::kind::set:
            return emit({instruction::kind::take, n.set, false, false, next, 0});
        case node::kind::ahead:
            return emit({instruction::kind::ahead, n.set, false, n.edge, next, 0});
        case node::kind::behind:
            return emit({instruction::kind::behind, n.set, false, n.edge, next, 0});
        case node::kind::sequence:
            for (std::size_t i = n.children.size(); i-- != 0;) {
                next = build(n.children[i], next, tail);
                tail = false;
            }
            return next;
        case node::kind::choice: {
            std::uint32_t rest = none;
            for (std::size_t i = n.children.size(); i-- != 0;) {
                const std::uint32_t way = build(n.children[i], next, tail);
                rest = rest == none ? way
                                    : emit({instruction::kind::either, 0, false, false, way, rest});
            }
            return rest;
        }
        case node::kind::repeat:
            return build_repeat(n, next, tail);
        }
        return next;
    }

    std::uint32_t build_repeat(const node& n, std::uint32_t next, bool tail) {
        const std::uint32_t child = n.children[0];
        const bool lazy = n.how == node::greed::lazy;
        const bool once = n.most == 1;
        std::uint32_t leave = next; // where a repetition goes that takes no more
        if (n.how == node::greed::possessive && !tail) {
            if (tree_.nodes[child].what != node::kind::set) {
                refuse(errc::unsupported, "at byte ", n.at,
                       ": possessive or atomic repetition of more than one class");
                return next;
            }
            leave = emit({instruction::kind::ahead, tree_.nodes[child].set, true, true, next, 0});
        }
        const auto branch = [&](std::uint32_t more, std::uint32_t stop) {
            return lazy ? emit({instruction::kind::either, 0, false, false, stop, more})
                        : emit({instruction::kind::either, 0, false, false, more, stop});
        };
        std::uint32_t at = next;
        std::uint32_t copies = n.least;
        if (n.most == regex_no_limit) {
            if (can_be_empty(child)) {
                refuse(errc::unsupported, "at byte ", n.at,
                       ": endless repetition of what may be empty");
                return next;
            }
            const std::uint32_t loop = branch(leave, leave);
            const std::uint32_t body = build(child, loop, false);
            if (!error_.ok()) return next;
            (lazy ? program_[loop].other : program_[loop].next) = body;
            at = copies == 0 ? loop : body;
            if (copies != 0) --copies;
        } else {
            for (std::uint32_t i = n.least; i < n.most && error_.ok(); ++i) {
                at = branch(build(child, at, tail && once), leave);
            }
        }
        for (; copies != 0 && error_.ok(); --copies) {
            const std::size_t before = program_.size();
            at = build(child, at, tail && once);
            if (program_.size() == before) break; // x{0} a thousand times is nothing once
        }
        return at;
    }

    bool can_be_empty(std::uint32_t index) const {
        const node& n = tree_.nodes[index];
        switch (n.what) {
        case node::kind::set:
            return false;
        case node::kind::sequence:
            return std::all_of(n.children.begin(), n.children.end(),
                               [this](std::uint32_t c) { return can_be_empty(c); });
        case node::kind::choice:
            return std::any_of(n.children.begin(), n.children.end(),
                               [this](std::uint32_t c) { return can_be_empty(c); });
        case node::kind::repeat:
            return n.least == 0 || can_be_empty(n.children[0]);
        case node::kind::empty:
        case node::kind::ahead:
        case node::kind::behind:
            return true;
        }
        return true;
    }

    // Whether the class (or the text's edge, a class behind all others) satisfies a look.
    bool satisfies(const instruction& i, std::size_t c) const {
        return c == classes_.count ? i.edge : masks_[i.set][c] != i.negative;
    }

    // ---- The deterministic automaton.

    // Threads in order, then one number: which looks behind hold here.
    using thread_list = std::vector<std::uint32_t>;
    static constexpr std::size_t next_unknown = ~std::size_t{0};

    // Adds what `from` reaches without a character. False: a match was reached, which no later
    // thread can beat.
    bool follow(std::uint32_t from, std::uint32_t behind, std::size_t next, thread_list& out) {
        stack_.clear();
        stack_.push_back(from);
        while (!stack_.empty()) {
            const std::uint32_t at = stack_.back();
            stack_.pop_back();
            if (seen_[at] == stamp_) continue;
            seen_[at] = stamp_;
            ++steps_;
            const instruction& i = program_[at];
            switch (i.what) {
            case instruction::kind::match:
                out.push_back(at);
                return false;
            case instruction::kind::take:
                out.push_back(at);
                break;
            case instruction::kind::either:
                stack_.push_back(i.other);
                stack_.push_back(i.next);
                break;
            case instruction::kind::ahead:
                if (next == next_unknown) {
                    out.push_back(at);
                } else if (satisfies(i, next)) {
                    stack_.push_back(i.next);
                }
                break;
            case instruction::kind::behind:
                if ((behind >> behind_number_[at] & 1u) != 0) stack_.push_back(i.next);
                break;
            }
        }
        return true;
    }

    std::uint32_t state_of(const thread_list& threads) {
        steps_ += 4 * threads.size(); // to compare it with others
        const auto found = numbers_.emplace(threads, static_cast<std::uint32_t>(states_.size()));
        if (found.second) states_.push_back(&found.first->first);
        return found.first->second;
    }
    std::uint32_t start_behind(std::size_t before) {
        ++stamp_;
        thread_list threads;
        const std::uint32_t behind = behind_bits(before);
        follow(entry_, behind, next_unknown, threads);
        threads.push_back(behind);
        return state_of(threads);
    }
    std::uint32_t behind_bits(std::size_t before) const {
        std::uint32_t bits = 0;
        for (std::size_t b = 0; b < behinds_.size(); ++b) {
            bits |= static_cast<std::uint32_t>(satisfies(program_[behinds_[b]], before)) << b;
        }
        return bits;
    }

    struct edge {
        std::uint32_t to = none; // none: no thread is left
        bool accepts = false;    // a match ends before the character
        friend bool operator==(const edge& a, const edge& b) noexcept {
            return a.to == b.to && a.accepts == b.accepts;
        }
    };

    edge step(const thread_list& threads, std::size_t c) {
        edge out;
        const std::uint32_t behind = threads.back();
        resolved_.clear();
        ++stamp_;
        for (std::size_t i = 0; i + 1 < threads.size() && !out.accepts; ++i) {
            ++steps_;
            out.accepts = !follow(threads[i], behind, c, resolved_);
        }
        if (out.accepts) resolved_.pop_back();
        if (c == classes_.count) return out;
        thread_list next;
        ++stamp_;
        const std::uint32_t next_behind = behind_bits(c);
        for (const std::uint32_t t : resolved_) {
            ++steps_;
            if (!masks_[program_[t].set][c]) continue;
            if (!follow(program_[t].next, next_behind, next_unknown, next)) break;
        }
        if (next.empty()) return out;
        next.push_back(next_behind);
        out.to = state_of(next);
        return out;
    }

    void determinize() {
        behind_number_.resize(program_.size());
        for (std::uint32_t i = 0; i < program_.size(); ++i) {
            if (program_[i].what != instruction::kind::behind) continue;
            std::size_t b = 0;
            while (b < behinds_.size() && (program_[behinds_[b]].set != program_[i].set ||
                                           program_[behinds_[b]].edge != program_[i].edge)) {
                ++b;
            }
            if (b == behinds_.size()) behinds_.push_back(i);
            behind_number_[i] = static_cast<std::uint32_t>(b);
        }
        if (behinds_.size() > regex_most_behind) {
            refuse(errc::limit, "more than ", regex_most_behind, " different looks behind");
            return;
        }
        seen_.assign(program_.size(), 0);
        // By the class before; the last is the text's beginning.
        for (std::size_t c = 0; c <= classes_.count; ++c) starts_.push_back(start_behind(c));
        const std::size_t columns = classes_.count + 1;
        for (std::size_t s = 0; s < states_.size(); ++s) {
            for (std::size_t c = 0; c < columns; ++c) edges_.push_back(step(*states_[s], c));
            // Columns may merge later, down to two and that of the text's end.
            if (states_.size() > regex_most_states || steps_ > regex_most_steps) {
                refuse(errc::limit, "too large as an automaton (", states_.size(), " states)");
                return;
            }
        }
        // A match that fails at a character fails behind it as well if its threads after the
        // character are those of a beginning and others.
        fails_on_.assign(classes_.count, false);
        if (behinds_.empty()) {
            const thread_list& start = *states_[starts_[0]];
            for (std::size_t c = 0; c < classes_.count; ++c) {
                const edge& e = edges_[starts_[0] * columns + c];
                if (e.to == none) continue;
                const thread_list& after = *states_[e.to];
                fails_on_[c] = std::all_of(start.begin(), start.end() - 1, [&](std::uint32_t t) {
                    return std::find(after.begin(), after.end() - 1, t) != after.end() - 1;
                });
            }
        }
    }

    // Merges states that behave alike (Moore), then columns that are the same.
    void minimize() {
        const std::size_t columns = classes_.count + 1;
        const std::size_t count = edges_.size() / columns;
        std::vector<std::uint32_t> group(count, 0);
        std::size_t work = 0;
        for (std::size_t groups = 1;;) {
            // Long chains of states take a round for each. They may as well stay unmerged.
            work += edges_.size();
            if (work > regex_most_merging) {
                for (std::size_t s = 0; s < count; ++s) group[s] = static_cast<std::uint32_t>(s);
                break;
            }
            std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
            std::vector<std::uint32_t> next(count), key(columns + 1);
            for (std::size_t s = 0; s < count; ++s) {
                key[columns] = group[s];
                for (std::size_t c = 0; c < columns; ++c) {
                    const edge& e = edges_[s * columns + c];
                    key[c] = (e.to == none ? 0 : group[e.to] + 1) << 1 |
                             static_cast<std::uint32_t>(e.accepts);
                }
                next[s] =
                    numbers.emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
            }
            group = std::move(next);
            if (numbers.size() == groups) break;
            groups = numbers.size();
        }
        std::size_t groups = 0;
        for (const std::uint32_t g : group) groups = std::max<std::size_t>(groups, g + 1);
        std::vector<edge> merged(groups * columns);
        for (std::size_t s = 0; s < count; ++s) {
            for (std::size_t c = 0; c < columns; ++c) {
                edge e = edges_[s * columns + c];
                if (e.to != none) e.to = group[e.to];
                merged[group[s] * columns + c] = e;
            }
        }
        for (std::uint32_t& s : starts_) s = group[s];

        std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
        std::vector<std::uint32_t> column_of(columns), representative;
        for (std::size_t c = 0; c < columns; ++c) {
            std::vector<std::uint32_t> key;
            for (std::size_t s = 0; s < groups; ++s) {
                const edge& e = merged[s * columns + c];
                key.push_back((e.to == none ? 0 : e.to + 1) << 1 |
                              static_cast<std::uint32_t>(e.accepts));
            }
            key.push_back(starts_[c]);
            key.push_back(c == classes_.count ? 2u : fails_on_[c]);
            const auto found =
                numbers.emplace(std::move(key), static_cast<std::uint32_t>(numbers.size()));
            if (found.second) representative.push_back(static_cast<std::uint32_t>(c));
            column_of[c] = found.first->second;
        }
        edges_.clear();
        for (std::size_t s = 0; s < groups; ++s) {
            for (const std::uint32_t c : representative) {
                edges_.push_back(merged[s * columns + c]);
            }
        }
        std::vector<code_point_classes::run> runs;
        for (const code_point_classes::run& r : classes_.runs) {
            const auto number = static_cast<std::uint16_t>(column_of[r.number]);
            if (runs.empty() || runs.back().number != number) runs.push_back({r.first, number});
        }
        std::vector<std::uint32_t> starts;
        std::vector<bool> fails_on;
        for (const std::uint32_t c : representative) {
            starts.push_back(starts_[c]);
            if (c != classes_.count) fails_on.push_back(fails_on_[c]);
        }
        starts_ = std::move(starts);
        fails_on_ = std::move(fails_on);
        classes_.runs = std::move(runs);
        classes_.count = representative.size() - 1;
    }

    // ---- Bytes.

    // Whether from the start on any character a match with a character in it is found whatever the
    // text is: no way leads to an entry without a note of an earlier end.
    bool covers_all(std::size_t columns) const {
        const std::size_t count = edges_.size() / columns;
        const std::uint32_t start = starts_[0];
        std::vector<bool> seen(2 * count, false);
        std::vector<std::size_t> stack;
        const auto visit = [&](std::size_t state, bool accepted) {
            const std::size_t at = 2 * state + accepted;
            if (!seen[at]) {
                seen[at] = true;
                stack.push_back(at);
            }
        };
        for (std::size_t c = 0; c + 1 < columns; ++c) {
            const edge& e = edges_[start * columns + c];
            if (e.accepts || e.to == none) return false;
            visit(e.to, false);
        }
        if (edges_[start * columns + columns - 1].accepts) return false;
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            for (std::size_t c = 0; c < columns; ++c) {
                const edge& e = edges_[at / 2 * columns + c];
                const bool accepted = at % 2 != 0 || e.accepts;
                if (e.to == none) {
                    if (!accepted) return false;
                } else {
                    visit(e.to, accepted);
                }
            }
        }
        return true;
    }

    result<std::vector<std::byte>> write() const {
        const std::size_t columns = classes_.count + 1;
        const std::size_t states = edges_.size() / columns;
        const std::size_t entries = (states + 3) * columns; // two more than some need
        if (entries > regex_view::row + 1) {
            return fail(errc::limit, "regular expression: table of ", states, " states and ",
                        columns, " columns, the limit is ", regex_view::row + 1, " entries");
        }
        const bool looks_behind = std::any_of(starts_.begin(), starts_.end(),
                                              [this](std::uint32_t s) { return s != starts_[0]; });
        bool may_be_empty = false;
        for (const std::uint32_t s : starts_) {
            for (std::size_t c = 0; c < columns; ++c) {
                may_be_empty = may_be_empty || edges_[s * columns + c].accepts;
            }
        }
        const bool in_one_go = !looks_behind && !may_be_empty;
        const bool covers = in_one_go && covers_all(columns);
        const bool gaps = in_one_go && !covers;
        const std::uint32_t gap = static_cast<std::uint32_t>((states + 2) * columns);
        // Where the next match is behind its first character, or the gap.
        const auto next_row = [&](std::size_t c) {
            const edge& e = edges_[starts_[0] * columns + c];
            return e.to == none ? gap : static_cast<std::uint32_t>((e.to + 1) * columns);
        };

        // A state in which a match ends whatever comes next: entering it, nothing need be noted.
        std::vector<bool> always(states, true);
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            if (!edges_[i].accepts) always[i / columns] = false;
        }
        const auto row_of = [columns](std::uint32_t state) {
            return static_cast<std::uint32_t>((state + 1) * columns);
        };
        std::vector<std::uint32_t> table(columns, 0);
        for (std::size_t s = 0; s < states; ++s) {
            for (std::size_t c = 0; c < columns; ++c) {
                const edge& e = edges_[s * columns + c];
                std::uint32_t value = 0;
                if (e.to != none) {
                    value = row_of(e.to);
                    if (e.accepts && !always[e.to]) value |= regex_view::notes;
                } else if (e.accepts) {
                    value = regex_view::ends;
                    if (in_one_go && c + 1 < columns) value |= next_row(c);
                }
                table.push_back(value);
            }
        }
        std::uint32_t start = row_of(starts_.back());
        if (gaps) {
            // A beginning where a gap can begin, apart from the state, which matches come back to.
            for (std::size_t c = 0; c < columns; ++c) {
                const bool is_gap = c + 1 < columns && next_row(c) == gap;
                table.push_back(is_gap ? gap : table[start + c]);
            }
            for (std::size_t c = 0; c < columns; ++c) {
                const bool is_gap = c + 1 < columns && next_row(c) == gap;
                const std::uint32_t next = c + 1 < columns ? next_row(c) : 0;
                table.push_back(is_gap ? gap : regex_view::ends | next);
            }
            start = gap - static_cast<std::uint32_t>(columns);
        }

        std::vector<std::byte> out;
        const auto put = [&out](std::size_t value, int bytes) {
            for (; bytes != 0; --bytes, value >>= 8) {
                out.push_back(static_cast<std::byte>(value & 0xff));
            }
        };
        put(0x3158524b, 4);
        put(0, 4);
        put(columns, 2);
        put(start, 2);
        unsigned flags = 0;
        if (covers) flags |= regex_view::covers;
        if (may_be_empty) flags |= regex_view::empty;
        if (looks_behind) flags |= regex_view::behind;
        if (gaps) flags |= regex_view::gaps;
        put(flags, 2);
        put(columns - 1, 2);
        put(table.size(), 4);
        put(regex_view::header_bytes + 2 * table.size() + 32 + (looks_behind ? 2 * columns : 0), 4);
        put(0, 8);
        std::size_t run = 0;
        for (char32_t c = 0; c < 128; ++c) {
            while (run + 1 < classes_.runs.size() && classes_.runs[run + 1].first <= c) ++run;
            put(classes_.runs[run].number, 1);
        }
        for (const std::uint32_t value : table) put(value, 2);
        for (std::size_t i = 0; i < 32; ++i) {
            unsigned bits = 0;
            for (std::size_t b = 0; b < 8; ++b) {
                if (8 * i + b < fails_on_.size() && fails_on_[8 * i + b]) bits |= 1u << b;
            }
            put(bits, 1);
        }
        if (looks_behind) {
            for (const std::uint32_t s : starts_) put(row_of(s), 2);
        }
        KOMPAKT_TRY(append_class_map(classes_.runs, classes_.count, out));
        store_le(out.data() + 4, static_cast<std::uint32_t>(out.size()));
        return out;
    }

    std::string_view pattern_;
    regex_options options_;
    status error_;
    regex_tree tree_;
    code_point_classes classes_;
    std::vector<class_bits> masks_;
    std::vector<instruction> program_;
    std::uint32_t entry_ = 0;

    std::vector<std::uint32_t> behinds_, behind_number_;
    std::vector<std::uint32_t> seen_, stack_;
    std::uint32_t stamp_ = 0;
    std::size_t steps_ = 0;
    thread_list resolved_;
    std::map<thread_list, std::uint32_t> numbers_;
    std::vector<const thread_list*> states_;
    std::vector<std::uint32_t> starts_;
    std::vector<edge> edges_;
    std::vector<bool> fails_on_;
};

} // namespace detail

// The bytes that regex_view takes (and `regex_view::check` finds good). Patterns are those of
// tokenizer files: what is not understood, or is too large, is an error that names the position.
inline result<std::vector<std::byte>> compile_regex(std::string_view pattern,
                                                    regex_options options = {}) {
    return detail::regex_compiler(pattern, options).compile();
}

// A pattern that matches exactly `text`.
inline std::string escape_regex(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\^$.|?*+()[]{}-&~#").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
