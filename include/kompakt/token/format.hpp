// The .ktok layout: a tokenizer as one position-independent block of bytes, written by
// io/token/build.hpp, checked once by `tables::open` and used in place, from a mapped file or from
// flash.
//
//   header           magic, version, bytes, parameters, the place of every section
//   sections         arrays of little-endian numbers, each at a multiple of 16
//
// Opening looks at the header only, so that it costs the same for every vocabulary. Numbers inside
// sections are therefore not trusted: whoever reads one checks it against the size of what it leads
// into. Bytes that somebody has changed can give wrong tokens, never an access outside.
// `verify` (io/token/build.hpp writes the checksum) tells changed bytes from good ones.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/checked.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/core/utf8.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

inline constexpr std::uint32_t ktok_magic = 0x4b4f544bu; // "KTOK"
inline constexpr std::uint32_t ktok_version = 1;

// Ids and symbols share 21 bits in the table of merges.
inline constexpr std::uint32_t vocabulary_limit = (1u << 21) - 2;
inline constexpr std::uint32_t none = 0xffffffffu;

enum class model_kind : std::uint32_t { bpe, unigram, wordpiece, wordlevel };

enum class section : std::uint32_t {
    steps,         // step_record: normalizers, pre-tokenizers, decoders, templates, in this order
    blob,          // what steps refer to: texts, regular expressions, character maps, tries
    piece_bases,   // u32 for every 16 ids: where their text starts in `pieces`
    piece_lengths, // u8 or u16 for every id
    pieces,        // text of the ids, as decoding gives it
    piece_kinds,   // u8 for every id: piece_* bits
    symbol_ids,    // u32 for every symbol; absent: symbols are ids
    base_bytes,    // u32 [variant][256]: the symbol of a byte
    base_chars,    // hash table of {code point | variant << 21, symbol}
    merges,        // hash table of u64: left << 42 | right << 21 | merged symbol
    merge_slots,   // compact instead: hash table of u16 or u32, merged symbol
    left_lengths,  // with merge_slots: u8 for every symbol: bytes of its left part
    byte_pairs,    // u32 [256][256]: rank of the join of two bytes, where words are bytes
    ranks,         // u32 for every symbol: the first one of the same rank; absent: all differ
    cuts,          // [128] rows of 128 bits: the pairs of ASCII characters inside pieces
    trie,          // trie_unit: pieces (unigram, wordpiece, wordlevel), whole words (bpe)
    scores,        // f64 for every id
    byte_ids,      // u32 [256]: the ids of <0x00> … <0xFF>
    added,         // added_record
    added_trie,    // trie_unit over the texts of added tokens, as they are
    added_trie_normalized,
    count
};
inline constexpr std::uint32_t section_count = static_cast<std::uint32_t>(section::count);

enum : std::uint32_t {
    flag_byte_level = 1u << 0,    // words are bytes; else characters
    flag_byte_fallback = 1u << 1, // unknown characters become their bytes
    flag_fuse_unknown = 1u << 2,  // consecutive unknown characters are one token
    flag_sentencepiece = 1u << 3, // its arithmetic, its unknown tokens, its decoder
    flag_whole_words = 1u << 4,   // bpe: the trie has words that are looked up first
    flag_wide_lengths = 1u << 5,  // piece_lengths are u16
    flag_wide_slots = 1u << 6,    // merge_slots are u32
    flag_variants = 1u << 7,      // symbols differ at the front and at the end of a word
    flag_cut_spaces = 1u << 8,    // no piece has U+2581 behind another character
    flag_lossy_text = 1u << 9,    // text that is not UTF-8 is repaired before anything else
    flag_word_cache = 1u << 10,   // the tokens of a word depend on the word alone
    flag_frozen = 1u << 11,       // bpe: user-defined pieces that never merge (blob trie)
    flag_join_spaces = 1u << 12,  // without a decoder: tokens are joined by spaces
    flag_char_pieces = 1u << 13,  // sentencepiece char model
};

