// Trains tokenizers from text files.
//
//     token_train::train_options o;
//     o.model = token_train::model_kind::unigram;
//     o.rules = token_train::rule_set::sentencepiece;
//     o.vocabulary_size = 8000;
//     thread_pool pool;
//     auto t = token_train::train_tokenizer({"text.txt"}, o, pool);   // result<trained_tokenizer>
//     token_train::write_trained(*t, "text.model");
//
// Files may be larger than memory. The result depends on files and options only: not on the number
// of threads, not on the machine.
#pragma once

#include <kompakt/core/executor.hpp>
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/io/token/train/bert_splitter.hpp>
#include <kompakt/io/token/train/byte_splitter.hpp>
#include <kompakt/io/token/train/merge_trainer.hpp>
#include <kompakt/io/token/train/normalization_rules.hpp>
#include <kompakt/io/token/train/pattern_splitter.hpp>
#include <kompakt/io/token/train/piece_merge_trainer.hpp>
#include <kompakt/io/token/train/piece_splitter.hpp>
#include <kompakt/io/token/train/trained.hpp>
#include <kompakt/io/token/train/unigram_trainer.hpp>

#include <cmath>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

struct train_options {
    model_kind model = model_kind::bpe;
    // Of BPE and of word and character vocabularies. WordPiece has Hugging Face's, Unigram
    // SentencePiece's.
    rule_set rules = rule_set::hugging_face;
    std::size_t vocabulary_size = 30000; // all pieces
    // Special tokens come first. With SentencePiece's rules they follow <unk>, <s> and </s>.
    std::vector<std::string> special_tokens;
    // Pieces that text is always cut into (SentencePiece's rules only).
    std::vector<std::string> user_defined;
    bool greedy = false; // segmentation by the longest piece (byte-pair vocabularies)

    // Hugging Face's rules.
    splitting split = splitting::byte_level; // not splitting::sentencepiece
    std::string pattern;                     // of words of bytes; empty: GPT-2's
    std::uint64_t min_frequency = 0;
    std::size_t limit_alphabet = SIZE_MAX;
    bool whole_byte_alphabet = true; // all 256 bytes, so that there is nothing unknown
    bool add_prefix_space = false;
    bool lowercase = true; // with splitting::bert
    std::string continuing_subword_prefix, end_of_word_suffix;
    std::string unknown_token; // also for characters outside the alphabet
    std::size_t longest_token = SIZE_MAX;

    // SentencePiece's rules.
    double coverage = 0.9995;               // of the characters, by the alphabet
    std::string normalization = "nmt_nfkc"; // nmt_nfkc, nfkc or identity
    std::string character_map;              // bytes of a map, used instead
    std::u32string required_characters;     // in the alphabet whatever the coverage
    bool add_dummy_prefix = true;           // a space in front of each line
    bool remove_extra_spaces = true;
    bool byte_fallback = false;      // 256 pieces for bytes of unknown characters
    std::size_t longest_line = 4192; // bytes; longer ones are skipped
    piece_rules pieces;
    std::size_t seed_pieces = 1000000; // of Unigram
    double shrinking_factor = 0.75;
    unsigned sub_iterations = 2;

    // About what training may take: 4 GiB, or 1 where pointers have 32 bits. With less than it
    // wants the rarest words are left out.
    std::size_t memory_bytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 32 : 30);
    std::size_t longest_text_line = std::size_t{16} << 20; // bytes; longer ones are cut
    progress_callback progress;
};

