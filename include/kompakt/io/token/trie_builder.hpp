// Builds the double array that trie_view (token/format.hpp) reads.
#pragma once

#include <kompakt/token/format.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct trie_key {
    std::string_view text;
    std::uint32_t value;
};

class trie_builder {
  public:
    static constexpr std::uint32_t value_limit = (1u << 24) - 2, node_limit = 1u << 24;

    // The texts, each once and none empty, become units. Sorts the keys.
    status build(std::vector<trie_key>& keys) {
        units_.clear();
        sort(keys);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (keys[i].text.empty()) return fail(errc::bad_file, "vocabulary: an empty text");
            if (keys[i].value > value_limit)
                return fail(errc::limit, "vocabulary: id ", keys[i].value, " is beyond ",
                            value_limit);
            if (i != 0 && keys[i - 1].text == keys[i].text) {
                return fail(errc::bad_file, "vocabulary: \"", keys[i].text, "\" is there twice");
            }
        }
        if (keys.empty()) return {};
        add_block();
        take(0);
        units_[0] = 0;
        struct range {
            std::size_t first, last, depth;
            std::uint32_t node;
        };
        std::vector<range> open{{0, keys.size(), 0, 0}};
        std::vector<std::uint8_t> labels;
        std::vector<range> children;
        while (!open.empty()) {
            const range r = open.back();
            open.pop_back();
            labels.clear();
            children.clear();
            std::size_t i = r.first;
            if (keys[i].text.size() == r.depth) {
                units_[r.node] |= std::uint64_t{keys[i].value + 1} << 32;
                ++i;
            }
            while (i != r.last) {
                const auto label = static_cast<std::uint8_t>(keys[i].text[r.depth]);
                std::size_t j = i + 1;
                while (j != r.last && static_cast<std::uint8_t>(keys[j].text[r.depth]) == label)
                    ++j;
                labels.push_back(label);
                children.push_back({i, j, r.depth + 1, 0});
                i = j;
            }
            if (labels.empty()) continue;
            const std::uint32_t offset = place(labels);
            if (offset + 256 > node_limit)
                return fail(errc::limit, "vocabulary: too many texts for one table");
            units_[r.node] |= std::uint64_t{offset} << 8;
            for (std::size_t k = 0; k < labels.size(); ++k) {
                const std::uint32_t child = offset ^ labels[k];
                take(child);
                units_[child] = trie_view::used | labels[k];
                children[k].node = child;
            }
            for (std::size_t k = children.size(); k-- > 0;) open.push_back(children[k]);
        }
        return {};
    }

    // Little-endian units; the last ones that nothing uses are left out.
    std::vector<std::byte> bytes() const {
        std::size_t n = units_.size();
        while (n > 1 && !taken_[n - 1]) --n;
        if (units_.empty()) n = 0;
        std::vector<std::byte> out(n * 8);
        for (std::size_t i = 0; i < n; ++i) store_le<std::uint64_t>(out.data() + i * 8, units_[i]);
        return out;
    }

  private:
    // By the bytes of the texts. Most comparisons need the first eight bytes only, which are kept
    // beside the key's number: the texts lie scattered in memory.
    static void sort(std::vector<trie_key>& keys) {
        struct place {
            std::uint64_t front;
            std::uint32_t key;
        };
        std::vector<place> order(keys.size());
        for (std::uint32_t i = 0; i < keys.size(); ++i) {
            const std::string_view t = keys[i].text;
            std::uint64_t front = 0;
            for (std::size_t k = 0; k < 8; ++k)
                front = front << 8 | (k < t.size() ? static_cast<std::uint8_t>(t[k]) : 0u);
            order[i] = {front, i};
        }
        std::sort(order.begin(), order.end(), [&](const place& a, const place& b) {
            return a.front != b.front ? a.front < b.front : keys[a.key].text < keys[b.key].text;
        });
        std::vector<trie_key> sorted;
        sorted.reserve(keys.size());
        for (const place& x : order) sorted.push_back(keys[x.key]);
        keys = std::move(sorted);
    }

    // Free units are a ring through next_ and previous_; old blocks leave it, so that a search
    // never looks at more than a few blocks.
    static constexpr std::uint32_t searched_blocks = 24;

    void add_block() {
        const auto first = static_cast<std::uint32_t>(units_.size());
        units_.resize(first + 256, 0);
        taken_.resize(first + 256, false);
        used_offset_.resize(first + 256, false);
        next_.resize(first + 256, none);
        previous_.resize(first + 256, none);
        for (std::uint32_t i = first; i < first + 256; ++i) {
            previous_[i] = tail_;
            next_[i] = none;
            if (tail_ != none)
                next_[tail_] = i;
            else
                head_ = i;
            tail_ = i;
        }
        if (first / 256 >= searched_blocks) {
            const std::uint32_t old = first / 256 - searched_blocks;
            for (std::uint32_t i = old * 256; i < old * 256 + 256; ++i) {
                if (!taken_[i] && !gone(i)) unlink(i);
            }
            oldest_ = old + 1;
        }
    }
    bool gone(std::uint32_t i) const noexcept { return i / 256 < oldest_; }
    void unlink(std::uint32_t i) {
        if (previous_[i] != none)
            next_[previous_[i]] = next_[i];
        else
            head_ = next_[i];
        if (next_[i] != none)
            previous_[next_[i]] = previous_[i];
        else
            tail_ = previous_[i];
    }
    void take(std::uint32_t i) {
        if (!gone(i)) unlink(i);
        taken_[i] = true;
    }
    std::uint32_t place(const std::vector<std::uint8_t>& labels) {
        for (std::uint32_t i = head_; i != none; i = next_[i]) {
            const std::uint32_t offset = i ^ labels[0];
            // Two nodes with one offset would have each other's children.
            if (offset == 0 || used_offset_[offset]) continue;
            bool fits = true;
            for (std::size_t k = 1; fits && k < labels.size(); ++k)
                fits = !taken_[offset ^ labels[k]];
            if (!fits) continue;
            used_offset_[offset] = true;
            return offset;
        }
        const auto first = static_cast<std::uint32_t>(units_.size());
        add_block();
        used_offset_[first] = true;
        return first;
    }

    std::vector<std::uint64_t> units_;
    std::vector<bool> taken_, used_offset_;
    std::vector<std::uint32_t> next_, previous_;
    std::uint32_t head_ = none, tail_ = none, oldest_ = 0;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