// Bits of piece_kinds.
enum : std::uint8_t {
    piece_special = 1, // skipped by decoding without special tokens
    piece_control = 2, // sentencepiece: decodes to nothing
    piece_unknown = 4, // sentencepiece: decodes to the unknown surface
    piece_byte = 8,    // <0xXX>
    piece_absent = 16, // no token has this id
    piece_added = 32,  // an added token
};

struct section_place {
    std::uint32_t at, bytes;
};

// All numbers are little-endian.
struct ktok_header {
    std::uint32_t magic, version, bytes, checksum; // checksum: of all other bytes
    model_kind model;
    std::uint32_t flags;
    std::uint32_t vocabulary;      // largest id + 1
    std::uint32_t symbols;         // bpe: number of symbols
    std::uint32_t unknown;         // id or none
    std::uint32_t longest_piece;   // bytes
    std::uint32_t max_word_chars;  // wordpiece
    std::uint32_t continuing_root; // wordpiece: the node of the trie behind the prefix, or none
    std::uint32_t merge_shift; // log2 of the slots of `merges`; number of slots of `merge_slots`
    std::uint32_t char_shift;  // log2 of the slots of `base_chars`
    std::uint32_t probes;      // longest search in a hash table
    std::uint32_t normalizers, pre_tokenizers, decoders, templates; // numbers of steps
    std::uint32_t pair_templates;
    std::uint32_t frozen_at, frozen_bytes; // blob: trie of frozen pieces to symbols
    std::uint32_t unk_surface_at, unk_surface_bytes;
    std::uint32_t truncate_to, truncate_flags, pad_to, pad_flags, pad_id, pad_multiple;
    std::uint32_t max_symbols; // the most base symbols that one token is made of
    std::uint32_t first_tied;  // symbols below have a rank of their own
    double unknown_score;
    section_place sections[section_count];
};
static_assert(sizeof(ktok_header) == 32 * 4 + 8 + section_count * 8);

enum class step_kind : std::uint32_t {
    // Normalizers.
    nfc,
    nfd,
    nfkc,
    nfkd,
    lowercase,
    strip_accents,
    strip,
    nmt,
    bert,
    replace,
    prepend,
    precompiled,
    sentencepiece,
    byte_level_text,
    // Pre-tokenizers.
    split_regex,
    split_text,
    split_whitespace,
    split_punctuation,
    split_digits,
    split_char,
    metaspace,
    prefix_space,
    byte_map,
    fixed_length,
    split_script,
    // Decoders.
    decode_bytes,
    decode_byte_fallback,
    decode_fuse,
    decode_strip,
    decode_replace,
    decode_metaspace,
    decode_wordpiece,
    decode_bpe,
    decode_ctc,
    decode_sentencepiece,
    // Post-processing.
    part_special,
    part_sequence,
    trim_offsets,
    count
};

enum class behavior : std::uint32_t {
    removed,
    isolated,
    merged_with_previous,
    merged_with_next,
    contiguous
};

struct step_record {
    step_kind kind;
    std::uint32_t flags;
    std::uint32_t a, a_bytes, b, b_bytes; // places in the blob, or numbers
};
static_assert(sizeof(step_record) == 24);

// Bits of step_record::flags.
enum : std::uint32_t {
    step_behavior = 7, // split_*: behavior
    step_invert = 8,
    step_left = 1,
    step_right = 2, // strip
    step_clean = 1,
    step_chinese = 2,
    step_accents = 4,
    step_lower = 8, // bert
    step_dummy_prefix = 1,
    step_remove_spaces = 2,
    step_escape = 4,
    step_suffix = 8, // sentencepiece
    step_prepend_always = 1,
    step_prepend_first = 2,
    step_split = 4,   // metaspace
    step_cleanup = 1, // wordpiece, ctc
};

struct added_record {
    std::uint32_t id, flags, bytes, reserved;
};
enum : std::uint32_t {
    added_single_word = 1,
    added_lstrip = 2,
    added_rstrip = 4,
    added_special = 8,
    added_normalized = 16,
};

