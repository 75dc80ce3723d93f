// Readers of vocabularies that come without a tokenizer around them: GPT-2's vocab.json with
// merges.txt, BERT's vocab.txt. They become the tokenizer that those models have.
#pragma once

#include <kompakt/io/token/tokenizer_json.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct gpt2_options {
    bool add_prefix_space = false;
    std::vector<std::string> specials; // of the vocabulary, found in text as they are
};

// vocab.json: an object of tokens and ids; merges.txt: lines of two tokens, after a line with the
// version.
KOMPAKT_ONCE result<tokenizer_spec> read_gpt2(std::string_view vocab, std::string_view merges,
                                              const gpt2_options& o = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer_spec> read_gpt2(std::string_view vocab, std::string_view merges,
                                              const gpt2_options& o) {
    json::writer w;
    w.begin_object().key("added_tokens").begin_array();
    if (!o.specials.empty()) {
        const auto v = json::read(vocab);
        if (!v.ok()) return v.error().within("vocab.json: ");
        for (const std::string& s : o.specials) {
            const json::value* id = v->find(s);
            if (id == nullptr)
                return fail(errc::bad_argument, "vocab.json: special token \"", s,
                            "\" is not in it");
            w.begin_object()
                .member("id", id->as_integer(-1))
                .member("content", s)
                .member("special", true);
            w.member("normalized", false).end();
        }
    }
    w.end();
    w.key("pre_tokenizer")
        .begin_object()
        .member("type", "ByteLevel")
        .member("add_prefix_space", o.add_prefix_space)
        .end();
    w.key("decoder").begin_object().member("type", "ByteLevel").end();
    w.member("model", nullptr).end();
    std::string text = w.take();
    const std::string_view model = "\"model\":null";
    const std::size_t at = text.rfind(model);
    std::string list = "[";
    std::size_t line = 0;
    for (std::size_t from = 0; from < merges.size();) {
        std::size_t end = merges.find('\n', from);
        if (end == std::string_view::npos) end = merges.size();
        std::string_view l = merges.substr(from, end - from);
        from = end + 1;
        ++line;
        if (!l.empty() && l.back() == '\r') l.remove_suffix(1);
        if (l.substr(0, 8) == "#version" || l.empty()) continue;
        if (!is_valid_utf8({l.data(), l.size()}))
            return fail(errc::bad_file, "merges.txt: line ", line, " is not UTF-8");
        if (list.size() > 1) list += ',';
        json::detail::append_quoted(list, l);
    }
    list += ']';
    text.replace(at, model.size(),
                 "\"model\":{\"type\":\"BPE\",\"vocab\":" + std::string(vocab) +
                     ",\"merges\":" + list + "}");
    return read_tokenizer_json(text);
}
#endif

struct bert_options {
    bool lowercase = true;
    std::string unknown = "[UNK]", prefix = "##";
};

// One token a line, its id is the number of the line. [PAD], [CLS], [SEP] and [MASK] are special if
// they are there.
KOMPAKT_ONCE result<tokenizer_spec> read_bert_vocabulary(std::string_view text,
                                                         const bert_options& o = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer_spec> read_bert_vocabulary(std::string_view text,
                                                         const bert_options& o) {
    std::vector<std::string_view> lines;
    for (std::size_t from = 0; from < text.size();) {
        std::size_t end = text.find('\n', from);
        if (end == std::string_view::npos) end = text.size();
        std::string_view l = text.substr(from, end - from);
        while (!l.empty() && (l.back() == '\r' || l.back() == ' ' || l.back() == '\t'))
            l.remove_suffix(1);
        lines.push_back(l);
        from = end + 1;
    }
    if (lines.empty()) return fail(errc::bad_file, "vocab.txt: no tokens");
    if (lines.size() > vocabulary_limit)
        return fail(errc::limit, "vocab.txt: ", lines.size(), " tokens, the limit is ",
                    vocabulary_limit);
    // Of equal lines the last one counts.
    text_index index(lines.size());
    std::vector<bool> counts(lines.size(), false);
    for (std::size_t i = lines.size(); i-- > 0;) {
        if (!is_valid_utf8({lines[i].data(), lines[i].size()}))
            return fail(errc::bad_file, "vocab.txt: line ", i + 1, " is not UTF-8");
        counts[i] = index.add(lines[i], static_cast<std::uint32_t>(i));
    }
    json::writer w;
    w.begin_object().key("added_tokens").begin_array();
    for (const std::string_view s :
         {std::string_view("[PAD]"), std::string_view(o.unknown), std::string_view("[CLS]"),
          std::string_view("[SEP]"), std::string_view("[MASK]")}) {
        const std::uint32_t id = index.find(s);
        if (id == none) continue;
        w.begin_object()
            .member("id", id)
            .member("content", s)
            .member("special", true)
            .member("normalized", false)
            .end();
    }
    w.end();
    w.key("normalizer")
        .begin_object()
        .member("type", "BertNormalizer")
        .member("lowercase", o.lowercase)
        .end();
    w.key("pre_tokenizer").begin_object().member("type", "BertPreTokenizer").end();
    w.key("decoder").begin_object().member("type", "WordPiece").member("prefix", o.prefix).end();
    const std::uint32_t cls = index.find("[CLS]"), sep = index.find("[SEP]");
    if (cls != none && sep != none) {
        w.key("post_processor").begin_object().member("type", "BertProcessing");
        w.key("sep").begin_array().value("[SEP]").value(sep).end();
        w.key("cls").begin_array().value("[CLS]").value(cls).end();
        w.end();
    }
    w.key("model").begin_object().member("type", "WordPiece").member("unk_token", o.unknown);
    w.member("continuing_subword_prefix", o.prefix).key("vocab").begin_object();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (counts[i]) w.key(lines[i]).value(i);
    }
    w.end();
    w.end();
    w.end();
    return read_tokenizer_json(w.take());
}
#endif

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
