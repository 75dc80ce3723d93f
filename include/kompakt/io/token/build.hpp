// build_ktok: what a tokenizer file says, as the bytes of a .ktok (token/format.hpp).
#pragma once

#include <kompakt/io/token/spec.hpp>
#include <kompakt/io/token/text_index.hpp>
#include <kompakt/io/token/trie_builder.hpp>
#include <kompakt/token/bpe.hpp>
#include <kompakt/token/unigram.hpp>

#include <cmath>
#include <numeric>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct build_options {
    bool compact = false; // small tables for flash, which are slower
};

// FNV-1a over 32-bit words, the checksum of a .ktok: of all but the place where it is kept.
inline std::uint32_t ktok_checksum(bytes_view bytes) noexcept {
    std::uint32_t h = 0x811c9dc5u;
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        if (i == offsetof(ktok_header, checksum)) continue;
        h = (h ^ load_le<std::uint32_t>(bytes.data() + i)) * 0x01000193u;
    }
    return h;
}
// Whether the bytes are those that `build_ktok` wrote. Opening does not ask: it takes a while.
inline bool verify_ktok(bytes_view bytes) noexcept {
    tables t;
    return tables::open(bytes, t).ok() && t.header().checksum == ktok_checksum(bytes);
}

namespace detail {

inline constexpr std::string_view space_sign = "\xe2\x96\x81";

class ktok_builder {
  public:
    ktok_builder(const tokenizer_spec& s, const build_options& o) : s_(s), o_(o) {}

    result<std::vector<std::byte>> build() {
        KOMPAKT_TRY(vocabulary());
        KOMPAKT_TRY(model());
        KOMPAKT_TRY(added());
        KOMPAKT_TRY(steps());
        return assemble();
    }

  private:
    std::vector<std::byte>& bytes(section s) { return sections_[static_cast<std::size_t>(s)]; }
    void set(section s, const std::vector<std::uint32_t>& words) {
        auto& b = bytes(s);
        b.resize(words.size() * 4);
        for (std::size_t i = 0; i < words.size(); ++i)
            store_le<std::uint32_t>(b.data() + 4 * i, words[i]);
    }
    std::uint32_t put_blob(std::string_view text, std::size_t align = 1) {
        auto& b = bytes(section::blob);
        while (b.size() % align != 0) b.push_back(std::byte{0});
        const auto at = static_cast<std::uint32_t>(b.size());
        const auto* p = reinterpret_cast<const std::byte*>(text.data());
        b.insert(b.end(), p, p + text.size());
        return at;
    }

    status vocabulary() {
        const std::size_t n = s_.tokens.size();
        if (n > vocabulary_limit + 1) {
            return fail(errc::limit, "vocabulary: ", n, " ids, the limit is ",
                        vocabulary_limit + 1);
        }
        h_.vocabulary = static_cast<std::uint32_t>(n);
        if (s_.unknown != none &&
            (s_.unknown >= n || (s_.tokens[s_.unknown].kind & piece_absent) != 0)) {
            return fail(errc::bad_file, "vocabulary: the unknown token's id ", s_.unknown,
                        " is not in it");
        }
        h_.unknown = s_.unknown;
        std::uint64_t total = 0;
        std::size_t longest = 0, longest_text = 0;
        for (const token_spec& t : s_.tokens) {
            const std::string& d = t.decodes_apart ? t.decoded : t.text;
            total += d.size();
            longest = (std::max)(longest, d.size());
            if (t.usable) longest_text = (std::max)(longest_text, t.text.size());
        }
        if (longest > 0xffff || longest_text > 0xffff) {
            return fail(errc::limit, "vocabulary: a token of ", (std::max)(longest, longest_text),
                        " bytes, the limit is 65535");
        }
        if (total > 0x7fffffffu) return fail(errc::limit, "vocabulary: too many bytes of text");
        h_.longest_piece = static_cast<std::uint32_t>((std::max)(longest, longest_text));
        const bool wide = longest > 255;
        if (wide) h_.flags |= flag_wide_lengths;
        auto& pieces = bytes(section::pieces);
        auto& lengths = bytes(section::piece_lengths);
        auto& kinds = bytes(section::piece_kinds);
        pieces.reserve(total);
        std::vector<std::uint32_t> bases;
        for (std::size_t i = 0; i < n; ++i) {
            const token_spec& t = s_.tokens[i];
            const std::string& d = t.decodes_apart ? t.decoded : t.text;
            if (i % 16 == 0) bases.push_back(static_cast<std::uint32_t>(pieces.size()));
            lengths.push_back(static_cast<std::byte>(d.size() & 0xff));
            if (wide) lengths.push_back(static_cast<std::byte>(d.size() >> 8));
            kinds.push_back(static_cast<std::byte>(t.kind));
            const auto* p = reinterpret_cast<const std::byte*>(d.data());
            pieces.insert(pieces.end(), p, p + d.size());
        }
        set(section::piece_bases, bases);
        return {};
    }

