// SentencePiece's character maps: rules "these characters become those", compiled to a double-array
// trie and the texts it points to. Applied to the longest rule that fits, from left to right.
//
// The bytes: u32 size of the trie in bytes, the trie's units (u32 each, Darts-clone's layout), then
// the texts, each ended by a zero byte.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/token/charsmap.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

namespace detail {

// Builds a double array in Darts-clone's layout for sorted keys with values below 2^31. Equal
// subtrees are stored once, which is what keeps maps of hundreds of thousands of rules small.
class double_array_builder {
  public:
    // Keys in the order of their bytes, each once, none empty, without zero bytes.
    void add(std::string_view key, std::uint32_t value) {
        std::size_t common = 0;
        while (common < key.size() && common < last_.size() && key[common] == last_[common]) {
            ++common;
        }
        close(common);
        if (open_.empty()) open_.emplace_back();
        for (std::size_t i = common; i < key.size(); ++i) open_.emplace_back();
        open_.back().push_back({0, value});
        last_ = key;
    }
    std::vector<std::uint32_t> build() {
        close(0);
        extend(0);
        taken_[0] = true;
        if (!open_.empty()) {
            const std::uint32_t root = number_of(open_[0]);
            bases_.assign(states_.size(), 0);
            place(root);
        }
        return std::move(units_);
    }

  private:
    // Where a character leads: to a state, or for label 0 the value.
    struct step {
        std::uint32_t label, to;
        bool operator==(const step& o) const noexcept { return label == o.label && to == o.to; }
    };
    using state = std::vector<step>;

    // Finishes the states of the last key beyond its first `depth` characters.
    void close(std::size_t depth) {
        while (last_.size() > depth) {
            const std::uint32_t n = number_of(open_.back());
            open_.pop_back();
            open_.back().push_back({static_cast<unsigned char>(last_.back()), n});
            last_.pop_back();
        }
    }
    std::uint32_t number_of(state& s) {
        std::uint64_t h = s.size();
        for (const step& x : s) {
            h = (h ^ (std::uint64_t{x.to} << 8 | x.label)) * 0x9e3779b97f4a7c15u;
            h ^= h >> 32;
        }
        auto range = numbers_.equal_range(h);
        for (auto it = range.first; it != range.second; ++it) {
            if (states_[it->second] == s) return it->second;
        }
        const auto n = static_cast<std::uint32_t>(states_.size());
        states_.push_back(std::move(s));
        numbers_.emplace(h, n);
        return n;
    }

