// Suffix arrays by induced sorting (Nong, Zhang, Chan: Two Efficient Algorithms for Linear Time
// Suffix Array Construction, 2011): linear time, no memory beyond the array, one bit and one bucket
// entry a symbol.
#pragma once

#include <kompakt/core/config.hpp>

#include <algorithm>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {
namespace detail {

class suffix_sorter {
  public:
    // Fills `sa` with the starts of the n suffixes of `s` in their order, a suffix before those
    // that it begins. Symbols are below `symbols`, n below 2^32 - 1. The recursion at least halves
    // n.
    static void sort(const std::uint32_t* s, std::uint32_t* sa, std::size_t n,
                     std::size_t symbols) {
        if (n == 0) return;
        suffix_sorter(s, sa, n, symbols).run();
    }

  private:
    static constexpr std::uint32_t none = 0xffffffff;

    suffix_sorter(const std::uint32_t* s, std::uint32_t* sa, std::size_t n, std::size_t symbols)
        : s_(s), sa_(sa), n_(n), rising_(n, false), counts_(symbols, 0), border_(symbols, 0) {
        for (std::size_t i = 0; i < n; ++i) ++counts_[s[i]];
        for (std::size_t i = n - 1; i-- > 0;) {
            rising_[i] = s[i] < s[i + 1] || (s[i] == s[i + 1] && rising_[i + 1]);
        }
    }
    // Where a falling run turns: the leftmost of a rising one.
    bool turns(std::size_t i) const { return i > 0 && rising_[i] && !rising_[i - 1]; }

    void to_begins() {
        std::uint32_t sum = 0;
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            border_[c] = sum;
            sum += counts_[c];
        }
    }
    void to_ends() {
        std::uint32_t sum = 0;
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            sum += counts_[c];
            border_[c] = sum;
        }
    }
    void induce() {
        to_begins();
        // The suffix in front of the end of the text, which is smaller than every symbol.
        sa_[border_[s_[n_ - 1]]++] = static_cast<std::uint32_t>(n_ - 1);
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t p = sa_[i];
            if (p != none && p > 0 && !rising_[p - 1]) sa_[border_[s_[p - 1]]++] = p - 1;
        }
        to_ends();
        for (std::size_t i = n_; i-- > 0;) {
            const std::uint32_t p = sa_[i];
            if (p != none && p > 0 && rising_[p - 1]) sa_[--border_[s_[p - 1]]] = p - 1;
        }
    }
    bool same_part(std::size_t a, std::size_t b) const {
        for (std::size_t k = 0;; ++k) {
            if (a + k == n_ || b + k == n_) return false;
            if (s_[a + k] != s_[b + k] || rising_[a + k] != rising_[b + k]) return false;
            if (k > 0 && turns(a + k)) return turns(b + k);
            if (k > 0 && turns(b + k)) return false;
        }
    }
    void run() {
        std::fill(sa_, sa_ + n_, none);
        to_ends();
        for (std::size_t i = 1; i < n_; ++i) {
            if (turns(i)) sa_[--border_[s_[i]]] = static_cast<std::uint32_t>(i);
        }
        induce();
        std::size_t m = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            if (turns(sa_[i])) sa_[m++] = sa_[i];
        }
        // Names for the parts between turns; two turns are at least two symbols apart.
        std::fill(sa_ + m, sa_ + n_, none);
        std::uint32_t names = 0;
        for (std::size_t i = 0; i < m; ++i) {
            if (i > 0 && !same_part(sa_[i - 1], sa_[i])) ++names;
            sa_[m + sa_[i] / 2] = names;
        }
        std::size_t at = n_;
        for (std::size_t i = n_; i-- > m;) {
            if (sa_[i] != none) sa_[--at] = sa_[i];
        }
        std::uint32_t* parts = sa_ + n_ - m;
        if (m > 0 && names + 1 < m) {
            sort(parts, sa_, m, names + 1);
        } else {
            for (std::size_t i = 0; i < m; ++i) sa_[parts[i]] = static_cast<std::uint32_t>(i);
        }
        std::size_t k = 0;
        for (std::size_t i = 1; i < n_; ++i) {
            if (turns(i)) parts[k++] = static_cast<std::uint32_t>(i);
        }
        for (std::size_t i = 0; i < m; ++i) sa_[i] = parts[sa_[i]];
        std::fill(sa_ + m, sa_ + n_, none);
        to_ends();
        for (std::size_t i = m; i-- > 0;) {
            const std::uint32_t p = sa_[i];
            sa_[i] = none;
            sa_[--border_[s_[p]]] = p;
        }
        induce();
    }

    const std::uint32_t* s_;
    std::uint32_t* sa_;
    std::size_t n_;
    std::vector<bool> rising_;
    std::vector<std::uint32_t> counts_, border_;
};

} // namespace detail

inline std::vector<std::uint32_t> suffix_array(const std::vector<std::uint32_t>& text,
                                               std::size_t symbols) {
    std::vector<std::uint32_t> sa(text.size());
    detail::suffix_sorter::sort(text.data(), sa.data(), text.size(), symbols);
    return sa;
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