// A node of a double array: child c of a node is the unit at offset ^ c, if that unit is in use and
// has the label c. Bits: 0-7 label, 8-31 offset (0: no children), 32-55 value + 1 (0: none),
// 63 in use.
class trie_view {
  public:
    static constexpr std::uint64_t used = std::uint64_t{1} << 63;
    trie_view() = default;
    explicit trie_view(bytes_view bytes) noexcept
        : units_(bytes.data()), count_(static_cast<std::uint32_t>(bytes.size() / 8)) {}
    bool empty() const noexcept { return count_ == 0; }

    class cursor {
      public:
        cursor(const trie_view& t, std::uint32_t node) noexcept : t_(t), unit_(t.unit(node)) {}
        bool next(char c) noexcept {
            const auto label = static_cast<std::uint8_t>(c);
            const std::uint32_t offset = static_cast<std::uint32_t>(unit_ >> 8) & 0xffffffu;
            const std::uint32_t child = offset ^ label;
            if (offset == 0 || child >= t_.count_) return false;
            const std::uint64_t unit = t_.unit(child);
            if ((unit & (used | 0xff)) != (used | label)) return false;
            unit_ = unit;
            return true;
        }
        // `none` when no key ends here.
        std::uint32_t value() const noexcept {
            return (static_cast<std::uint32_t>(unit_ >> 32) & 0xffffffu) - 1;
        }
        bool has_value() const noexcept { return ((unit_ >> 32) & 0xffffffu) != 0; }

      private:
        const trie_view& t_;
        std::uint64_t unit_;
    };
    cursor start(std::uint32_t node = 0) const noexcept {
        return cursor(*this, node < count_ ? node : 0);
    }
    // The value of exactly this text, or `none`.
    std::uint32_t find(const char* p, std::size_t n, std::uint32_t node = 0) const noexcept {
        if (count_ == 0) return none;
        cursor c = start(node);
        for (std::size_t i = 0; i < n; ++i) {
            if (!c.next(p[i])) return none;
        }
        return c.value();
    }
    // The longest key at the front of the text: its value, and its bytes in `length`.
    std::uint32_t longest(const char* p, std::size_t n, std::size_t& length) const noexcept {
        std::uint32_t best = none;
        length = 0;
        if (count_ == 0) return none;
        cursor c = start();
        for (std::size_t i = 0; i < n && c.next(p[i]); ++i) {
            if (c.has_value()) {
                best = c.value();
                length = i + 1;
            }
        }
        return best;
    }

  private:
    std::uint64_t unit(std::uint32_t i) const noexcept {
        return load_le<std::uint64_t>(units_ + std::size_t{i} * 8);
    }
    const std::byte* units_ = nullptr;
    std::uint32_t count_ = 0;
};

constexpr std::uint32_t hash_pair(std::uint32_t left, std::uint32_t right) noexcept {
    std::uint32_t h = left * 0x9e3779b1u ^ (right * 0x85ebca77u + 0x165667b1u);
    h ^= h >> 15;
    return h * 0x2c1b3c6du;
}
// The slot in a table of 2^shift slots.
constexpr std::uint32_t slot_of(std::uint32_t hash, std::uint32_t shift) noexcept {
    return hash >> (32 - shift);
}

// The bytes of a tokenizer, opened.
class tables {
  public:
    static status open(bytes_view bytes, tables& out) noexcept {
        if (bytes.size() < sizeof(ktok_header)) {
            return fail(errc::bad_file, "ktok: needs a header of ", sizeof(ktok_header),
                        " bytes, has ", bytes.size());
        }
        tables t;
        t.bytes_ = bytes;
        std::memcpy(&t.h_, bytes.data(), sizeof t.h_);
#if KOMPAKT_BIG_ENDIAN
        std::uint32_t words[sizeof(ktok_header) / 4];
        std::memcpy(words, bytes.data(), sizeof words);
        for (std::uint32_t& w : words) w = load_le<std::uint32_t>(&w);
        std::memcpy(&t.h_, words, sizeof words);
        t.h_.unknown_score = load_le<double>(bytes.data() + offsetof(ktok_header, unknown_score));
#endif
        const ktok_header& h = t.h_;
        if (h.magic != ktok_magic) return fail(errc::bad_file, "ktok: not a tokenizer of kompakt");
        if (h.version != ktok_version) {
            return fail(errc::unsupported, "ktok: version ", h.version, ", this is for version ",
                        ktok_version);
        }
        if (h.bytes != bytes.size()) {
            return fail(errc::bad_file, "ktok: needs ", h.bytes, " bytes, has ", bytes.size());
        }
        for (std::uint32_t i = 0; i < section_count; ++i) {
            const section_place& s = h.sections[i];
            if (s.at % 16 != 0 || !inside(s.at, s.bytes, bytes.size())) {
                return fail(errc::bad_file, "ktok: section ", i, " is outside of the file");
            }
        }
        return t.check(out);
    }

