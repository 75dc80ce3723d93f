// Byte-pair encoding of one word, exactly as by repeatedly joining the pair of neighbours with the
// lowest rank, the leftmost of equals.
//
// Short words are joined in place by scanning. Longer ones go through a heap. Words beyond the
// workspace go through windows, which rests on two facts about this procedure:
//   - a text between two token borders is tokenized the same alone (no join crosses a border, so
//     joins inside happen in the same order), and
//   - a sequence of tokens is the tokenization of its text if every two neighbours are the
//     tokenization of theirs (the first join across a border would happen in the neighbours' text
//     too).
// So the tokens of a window are kept up to some border, the next window starts there, and one look
// at the two tokens around the border tells whether both windows are right. If not, an earlier
// border is tried. Memory is the window's, time is linear.
#pragma once

#include <kompakt/token/format.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// Symbols that stand for text without a symbol of its own.
inline constexpr std::uint32_t symbol_unknown = 0x7ffffff0u;

// Where joining happens: arrays of one size, the caller's.
struct bpe_window {
    std::uint32_t* symbol = nullptr;
    std::uint32_t* at = nullptr;        // byte where the symbol starts, from the window's start
    std::uint32_t* candidate = nullptr; // rank of the join with the next symbol, or none
    // Only for the heap; null where there is only room for scanning.
    std::uint32_t* previous = nullptr;
    std::uint32_t* next = nullptr;
    std::uint64_t* heap = nullptr; // 2 * size
    std::uint32_t size = 0;        // symbols

    static constexpr std::size_t scan_bytes = 12, heap_bytes = 36; // a symbol
};

class bpe {
  public:
    static constexpr std::uint32_t scan_limit = 128; // symbols; beyond, the heap is faster

    bpe() = default;
    explicit bpe(const tables& t) noexcept
        : merges_(t.data(section::merges)), slots_(t.data(section::merge_slots)),
          left_lengths_(t.data(section::left_lengths)), ranks_(t.data(section::ranks)),
          base_bytes_(t.data(section::base_bytes)),
          base_chars_(t.has(section::base_chars) ? t.data(section::base_chars) : nullptr),
          shift_(t.header().merge_shift), char_shift_(t.header().char_shift),
          probes_(t.header().probes), symbols_(t.header().symbols), flags_(t.header().flags),
          has_merges_(t.has(section::merges)), has_slots_(t.has(section::merge_slots)),
          first_tied_(t.has(section::ranks) ? t.header().first_tied : none),
          has_base_bytes_(t.has(section::base_bytes)),
          byte_pairs_(t.has(section::byte_pairs) && t.has(section::base_bytes)
                          ? t.data(section::byte_pairs)
                          : nullptr),
          frozen_(t.blob(t.header().frozen_at, t.header().frozen_bytes)) {}

    // The symbol that two neighbours join to, or none.
    std::uint32_t join(const tables& t, std::uint32_t left, std::uint32_t right) const noexcept {
        if (has_merges_) return wide_table{merges_, shift_, probes_}(left, right);
        return has_slots_ ? join_compact(t, left, right) : none;
    }
    // Symbols are numbered by rank; where ranks are equal it is the first number of them.
    std::uint32_t rank(std::uint32_t symbol) const noexcept {
        return symbol < first_tied_ || symbol >= symbols_
                   ? symbol
                   : load_le<std::uint32_t>(ranks_ + std::size_t{symbol} * 4);
    }

    // Joins all that can be joined among the first n symbols; gives how many are left. `first`:
    // ranks of the joins of neighbours are in w.candidate already.
    std::uint32_t scan(const tables& t, const bpe_window& w, std::uint32_t n,
                       bool first = false) const noexcept {
        if (n < 2) return n;
        if (n > small_limit) return scan_long(t, w, n);
        if (has_merges_) {
            return scan_small(wide_table{merges_, shift_, probes_}, w, n, first);
        }
        return scan_small([&](std::uint32_t l, std::uint32_t r) { return join(t, l, r); }, w, n,
                          first);
    }