    status model() {
        h_.model = s_.model;
        if (s_.byte_level) h_.flags |= flag_byte_level;
        if (s_.byte_fallback) h_.flags |= flag_byte_fallback;
        if (s_.fuse_unknown) h_.flags |= flag_fuse_unknown;
        if (s_.sentencepiece) h_.flags |= flag_sentencepiece;
        if (s_.lossy_text) h_.flags |= flag_lossy_text;
        if (s_.join_spaces) h_.flags |= flag_join_spaces;
        h_.flags |= flag_word_cache;
        h_.max_word_chars = s_.max_word_chars;
        h_.continuing_root = none;
        h_.unk_surface_at = put_blob(s_.unknown_surface);
        h_.unk_surface_bytes = static_cast<std::uint32_t>(s_.unknown_surface.size());
        if (s_.byte_fallback) byte_ids();
        switch (s_.model) {
        case model_kind::bpe:
            return bpe_model();
        case model_kind::unigram:
            return unigram_model();
        case model_kind::wordpiece:
            return wordpiece_model();
        case model_kind::wordlevel:
            return words_model();
        }
        return {};
    }

    static int hex(char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    }
    // The byte that <0xXX> stands for, or -1.
    static int byte_of(std::string_view t) {
        if (t.size() != 6 || t.substr(0, 3) != "<0x" || t[5] != '>' || hex(t[3]) < 0 ||
            hex(t[4]) < 0)
            return -1;
        return hex(t[3]) * 16 + hex(t[4]);
    }
    void byte_ids() {
        byte_id_.assign(256, none);
        for (std::size_t i = 0; i < s_.tokens.size(); ++i) {
            const token_spec& t = s_.tokens[i];
            if ((t.kind & piece_absent) != 0) continue;
            // Added tokens are no pieces of the model.
            const int b = byte_of(t.text);
            if (b >= 0 && byte_id_[static_cast<std::size_t>(b)] == none)
                byte_id_[static_cast<std::size_t>(b)] = static_cast<std::uint32_t>(i);
        }
        set(section::byte_ids, byte_id_);
    }

    // Whether a space sign stands only at the front of pieces, behind other space signs at most.
    bool cuts_at_spaces(bool all_tokens) const {
        bool known = false;
        for (const token_spec& t : s_.tokens) {
            if (!t.usable && !all_tokens) continue;
            if ((t.kind & piece_absent) != 0) continue;
            if (t.text == space_sign) known = true;
            std::size_t at = t.text.find(space_sign);
            while (at != std::string::npos) {
                if (at != 0 && (at < 3 || t.text.compare(at - 3, 3, space_sign) != 0)) return false;
                at = t.text.find(space_sign, at + 1);
            }
        }
        return known;
    }

    // Between two ASCII characters that no piece has side by side a text can be cut.
    void cut_table() {
        std::vector<std::uint32_t> rows(512, 0);
        const auto keep = [&](unsigned a, unsigned b) { rows[a * 4 + b / 32] |= 1u << b % 32; };
        bool known[128] = {};
        for (const token_spec& t : s_.tokens) {
            if ((t.kind & piece_absent) != 0 || !t.usable) continue;
            if (t.text.size() == 1 && !t.unused && static_cast<unsigned char>(t.text[0]) < 128)
                known[static_cast<unsigned char>(t.text[0])] = true;
            for (std::size_t i = 0; i + 1 < t.text.size(); ++i) {
                const auto a = static_cast<unsigned char>(t.text[i]),
                           b = static_cast<unsigned char>(t.text[i + 1]);
                if (a < 128 && b < 128) keep(a, b);
            }
        }
        // Characters that have no piece are unknown together.
        for (unsigned a = 0; a < 128; ++a) {
            for (unsigned b = 0; b < 128; ++b) {
                if (!known[a] || !known[b]) keep(a, b);
            }
        }
        set(section::cuts, rows);
    }

    // ---- byte-pair encoding

    using symbols = std::vector<std::uint32_t>;

    static std::size_t char_length(std::string_view t, std::size_t at) {
        return decode_utf8(t.data() + at, t.data() + t.size()).length;
    }

    // The symbols that reading gives for the text of a token; empty when some has none.
    void base_symbols(std::string_view text, symbols& out, std::vector<std::uint32_t>& lengths) {
        out.clear();
        lengths.clear();
        bool continues = false;
        if (!s_.prefix.empty() && text.size() > s_.prefix.size() &&
            text.substr(0, s_.prefix.size()) == s_.prefix) {
            text.remove_prefix(s_.prefix.size());
            continues = true;
        }
        bool ends = false;
        if (!s_.suffix.empty() && text.size() > s_.suffix.size() &&
            text.substr(text.size() - s_.suffix.size()) == s_.suffix) {
            text.remove_suffix(s_.suffix.size());
            ends = true;
        }
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t n = s_.byte_level ? 1 : char_length(text, at);
            const bool first = at == 0 && !continues, last = at + n == text.size() && ends;
            std::uint32_t id = none;
            if (s_.prefix.empty() && s_.suffix.empty()) {
                id = index_.find(text.substr(at, n));
            } else {
                piece_ = (first ? std::string() : s_.prefix) + std::string(text.substr(at, n)) +
                         (last ? s_.suffix : std::string());
                id = index_.find(piece_);
            }
            if (id == none && s_.sentencepiece) id = hidden(text.substr(at, n));
            if (id == none) {
                out.clear();
                return;
            }
            out.push_back(id);
            lengths.push_back(static_cast<std::uint32_t>(n));
            at += n;
        }
    }
    // SentencePiece joins characters that are no pieces if the result is one.
    std::uint32_t hidden(std::string_view c) {
        const std::uint32_t known = hidden_index_.find(c);
        if (known != none) return known;
        const auto id = static_cast<std::uint32_t>(s_.tokens.size() + hidden_.size());
        hidden_.push_back(c);
        hidden_index_.add(c, id);
        return id;
    }
    std::string_view text_of(std::uint32_t symbol) const {
        return symbol < s_.tokens.size() ? std::string_view(s_.tokens[symbol].text)
                                         : hidden_[symbol - s_.tokens.size()];
    }

