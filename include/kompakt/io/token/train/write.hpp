// Trained vocabularies as files that other programs load: tokenizer.json, SentencePiece's .model,
// GPT-2's vocab.json with merges.txt, BERT's vocab.txt.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/format/json.hpp>
#include <kompakt/format/protobuf_writer.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/io/token/train/trained.hpp>

#include <algorithm>
#include <unordered_map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

namespace detail {

inline std::string base64(std::string_view bytes) {
    constexpr const char* digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = (std::min)(bytes.size() - i, std::size_t{3});
        std::uint32_t v = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            v = v << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += k <= n ? digits[v >> (18 - 6 * k) & 63] : '=';
        }
    }
    return out;
}

// Byte-pair merges of a SentencePiece vocabulary: there, any two neighbours merge whose text
// together is a piece, so every way to cut a piece in two is a merge, with the piece's rank.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>>
merges_of_pieces(const trained_tokenizer& t) {
    std::unordered_map<std::string_view, std::uint32_t> ids;
    for (std::uint32_t i = 0; i < t.pieces.size(); ++i) {
        if (t.pieces[i].type == piece_type::normal) ids.emplace(t.pieces[i].text, i);
    }
    std::vector<std::uint32_t> order;
    for (const auto& id : ids) order.push_back(id.second);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const float x = t.pieces[a].score, y = t.pieces[b].score;
        return x != y ? x > y : a < b;
    });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;
    for (const std::uint32_t id : order) {
        const std::string_view text = t.pieces[id].text;
        const std::size_t first = merges.size();
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (is_continuation_byte(text[i])) continue;
            const auto left = ids.find(text.substr(0, i)), right = ids.find(text.substr(i));
            if (left != ids.end() && right != ids.end()) {
                merges.push_back({left->second, right->second});
            }
        }
        std::sort(merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end());
    }
    return merges;
}

inline void write_byte_level(json::writer& w, bool add_prefix_space, bool use_regex) {
    w.begin_object().member("type", "ByteLevel").member("add_prefix_space", add_prefix_space);
    w.member("trim_offsets", true).member("use_regex", use_regex).end();
}
inline void write_metaspace(json::writer& w, const trained_tokenizer& t) {
    w.begin_object().member("type", "Metaspace").member("replacement", "\xe2\x96\x81");
    w.member("prepend_scheme", t.add_dummy_prefix ? "always" : "never").member("split", true).end();
}

inline void write_normalizer(json::writer& w, const trained_tokenizer& t) {
    w.key("normalizer");
    if (t.split == splitting::bert) {
        w.begin_object().member("type", "BertNormalizer").member("clean_text", t.clean);
        w.member("handle_chinese_chars", true).member("strip_accents", t.strip_accents);
        w.member("lowercase", t.lowercase).end();
        return;
    }
    if (t.split != splitting::sentencepiece) {
        w.value(nullptr);
        return;
    }
    w.begin_object().member("type", "Sequence").key("normalizers").begin_array();
    if (!t.character_map.empty()) {
        w.begin_object().member("type", "Precompiled");
        w.member("precompiled_charsmap", base64(t.character_map)).end();
    }
    if (t.remove_extra_spaces) {
        w.begin_object().member("type", "Strip").member("strip_left", false);
        w.member("strip_right", true).end();
        w.begin_object().member("type", "Replace").key("pattern").begin_object();
        w.member("Regex", " {2,}").end().member("content", "\xe2\x96\x81").end();
    }
    w.end().end();
}

inline void write_pre_tokenizer(json::writer& w, const trained_tokenizer& t) {
    w.key("pre_tokenizer");
    switch (t.split) {
    case splitting::byte_level:
        if (t.pattern.empty()) {
            write_byte_level(w, t.add_prefix_space, true);
            return;
        }
        w.begin_object().member("type", "Sequence").key("pretokenizers").begin_array();
        w.begin_object().member("type", "Split").key("pattern").begin_object();
        w.member("Regex", t.pattern).end().member("behavior", "Isolated");
        w.member("invert", false).end();
        write_byte_level(w, false, false);
        w.end().end();
        return;
    case splitting::bert:
        w.begin_object().member("type", "BertPreTokenizer").end();
        return;
    case splitting::white_space:
        w.begin_object().member("type", "WhitespaceSplit").end();
        return;
    case splitting::characters:
        w.value(nullptr);
        return;
    case splitting::sentencepiece:
        write_metaspace(w, t);
        return;
    }
}

