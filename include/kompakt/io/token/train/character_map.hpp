// SentencePiece's character maps: rules "these characters become those", compiled to a double-array
// trie and the texts it points to. Applied to the longest rule that fits, from left to right.
//
// The bytes: u32 size of the trie in bytes, the trie's units (u32 each, Darts-clone's layout), then
// the texts, each ended by a zero byte.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/token/unicode/utf8.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// From UTF-8 to UTF-8; what is mapped is not empty and has no zero byte.
using character_rules = std::map<std::string, std::string>;

namespace detail {

// Builds a Darts-clone double array for sorted keys with values below 2^31.
class double_array_builder {
  public:
    struct item {
        std::string_view key;
        std::uint32_t value;
    };
    // Keys sorted by bytes, each once, none empty, without zero bytes.
    std::vector<std::uint32_t> build(const std::vector<item>& items) {
        extend(0);
        take(0);
        if (!items.empty()) place(items);
        // The last block is whole, as readers look up to 255 units ahead.
        return std::move(units_);
    }

  private:
    struct range {
        std::size_t first, last, depth;
        std::uint32_t node;
    };
    void place(const std::vector<item>& items) {
        // Not recursive: a key may be long.
        std::vector<range> todo = {{0, items.size(), 0, 0}};
        std::vector<unsigned> labels;
        std::vector<std::size_t> starts;
        while (!todo.empty()) {
            const range r = todo.back();
            todo.pop_back();
            labels.clear();
            starts.clear();
            for (std::size_t i = r.first; i < r.last; ++i) {
                const std::string_view key = items[i].key;
                const unsigned c =
                    r.depth < key.size() ? static_cast<unsigned char>(key[r.depth]) : 0;
                if (labels.empty() || labels.back() != c) {
                    labels.push_back(c);
                    starts.push_back(i);
                }
            }
            starts.push_back(r.last);
            const std::uint32_t base = find_base(r.node, labels);
            const std::uint32_t offset = base ^ r.node;
            // Bit 9 says that the offset's low eight bits are zero and left out.
            units_[r.node] |= offset < (1u << 21) ? offset << 10 : (offset << 2) | (1u << 9);
            based_[base] = true;
            for (std::size_t k = 0; k < labels.size(); ++k) {
                const std::uint32_t child = base ^ labels[k];
                take(child);
                if (labels[k] == 0) {
                    units_[r.node] |= 1u << 8; // has a value
                    units_[child] = items[starts[k]].value | (1u << 31);
                } else {
                    units_[child] = labels[k];
                    todo.push_back({starts[k], starts[k + 1], r.depth + 1, child});
                }
            }
        }
    }
    std::uint32_t find_base(std::uint32_t node, const std::vector<unsigned>& labels) {
        while (first_free_ < units_.size() && taken_[first_free_]) ++first_free_;
        // A place that has failed often is given up, so that building stays fast.
        std::size_t failures = 0;
        for (std::size_t at = first_free_;; ++at) {
            if (at >= units_.size()) extend(at);
            if (taken_[at]) continue;
            const auto base = static_cast<std::uint32_t>(at ^ labels[0]);
            extend(base | 0xffu);
            const std::uint32_t offset = base ^ node;
            const bool fits =
                !based_[base] && base != node && (offset < (1u << 21) || (offset & 0xff) == 0) &&
                std::none_of(labels.begin(), labels.end(),
                             [&](unsigned c) { return static_cast<bool>(taken_[base ^ c]); });
            if (fits) return base;
            if (++failures == 2000) first_free_ = at;
        }
    }
    void extend(std::size_t unit) {
        const std::size_t size = (unit | 0xff) + 1;
        if (size <= units_.size()) return;
        units_.resize(size, 0);
        taken_.resize(size, false);
        based_.resize(size, false);
    }
    void take(std::uint32_t unit) { taken_[unit] = true; }

    std::vector<std::uint32_t> units_;
    std::vector<bool> taken_, based_;
    std::size_t first_free_ = 0;
};

} // namespace detail

// The bytes of a character map; empty for no rules.
inline std::string compile_character_map(const character_rules& rules) {
    if (rules.empty()) return {};
    std::map<std::string, std::uint32_t> places;
    std::string texts;
    for (const auto& r : rules) {
        if (places.emplace(r.second, static_cast<std::uint32_t>(texts.size())).second) {
            texts += r.second;
            texts += '\0';
        }
    }
    std::vector<detail::double_array_builder::item> items;
    for (const auto& r : rules) items.push_back({r.first, places[r.second]});
    const auto units = detail::double_array_builder().build(items);
    std::string bytes(4 + units.size() * 4, '\0');
    store_le<std::uint32_t>(&bytes[0], static_cast<std::uint32_t>(units.size() * 4));
    for (std::size_t i = 0; i < units.size(); ++i) store_le(&bytes[4 + 4 * i], units[i]);
    return bytes + texts;
}

// A character map ready to use. It keeps a copy of the bytes.
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
        m.units_.resize(trie / 4);
        for (std::size_t i = 0; i < m.units_.size(); ++i) {
            m.units_[i] = load_le<std::uint32_t>(bytes.data() + 4 + 4 * i);
        }
        m.texts_.assign(bytes.substr(4 + trie));
        m.bytes_.assign(bytes);
        for (unsigned c = 0; c < 128; ++c) {
            const char text[1] = {static_cast<char>(c)};
            std::string_view to;
            m.plain_[c] = m.longest({text, 1}, to) == 0;
        }
        return m;
    }

    // How many bytes in front of `text` a rule maps to `to`; 0 if none does.
    std::size_t longest(std::string_view text, std::string_view& to) const noexcept {
        if (units_.empty()) return 0;
        std::size_t found = 0;
        std::uint32_t value = 0;
        std::size_t node = offset(units_[0]);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto c = static_cast<unsigned char>(text[i]);
            node ^= c;
            if (node >= units_.size()) break;
            const std::uint32_t unit = units_[node];
            if ((unit & 0x800000ffu) != c || c == 0) break;
            node ^= offset(unit);
            if ((unit >> 8 & 1) != 0) {
                if (node >= units_.size()) break;
                found = i + 1;
                value = units_[node] & 0x7fffffffu;
            }
        }
        if (found != 0) {
            to = value < texts_.size() ? std::string_view(texts_.c_str() + value)
                                       : std::string_view();
        }
        return found;
    }
    // Whether an ASCII character followed by another stays what it is.
    bool plain(unsigned char c) const noexcept { return units_.empty() || plain_[c]; }
    std::string_view bytes() const noexcept { return bytes_; }

  private:
    static std::size_t offset(std::uint32_t unit) noexcept {
        return static_cast<std::size_t>(unit >> 10) << ((unit & (1u << 9)) >> 6);
    }

    std::vector<std::uint32_t> units_;
    std::string texts_, bytes_;
    bool plain_[128] = {};
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
