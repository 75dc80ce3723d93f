// Hash tables for building tokenizers: texts to numbers, pairs of symbols to numbers.
#pragma once

#include <kompakt/token/format.hpp>

#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// Texts to numbers. The texts must outlive the index.
class text_index {
  public:
    explicit text_index(std::size_t expected = 0) { grow(expected); }

    // False, and nothing changed, when the text is there already.
    bool add(std::string_view text, std::uint32_t value) {
        if ((size_ + 1) * 2 > slots_.size()) grow(size_ * 2);
        slot& s = find_slot(text, hash(text));
        if (s.value != none) return false;
        s = {text, value};
        ++size_;
        return true;
    }
    // `none` when it is not there.
    std::uint32_t find(std::string_view text) const noexcept {
        return const_cast<text_index*>(this)->find_slot(text, hash(text)).value;
    }
    std::size_t size() const noexcept { return size_; }

  private:
    struct slot {
        std::string_view text;
        std::uint32_t value = none;
    };
    static std::uint64_t hash(std::string_view s) noexcept {
        std::uint64_t h = s.size() * 0x9e3779b97f4a7c15u;
        std::size_t i = 0;
        for (; i + 8 <= s.size(); i += 8) {
            std::uint64_t w;
            std::memcpy(&w, s.data() + i, 8);
            h = (h ^ w) * 0xc2b2ae3d27d4eb4fu;
            h ^= h >> 29;
        }
        std::uint64_t w = 0;
        if (i != s.size()) std::memcpy(&w, s.data() + i, s.size() - i);
        h = (h ^ w) * 0x165667b19e3779f9u;
        return h ^ h >> 32;
    }
    slot& find_slot(std::string_view text, std::uint64_t h) noexcept {
        std::size_t i = h & (slots_.size() - 1);
        while (slots_[i].value != none && slots_[i].text != text) i = (i + 1) & (slots_.size() - 1);
        return slots_[i];
    }
    void grow(std::size_t expected) {
        std::size_t n = 16;
        while (n < expected * 2 + 2) n *= 2;
        std::vector<slot> old(n);
        old.swap(slots_);
        for (const slot& s : old) {
            if (s.value != none) find_slot(s.text, hash(s.text)) = s;
        }
    }
    std::vector<slot> slots_;
    std::size_t size_ = 0;
};

// Pairs to numbers.
class pair_index {
  public:
    explicit pair_index(std::size_t expected = 0) {
        while ((std::size_t{1} << shift_) < expected * 2 + 2) ++shift_;
        slots_.resize(std::size_t{1} << shift_);
    }
    bool add(std::uint32_t left, std::uint32_t right, std::uint32_t value) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        slot& s = find_slot(left, right);
        if (s.value != none) return false;
        s = {left, right, value};
        ++size_;
        return true;
    }
    std::uint32_t find(std::uint32_t left, std::uint32_t right) const noexcept {
        return const_cast<pair_index*>(this)->find_slot(left, right).value;
    }

  private:
    struct slot {
        std::uint32_t left = 0, right = 0, value = none;
    };
    slot& find_slot(std::uint32_t left, std::uint32_t right) noexcept {
        std::size_t i = slot_of(hash_pair(left, right), shift_);
        const std::size_t mask = slots_.size() - 1;
        while (slots_[i].value != none && (slots_[i].left != left || slots_[i].right != right))
            i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        ++shift_;
        std::vector<slot> old(std::size_t{1} << shift_);
        old.swap(slots_);
        for (const slot& s : old) {
            if (s.value != none) find_slot(s.left, s.right) = s;
        }
    }
    std::uint32_t shift_ = 4;
    std::vector<slot> slots_;
    std::size_t size_ = 0;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
