// Dimensions and shapes. A dimension is a number or a named symbol that `bind` turns into a number.
#pragma once

#include <kompakt/core/checked.hpp>
#include <kompakt/core/status.hpp>

#include <string>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class dim {
  public:
    dim(std::int64_t value = 1) noexcept : value_(value) {}
    static dim named(std::string symbol) {
        dim d(-1);
        d.symbol_ = std::move(symbol);
        return d;
    }

    bool known() const noexcept { return symbol_.empty(); }
    std::int64_t value() const noexcept {
        KOMPAKT_ASSERT(known(), "dim: a symbol has no value; bind it first");
        return value_;
    }
    const std::string& symbol() const noexcept { return symbol_; }
    std::string text() const { return known() ? std::to_string(value_) : symbol_; }

    friend bool operator==(const dim& a, const dim& b) noexcept {
        return a.symbol_ == b.symbol_ && (!a.known() || a.value_ == b.value_);
    }
    friend bool operator!=(const dim& a, const dim& b) noexcept { return !(a == b); }

  private:
    std::int64_t value_;
    std::string symbol_;
};

using shape = std::vector<dim>;

inline bool is_known(const shape& s) noexcept {
    for (const dim& d : s) {
        if (!d.known()) return false;
    }
    return true;
}

inline std::string text_of(const shape& s) {
    std::string out = "[";
    for (std::size_t i = 0; i < s.size(); ++i) out += (i != 0 ? ", " : "") + s[i].text();
    return out + "]";
}

// The number of elements of a known shape; at most 2^31 - 1, as kernels count in int32.
inline result<std::size_t> element_count(const shape& s) {
    std::uint64_t n = 1;
    for (const dim& d : s) {
        if (!d.known()) return fail(errc::bad_argument, "dimension ", d.symbol(), " is not bound");
        if (d.value() < 0 || !checked_mul(n, static_cast<std::uint64_t>(d.value()), n) ||
            n > INT32_MAX) {
            return fail(errc::limit, "shape ", text_of(s), " has more than 2147483647 elements");
        }
    }
    return static_cast<std::size_t>(n);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
