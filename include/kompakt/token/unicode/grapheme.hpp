// Extended grapheme clusters (UAX #29, Unicode 16.0).
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/token/unicode/grapheme_table.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

namespace detail {
// The numbers in the generated table.
enum class cluster_class : std::uint8_t {
    other,
    cr,
    lf,
    control,
    extend, // which also is InCB=Extend
    zwj,
    regional_indicator,
    prepend,
    spacing_mark,
    l,
    v,
    t,
    lv,
    lvt,
    consonant,   // other, and InCB=Consonant
    linker,      // extend, and InCB=Linker
    pictograph,  // other, and Extended_Pictographic
    plain_extend // extend without InCB
};
} // namespace detail

// Decides at each character whether a cluster begins there, from what came before: constant state.
class grapheme_breaker {
  public:
    // Whether there is a boundary between the character before and `c`. True for the first.
    constexpr bool operator()(char32_t c) noexcept {
        using k = detail::cluster_class;
        const k now = static_cast<k>(detail::grapheme_trie(c));
        const bool is_boundary = boundary(now);
        // GB11: a pictograph, then only Extend, then ZWJ.
        const bool extends = now == k::extend || now == k::linker || now == k::plain_extend;
        if (now == k::pictograph) {
            picture_ = picture::seen;
        } else if (now == k::zwj && picture_ == picture::seen) {
            picture_ = picture::joined;
        } else if (!(extends && picture_ == picture::seen)) {
            picture_ = picture::none;
        }
        // GB9c: a consonant, then only linkers and InCB=Extend, at least one linker.
        if (now == k::consonant) {
            conjunct_ = conjunct::consonant;
        } else if (conjunct_ != conjunct::none) {
            if (now == k::linker) {
                conjunct_ = conjunct::linked;
            } else if (now != k::extend && now != k::zwj) {
                conjunct_ = conjunct::none;
            }
        }
        odd_indicator_ = now == k::regional_indicator && (is_boundary || !odd_indicator_);
        before_ = now;
        first_ = false;
        return is_boundary;
    }

  private:
    enum class picture : std::uint8_t { none, seen, joined };
    enum class conjunct : std::uint8_t { none, consonant, linked };

    constexpr bool boundary(detail::cluster_class now) const noexcept {
        using k = detail::cluster_class;
        if (first_) return true;                                                        // GB1
        if (before_ == k::cr && now == k::lf) return false;                             // GB3
        if (before_ == k::cr || before_ == k::lf || before_ == k::control) return true; // GB4
        if (now == k::cr || now == k::lf || now == k::control) return true;             // GB5
        if (before_ == k::l && (now == k::l || now == k::v || now == k::lv || now == k::lvt)) {
            return false; // GB6
        }
        if ((before_ == k::lv || before_ == k::v) && (now == k::v || now == k::t)) return false;
        if ((before_ == k::lvt || before_ == k::t) && now == k::t) return false; // GB8
        if (now == k::extend || now == k::linker || now == k::plain_extend || now == k::zwj ||
            now == k::spacing_mark || before_ == k::prepend) {
            return false; // GB9, GB9a, GB9b
        }
        if (now == k::consonant && conjunct_ == conjunct::linked) return false; // GB9c
        if (now == k::pictograph && picture_ == picture::joined) return false;  // GB11
        if (now == k::regional_indicator && odd_indicator_) return false;       // GB12
        return true;
    }

    detail::cluster_class before_ = detail::cluster_class::other;
    picture picture_ = picture::none;
    conjunct conjunct_ = conjunct::none;
    bool odd_indicator_ = false; // an odd number of regional indicators ends just before
    bool first_ = true;
};

// The end of the cluster that starts at byte `at` < text.size(). Bad UTF-8 counts as U+FFFD.
inline std::size_t next_grapheme(text_view text, std::size_t at) noexcept {
    const char* p = text.data() + at;
    const char* const last = text.data() + text.size();
    // ASCII before ASCII needs no table: only CR LF stays together.
    if (last - p >= 2 && static_cast<std::uint8_t>(p[0]) < 0x80 &&
        static_cast<std::uint8_t>(p[1]) < 0x80) {
        return at + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
    }
    grapheme_breaker breaks;
    while (p != last) {
        const utf8_character d = decode_utf8(p, last);
        if (breaks(d.code_point) && p != text.data() + at) break;
        p += d.length;
    }
    return static_cast<std::size_t>(p - text.data());
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
