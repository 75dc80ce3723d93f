// A trained vocabulary with all that belongs to it: what the writers write.
#pragma once

#include <kompakt/core/status.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

enum class model_kind : std::uint8_t { bpe, wordpiece, unigram, word, character };

constexpr const char* name_of(model_kind k) noexcept {
    switch (k) {
    case model_kind::bpe:
        return "bpe";
    case model_kind::wordpiece:
        return "wordpiece";
    case model_kind::unigram:
        return "unigram";
    case model_kind::word:
        return "word";
    case model_kind::character:
        return "char";
    }
    return "unknown";
}

// Whose training, normalization and segmentation.
enum class rule_set : std::uint8_t { hugging_face, sentencepiece };

// How text becomes words.
enum class splitting : std::uint8_t {
    byte_level,    // GPT-2's pattern, words of bytes
    bert,          // BERT's normalizer and pre-tokenizer
    white_space,   // what stands between white space
    characters,    // each character is a word
    sentencepiece, // normalized, spaces as marks in front of words
};

// Numbers of SentencePiece's format.
enum class piece_type : std::uint8_t {
    normal = 1,
    unknown = 2,
    control = 3,
    user_defined = 4,
    byte = 6
};

struct trained_piece {
    std::string text;
    float score = 0;
    piece_type type = piece_type::normal;
};

struct trained_tokenizer {
    model_kind model = model_kind::bpe;
    rule_set rules = rule_set::hugging_face;
    std::vector<trained_piece> pieces;                           // by id
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges; // by rank

    splitting split = splitting::byte_level;
    // Segmentation by the longest piece that fits, not by the order of the merges.
    bool greedy = false;
    bool add_prefix_space = false;
    std::string pattern;        // with splitting::byte_level; empty: GPT-2's
    bool lowercase = false;     // with splitting::bert
    bool strip_accents = false; // with splitting::bert
    bool clean = false;         // with splitting::bert
    std::string continuing_subword_prefix, end_of_word_suffix;
    std::string unknown_token; // empty: none

    // SentencePiece's.
    std::string normalization; // its name
    std::string character_map; // its bytes
    bool add_dummy_prefix = true;
    bool remove_extra_spaces = true;
    bool byte_fallback = false;
    double coverage = 0.9995;
    unsigned longest_piece = 16;
    bool split_by_script = true, split_by_number = true, split_digits = false;

    // What the training was made of.
    std::uint64_t text_bytes = 0, lines = 0, skipped_lines = 0;
    std::uint64_t words = 0, distinct_words = 0;
    std::uint64_t words_left_out = 0; // distinct ones, too many for the memory
    std::uint64_t alphabet = 0;

    // The id of a piece; -1 if there is none.
    std::int64_t find(std::string_view text) const noexcept {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (pieces[i].text == text) return static_cast<std::int64_t>(i);
        }
        return -1;
    }
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