namespace detail {

inline std::u32string byte_alphabet() {
    std::u32string s;
    for (unsigned b = 0; b < 256; ++b) s += character_of_byte(b);
    return s;
}

inline std::string byte_piece(unsigned b) {
    constexpr const char* digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[b >> 4] + digits[b & 15] + ">";
}

// Of the memory, distinct words get what their training leaves them: bytes for each byte of them.
inline count_options counting(const train_options& o) {
    count_options c;
    c.memory_bytes = o.memory_bytes / 2;
    const std::size_t each = o.model == model_kind::unigram                                    ? 64
                             : o.model == model_kind::word || o.model == model_kind::character ? 4
                                                                                               : 16;
    c.list_bytes = (std::max)(o.memory_bytes / each, std::size_t{1} << 16);
    c.longest_line = (std::max)(o.longest_text_line, o.longest_line + 1);
    c.progress = o.progress;
    return c;
}

template <class Executor>
result<word_list> count_for(const std::vector<std::string>& files, const train_options& o,
                            splitting split, Executor& executor) {
    switch (split) {
    case splitting::byte_level: {
        if (o.pattern.empty()) {
            return count_words(files, byte_splitter(o.add_prefix_space), executor, counting(o));
        }
        if (o.add_prefix_space) {
            return fail(errc::bad_argument, "a space in front of each line goes with GPT-2's "
                                            "pattern only: after others each word would get one");
        }
        const auto splitter = pattern_splitter::make(o.pattern);
        if (!splitter) return splitter.error();
        return count_words(files, *splitter, executor, counting(o));
    }
    case splitting::bert: {
        bert_splitter_options b;
        b.lowercase = b.strip_accents = o.lowercase;
        return count_words(files, bert_splitter(b), executor, counting(o));
    }
    case splitting::white_space:
        return count_words(files, white_space_splitter(), executor, counting(o));
    case splitting::characters:
        return count_words(files, character_splitter(), executor, counting(o));
    case splitting::sentencepiece:
        break;
    }
    return fail(errc::bad_argument, "splitting: SentencePiece's goes with its rules only");
}

inline void note_text(trained_tokenizer& t, const word_list& words) {
    t.text_bytes = words.bytes_of_text;
    t.lines = words.lines;
    t.skipped_lines = words.skipped_lines;
    t.words = words.total;
    t.distinct_words = words.size();
    t.words_left_out = words.left_out;
}

inline status no_text(const std::vector<std::string>& files, const word_list& words,
                      std::size_t longest_line) {
    const std::string name = files.empty() ? std::string("no file") : files[0];
    if (words.skipped_lines != 0) {
        return fail(errc::bad_data, kompakt::detail::shown_path(name), ": all ",
                    words.skipped_lines, " lines were skipped: longer than ", longest_line,
                    " bytes, or with the reserved character U+2585");
    }
    return fail(errc::bad_data, kompakt::detail::shown_path(name),
                ": there is no text to train on");
}

template <class Executor>
result<trained_tokenizer> train_by_merging(const std::vector<std::string>& files,
                                           const train_options& o, Executor& executor) {
    trained_tokenizer t;
    t.model = o.model;
    t.rules = rule_set::hugging_face;
    t.split = o.model == model_kind::wordpiece   ? splitting::bert
              : o.model == model_kind::character ? splitting::characters
                                                 : o.split;
    if (t.split == splitting::byte_level && o.model == model_kind::word) {
        return fail(errc::bad_argument, "word vocabularies need words of characters, not of bytes");
    }
    t.greedy = o.greedy;
    t.add_prefix_space = o.add_prefix_space;
    if (t.split == splitting::byte_level) t.pattern = o.pattern;
    if (t.split == splitting::bert) t.lowercase = t.strip_accents = o.lowercase, t.clean = true;
    const bool merges = o.model == model_kind::bpe || o.model == model_kind::wordpiece;
    if (merges) {
        t.continuing_subword_prefix = o.continuing_subword_prefix;
        t.end_of_word_suffix = o.end_of_word_suffix;
        if (o.model == model_kind::wordpiece && t.continuing_subword_prefix.empty()) {
            t.continuing_subword_prefix = "##";
        }
    }
    t.unknown_token = o.unknown_token;
    auto words = count_for(files, o, t.split, executor);
    if (!words) return words.error();
    note_text(t, *words);
    if (words->empty()) return no_text(files, *words, o.longest_text_line);

    std::vector<std::string> special;
    const auto add_special = [&](const std::string& s) {
        if (!s.empty() && std::find(special.begin(), special.end(), s) == special.end()) {
            special.push_back(s);
        }
    };
    if (std::find(o.special_tokens.begin(), o.special_tokens.end(), o.unknown_token) ==
        o.special_tokens.end()) {
        add_special(o.unknown_token);
    }
    for (const std::string& s : o.special_tokens) add_special(s);
    for (const std::string& s : special) {
        const bool unknown = s == o.unknown_token;
        t.pieces.push_back({s, 0, unknown ? piece_type::unknown : piece_type::control});
    }

    if (o.model == model_kind::word || o.model == model_kind::character) {
        for (std::size_t i = 0; i < words->size(); ++i) {
            if (t.pieces.size() >= o.vocabulary_size || words->count(i) < o.min_frequency) break;
            const std::string word(words->word(i));
            if (std::find(special.begin(), special.end(), word) != special.end()) continue;
            if (!is_valid_utf8(word)) continue;
            t.pieces.push_back({word, 0, piece_type::normal});
        }
        return t;
    }

    merge_options m;
    m.vocabulary_size = o.vocabulary_size;
    m.min_frequency = o.min_frequency;
    m.special_tokens = special;
    m.byte_level = t.split == splitting::byte_level;
    if (m.byte_level && o.whole_byte_alphabet) m.initial_alphabet = byte_alphabet();
    m.limit_alphabet = o.limit_alphabet;
    m.longest_token = o.longest_token;
    m.progress = o.progress;
    m.continuing_subword_prefix = t.continuing_subword_prefix;
    m.end_of_word_suffix = t.end_of_word_suffix;
    auto v = train_merges(*words, m);
    if (!v) return v.error();
    t.alphabet = v->alphabet;
    for (std::size_t i = special.size(); i < v->tokens.size(); ++i) {
        t.pieces.push_back({std::move(v->tokens[i]), 0, piece_type::normal});
    }
    t.merges = std::move(v->merges);
    return t;
}

template <class Executor>
result<trained_tokenizer> train_pieces(const std::vector<std::string>& files,
                                       const train_options& o, Executor& executor) {
    trained_tokenizer t;
    t.model = o.model;
    t.rules = rule_set::sentencepiece;
    t.split = splitting::sentencepiece;
    t.greedy = o.greedy;
    t.unknown_token = "<unk>";
    t.normalization = o.character_map.empty() ? o.normalization : "user_defined";
    t.add_dummy_prefix = o.add_dummy_prefix;
    t.remove_extra_spaces = o.remove_extra_spaces;
    t.byte_fallback = o.byte_fallback;
    t.coverage = o.coverage;
    t.longest_piece = o.pieces.longest;
    t.split_by_script = o.pieces.split_by_script;
    t.split_by_number = o.pieces.split_by_number;
    t.split_digits = o.pieces.split_digits;
    if (!(o.coverage > 0 && o.coverage <= 1)) {
        return fail(errc::bad_argument, "character coverage: needs a number above 0, at most 1");
    }
    if (o.character_map.empty()) {
        auto map = normalization_map(o.normalization);
        if (!map) return map.error();
        t.character_map = std::move(*map);
    } else {
        t.character_map = o.character_map;
    }

    t.pieces.push_back({"<unk>", 0, piece_type::unknown});
    const auto add_piece = [&](const std::string& s, piece_type type) -> status {
        if (s.empty()) return fail(errc::bad_argument, "a special token without text");
        for (trained_piece& p : t.pieces) {
            if (p.text != s) continue;
            // <s> and </s> may be asked for as what text is cut into.
            if (p.type == piece_type::control && type == piece_type::user_defined) {
                p.type = type;
                return {};
            }
            if (p.type == type) return {};
            return fail(errc::bad_argument, "special token ", s, ": is there already");
        }
        t.pieces.push_back({s, 0, type});
        return {};
    };
    KOMPAKT_TRY(add_piece("<s>", piece_type::control));
    KOMPAKT_TRY(add_piece("</s>", piece_type::control));
    for (const std::string& s : o.special_tokens) {
        if (s != "<unk>") KOMPAKT_TRY(add_piece(s, piece_type::control));
    }
    for (const std::string& s : o.user_defined) KOMPAKT_TRY(add_piece(s, piece_type::user_defined));
    if (o.byte_fallback) {
        for (unsigned b = 0; b < 256; ++b) {
            KOMPAKT_TRY(add_piece(byte_piece(b), piece_type::byte));
        }
    }

    piece_splitter_options s;
    auto map = character_map::read(t.character_map);
    if (!map) return map.error();
    s.map = std::make_shared<character_map>(std::move(*map));
    s.add_dummy_prefix = o.add_dummy_prefix;
    s.remove_extra_spaces = o.remove_extra_spaces;
    s.longest_line = o.longest_line;
    for (const trained_piece& p : t.pieces) s.special.push_back(p.text);
    auto words = count_words(files, piece_splitter(s), executor, counting(o));
    if (!words) return words.error();
    note_text(t, *words);
    if (words->empty()) return no_text(files, *words, o.longest_line);

    const std::size_t special = t.pieces.size();
    const piece_alphabet alphabet = find_alphabet(*words, o.coverage, o.required_characters);
    t.alphabet = alphabet.required.size();
    const bool subwords = o.model == model_kind::bpe || o.model == model_kind::unigram;
    const std::size_t least = special + (subwords ? alphabet.required.size() : 1);
    if (o.vocabulary_size < least) {
        return fail(errc::bad_argument, "vocabulary size ", o.vocabulary_size, ": ", special,
                    " special pieces and ", subwords ? alphabet.required.size() : 1,
                    " characters need at least ", least,
                    subwords ? "; a lower coverage needs fewer" : "");
    }
    const std::size_t room = o.vocabulary_size - special;
    switch (o.model) {
    case model_kind::bpe: {
        piece_merge_options m;
        m.pieces = room;
        m.rules = o.pieces;
        m.progress = o.progress;
        auto v = train_piece_merges(*words, alphabet, m);
        if (!v) return v.error();
        for (std::size_t i = 0; i < v->pieces.size(); ++i) {
            t.pieces.push_back(
                {std::move(v->pieces[i]), -static_cast<float>(i), piece_type::normal});
        }
        return t;
    }
    case model_kind::unigram: {
        unigram_options u;
        u.pieces = room;
        u.vocabulary_size = o.vocabulary_size;
        u.rules = o.pieces;
        u.seed_pieces = o.seed_pieces;
        u.shrinking_factor = o.shrinking_factor;
        u.sub_iterations = o.sub_iterations;
        u.progress = o.progress;
        auto v = train_unigram(*words, alphabet, u, executor);
        if (!v) return v.error();
        for (scored_piece& p : *v) {
            t.pieces.push_back({std::move(p.text), p.score, piece_type::normal});
        }
        return t;
    }
    case model_kind::word:
    case model_kind::character: {
        std::uint64_t sum = 0;
        std::vector<std::pair<std::string, std::uint64_t>> all;
        if (o.model == model_kind::character) {
            for (const alphabet_entry& a : alphabet.required) {
                all.push_back({utf8_of({&a.character, 1}), a.count});
            }
        } else {
            for (std::size_t i = 0; i < words->size(); ++i) {
                bool known = true;
                each_character(words->word(i), [&](char32_t c) { known = known && c != U'\t'; });
                if (known) all.push_back({std::string(words->word(i)), words->count(i)});
            }
        }
        for (const auto& a : all) sum += a.second;
        for (const auto& a : all) {
            if (t.pieces.size() == o.vocabulary_size) break;
            const float score =
                std::log(static_cast<float>(a.second)) - std::log(static_cast<float>(sum));
            t.pieces.push_back({a.first, score, piece_type::normal});
        }
        return t;
    }
    case model_kind::wordpiece:
        break;
    }
    return fail(errc::bad_argument, "WordPiece has no rules of SentencePiece's");
}

} // namespace detail

// Fails with errc::io if a file cannot be read, errc::bad_data if there is no text in the files,
// errc::bad_argument if the options make no sense or the vocabulary has no room for its alphabet,
// errc::limit if the text has too many distinct words.
template <class Executor>
result<trained_tokenizer> train_tokenizer(const std::vector<std::string>& files,
                                          const train_options& options, Executor& executor) {
    if (options.vocabulary_size == 0 || options.vocabulary_size > (std::size_t{1} << 26)) {
        return fail(errc::bad_argument, "vocabulary size ", options.vocabulary_size,
                    ": needs a number from 1 to ", std::size_t{1} << 26);
    }
    if (options.model == model_kind::unigram) return detail::train_pieces(files, options, executor);
    if (options.model == model_kind::wordpiece || options.rules == rule_set::hugging_face) {
        return detail::train_by_merging(files, options, executor);
    }
    return detail::train_pieces(files, options, executor);
}

#if KOMPAKT_COMPILED
extern template result<trained_tokenizer> train_tokenizer(const std::vector<std::string>&,
                                                          const train_options&, serial_executor&);
extern template result<trained_tokenizer> train_tokenizer(const std::vector<std::string>&,
                                                          const train_options&, thread_pool&);
#endif

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