    // The rank and the result of two neighbours.
    struct joined {
        std::uint32_t rank = none, result = none;
    };
    joined join(std::uint32_t l, std::uint32_t r) const {
        joined j;
        if (s_.merging == merge_source::list) {
            const std::uint32_t k = pairs_.find(l, r);
            if (k != none) j = {k, s_.merges[k].result};
        } else if (s_.merging != merge_source::no_merges) {
            const std::uint32_t k = pairs_.find(l, r);
            if (k != none) j = {rank_[k], k};
        }
        return j;
    }

    // Joins as tokenizing does; the last two symbols before the one that is left, if one is left.
    bool simulate(symbols& w, std::uint32_t& left, std::uint32_t& right) {
        std::size_t n = w.size();
        ranks_.resize(n);
        results_.resize(n);
        std::uint32_t* const symbol = w.data();
        std::uint32_t* const rank = ranks_.data();
        std::uint32_t* const result = results_.data();
        const auto look = [&](std::size_t i) {
            const joined j = i + 1 < n ? join(symbol[i], symbol[i + 1]) : joined();
            rank[i] = j.rank;
            result[i] = j.result;
        };
        for (std::size_t i = 0; i < n; ++i) look(i);
        while (n > 1) {
            std::size_t best = 0;
            for (std::size_t i = 1; i + 1 < n; ++i) {
                if (rank[i] < rank[best]) best = i;
            }
            if (rank[best] == none) return false;
            left = symbol[best];
            right = symbol[best + 1];
            symbol[best] = result[best];
            --n;
            for (std::size_t i = best + 1; i < n; ++i) {
                symbol[i] = symbol[i + 1];
                rank[i] = rank[i + 1];
                result[i] = result[i + 1];
            }
            look(best);
            if (best != 0) look(best - 1);
        }
        w.resize(1);
        return true;
    }

