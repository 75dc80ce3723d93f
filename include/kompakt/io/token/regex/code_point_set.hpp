// A set of code points as runs in order: what a character class denotes while a pattern is read.
#pragma once

#include <kompakt/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

class code_point_set {
  public:
    struct range {
        char32_t first, last;
    };
    static constexpr char32_t end = 0x110000; // behind the last code point

    code_point_set() = default;
    code_point_set(char32_t first, char32_t last) { add(first, last); }

    static code_point_set all() { return {0, end - 1}; }

    // In order, neither touching nor overlapping.
    const std::vector<range>& ranges() const noexcept {
        normalize();
        return ranges_;
    }
    bool empty() const noexcept { return ranges_.empty(); }

    void add(char32_t first, char32_t last) {
        if (!ranges_.empty() && first <= ranges_.back().last) is_sorted_ = false;
        if (!ranges_.empty() && is_sorted_ && first == ranges_.back().last + 1) {
            ranges_.back().last = last;
        } else {
            ranges_.push_back({first, last});
        }
    }
    void add(char32_t c) { add(c, c); }
    void add(const code_point_set& other) {
        if (other.ranges_.empty()) return;
        ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
        is_sorted_ = false;
    }

    bool contains(char32_t c) const noexcept {
        normalize();
        const auto behind =
            std::upper_bound(ranges_.begin(), ranges_.end(), c,
                             [](char32_t value, const range& r) { return value < r.first; });
        return behind != ranges_.begin() && c <= (behind - 1)->last;
    }

    code_point_set complement() const {
        normalize();
        code_point_set out;
        char32_t next = 0;
        for (const range& r : ranges_) {
            if (r.first > next) out.ranges_.push_back({next, r.first - 1});
            next = r.last + 1;
        }
        if (next < end) out.ranges_.push_back({next, end - 1});
        return out;
    }
    code_point_set intersection(const code_point_set& other) const {
        normalize();
        other.normalize();
        code_point_set out;
        std::size_t i = 0, j = 0;
        while (i < ranges_.size() && j < other.ranges_.size()) {
            const range &a = ranges_[i], &b = other.ranges_[j];
            const char32_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
            if (first <= last) out.ranges_.push_back({first, last});
            if (a.last < b.last) {
                ++i;
            } else {
                ++j;
            }
        }
        return out;
    }

    friend bool operator==(const code_point_set& a, const code_point_set& b) noexcept {
        a.normalize();
        b.normalize();
        return std::equal(
            a.ranges_.begin(), a.ranges_.end(), b.ranges_.begin(), b.ranges_.end(),
            [](const range& x, const range& y) { return x.first == y.first && x.last == y.last; });
    }

  private:
    // Sorting waits until somebody looks, so that many sets can be added up cheaply.
    void normalize() const noexcept {
        if (is_sorted_) return;
        std::sort(ranges_.begin(), ranges_.end(),
                  [](const range& a, const range& b) { return a.first < b.first; });
        std::size_t n = 0;
        for (const range& r : ranges_) {
            if (n != 0 && r.first <= ranges_[n - 1].last + 1) {
                ranges_[n - 1].last = std::max(ranges_[n - 1].last, r.last);
            } else {
                ranges_[n++] = r;
            }
        }
        ranges_.resize(n);
        is_sorted_ = true;
    }

    mutable std::vector<range> ranges_;
    mutable bool is_sorted_ = true;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