inline void write_post_processor(json::writer& w, const trained_tokenizer& t) {
    w.key("post_processor");
    const std::int64_t cls = t.find("[CLS]"), sep = t.find("[SEP]");
    if (t.model != model_kind::wordpiece || cls < 0 || sep < 0) {
        w.value(nullptr);
        return;
    }
    const auto special = [&](const char* id, int type) {
        w.begin_object().key("SpecialToken").begin_object();
        w.member("id", id).member("type_id", type).end().end();
    };
    const auto sequence = [&](const char* id, int type) {
        w.begin_object().key("Sequence").begin_object();
        w.member("id", id).member("type_id", type).end().end();
    };
    w.begin_object().member("type", "TemplateProcessing").key("single").begin_array();
    special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0);
    w.end().key("pair").begin_array();
    special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1),
        special("[SEP]", 1);
    w.end().key("special_tokens").begin_object();
    for (const auto& token : {std::make_pair("[CLS]", cls), std::make_pair("[SEP]", sep)}) {
        w.key(token.first).begin_object().member("id", token.first);
        w.key("ids").begin_array().value(token.second).end();
        w.key("tokens").begin_array().value(token.first).end().end();
    }
    w.end().end();
}

inline void write_decoder(json::writer& w, const trained_tokenizer& t) {
    w.key("decoder");
    if (t.split == splitting::byte_level) {
        write_byte_level(w, true, true);
    } else if (t.split == splitting::sentencepiece) {
        if (t.byte_fallback) {
            w.begin_object().member("type", "Sequence").key("decoders").begin_array();
            w.begin_object().member("type", "ByteFallback").end();
            write_metaspace(w, t);
            w.end().end();
        } else {
            write_metaspace(w, t);
        }
    } else if (t.split == splitting::characters) {
        w.begin_object().member("type", "Fuse").end();
    } else if (!t.continuing_subword_prefix.empty()) {
        w.begin_object().member("type", "WordPiece");
        w.member("prefix", t.continuing_subword_prefix).member("cleanup", true).end();
    } else if (!t.end_of_word_suffix.empty()) {
        w.begin_object().member("type", "BPEDecoder").member("suffix", t.end_of_word_suffix).end();
    } else {
        w.value(nullptr);
    }
}

inline void write_vocabulary(json::writer& w, const trained_tokenizer& t) {
    w.key("vocab").begin_object();
    for (std::size_t i = 0; i < t.pieces.size(); ++i) w.member(t.pieces[i].text, i);
    w.end();
}

inline void write_model(json::writer& w, const trained_tokenizer& t) {
    const auto text_or_null = [&](const char* key, const std::string& text) {
        w.key(key);
        text.empty() ? w.value(nullptr) : w.value(text);
    };
    w.key("model").begin_object();
    const bool words = t.model == model_kind::word;
    if (words) {
        w.member("type", "WordLevel");
        write_vocabulary(w, t);
        w.member("unk_token", t.unknown_token);
    } else if (t.model == model_kind::unigram) {
        w.member("type", "Unigram").member("unk_id", t.find(t.unknown_token));
        w.key("vocab").begin_array();
        for (const trained_piece& p : t.pieces) {
            // The double that has the float's value, which both arithmetics read back.
            w.begin_array().value(p.text).value(static_cast<double>(p.score)).end();
        }
        w.end().member("byte_fallback", t.byte_fallback);
    } else if (t.model == model_kind::wordpiece || t.greedy) {
        w.member("type", "WordPiece").member("unk_token", t.unknown_token);
        w.member("continuing_subword_prefix", t.continuing_subword_prefix);
        w.member("max_input_chars_per_word", t.greedy ? 1000000 : 100);
        write_vocabulary(w, t);
    } else {
        const bool pieces = t.rules == rule_set::sentencepiece;
        w.member("type", "BPE").key("dropout").value(nullptr);
        text_or_null("unk_token", t.unknown_token);
        text_or_null("continuing_subword_prefix", t.continuing_subword_prefix);
        text_or_null("end_of_word_suffix", t.end_of_word_suffix);
        w.member("fuse_unk", pieces).member("byte_fallback", t.byte_fallback);
        w.member("ignore_merges", false);
        write_vocabulary(w, t);
        w.key("merges").begin_array();
        const auto merges = pieces && t.model == model_kind::bpe ? merges_of_pieces(t) : t.merges;
        for (const auto& m : merges) {
            w.begin_array().value(t.pieces[m.first].text).value(t.pieces[m.second].text).end();
        }
        w.end();
    }
    w.end();
}