    // Equal ranks only where SentencePiece has equal scores.
    void ranks_of_pieces() {
        const std::size_t n = s_.tokens.size();
        rank_.assign(n, none);
        if (s_.merging == merge_source::by_id) {
            std::iota(rank_.begin(), rank_.end(), 0u);
            return;
        }
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return s_.tokens[a].score > s_.tokens[b].score;
        });
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (i != 0 && s_.tokens[order[i]].score != s_.tokens[order[i - 1]].score) ++rank;
            rank_[order[i]] = rank;
        }
    }
    bool merges_to(const token_spec& t) const { return t.usable && !t.user_defined; }

    // All pairs of tokens whose text together is a token.
    void pairs_of_pieces() {
        std::size_t expected = 0;
        for (const token_spec& t : s_.tokens) expected += merges_to(t) ? 2 : 0;
        pairs_ = pair_index(expected);
        symbols base;
        std::vector<std::uint32_t> lengths;
        for (std::uint32_t id = 0; id < s_.tokens.size(); ++id) {
            const token_spec& t = s_.tokens[id];
            if (!merges_to(t)) continue;
            const std::string_view text = t.text;
            for (std::size_t at = s_.byte_level ? 1 : char_length(text, 0); at < text.size();
                 at += s_.byte_level ? 1 : char_length(text, at)) {
                const std::uint32_t l = symbol_of(text.substr(0, at)),
                                    r = symbol_of(text.substr(at));
                if (l != none && r != none) pairs_.add(l, r, id);
            }
        }
    }
    std::uint32_t symbol_of(std::string_view t) {
        const std::uint32_t id = index_.find(t);
        if (id != none) return s_.tokens[id].user_defined ? none : id;
        // A single character without a piece is a symbol all the same.
        if (s_.sentencepiece && char_length(t, 0) == t.size()) return hidden(t);
        return none;
    }

    status bpe_model() {
        const auto n = static_cast<std::uint32_t>(s_.tokens.size());
        index_ = text_index(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            const token_spec& t = s_.tokens[i];
            if (!t.usable || (t.kind & piece_absent) != 0) continue;
            if (t.text.empty()) continue;
            if (!index_.add(t.text, i)) {
                return fail(errc::bad_file, "vocabulary: \"", t.text, "\" is there twice");
            }
        }
        if (s_.merging == merge_source::list) {
            if (s_.merges.size() > (std::size_t{1} << 24))
                return fail(errc::limit, "merges: ", s_.merges.size(), ", the limit is ", 1u << 24);
            pairs_ = pair_index(s_.merges.size());
            // A pair that is there twice has the rank of its last place.
            for (std::uint32_t k = static_cast<std::uint32_t>(s_.merges.size()); k-- > 0;) {
                const merge_spec& m = s_.merges[k];
                if (m.left >= n || m.right >= n || m.result >= n)
                    return fail(errc::bad_file, "merge ", k, ": an id outside of the vocabulary");
                pairs_.add(m.left, m.right, k);
            }
        } else if (s_.merging != merge_source::no_merges) {
            ranks_of_pieces();
            pairs_of_pieces();
        }

        // Of all ways to split a token only the one that tokenizing its text ends with can occur,
        // since what is between two token borders is joined as if it were alone. So a token has
        // one left and one right part, and its rank can be its number.
        struct part {
            std::uint32_t id, left, right, rank;
        };
        std::vector<part> parts;
        std::vector<std::uint32_t> whole; // tokens that joining does not make
        std::vector<bool> is_base;
        std::uint32_t most_symbols = 1;
        symbols w;
        std::vector<std::uint32_t> lengths;
        std::vector<std::uint8_t> can_result(n, 0);
        std::vector<std::uint32_t> only_merge;
        if (s_.merging == merge_source::list) {
            only_merge.assign(n, none);
            for (std::uint32_t k = 0; k < s_.merges.size(); ++k) {
                const merge_spec& m = s_.merges[k];
                only_merge[m.result] = can_result[m.result] == 0 ? k : none;
                can_result[m.result] = 1;
            }
        }
        for (std::uint32_t id = 0; id < n; ++id) {
            const token_spec& t = s_.tokens[id];
            if (!t.usable || t.text.empty() || t.user_defined) continue;
            const bool possible = s_.merging == merge_source::list
                                      ? can_result[id] != 0
                                      : s_.merging != merge_source::no_merges;
            if (!possible && !s_.whole_words) continue;
            // A token with one merge has that, or it cannot occur at all; then it does no harm.
            if (!s_.whole_words && s_.merging == merge_source::list && only_merge[id] != none) {
                const merge_spec& m = s_.merges[only_merge[id]];
                parts.push_back({id, m.left, m.right, only_merge[id]});
                const std::size_t symbols = s_.byte_level
                                                ? t.text.size()
                                                : count_characters({t.text.data(), t.text.size()});
                most_symbols = (std::max)(most_symbols, static_cast<std::uint32_t>(symbols));
                continue;
            }
            base_symbols(t.text, w, lengths);
            if (w.size() == 1 && w[0] == id) continue;
            std::uint32_t left = none, right = none;
            const auto count = static_cast<std::uint32_t>(w.size());
            if (w.size() > 1 && simulate(w, left, right) && w[0] == id) {
                parts.push_back({id, left, right, join(left, right).rank});
                most_symbols = (std::max)(most_symbols, count);
            } else if (s_.whole_words) {
                whole.push_back(id);
            }
        }
        h_.max_symbols = most_symbols;

        // Numbers. Ids serve if their order is that of the ranks.
        std::sort(parts.begin(), parts.end(), [](const part& a, const part& b) {
            return a.rank != b.rank ? a.rank < b.rank : a.id < b.id;
        });
        bool in_order = hidden_.empty(), ties = false, apart = false;
        for (std::size_t i = 1; i < parts.size(); ++i) {
            in_order = in_order && parts[i - 1].id < parts[i].id;
            ties = ties || parts[i - 1].rank == parts[i].rank;
        }
        for (const token_spec& t : s_.tokens) apart = apart || t.unused;
        std::vector<std::uint32_t> number(n + hidden_.size(), none), ids;
        if (in_order && !apart) {
            std::iota(number.begin(), number.end(), 0u);
            h_.symbols = n;
        } else {
            std::vector<bool> merged(number.size(), false);
            for (const part& p : parts) merged[p.id] = true;
            for (std::uint32_t i = 0; i < number.size(); ++i) {
                if (merged[i]) continue;
                if (i < n && !s_.tokens[i].usable && !s_.tokens[i].user_defined &&
                    byte_of(s_.tokens[i].text) < 0)
                    continue;
                number[i] = static_cast<std::uint32_t>(ids.size());
                ids.push_back(i < n ? i : none);
            }
            for (const part& p : parts) {
                number[p.id] = static_cast<std::uint32_t>(ids.size());
                ids.push_back(p.id);
            }
            h_.symbols = static_cast<std::uint32_t>(ids.size());
            if (ids.size() > vocabulary_limit + 1)
                return fail(errc::limit, "vocabulary: too many symbols");
        }
        if (ties) {
            std::vector<std::uint32_t> ranks(h_.symbols, 0);
            std::iota(ranks.begin(), ranks.end(), 0u);
            h_.first_tied = h_.symbols;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                const bool again = i != 0 && parts[i - 1].rank == parts[i].rank;
                const std::uint32_t self = number[parts[i].id];
                if (again) {
                    ranks[self] = ranks[number[parts[i - 1].id]];
                    h_.first_tied = (std::min)(h_.first_tied, ranks[self]);
                }
            }
            set(section::ranks, ranks);
        }

        if (apart) { // unused pieces go out as their parts
            std::vector<std::uint32_t> left(number.size(), none), right(number.size(), none);
            for (const part& p : parts) {
                left[p.id] = p.left;
                right[p.id] = p.right;
            }
            const std::size_t count = ids.size();
            for (std::size_t k = 0; k < count; ++k) {
                const std::uint32_t id = ids[k];
                if (id == none || !s_.tokens[id].unused || left[id] == none) continue;
                ids[k] = 0x80000000u | static_cast<std::uint32_t>(ids.size());
                const std::size_t at = ids.size();
                ids.push_back(0);
                std::vector<std::uint32_t> open{id};
                while (!open.empty()) {
                    const std::uint32_t x = open.back();
                    open.pop_back();
                    if (x < n && s_.tokens[x].unused && left[x] != none) {
                        open.push_back(right[x]);
                        open.push_back(left[x]);
                        continue;
                    }
                    ids.push_back(x < n ? x : none);
                    ids.push_back(static_cast<std::uint32_t>(text_of(x).size()));
                    ++ids[at];
                }
            }
        }
        if (!ids.empty()) set(section::symbol_ids, ids);

        KOMPAKT_TRY(base_tables(number));
        std::vector<pair_entry> entries;
        entries.reserve(parts.size());
        made_ = pair_index(parts.size());
        for (const part& p : parts) made_.add(p.id, 0, 0);
        bool same_text = s_.prefix.empty() && hidden_.empty() && !apart;
        for (const part& p : parts) {
            entries.push_back({number[p.left], number[p.right], number[p.id]});
            same_text = same_text && !s_.tokens[p.id].decodes_apart &&
                        !s_.tokens[p.left].decodes_apart && !s_.tokens[p.right].decodes_apart &&
                        s_.tokens[p.id].text.size() <= 255;
        }
        if (o_.compact && same_text) {
            compact_merges(entries);
        } else {
            wide_merges(entries);
            byte_pairs(number);
        }
        if (!whole.empty()) {
            std::vector<trie_key> keys;
            for (std::uint32_t id : whole) keys.push_back({s_.tokens[id].text, id});
            trie_builder b;
            KOMPAKT_TRY(b.build(keys));
            bytes(section::trie) = b.bytes();
            h_.flags |= flag_whole_words;
        }
        std::vector<trie_key> frozen;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (s_.tokens[i].user_defined) frozen.push_back({s_.tokens[i].text, number[i]});
        }
        if (!frozen.empty()) {
            trie_builder b;
            KOMPAKT_TRY(b.build(frozen));
            const std::vector<std::byte> units = b.bytes();
            h_.frozen_at =
                put_blob({reinterpret_cast<const char*>(units.data()), units.size()}, 16);
            h_.frozen_bytes = static_cast<std::uint32_t>(units.size());
        }
        if (!s_.byte_level && s_.prefix.empty() && s_.suffix.empty() && cuts_at_spaces(false)) {
            h_.flags |= flag_cut_spaces;
            cut_table();
        }
        return {};
    }

    struct pair_entry {
        std::uint32_t left, right, result;
    };

    void wide_merges(const std::vector<pair_entry>& entries) {
        if (entries.empty()) return;
        std::uint32_t shift = 4;
        while ((std::size_t{1} << shift) < entries.size() * 2) ++shift;
        std::vector<std::uint64_t> table(std::size_t{1} << shift, ~std::uint64_t{0});
        const std::uint32_t mask = (1u << shift) - 1;
        for (const pair_entry& e : entries) {
            std::uint32_t slot = slot_of(hash_pair(e.left, e.right), shift), probes = 0;
            for (; table[slot] != ~std::uint64_t{0}; ++probes) slot = (slot + 1) & mask;
            h_.probes = (std::max)(h_.probes, probes);
            table[slot] = std::uint64_t{e.left} << 42 | std::uint64_t{e.right} << 21 | e.result;
        }
        h_.merge_shift = shift;
        auto& b = bytes(section::merges);
        b.resize(table.size() * 8);
        for (std::size_t i = 0; i < table.size(); ++i)
            store_le<std::uint64_t>(b.data() + 8 * i, table[i]);
    }

    // The first look at a word is the same for every pair of bytes.
    void byte_pairs(const std::vector<std::uint32_t>& number) {
        if (!s_.byte_level || o_.compact || (h_.flags & flag_variants) != 0 ||
            !sections_[static_cast<std::size_t>(section::ranks)].empty()) {
            return;
        }
        std::uint32_t id[256];
        for (std::uint32_t b = 0; b < 256; ++b) {
            const char c = static_cast<char>(b);
            id[b] = index_.find({&c, 1});
        }
        std::vector<std::uint32_t> pairs(65536, none);
        for (std::uint32_t i = 0; i < 65536; ++i) {
            if (id[i >> 8] == none || id[i & 0xff] == none) continue;
            const std::uint32_t result = join(id[i >> 8], id[i & 0xff]).result;
            if (result != none && made_.find(result, 0) != none) pairs[i] = number[result];
        }
        set(section::byte_pairs, pairs);
    }

    void compact_merges(const std::vector<pair_entry>& entries) {
        if (entries.empty()) return;
        const bool wide = h_.symbols >= 0xffff;
        const std::size_t slots = entries.size() + entries.size() / 4 + 1;
        std::vector<std::uint32_t> table(slots, 0);
        auto& lengths = bytes(section::left_lengths);
        lengths.assign(h_.symbols, std::byte{0});
        for (const pair_entry& e : entries) {
            std::size_t slot = std::uint64_t{hash_pair(e.left, e.right)} * slots >> 32;
            std::uint32_t probes = 0;
            for (; table[slot] != 0; ++probes) slot = slot + 1 == slots ? 0 : slot + 1;
            h_.probes = (std::max)(h_.probes, probes);
            table[slot] = e.result + 1;
            const std::uint32_t id = id_of_number(e.left);
            lengths[e.result] = static_cast<std::byte>(s_.tokens[id].text.size());
        }
        h_.merge_shift = static_cast<std::uint32_t>(slots);
        if (wide) h_.flags |= flag_wide_slots;
        auto& b = bytes(section::merge_slots);
        b.resize(slots * (wide ? 4 : 2));
        for (std::size_t i = 0; i < slots; ++i) {
            if (wide) {
                store_le<std::uint32_t>(b.data() + 4 * i, table[i]);
            } else {
                store_le<std::uint16_t>(b.data() + 2 * i, static_cast<std::uint16_t>(table[i]));
            }
        }
    }
    std::uint32_t id_of_number(std::uint32_t number) const {
        const auto& b = sections_[static_cast<std::size_t>(section::symbol_ids)];
        return b.empty() ? number : load_le<std::uint32_t>(b.data() + 4 * std::size_t{number});
    }

    // The symbols of single bytes or characters, at each place in a word.
    status base_tables(const std::vector<std::uint32_t>& number) {
        const bool variants = !s_.prefix.empty() || !s_.suffix.empty();
        if (variants) h_.flags |= flag_variants;
        const auto spelled = [&](std::string_view c, std::uint32_t v) {
            return ((v & 1) != 0 ? s_.prefix : std::string()) + std::string(c) +
                   ((v & 2) != 0 ? s_.suffix : std::string());
        };
        if (s_.byte_level) {
            std::vector<std::uint32_t> base((variants ? 4 : 1) * 256, none);
            for (std::uint32_t i = 0; i < base.size(); ++i) {
                const char c = static_cast<char>(i & 0xff);
                const std::uint32_t id = index_.find(spelled({&c, 1}, i >> 8));
                if (id != none) base[i] = number[id];
            }
            set(section::base_bytes, base);
            return {};
        }
        struct entry {
            std::uint32_t key, symbol;
        };
        std::vector<entry> entries;
        for (std::uint32_t id = 0; id < s_.tokens.size(); ++id) {
            const token_spec& t = s_.tokens[id];
            if (!t.usable || t.user_defined || number[id] == none) continue;
            for (std::uint32_t v = 0; v < (variants ? 4u : 1u); ++v) {
                std::string_view c = t.text;
                const std::string_view prefix =
                    (v & 1) != 0 ? std::string_view(s_.prefix) : std::string_view();
                const std::string_view suffix =
                    (v & 2) != 0 ? std::string_view(s_.suffix) : std::string_view();
                if (c.size() <= prefix.size() + suffix.size() ||
                    c.substr(0, prefix.size()) != prefix ||
                    c.substr(c.size() - suffix.size()) != suffix) {
                    continue;
                }
                c = c.substr(prefix.size(), c.size() - prefix.size() - suffix.size());
                const utf8_character d = decode_utf8(c.data(), c.data() + c.size());
                if (d.valid && d.length == c.size())
                    entries.push_back(
                        {static_cast<std::uint32_t>(d.code_point) | v << 21, number[id]});
            }
        }
        for (std::size_t k = 0; k < hidden_.size(); ++k) {
            const utf8_character d =
                decode_utf8(hidden_[k].data(), hidden_[k].data() + hidden_[k].size());
            if (d.valid)
                entries.push_back(
                    {static_cast<std::uint32_t>(d.code_point), number[s_.tokens.size() + k]});
        }
        if (s_.byte_fallback && !s_.sentencepiece) {
            for (std::uint32_t b = 0; b < 256; ++b) {
                if (byte_id_[b] != none && number[byte_id_[b]] != none)
                    entries.push_back({b | 4u << 21, number[byte_id_[b]]});
            }
        }
        std::uint32_t shift = 4;
        while ((std::size_t{1} << shift) < entries.size() * 2) ++shift;
        std::vector<std::uint32_t> table(std::size_t{2} << shift, none);
        const std::uint32_t mask = (1u << shift) - 1;
        for (const entry& e : entries) {
            std::uint32_t slot = slot_of(hash_pair(e.key, 0), shift), probes = 0;
            for (; table[2 * std::size_t{slot}] != none && table[2 * std::size_t{slot}] != e.key;
                 ++probes)
                slot = (slot + 1) & mask;
            h_.probes = (std::max)(h_.probes, probes);
            table[2 * std::size_t{slot}] = e.key;
            table[2 * std::size_t{slot} + 1] = e.symbol;
        }
        h_.char_shift = shift;
        set(section::base_chars, table);
        return {};
    }

    // ---- the other models

    status unigram_model() {
        const std::size_t n = s_.tokens.size();
        if (h_.longest_piece > unigram::length_limit) {
            return fail(errc::limit, "vocabulary: a piece of ", h_.longest_piece,
                        " bytes, the limit is ", unigram::length_limit);
        }
        double least = 0, most = 0;
        bool any = false;
        for (const token_spec& t : s_.tokens) {
            if ((t.kind & piece_absent) != 0 || !t.usable) continue;
            if (s_.sentencepiece && (t.user_defined || t.unused)) continue;
            least = any ? (std::min)(least, t.score) : t.score;
            most = any ? (std::max)(most, t.score) : t.score;
            any = true;
        }
        if (!std::isfinite(least) || !std::isfinite(most))
            return fail(errc::bad_file, "vocabulary: a score is not finite");
        h_.unknown_score = s_.sentencepiece ? static_cast<double>(static_cast<float>(least) - 10.0f)
                                            : least - 10.0;
        auto& scores = bytes(section::scores);
        scores.resize(n * 8);
        std::vector<trie_key> keys;
        text_index last(n);
        for (std::size_t i = n; i-- > 0;) { // of equal texts the last one counts
            const token_spec& t = s_.tokens[i];
            double score = t.score;
            if (s_.sentencepiece && t.user_defined) {
                score = static_cast<double>(static_cast<float>(t.text.size()) *
                                            static_cast<float>(most)) -
                        0.1;
            }
            store_le<double>(scores.data() + 8 * i, score);
            if (!t.usable || t.unused || t.text.empty() || (t.kind & piece_absent) != 0) continue;
            if (last.add(t.text, 0)) keys.push_back({t.text, static_cast<std::uint32_t>(i)});
        }
        trie_builder b;
        KOMPAKT_TRY(b.build(keys));
        bytes(section::trie) = b.bytes();
        if (keys.empty()) return fail(errc::bad_file, "vocabulary: no pieces");
        if (s_.sentencepiece && cuts_at_spaces(false)) {
            h_.flags |= flag_cut_spaces;
            cut_table();
        }
        return {};
    }

    status words_model() {
        std::vector<trie_key> keys;
        for (std::size_t i = 0; i < s_.tokens.size(); ++i) {
            const token_spec& t = s_.tokens[i];
            if (t.usable && !t.text.empty() && (t.kind & piece_absent) == 0)
                keys.push_back({t.text, static_cast<std::uint32_t>(i)});
        }
        trie_builder b;
        KOMPAKT_TRY(b.build(keys));
        bytes(section::trie) = b.bytes();
        return {};
    }

    status wordpiece_model() {
        KOMPAKT_TRY(words_model());
        // Continuing pieces are those below the prefix.
        const trie_view t(bytes_view(bytes(section::trie).data(), bytes(section::trie).size()));
        std::uint32_t node = 0;
        const auto& units = bytes(section::trie);
        for (const char c : s_.prefix) {
            const auto unit =
                units.empty() ? 0 : load_le<std::uint64_t>(units.data() + 8 * std::size_t{node});
            const std::uint32_t offset = static_cast<std::uint32_t>(unit >> 8) & 0xffffffu;
            const std::uint32_t child = offset ^ static_cast<std::uint8_t>(c);
            if (offset == 0 || child >= units.size() / 8) return {};
            const auto next = load_le<std::uint64_t>(units.data() + 8 * std::size_t{child});
            if ((next & (trie_view::used | 0xff)) !=
                (trie_view::used | static_cast<std::uint8_t>(c)))
                return {};
            node = child;
        }
        h_.continuing_root = node;
        return {};
    }

    // ---- added tokens and steps

    status added() {
        auto& records = bytes(section::added);
        std::vector<trie_key> plain, normalized;
        for (std::size_t i = 0; i < s_.added.size(); ++i) {
            const added_spec& a = s_.added[i];
            if (a.text.empty()) continue;
            const auto number = static_cast<std::uint32_t>(records.size() / 16);
            ((a.flags & added_normalized) != 0 ? normalized : plain).push_back({a.text, number});
            const std::uint32_t words[4] = {a.id, a.flags,
                                            static_cast<std::uint32_t>(a.text.size()), 0};
            for (const std::uint32_t w : words) {
                records.resize(records.size() + 4);
                store_le<std::uint32_t>(records.data() + records.size() - 4, w);
            }
        }
        trie_builder b;
        KOMPAKT_TRY(b.build(plain).within("added tokens: "));
        bytes(section::added_trie) = b.bytes();
        if (!normalized.empty()) {
            trie_builder c;
            KOMPAKT_TRY(c.build(normalized).within("added tokens: "));
            bytes(section::added_trie_normalized) = c.bytes();
        }
        return {};
    }

    static bool has_texts(step_kind k) {
        switch (k) {
        case step_kind::replace:
        case step_kind::prepend:
        case step_kind::precompiled:
        case step_kind::sentencepiece:
        case step_kind::split_regex:
        case step_kind::split_text:
        case step_kind::metaspace:
        case step_kind::decode_replace:
        case step_kind::decode_metaspace:
        case step_kind::decode_wordpiece:
        case step_kind::decode_bpe:
        case step_kind::decode_ctc:
            return true;
        default:
            return false;
        }
    }
    status steps() {
        auto& out = bytes(section::steps);
        const auto put = [&](const std::vector<step_spec>& list) {
            for (const step_spec& s : list) {
                std::uint32_t w[6] = {static_cast<std::uint32_t>(s.kind),
                                      s.flags,
                                      s.numbers[0],
                                      s.numbers[1],
                                      s.numbers[2],
                                      s.numbers[3]};
                if (has_texts(s.kind)) {
                    w[2] = put_blob(s.a, 16);
                    w[3] = static_cast<std::uint32_t>(s.a.size());
                    w[4] = put_blob(s.b, 16);
                    w[5] = static_cast<std::uint32_t>(s.b.size());
                }
                for (const std::uint32_t x : w) {
                    out.resize(out.size() + 4);
                    store_le<std::uint32_t>(out.data() + out.size() - 4, x);
                }
            }
            return static_cast<std::uint32_t>(list.size());
        };
        h_.normalizers = put(s_.normalizers);
        h_.pre_tokenizers = put(s_.pre_tokenizers);
        h_.decoders = put(s_.decoders);
        h_.templates = put(s_.single);
        h_.pair_templates = put(s_.pair);
        if (h_.pre_tokenizers > 32)
            return fail(errc::limit, "pre-tokenizers: ", h_.pre_tokenizers, ", the limit is 32");
        if (out.size() / 24 > 1024)
            return fail(errc::limit, "steps: ", out.size() / 24, ", the limit is 1024");
        if (bytes(section::blob).size() > 0x7fffffffu)
            return fail(errc::limit, "tables of more than 2 GB");
        h_.truncate_to = s_.truncate_to;
        h_.truncate_flags =
            (s_.truncate_left ? 1u : 0u) | s_.truncate_strategy << 1 | s_.truncate_stride << 4;
        h_.pad_to = s_.pad_to;
        h_.pad_flags = (s_.pads ? 1u : 0u) | (s_.pad_left ? 2u : 0u) | s_.pad_type << 4;
        h_.pad_id = s_.pad_id;
        h_.pad_multiple = s_.pad_multiple;
        return {};
    }

    result<std::vector<std::byte>> assemble() {
        std::vector<std::byte> out;
        std::size_t total = sizeof(ktok_header) + 16;
        for (const auto& s : sections_) total += round_up(s.size(), 16);
        out.reserve(total);
        out.resize(sizeof(ktok_header));
        for (std::uint32_t i = 0; i < section_count; ++i) {
            if (sections_[i].empty()) continue;
            out.resize(round_up(out.size(), 16));
            if (out.size() + sections_[i].size() > 0xfffffff0u)
                return fail(errc::limit, "tables of more than 4 GB");
            h_.sections[i] = {static_cast<std::uint32_t>(out.size()),
                              static_cast<std::uint32_t>(sections_[i].size())};
            out.insert(out.end(), sections_[i].begin(), sections_[i].end());
        }
        out.resize(round_up(out.size(), 16));
        h_.magic = ktok_magic;
        h_.version = ktok_version;
        h_.bytes = static_cast<std::uint32_t>(out.size());
#if KOMPAKT_BIG_ENDIAN
        std::uint32_t words[sizeof(ktok_header) / 4];
        std::memcpy(words, &h_, sizeof words);
        for (std::uint32_t& w : words) store_le<std::uint32_t>(&w, w);
        std::memcpy(out.data(), words, sizeof words);
        store_le<double>(out.data() + offsetof(ktok_header, unknown_score), h_.unknown_score);
#else
        std::memcpy(out.data(), &h_, sizeof h_);
#endif
        store_le<std::uint32_t>(out.data() + offsetof(ktok_header, checksum),
                                ktok_checksum({out.data(), out.size()}));
        tables t;
        KOMPAKT_TRY(tables::open({out.data(), out.size()}, t));
        return out;
    }

    const tokenizer_spec& s_;
    const build_options& o_;
    ktok_header h_{};
    std::vector<std::byte> sections_[section_count];
    text_index index_, hidden_index_;
    pair_index pairs_, made_;
    std::vector<std::string_view> hidden_;
    std::vector<std::uint32_t> rank_, byte_id_, ranks_, results_;
    std::string piece_;
};

} // namespace detail

KOMPAKT_ONCE result<std::vector<std::byte>> build_ktok(const tokenizer_spec& s,
                                                       const build_options& o = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<std::vector<std::byte>> build_ktok(const tokenizer_spec& s,
                                                       const build_options& o) {
    return detail::ktok_builder(s, o).build();
}
#endif

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