    const ktok_header& header() const noexcept {
        return h_;
    }
    bool flag(std::uint32_t f) const noexcept {
        return (h_.flags & f) != 0;
    }
    bytes_view get(section s) const noexcept {
        const section_place& p = h_.sections[static_cast<std::uint32_t>(s)];
        return {bytes_.data() + p.at, p.bytes};
    }
    const std::byte* data(section s) const noexcept {
        return bytes_.data() + h_.sections[static_cast<std::uint32_t>(s)].at;
    }
    std::uint32_t bytes(section s) const noexcept {
        return h_.sections[static_cast<std::uint32_t>(s)].bytes;
    }
    bool has(section s) const noexcept {
        return bytes(s) != 0;
    }
    bytes_view all() const noexcept {
        return bytes_;
    }

    // A part of the blob; empty if it is not inside.
    bytes_view blob(std::uint32_t at, std::uint32_t n) const noexcept {
        const bytes_view b = get(section::blob);
        return inside(at, n, b.size()) ? b.subspan(at, n) : bytes_view();
    }
    text_view text(std::uint32_t at, std::uint32_t n) const noexcept {
        const bytes_view b = blob(at, n);
        return {reinterpret_cast<const char*>(b.data()), b.size()};
    }
    std::uint32_t step_count() const noexcept {
        return bytes(section::steps) / 24;
    }
    step_record step(std::uint32_t i) const noexcept {
        const std::byte* p = data(section::steps) + std::size_t{i} * 24;
        const auto at = [p](int k) { return load_le<std::uint32_t>(p + 4 * k); };
        return {static_cast<step_kind>(at(0)), at(1), at(2), at(3), at(4), at(5)};
    }
    added_record added(std::uint32_t i) const noexcept {
        if (i >= bytes(section::added) / 16) return {none, 0, 0, 0};
        const std::byte* p = data(section::added) + std::size_t{i} * 16;
        return {load_le<std::uint32_t>(p), load_le<std::uint32_t>(p + 4),
                load_le<std::uint32_t>(p + 8), 0};
    }

    // What decoding gives for an id; empty for ids that no token has.
    text_view piece(std::uint32_t id) const noexcept {
        if (id >= h_.vocabulary) return {};
        const std::uint32_t group = id / 16;
        std::uint64_t at = load_le<std::uint32_t>(data(section::piece_bases) + 4 * group);
        std::uint32_t n = 0;
        const std::byte* lengths = data(section::piece_lengths);
        if (!flag(flag_wide_lengths)) {
            for (std::uint32_t i = group * 16; i < id; ++i)
                at += static_cast<std::uint8_t>(lengths[i]);
            n = static_cast<std::uint8_t>(lengths[id]);
        } else {
            for (std::uint32_t i = group * 16; i < id; ++i) {
                at += load_le<std::uint16_t>(lengths + 2 * std::size_t{i});
            }
            n = load_le<std::uint16_t>(lengths + 2 * std::size_t{id});
        }
        const bytes_view all = get(section::pieces);
        if (!inside(at, n, all.size())) return {};
        return {reinterpret_cast<const char*>(all.data()) + at, n};
    }
    std::uint8_t kind(std::uint32_t id) const noexcept {
        return id < bytes(section::piece_kinds)
                   ? static_cast<std::uint8_t>(data(section::piece_kinds)[id])
                   : std::uint8_t{piece_absent};
    }
    std::uint32_t byte_id(std::uint8_t b) const noexcept {
        return has(section::byte_ids) ? load_le<std::uint32_t>(data(section::byte_ids) + 4 * b)
                                      : none;
    }
    // `none`: the symbol stands for text that has no token.
    std::uint32_t id_of_symbol(std::uint32_t symbol) const noexcept {
        if (symbol >= h_.symbols) return none;
        if (!has(section::symbol_ids)) return symbol;
        return load_le<std::uint32_t>(data(section::symbol_ids) + 4 * std::size_t{symbol});
    }