    std::uint32_t by_heap(const tables& t, const bpe_window& w, std::uint32_t n) const noexcept {
        if (n < 2) return n;
        heap h{w.heap, 0};
        for (std::uint32_t i = 0; i < n; ++i) {
            w.previous[i] = i - 1; // none in front of the first
            w.next[i] = i + 1 < n ? i + 1 : none;
            w.candidate[i] = i + 1 < n ? joined_rank(t, w.symbol[i], w.symbol[i + 1]) : none;
            if (w.candidate[i] != none) h.append(w.candidate[i], i);
        }
        h.order();
        while (h.size != 0) {
            const std::uint64_t top = h.pop();
            const auto i = static_cast<std::uint32_t>(top);
            // Entries are not removed when their symbols change; they no longer agree then.
            if (w.candidate[i] != static_cast<std::uint32_t>(top >> 32)) continue;
            const std::uint32_t j = w.next[i], k = w.next[j];
            const auto joined = static_cast<std::uint32_t>(top >> 32);
            w.symbol[i] = joined < first_tied_ ? joined : join(t, w.symbol[i], w.symbol[j]);
            w.candidate[j] = none;
            w.symbol[j] = none;
            w.next[i] = k;
            w.candidate[i] = none;
            if (k != none) {
                w.previous[k] = i;
                w.candidate[i] = joined_rank(t, w.symbol[i], w.symbol[k]);
                if (w.candidate[i] != none) h.push(w.candidate[i], i);
            }
            const std::uint32_t p = w.previous[i];
            if (p != none) {
                w.candidate[p] = joined_rank(t, w.symbol[p], w.symbol[i]);
                if (w.candidate[p] != none) h.push(w.candidate[p], p);
            }
        }
        std::uint32_t left = 0;
        for (std::uint32_t i = 0; i != none; i = w.next[i]) {
            w.symbol[left] = w.symbol[i];
            w.at[left++] = w.at[i];
        }
        return left;
    }

    std::uint32_t all(const tables& t, const bpe_window& w, std::uint32_t n,
                      bool first = false) const noexcept {
        return n <= scan_limit || w.heap == nullptr ? scan(t, w, n, first) : by_heap(t, w, n);
    }

