// The words of a training text as rows of symbols in which pairs are merged: what both kinds of
// byte-pair training work on.
#pragma once

#include <kompakt/core/status.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {
namespace detail {

// All words in one array, one slot for each symbol of the start, a border between words. A merged
// symbol stands in its first slot; its second and its last slot hold its length, so that both
// neighbours are found in constant time however long it is. A position is the number of a slot.
class merge_words {
  public:
    static constexpr std::uint32_t border = 0x7fffffff;
    static constexpr std::uint32_t mark = 0x80000000; // of slots that hold a length
    static constexpr std::size_t most_slots = 0x7ffffff0;

    merge_words() { slots_.push_back(border); }

    // Words are given one symbol after another; symbols are numbers below `border`.
    void add_symbol(std::uint32_t symbol) {
        slots_.push_back(symbol);
        word_.push_back(words_);
    }
    void end_word() {
        slots_.push_back(border);
        word_.push_back(words_);
        ++words_;
    }
    status check() const {
        if (slots_.size() <= most_slots) return {};
        return fail(errc::limit, "the distinct words have ", slots_.size(),
                    " symbols, the limit is ", most_slots);
    }

    std::uint32_t at(std::uint32_t position) const noexcept { return slots_[position]; }
    bool starts(std::uint32_t position) const noexcept { return slots_[position] < border; }
    std::uint32_t length(std::uint32_t position) const noexcept {
        const std::uint32_t next = slots_[position + 1];
        return (next & mark) != 0 ? next & ~mark : 1;
    }
    // The slot behind a symbol: that of the next one, or a border.
    std::uint32_t next(std::uint32_t position) const noexcept {
        return position + length(position);
    }
    // The slot of the symbol in front, or the border.
    std::uint32_t previous(std::uint32_t position) const noexcept {
        const std::uint32_t before = slots_[position - 1];
        return (before & mark) != 0 ? position - (before & ~mark) : position - 1;
    }
    std::uint32_t word(std::uint32_t position) const noexcept { return word_[position - 1]; }
    // Slots 1 … end() - 1; the last one is a border.
    std::uint32_t end() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }

    // The symbols at `left` and behind it become `symbol`.
    void merge(std::uint32_t left, std::uint32_t symbol) noexcept {
        const std::uint32_t right = next(left);
        const std::uint32_t n = right - left + length(right);
        slots_[right] = mark; // no symbol starts here any longer
        slots_[left] = symbol;
        slots_[left + 1] = slots_[left + n - 1] = mark | n;
    }

  private:
    std::vector<std::uint32_t> slots_, word_;
    std::uint32_t words_ = 0;
};

// Numbers for pairs of symbols, from 0 in the order in which they are first seen.
class pair_numbers {
  public:
    static constexpr std::uint64_t key(std::uint32_t left, std::uint32_t right) noexcept {
        return std::uint64_t{left} << 32 | right;
    }
    // Whether the pair is new.
    bool add(std::uint64_t pair, std::uint32_t& number) {
        if (pairs_.size() * 3 >= slots_.size() * 2) grow();
        std::size_t i = hash(pair) >> shift_;
        for (;; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i] == 0) break;
            if (pairs_[slots_[i] - 1] == pair) {
                number = slots_[i] - 1;
                return false;
            }
        }
        number = static_cast<std::uint32_t>(pairs_.size());
        slots_[i] = number + 1;
        pairs_.push_back(pair);
        return true;
    }
    std::uint64_t pair(std::uint32_t number) const noexcept { return pairs_[number]; }
    std::uint32_t left(std::uint32_t number) const noexcept {
        return static_cast<std::uint32_t>(pairs_[number] >> 32);
    }
    std::uint32_t right(std::uint32_t number) const noexcept {
        return static_cast<std::uint32_t>(pairs_[number]);
    }
    std::size_t size() const noexcept { return pairs_.size(); }

  private:
    static std::uint64_t hash(std::uint64_t pair) noexcept {
        pair *= 0x9e3779b97f4a7c15u;
        pair ^= pair >> 29;
        return pair * 0xbf58476d1ce4e5b9u;
    }
    void grow() {
        shift_ = slots_.empty() ? 64 - 12 : shift_ - 1;
        slots_.assign(std::size_t{1} << (64 - shift_), 0);
        for (std::size_t k = 0; k < pairs_.size(); ++k) {
            std::size_t i = hash(pairs_[k]) >> shift_;
            while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
            slots_[i] = static_cast<std::uint32_t>(k + 1);
        }
    }

    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> pairs_;
    int shift_ = 0;
};

// Lists of positions, one behind another in one array. Lists are dropped, and the array is packed
// when more than half of it is of dropped lists.
class position_lists {
  public:
    struct list {
        std::size_t at = 0;
        std::uint32_t count = 0;
    };
    // Sorts events (number, position) into a list for each number; within a list positions keep
    // their order. `lists[n]` is that of number n < numbers.
    void add(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& events,
             std::size_t numbers, std::vector<list>& lists) {
        lists.assign(numbers, {});
        for (const auto& e : events) ++lists[e.first].count;
        std::size_t at = positions_.size();
        for (list& l : lists) {
            l.at = at;
            at += l.count;
            l.count = 0;
        }
        positions_.resize(at);
        for (const auto& e : events) {
            list& l = lists[e.first];
            positions_[l.at + l.count++] = e.second;
        }
    }
    // Room for lists of known lengths, to be filled with `push`.
    void reserve(std::vector<list>& lists) {
        std::size_t at = positions_.size();
        for (list& l : lists) {
            l.at = at;
            at += l.count;
            l.count = 0;
        }
        positions_.resize(at);
    }
    void push(list& l, std::uint32_t position) noexcept { positions_[l.at + l.count++] = position; }

    std::uint32_t* begin(const list& l) noexcept { return positions_.data() + l.at; }
    const std::uint32_t* begin(const list& l) const noexcept { return positions_.data() + l.at; }
    void drop(const list& l) noexcept { dropped_ += l.count; }
    bool wants_packing() const noexcept {
        return dropped_ > (std::size_t{1} << 16) && dropped_ > positions_.size() / 2;
    }
    // `lists` gives f every list that is still in use, to be moved in the order of `at`.
    template <class ForEachList>
    void pack(ForEachList&& lists) {
        std::vector<list*> all;
        lists([&](list& l) { all.push_back(&l); });
        std::sort(all.begin(), all.end(),
                  [](const list* a, const list* b) { return a->at < b->at; });
        std::size_t to = 0;
        for (list* l : all) {
            std::copy(positions_.begin() + static_cast<std::ptrdiff_t>(l->at),
                      positions_.begin() + static_cast<std::ptrdiff_t>(l->at + l->count),
                      positions_.begin() + static_cast<std::ptrdiff_t>(to));
            l->at = to;
            to += l->count;
        }
        positions_.resize(to);
        dropped_ = 0;
    }

  private:
    std::vector<std::uint32_t> positions_;
    std::size_t dropped_ = 0;
};

} // namespace detail
} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