  private:
    // Sizes that belong together; after this, indices below the header's counts are inside.
    status check(tables& out) const noexcept {
        const auto wrong = [](const char* what) { return fail(errc::bad_file, "ktok: ", what); };
        const std::uint64_t v = h_.vocabulary;
        if (v > vocabulary_limit + 1 || h_.symbols > vocabulary_limit + 1) {
            return fail(errc::limit, "ktok: ", v, " ids, the limit is ", vocabulary_limit + 1);
        }
        if (static_cast<std::uint32_t>(h_.model) >
            static_cast<std::uint32_t>(model_kind::wordlevel)) {
            return wrong("unknown model");
        }
        if (bytes(section::piece_bases) / 4 < (v + 15) / 16 ||
            bytes(section::piece_lengths) / (flag(flag_wide_lengths) ? 2u : 1u) < v ||
            bytes(section::piece_kinds) < v) {
            return wrong("tables of pieces are too short");
        }
        const auto at_least = [&](section s, std::uint64_t n) { return !has(s) || bytes(s) >= n; };
        if (!at_least(section::symbol_ids, std::uint64_t{h_.symbols} * 4) ||
            !at_least(section::ranks, std::uint64_t{h_.symbols} * 4) ||
            !at_least(section::left_lengths, h_.symbols) || !at_least(section::scores, v * 8) ||
            !at_least(section::byte_ids, 1024) || !at_least(section::byte_pairs, 262144) ||
            !at_least(section::base_bytes, flag(flag_variants) ? 4096 : 1024)) {
            return wrong("a table is too short");
        }
        if (!has(section::symbol_ids) && h_.symbols > v) return wrong("more symbols than ids");
        if (has(section::merges) &&
            (h_.merge_shift < 1 || h_.merge_shift > 28 ||
             bytes(section::merges) != (std::uint64_t{8} << h_.merge_shift))) {
            return wrong("the table of merges has another size");
        }
        if (has(section::merge_slots) &&
            (h_.merge_shift == 0 || !has(section::left_lengths) || h_.merge_shift > (1u << 28) ||
             bytes(section::merge_slots) <
                 std::uint64_t{h_.merge_shift} * (flag(flag_wide_slots) ? 4 : 2))) {
            return wrong("the table of merges has another size");
        }
        if (has(section::base_chars) &&
            (h_.char_shift < 1 || h_.char_shift > 28 ||
             bytes(section::base_chars) != (std::uint64_t{8} << h_.char_shift))) {
            return wrong("the table of characters has another size");
        }
        if (h_.model == model_kind::bpe && !has(section::base_chars) && !has(section::base_bytes)) {
            return wrong("no symbols");
        }
        if (h_.model == model_kind::unigram && (!has(section::scores) || !has(section::trie))) {
            return wrong("no scores");
        }
        const std::uint64_t steps = std::uint64_t{h_.normalizers} + h_.pre_tokenizers +
                                    h_.decoders + h_.templates + h_.pair_templates;
        if (steps != step_count() || steps > 1024) return wrong("steps do not add up");
        for (std::uint32_t i = 0; i < step_count(); ++i) {
            if (static_cast<std::uint32_t>(step(i).kind) >=
                static_cast<std::uint32_t>(step_kind::count)) {
                return wrong("an unknown step");
            }
        }
        if (h_.longest_piece > 0xffff || h_.max_symbols > 0xffff)
            return wrong("a token is too long");
        if (h_.pre_tokenizers > 32) return wrong("more than 32 pre-tokenizers");
        out = *this;
        return {};
    }

    bytes_view bytes_;
    ktok_header h_{};
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