inline status cannot(const trained_tokenizer& t, const char* format, const char* why) {
    return fail(errc::unsupported, "a ", name_of(t.model), " vocabulary as ", format, ": ", why);
}

} // namespace detail

// Hugging Face's tokenizer.json. Greedy segmentation is written as a WordPiece model, which is what
// segments by the longest piece there. Fails with errc::unsupported for greedy segmentation with a
// suffix at the end of words, and for word vocabularies by SentencePiece's rules.
KOMPAKT_ONCE result<std::string> tokenizer_json(const trained_tokenizer& t);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<std::string> tokenizer_json(const trained_tokenizer& t) {
    if (t.greedy && !t.end_of_word_suffix.empty()) {
        return detail::cannot(t, "tokenizer.json",
                              "greedy segmentation knows no suffix at the end of words");
    }
    if ((t.greedy || t.model == model_kind::wordpiece || t.model == model_kind::word) &&
        t.unknown_token.empty()) {
        return detail::cannot(t, "tokenizer.json", "it needs a token for unknown words");
    }
    json::writer w;
    w.begin_object().member("version", "1.0");
    w.key("truncation").value(nullptr).key("padding").value(nullptr);
    w.key("added_tokens").begin_array();
    for (std::size_t i = 0; i < t.pieces.size(); ++i) {
        const piece_type type = t.pieces[i].type;
        if (type == piece_type::normal || type == piece_type::byte) continue;
        w.begin_object().member("id", i).member("content", t.pieces[i].text);
        w.member("single_word", false).member("lstrip", false).member("rstrip", false);
        w.member("normalized", type == piece_type::user_defined);
        w.member("special", type != piece_type::user_defined).end();
    }
    w.end();
    detail::write_normalizer(w, t);
    detail::write_pre_tokenizer(w, t);
    detail::write_post_processor(w, t);
    detail::write_decoder(w, t);
    detail::write_model(w, t);
    w.end();
    return w.take();
}
#endif

// SentencePiece's .model. Fails with errc::unsupported for vocabularies by other rules.
KOMPAKT_ONCE result<std::string> sentencepiece_model(const trained_tokenizer& t);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<std::string> sentencepiece_model(const trained_tokenizer& t) {
    if (t.rules != rule_set::sentencepiece) {
        return detail::cannot(t, ".model", "only SentencePiece's rules make those");
    }
    if (t.greedy) return detail::cannot(t, ".model", "it knows no greedy segmentation");
    protobuf_writer m;
    for (const trained_piece& p : t.pieces) {
        protobuf_writer piece;
        piece.text(1, p.text).number(2, p.score);
        if (p.type != piece_type::normal) piece.integer(3, static_cast<int>(p.type));
        m.message(1, piece);
    }
    protobuf_writer trainer;
    const int type = t.model == model_kind::unigram ? 1
                     : t.model == model_kind::bpe   ? 2
                     : t.model == model_kind::word  ? 3
                                                    : 4;
    trainer.integer(3, type).integer(4, t.pieces.size());
    trainer.number(10, static_cast<float>(t.coverage)).integer(20, t.longest_piece);
    trainer.boolean(21, t.split_by_script).boolean(22, true).boolean(23, t.split_by_number);
    trainer.boolean(25, t.split_digits);
    for (const trained_piece& p : t.pieces) {
        const bool basic = p.text == "<s>" || p.text == "</s>";
        if (p.type == piece_type::control && !basic) trainer.text(30, p.text);
        if (p.type == piece_type::user_defined) trainer.text(31, p.text);
    }
    trainer.boolean(35, t.byte_fallback).integer(40, t.find("<unk>"));
    trainer.integer(41, t.find("<s>")).integer(42, t.find("</s>")).integer(43, -1);
    m.message(2, trainer);
    protobuf_writer normalizer;
    normalizer.text(1, t.normalization).text(2, t.character_map);
    normalizer.boolean(3, t.add_dummy_prefix).boolean(4, t.remove_extra_spaces).boolean(5, true);
    m.message(3, normalizer);
    return m.take();
}
#endif

