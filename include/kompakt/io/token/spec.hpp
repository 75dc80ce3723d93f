// What a tokenizer file says, in one form for all kinds of files: readers make it, `build_ktok`
// turns it into the bytes that tokenizing works on.
#pragma once

#include <kompakt/token/format.hpp>

#include <string>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// One id. `text` is what the model sees: for byte-level vocabularies the bytes themselves.
struct token_spec {
    std::string text;
    std::string decoded; // what decoding gives, if `decodes_apart`
    double score = 0;
    std::uint8_t kind = piece_absent;
    bool decodes_apart = false;
    bool usable = true;        // false: in the list of ids, but no text becomes it
    bool user_defined = false; // sentencepiece
    bool unused = false;       // sentencepiece
};

struct merge_spec {
    std::uint32_t left, right, result;
};

// A step. Steps that have texts use a and b, the others the numbers.
struct step_spec {
    step_kind kind = step_kind::count;
    std::uint32_t flags = 0;
    std::string a, b;
    std::uint32_t numbers[4] = {};
};

struct added_spec {
    std::uint32_t id = 0;
    std::string text;
    std::uint32_t flags = 0; // added_*
};

enum class merge_source : std::uint8_t {
    list,     // `merges`, in the order of their ranks
    by_id,    // any two neighbours whose text together is a token; the lowest id first
    by_score, // the same; the highest score first
    no_merges,
};

struct tokenizer_spec {
    model_kind model = model_kind::bpe;
    bool sentencepiece = false;
    bool byte_level = false;
    bool byte_fallback = false;
    bool fuse_unknown = false;
    bool whole_words = false;       // a word that is a token is never split
    bool lossy_text = true;         // text that is not UTF-8 is repaired first
    bool join_spaces = false;       // decoding without a decoder
    std::vector<token_spec> tokens; // by id
    std::uint32_t unknown = none;
    merge_source merging = merge_source::list;
    std::vector<merge_spec> merges;
    std::string prefix, suffix; // of continuing symbols, of the last symbol of a word
    std::uint32_t max_word_chars = 100;
    std::string unknown_surface;

    std::vector<step_spec> normalizers, pre_tokenizers, decoders;
    // Post-processing of one sequence and of two.
    std::vector<step_spec> single, pair;
    std::vector<added_spec> added;

    std::uint32_t truncate_to = 0, truncate_stride = 0; // 0: no truncation
    bool truncate_left = false;
    std::uint32_t truncate_strategy = 0; // longest first, only the first, only the second
    std::uint32_t pad_to = 0, pad_multiple = 0, pad_id = 0,
                  pad_type = 0; // pad_to none: the longest of a batch
    bool pads = false, pad_left = false;
};

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