    void place(std::uint32_t root) {
        // States with their first parent's unit; all parents of a state are near enough to it as
        // long as the array has less than 2^21 units.
        struct link {
            std::uint32_t state, unit;
        };
        std::vector<link> todo = {{root, 0}};
        while (!todo.empty()) {
            const link l = todo.back();
            todo.pop_back();
            const state& s = states_[l.state];
            std::uint32_t& base = bases_[l.state];
            const bool known = base != 0;
            if (!known || !reaches(l.unit, base)) {
                base = find_base(l.unit, s);
                based_[base] = true;
                for (const step& x : s) {
                    const std::uint32_t unit = base ^ x.label;
                    taken_[unit] = true;
                    units_[unit] = x.label == 0 ? x.to | (1u << 31) : x.label;
                    if (x.label != 0) todo.push_back({x.to, unit});
                }
            }
            const std::uint32_t offset = base ^ l.unit;
            // Bit 9 says that the offset's low eight bits are zero and left out; bit 8 that there
            // is a value.
            units_[l.unit] |= offset < (1u << 21) ? offset << 10 : (offset << 2) | (1u << 9);
            if (s[0].label == 0) units_[l.unit] |= 1u << 8;
        }
    }
    static bool reaches(std::uint32_t unit, std::uint32_t base) noexcept {
        const std::uint32_t offset = base ^ unit;
        return offset != 0 && (offset < (1u << 21) || (offset & 0xff) == 0);
    }
    std::uint32_t find_base(std::uint32_t unit, const state& s) {
        // Places that have failed often are given up, so that building stays fast.
        std::size_t failures = 0;
        for (std::size_t at = next_free(first_free_);; at = next_free(at + 1)) {
            if (at >= units_.size()) extend(at);
            const auto base = static_cast<std::uint32_t>(at ^ s[0].label);
            extend(base | 0xffu);
            // 0 says that a state has no place yet.
            if (base != 0 && !based_[base] && reaches(unit, base) &&
                std::none_of(s.begin(), s.end(), [&](const step& x) {
                    return static_cast<bool>(taken_[base ^ x.label]);
                })) {
                return base;
            }
            if (++failures == 256) first_free_ = at;
        }
    }
    // The first free unit from `at` on, perhaps behind the end. `skip_` shortens the way.
    std::size_t next_free(std::size_t at) {
        std::size_t free = at;
        while (free < units_.size() && taken_[free]) free = skip_[free];
        while (at < free && at < units_.size() && taken_[at]) {
            const std::size_t next = skip_[at];
            skip_[at] = static_cast<std::uint32_t>(free);
            at = next;
        }
        return free;
    }
    // Whole blocks of 256, as readers may look up any label behind a base.
    void extend(std::size_t unit) {
        const std::size_t size = (unit | 0xff) + 1;
        if (size <= units_.size()) return;
        units_.resize(size, 0);
        taken_.resize(size, false);
        based_.resize(size, false);
        for (std::size_t i = skip_.size(); i < size; ++i) {
            skip_.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }

    std::string last_;
    std::vector<state> open_; // of the last key, by depth
    std::vector<state> states_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> numbers_;
    std::vector<std::uint32_t> bases_, units_, skip_;
    std::vector<bool> taken_, based_;
    std::size_t first_free_ = 0;
};

} // namespace detail

// Makes the bytes of a character map from rules.
class character_map_compiler {
  public:
    // In the order of the bytes of `from`, each once, not empty and without zero bytes.
    void add(const std::string& from, const std::string& to) {
        const auto place = places_.emplace(to, static_cast<std::uint32_t>(texts_.size()));
        if (place.second) {
            texts_ += to;
            texts_ += '\0';
        }
        trie_.add(from, place.first->second);
    }
    // Empty for no rules.
    std::string compile() {
        if (texts_.empty()) return {};
        const auto units = trie_.build();
        std::string bytes(4 + units.size() * 4, '\0');
        store_le<std::uint32_t>(&bytes[0], static_cast<std::uint32_t>(units.size() * 4));
        for (std::size_t i = 0; i < units.size(); ++i) store_le(&bytes[4 + 4 * i], units[i]);
        return bytes + texts_;
    }

  private:
    detail::double_array_builder trie_;
    std::unordered_map<std::string, std::uint32_t> places_;
    std::string texts_;
};

// A character map ready to use. Copies share the bytes.
class character_map {
  public:
    character_map() = default; // maps nothing

    static result<character_map> read(std::string_view bytes) {
        character_map m;
        if (bytes.empty()) return m;
        if (bytes.size() < 5) return fail(errc::bad_file, "character map: is cut");
        const std::size_t trie = load_le<std::uint32_t>(bytes.data());
        if (trie % 4 != 0 || trie < 1024 || trie >= bytes.size() - 4) {
            return fail(errc::bad_file, "character map: the trie has ", trie, " bytes, the map ",
                        bytes.size());
        }
        if (bytes.back() != '\0') {
            return fail(errc::bad_file, "character map: the last text is not ended");
        }
        m.bytes_ = std::make_shared<const std::string>(bytes);
        m.view_ =
            token::charsmap_view(as_bytes(span<const char>(m.bytes_->data(), m.bytes_->size())));
        m.kept_ = m.view_.kept();
        return m;
    }

    // How many bytes in front of `text` a rule maps to `to`; 0 if none does.
    std::size_t longest(std::string_view text, std::string_view& to) const noexcept {
        text_view found;
        const std::size_t n = view_.match(text.data(), text.size(), true, found);
        if (n != 0) to = {found.data(), found.size()};
        return n;
    }
    // Whether an ASCII character followed by another stays what it is.
    bool plain(unsigned char c) const noexcept { return view_.empty() || kept_.has(c); }

  private:
    std::shared_ptr<const std::string> bytes_;
    token::charsmap_view view_;
    token::ascii_set kept_;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