// One piece a line, by id: BERT's vocab.txt. Fails with errc::unsupported for other vocabularies
// than WordPiece and words, and with errc::bad_data for pieces with a line feed.
KOMPAKT_ONCE result<std::string> vocabulary_text(const trained_tokenizer& t);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<std::string> vocabulary_text(const trained_tokenizer& t) {
    if (t.model != model_kind::wordpiece &&
        (t.model != model_kind::word || t.rules != rule_set::hugging_face)) {
        return detail::cannot(t, "vocab.txt", "that holds WordPiece and word vocabularies");
    }
    std::string out;
    for (const trained_piece& p : t.pieces) {
        if (p.text.find_first_of("\r\n") != std::string::npos) {
            return fail(errc::bad_data, "a piece with a line feed cannot be a line of vocab.txt");
        }
        out += p.text;
        out += '\n';
    }
    return out;
}
#endif

struct gpt2_files {
    std::string vocabulary, merges;
};

// GPT-2's vocab.json and merges.txt. Fails with errc::unsupported for other vocabularies than
// byte-pair ones by Hugging Face's rules.
KOMPAKT_ONCE result<gpt2_files> gpt2_vocabulary(const trained_tokenizer& t);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<gpt2_files> gpt2_vocabulary(const trained_tokenizer& t) {
    if (t.model != model_kind::bpe || t.rules != rule_set::hugging_face || t.greedy) {
        return detail::cannot(t, "vocab.json and merges.txt",
                              "those hold byte-pair vocabularies by Hugging Face's rules");
    }
    gpt2_files files;
    json::writer w;
    w.begin_object();
    for (std::size_t i = 0; i < t.pieces.size(); ++i) w.member(t.pieces[i].text, i);
    w.end();
    files.vocabulary = w.take();
    files.merges = "#version: 0.2\n";
    for (const auto& m : t.merges) {
        const std::string& a = t.pieces[m.first].text;
        const std::string& b = t.pieces[m.second].text;
        if ((a + b).find_first_of(" \r\n") != std::string::npos) {
            return fail(errc::bad_data, "a merge with white space cannot be a line of merges.txt");
        }
        files.merges += a + ' ' + b + '\n';
    }
    return files;
}
#endif

// Writes by the ending of the name: .model, .txt, a name that ends in vocab.json (merges.txt goes
// beside it), any other .json. Files are replaced when all is written. Returns their paths.
inline result<std::vector<std::string>> write_trained(const trained_tokenizer& t,
                                                      const std::string& path) {
    const auto ends = [&](std::string_view end) {
        return path.size() >= end.size() &&
               path.compare(path.size() - end.size(), end.size(), end) == 0;
    };
    std::vector<std::string> paths = {path}, contents;
    if (ends("vocab.json")) {
        auto files = gpt2_vocabulary(t);
        if (!files) return files.error();
        paths.push_back(path.substr(0, path.size() - 10) + "merges.txt");
        contents = {std::move(files->vocabulary), std::move(files->merges)};
    } else {
        auto content =
            ends(".json")    ? tokenizer_json(t)
            : ends(".model") ? sentencepiece_model(t)
            : ends(".txt")
                ? vocabulary_text(t)
                : result<std::string>(fail(errc::bad_argument, path,
                                           ": needs a name that ends in .json, .model or .txt"));
        if (!content) return content.error();
        contents.push_back(std::move(*content));
    }
    std::vector<file_to_write> files;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        files.push_back(
            {paths[i], as_bytes(span<const char>(contents[i].data(), contents[i].size()))});
    }
    KOMPAKT_TRY(write_files_atomic(files));
    return paths;
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
