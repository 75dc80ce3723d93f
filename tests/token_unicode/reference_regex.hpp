// A dull backtracking matcher, the measure for the compiled one: it tries every way in order.
#pragma once

#include <kompakt/io/token/regex/code_point_set.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace reference {

using kompakt::token::code_point_set;

struct tree {
    enum class kind { set, sequence, choice, repeat, ahead, behind } what = kind::sequence;
    enum class greed { greedy, lazy, possessive } how = greed::greedy;
    code_point_set set;
    bool edge = false; // of a look: whether the text's edge satisfies it
    int least = 0, most = 0;
    std::vector<tree> children; // a sequence of none matches nothing
};

inline tree one(code_point_set set) {
    tree t;
    t.what = tree::kind::set;
    t.set = std::move(set);
    return t;
}
inline tree look(tree::kind what, code_point_set set, bool edge) {
    tree t = one(std::move(set));
    t.what = what;
    t.edge = edge;
    return t;
}
inline tree list(tree::kind what, std::vector<tree> children) {
    tree t;
    t.what = what;
    t.children = std::move(children);
    return t;
}
inline tree repeat(tree child, int least, int most, tree::greed how = tree::greed::greedy) {
    tree t;
    t.what = tree::kind::repeat;
    t.how = how;
    t.least = least;
    t.most = most;
    t.children = {std::move(child)};
    return t;
}
inline tree text(std::u32string_view characters) {
    tree t;
    for (const char32_t c : characters) t.children.push_back(one({c, c}));
    return t;
}

class matcher {
  public:
    explicit matcher(std::u32string text) : text_(std::move(text)) {}

    static constexpr std::size_t npos = ~std::size_t{0};
    // Ends of matches are numbers of characters; npos: no match, or too much work.
    std::size_t match(const tree& t, std::size_t at) {
        steps_ = 0;
        std::size_t end = npos;
        run(t, at, [&](std::size_t p) {
            end = p;
            return true;
        });
        return end;
    }
    bool gave_up() const { return steps_ > limit; }
    const std::u32string& text() const { return text_; }

    struct found {
        std::size_t begin, end;
        bool operator==(const found& o) const { return begin == o.begin && end == o.end; }
    };
    // All matches one behind the other; none that is empty right behind the one before.
    std::vector<found> all(const tree& t) {
        std::vector<found> out;
        std::size_t last = npos;
        for (std::size_t at = 0; at <= text_.size() && !gave_up();) {
            const std::size_t end = match(t, at);
            if (end == npos || (end == at && at == last)) {
                ++at;
                continue;
            }
            out.push_back({at, end});
            last = end;
            at = end == at ? end + 1 : end;
        }
        return out;
    }

  private:
    using next = std::function<bool(std::size_t)>;
    static constexpr int limit = 20000;

    bool run(const tree& t, std::size_t at, const next& go) {
        if (++steps_ > limit) return false;
        switch (t.what) {
        case tree::kind::set:
            return at < text_.size() && t.set.contains(text_[at]) && go(at + 1);
        case tree::kind::ahead:
            return (at == text_.size() ? t.edge : t.set.contains(text_[at])) && go(at);
        case tree::kind::behind:
            return (at == 0 ? t.edge : t.set.contains(text_[at - 1])) && go(at);
        case tree::kind::sequence:
            return sequence(t, 0, at, go);
        case tree::kind::choice:
            for (const tree& c : t.children) {
                if (run(c, at, go)) return true;
            }
            return false;
        case tree::kind::repeat:
            if (t.how == tree::greed::possessive) {
                tree plain = t;
                plain.how = tree::greed::greedy;
                std::size_t end = npos;
                run(plain, at, [&](std::size_t p) {
                    end = p;
                    return true;
                });
                return end != npos && go(end);
            }
            return repeats(t, 0, at, go);
        }
        return false;
    }
    bool sequence(const tree& t, std::size_t i, std::size_t at, const next& go) {
        if (i == t.children.size()) return go(at);
        return run(t.children[i], at, [&, i](std::size_t p) { return sequence(t, i + 1, p, go); });
    }
    bool repeats(const tree& t, int count, std::size_t at, const next& go) {
        const auto more = [&] {
            return (t.most < 0 || count < t.most) && run(t.children[0], at, [&](std::size_t p) {
                       return repeats(t, count + 1, p, go);
                   });
        };
        if (count < t.least) return more();
        if (t.how == tree::greed::lazy) return go(at) || more();
        return more() || go(at);
    }

    std::u32string text_;
    int steps_ = 0;
};

} // namespace reference
