// Hash tables for building tokenizers: texts to numbers, pairs of symbols to numbers.
#pragma once

#include <kompakt/token/format.hpp>

#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// Texts to numbers. The texts must outlive the index. A slot has a part of the hash, so that a
// search looks at one text only, the right one.
class text_index {
  public:
    explicit text_index(std::size_t expected = 0) {
        grow(expected);
        entries_.reserve(expected);
    }

    // False, and nothing changed, when the text is there already.
    bool add(std::string_view text, std::uint32_t value) {
        if ((entries_.size() + 1) * 2 > slots_.size()) grow(entries_.size() * 2);
        const std::uint64_t h = hash(text);
        slot& s = find_slot(text, h);
        if (s.entry != none) return false;
        s = {static_cast<std::uint32_t>(h >> 32), static_cast<std::uint32_t>(entries_.size())};
        entries_.push_back({text, value});
        return true;
    }
    // `none` when it is not there.
    std::uint32_t find(std::string_view text) const noexcept {
        const slot& s = const_cast<text_index*>(this)->find_slot(text, hash(text));
        return s.entry != none ? entries_[s.entry].value : none;
    }
    std::size_t size() const noexcept { return entries_.size(); }

    // Many at once: the memory that the later ones need is fetched while the earlier ones are
    // compared. `text(i)` and `found(i, value)`, for i below n.
    template <class Text, class Found>
    void find_all(std::size_t n, Text&& text, Found&& found) const {
        static constexpr std::size_t ahead = 8;
        std::uint64_t hashes[2 * ahead] = {};
        for (std::size_t i = 0; i < n + 2 * ahead; ++i) {
            if (i >= 2 * ahead) {
                const std::size_t k = i - 2 * ahead;
                const std::uint64_t h = hashes[k % (2 * ahead)];
                const slot& s = const_cast<text_index*>(this)->find_slot(text(k), h);
                found(k, s.entry != none ? entries_[s.entry].value : none);
            }
            if (i < n) {
                const std::uint64_t h = hash(text(i));
                hashes[i % (2 * ahead)] = h;
                fetch(&slots_[h & (slots_.size() - 1)]);
            }
            if (i >= ahead && i - ahead < n) {
                const slot& s = slots_[hashes[(i - ahead) % (2 * ahead)] & (slots_.size() - 1)];
                if (s.entry != none) fetch(&entries_[s.entry]);
            }
        }
    }

  private:
    static void fetch(const void* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        __builtin_prefetch(p);
#else
        static_cast<void>(p);
#endif
    }
    struct slot {
        std::uint32_t part = 0, entry = none;
    };
    struct entry {
        std::string_view text;
        std::uint32_t value;
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
        for (std::size_t k = 0; i < s.size(); ++i, k += 8) {
            w |= std::uint64_t{static_cast<unsigned char>(s[i])} << k;
        }
        h = (h ^ w) * 0x165667b19e3779f9u;
        h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
        return h ^ h >> 29;
    }
    slot& find_slot(std::string_view text, std::uint64_t h) noexcept {
        const auto part = static_cast<std::uint32_t>(h >> 32);
        std::size_t i = h & (slots_.size() - 1);
        while (slots_[i].entry != none &&
               (slots_[i].part != part || entries_[slots_[i].entry].text != text)) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return slots_[i];
    }
    void grow(std::size_t expected) {
        std::size_t n = 16;
        while (n < expected * 2 + 2) n *= 2;
        slots_.assign(n, slot());
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            const std::uint64_t h = hash(entries_[k].text);
            std::size_t i = h & (n - 1);
            while (slots_[i].entry != none) i = (i + 1) & (n - 1);
            slots_[i] = {static_cast<std::uint32_t>(h >> 32), static_cast<std::uint32_t>(k)};
        }
    }
    std::vector<slot> slots_;
    std::vector<entry> entries_;
};

// Pairs to numbers.
class pair_index {
  public:
    explicit pair_index(std::size_t expected = 0) {
        while ((std::size_t{1} << shift_) < expected + expected / 2 + 2) ++shift_;
        slots_.resize(std::size_t{1} << shift_);
    }
    bool add(std::uint32_t left, std::uint32_t right, std::uint32_t value) {
        if (size_ + size_ / 2 + 2 > slots_.size()) grow();
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