    // Whether `read_ranked` can be used.
    bool has_byte_pairs() const noexcept { return byte_pairs_ != nullptr; }
    // All of a byte-level word that has 1 to scan_limit bytes and fits into the window: its symbols
    // and the ranks of their joins. False if a byte has no symbol.
    bool read_ranked(text_view word, const bpe_window& w) const noexcept {
        const auto* p = reinterpret_cast<const std::uint8_t*>(word.data());
        const auto n = static_cast<std::uint32_t>(word.size());
        std::uint32_t bad = 0, before = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const auto s = load_le<std::uint32_t>(base_bytes_ + 4 * std::size_t{p[i]});
            bad |= s;
            w.symbol[i] = s;
            w.at[i] = i;
            if (i != 0) {
                w.candidate[i - 1] =
                    load_le<std::uint32_t>(byte_pairs_ + 4 * (std::size_t{before} << 8 | p[i]));
            }
            before = p[i];
        }
        return bad >> 31 == 0;
    }

    // Reads symbols of the word from byte `from` on into the window until it is full, the word ends
    // or byte `to` is reached; gives their number, and the byte behind them in `from`. A run of
    // unknown characters that is one symbol is never cut.
    std::uint32_t read(const tables& t, text_view word, std::size_t& from, std::size_t to,
                       const bpe_window& w) const noexcept {
        return (flags_ & flag_byte_level) != 0 ? read_bytes(t, word, from, to, w)
                                               : read_chars(t, word, from, to, w);
    }

  private:
    struct heap {
        std::uint64_t* entry;
        std::uint32_t size;

        void append(std::uint32_t rank, std::uint32_t i) noexcept {
            entry[size++] = std::uint64_t{rank} << 32 | i;
        }
        void order() noexcept {
            for (std::uint32_t i = size / 2; i-- > 0;) down(i, entry[i]);
        }
        void push(std::uint32_t rank, std::uint32_t where) noexcept {
            const std::uint64_t e = std::uint64_t{rank} << 32 | where;
            std::uint32_t i = size++;
            while (i != 0 && e < entry[(i - 1) / 2]) {
                entry[i] = entry[(i - 1) / 2];
                i = (i - 1) / 2;
            }
            entry[i] = e;
        }
        std::uint64_t pop() noexcept {
            const std::uint64_t top = entry[0];
            if (--size != 0) down(0, entry[size]);
            return top;
        }
        void down(std::uint32_t i, std::uint64_t e) noexcept {
            for (;;) {
                std::uint32_t child = 2 * i + 1;
                if (child >= size) break;
                if (child + 1 < size && entry[child + 1] < entry[child]) ++child;
                if (e <= entry[child]) break;
                entry[i] = entry[child];
                i = child;
            }
            entry[i] = e;
        }
    };

    // The table of merges as it is used most.
    struct wide_table {
        const std::byte* entries;
        std::uint32_t shift, probes;

        std::uint32_t operator()(std::uint32_t left, std::uint32_t right) const noexcept {
            if ((left | right) >> 21 != 0) return none;
            const std::uint64_t key = std::uint64_t{left} << 21 | right;
            const std::uint32_t mask = (1u << shift) - 1;
            std::uint32_t slot = slot_of(hash_pair(left, right), shift);
            for (std::uint32_t i = 0; i <= probes; ++i) {
                const auto entry = load_le<std::uint64_t>(entries + std::size_t{slot} * 8);
                if (entry >> 21 == key) return static_cast<std::uint32_t>(entry) & 0x1fffffu;
                if (entry == ~std::uint64_t{0}) return none;
                slot = (slot + 1) & mask;
            }
            return none;
        }
    };

    // Up to 256 symbols. A candidate is its rank with its place in the low bits, so that the
    // smallest one is the leftmost of the lowest rank; symbols that are gone leave holes.
    static constexpr std::uint32_t small_limit = 256;
    template <class Join>
    std::uint32_t scan_small(Join&& join_of, const bpe_window& w, std::uint32_t n,
                             bool first) const noexcept {
        const auto rank_of = [&](std::uint32_t l, std::uint32_t r) {
            const std::uint32_t s = join_of(l, r);
            return s < first_tied_ ? s : rank(s);
        };
        static constexpr std::uint32_t hole = 0x7fffffffu;
        std::uint32_t* const symbol = w.symbol;
        std::uint32_t* const key = w.candidate;
        std::uint8_t previous[small_limit], next[small_limit];
        const auto key_of = [](std::uint32_t rank, std::uint32_t i) {
            return rank == none ? hole : rank << 8 | i;
        };
        for (std::uint32_t i = 0; i + 1 < n; ++i) {
            key[i] = key_of(first ? key[i] : rank_of(symbol[i], symbol[i + 1]), i);
            next[i] = static_cast<std::uint8_t>(i + 1);
            previous[i + 1] = static_cast<std::uint8_t>(i);
        }
        key[n - 1] = hole;
        std::uint32_t last = n - 1, left = n; // the last symbol, how many there are
        for (;;) {
            // Four at a time: none waits for the other.
            std::uint32_t a = hole, b = hole, c = hole, d = hole, i = 0;
            for (; i + 4 <= n; i += 4) {
                a = key[i] < a ? key[i] : a;
                b = key[i + 1] < b ? key[i + 1] : b;
                c = key[i + 2] < c ? key[i + 2] : c;
                d = key[i + 3] < d ? key[i + 3] : d;
            }
            for (; i < n; ++i) a = key[i] < a ? key[i] : a;
            a = a < b ? a : b;
            c = c < d ? c : d;
            a = a < c ? a : c;
            if (a == hole) break;
            i = a & 0xff;
            const std::uint32_t j = next[i];
            const std::uint32_t joined =
                a >> 8 < first_tied_ ? a >> 8 : join_of(symbol[i], symbol[j]);
            symbol[i] = joined;
            key[j] = hole;
            --left;
            if (j == last) {
                last = i;
                key[i] = hole;
            } else {
                const std::uint32_t k = next[j];
                next[i] = static_cast<std::uint8_t>(k);
                previous[k] = static_cast<std::uint8_t>(i);
                key[i] = key_of(rank_of(joined, symbol[k]), i);
            }
            if (i != 0) {
                const std::uint32_t p = previous[i];
                key[p] = key_of(rank_of(symbol[p], joined), p);
            }
        }
        for (std::uint32_t i = 0, k = 0; k < left; ++k, i = next[i]) {
            symbol[k] = symbol[i];
            w.at[k] = w.at[i];
        }
        return left;
    }
    // More symbols without a heap, where memory is short.
    std::uint32_t scan_long(const tables& t, const bpe_window& w, std::uint32_t n) const noexcept {
        std::uint32_t* const symbol = w.symbol;
        std::uint32_t* const at = w.at;
        std::uint32_t* const candidate = w.candidate;
        for (std::uint32_t i = 0; i + 1 < n; ++i) {
            candidate[i] = joined_rank(t, symbol[i], symbol[i + 1]);
        }
        candidate[n - 1] = none;
        for (;;) {
            std::uint32_t best = none, where = 0;
            for (std::uint32_t i = 0; i + 1 < n; ++i) {
                if (candidate[i] < best) {
                    best = candidate[i];
                    where = i;
                }
            }
            if (best == none) return n;
            symbol[where] = best < first_tied_ ? best : join(t, symbol[where], symbol[where + 1]);
            --n;
            for (std::uint32_t i = where + 1; i < n; ++i) {
                symbol[i] = symbol[i + 1];
                at[i] = at[i + 1];
                candidate[i] = candidate[i + 1];
            }
            candidate[where] =
                where + 1 < n ? joined_rank(t, symbol[where], symbol[where + 1]) : none;
            if (where != 0) candidate[where - 1] = joined_rank(t, symbol[where - 1], symbol[where]);
        }
    }

    std::uint32_t joined_rank(const tables& t, std::uint32_t l, std::uint32_t r) const noexcept {
        const std::uint32_t s = join(t, l, r);
        return s < first_tied_ ? s : rank(s);
    }

    // Slots hold the joined symbol alone; that it is the right one shows in the texts.
    std::uint32_t join_compact(const tables& t, std::uint32_t l, std::uint32_t r) const noexcept {
        if (l >= symbols_ || r >= symbols_) return none;
        const text_view a = t.piece(t.id_of_symbol(l)), b = t.piece(t.id_of_symbol(r));
        // Only changed bytes have symbols without a text; memcmp must not see their null.
        if (a.empty() || b.empty()) return none;
        std::uint32_t slot =
            static_cast<std::uint32_t>(std::uint64_t{hash_pair(l, r)} * shift_ >> 32);
        const bool wide = (flags_ & flag_wide_slots) != 0;
        for (std::uint32_t i = 0; i <= probes_; ++i) {
            std::uint32_t s = wide ? load_le<std::uint32_t>(slots_ + std::size_t{slot} * 4)
                                   : load_le<std::uint16_t>(slots_ + std::size_t{slot} * 2);
            if (s == 0) return none;
            --s;
            if (s < symbols_ && static_cast<std::uint8_t>(left_lengths_[s]) == a.size()) {
                const text_view c = t.piece(t.id_of_symbol(s));
                if (c.size() == a.size() + b.size() &&
                    std::memcmp(c.data(), a.data(), a.size()) == 0 &&
                    std::memcmp(c.data() + a.size(), b.data(), b.size()) == 0) {
                    return s;
                }
            }
            if (++slot == shift_) slot = 0;
        }
        return none;
    }

    std::uint32_t variant(std::size_t at, std::size_t n, std::size_t size) const noexcept {
        if ((flags_ & flag_variants) == 0) return 0;
        return (at != 0 ? 1u : 0u) | (at + n == size ? 2u : 0u);
    }

    std::uint32_t read_bytes(const tables& t, text_view word, std::size_t& from, std::size_t to,
                             const bpe_window& w) const noexcept {
        std::uint32_t n = 0;
        const std::size_t start = from;
        if (!has_base_bytes_) return 0;
        for (; from < to && n < w.size; ++from) {
            const auto b = static_cast<std::uint8_t>(word.data()[from]);
            const auto s =
                load_le<std::uint32_t>(base_bytes_ + 4 * (variant(from, 1, word.size()) * 256 + b));
            // Bytes that the vocabulary lacks are unknown; without an unknown token they vanish.
            if (s == none) {
                if (t.header().unknown == none) continue;
                const bool joins = (flags_ & flag_fuse_unknown) != 0 && n != 0 &&
                                   w.symbol[n - 1] == symbol_unknown;
                if (joins) continue;
            }
            w.symbol[n] = s == none ? symbol_unknown : s;
            w.at[n++] = static_cast<std::uint32_t>(from - start);
        }
        return n;
    }

    std::uint32_t char_symbol(char32_t c, std::uint32_t variant) const noexcept {
        if (base_chars_ == nullptr) return none;
        const std::uint32_t key = static_cast<std::uint32_t>(c) | variant << 21;
        const std::uint32_t mask = (1u << char_shift_) - 1;
        std::uint32_t slot = slot_of(hash_pair(key, 0), char_shift_);
        for (std::uint32_t i = 0; i <= probes_; ++i) {
            const std::byte* e = base_chars_ + std::size_t{slot} * 8;
            const auto k = load_le<std::uint32_t>(e);
            if (k == key) return load_le<std::uint32_t>(e + 4);
            if (k == none) return none;
            slot = (slot + 1) & mask;
        }
        return none;
    }

    std::uint32_t read_chars(const tables& t, text_view word, std::size_t& from, std::size_t to,
                             const bpe_window& w) const noexcept {
        std::uint32_t n = 0;
        const std::size_t start = from;
        const char* const last = word.data() + word.size();
        const bool sentencepiece = (flags_ & flag_sentencepiece) != 0;
        while (from < to) {
            const char* p = word.data() + from;
            if (!frozen_.empty()) {
                std::size_t length = 0;
                const std::uint32_t s = frozen_.longest(p, word.size() - from, length);
                if (s != none) {
                    if (n == w.size) return n;
                    w.symbol[n] = s;
                    w.at[n++] = static_cast<std::uint32_t>(from - start);
                    from += length;
                    continue;
                }
            }
            const utf8_character d = decode_utf8(p, last);
            // The length, which the table gives for every lead byte, not what is valid: a text
            // that is not UTF-8 was repaired before.
            const std::uint32_t s = char_symbol(d.code_point, variant(from, d.length, word.size()));
            if (s != none) {
                if (n == w.size) return n;
                w.symbol[n] = s;
                w.at[n++] = static_cast<std::uint32_t>(from - start);
            } else if ((flags_ & flag_byte_fallback) != 0 && !sentencepiece &&
                       has_all_bytes(t, p, d.length)) {
                if (n + d.length > w.size) return n;
                for (std::uint32_t i = 0; i < d.length; ++i) {
                    w.symbol[n] = byte_symbol(t, static_cast<std::uint8_t>(p[i]));
                    w.at[n++] = static_cast<std::uint32_t>(from - start + i);
                }
            } else if (t.header().unknown != none) {
                const bool joins = (flags_ & flag_fuse_unknown) != 0 && n != 0 &&
                                   w.symbol[n - 1] == symbol_unknown;
                if (!joins) {
                    if (n == w.size) return n;
                    w.symbol[n] = symbol_unknown;
                    w.at[n++] = static_cast<std::uint32_t>(from - start);
                }
            }
            from += d.length;
        }
        return n;
    }

    // Symbols of bytes: above all others, so that they never join, and told from each other.
  public:
    static constexpr std::uint32_t symbol_byte = 0x7fffff00u - 0x1000u;
    static bool is_byte(std::uint32_t s) noexcept {
        return s >= symbol_byte && s < symbol_byte + 256;
    }

  private:
    std::uint32_t byte_symbol(const tables&, std::uint8_t b) const noexcept {
        // Variant 4: bytes that do take part in merges.
        const std::uint32_t s = char_symbol(b, 4);
        return s != none ? s : symbol_byte + b;
    }
    static bool has_all_bytes(const tables& t, const char* p, std::uint32_t n) noexcept {
        for (std::uint32_t i = 0; i < n; ++i) {
            if (t.byte_id(static_cast<std::uint8_t>(p[i])) == none) return false;
        }
        return true;
    }

    const std::byte *merges_ = nullptr, *slots_ = nullptr, *left_lengths_ = nullptr,
                    *ranks_ = nullptr, *base_bytes_ = nullptr, *base_chars_ = nullptr;
    std::uint32_t shift_ = 0, char_shift_ = 0, probes_ = 0, symbols_ = 0, flags_ = 0;
    bool has_merges_ = false, has_slots_ = false;
    std::uint32_t first_tied_ = none;
    bool has_base_bytes_ = false;
    const std::byte* byte_pairs_ = nullptr;
    trie_view frozen_;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
