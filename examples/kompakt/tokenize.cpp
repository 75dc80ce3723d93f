// kompakt tokenize: text to token ids and back, with any vocabulary; vocabularies for firmware.
#include "files.hpp"

#include <kompakt/emit/identifier.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/io/token/emit.hpp>
#include <kompakt/io/token/tokenizer.hpp>

#include <charconv>
#include <cstdio>
#include <deque>
#include <filesystem>

namespace tool {

using namespace kompakt;

namespace {

// What a command writes, all of it when all is known, so that a failure leaves nothing behind.
struct written {
    std::deque<std::string> texts;
    std::vector<file_to_write> files;
    std::string raw; // for standard output, byte for byte

    void add(const std::string& path, bytes_view bytes) { files.push_back({path, bytes}); }
    void add(const std::string& path, std::string text) {
        texts.push_back(std::move(text));
        add(path, as_bytes(span<const char>(texts.back().data(), texts.back().size())));
    }
    status finish() const {
        KOMPAKT_TRY(write_files_atomic({files.data(), files.size()}));
        if (std::fwrite(raw.data(), 1, raw.size(), stdout) != raw.size())
            return fail(errc::io, "standard output: cannot write");
        return {};
    }
};

result<std::vector<std::byte>> read_input(const std::string& from) {
    return read_file(from == "-" ? "/dev/stdin" : from);
}

// Options that would do nothing are mistakes.
status refuse(const arguments& given, std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names) {
        if (given.has(name)) return fail(errc::bad_argument, name, " goes with ", why, " only");
    }
    return {};
}
status check_options(const arguments& given) {
    const bool decodes = given.has("--decode");
    const std::string from = given.value("--input"), emitted = given.value("--emit");
    if (from.empty()) {
        if (decodes || given.has("-o")) return fail(errc::bad_argument, "needs --input F");
        KOMPAKT_TRY(refuse(given, {"--special", "--no-added", "--ids", "--pieces"}, "--input"));
    }
    if (decodes) {
        KOMPAKT_TRY(refuse(given, {"--special", "--no-added", "--ids", "--pieces"},
                           "text as the input, not with --decode,"));
    } else {
        KOMPAKT_TRY(refuse(given, {"--skip-special"}, "--decode"));
    }
    if (given.has("--ids") && given.has("--pieces"))
        return fail(errc::bad_argument, "--ids and --pieces: one of them only");
    if (decodes || !ends_with(from, ".json")) {
        KOMPAKT_TRY(refuse(given, {"--threads"}, "a .json of texts"));
    } else {
        KOMPAKT_TRY(refuse(given, {"--ids", "--pieces"}, "text that is no .json"));
    }
    if (emitted.empty()) KOMPAKT_TRY(refuse(given, {"--optimize"}, "--emit"));
    if (!ends_with(emitted, ".hpp"))
        KOMPAKT_TRY(refuse(given, {"--name", "--include", "--offsets"}, "--emit F.hpp"));
    return {};
}

// Patterns of tiktoken's encodings, which its files do not contain, by the names that its
// documentation gives them.
std::string pattern_of(const std::string& name) {
    const char* const cl100k =
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
        "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    const char* const o200k =
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+("
        "?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*("
        "?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    if (name == "gpt2") return std::string(token::gpt2_pattern);
    if (name == "cl100k") return cl100k;
    if (name == "o200k") return o200k;
    return name;
}

// vocab.json has its merges beside it, as models are published.
std::string merges_beside(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path p(path);
    std::string name = p.filename().string();
    std::error_code error;
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>("vocab.json", "merges.txt"),
          std::pair<std::string, std::string>("encoder.json", "vocab.bpe")}) {
        const std::size_t at = name.find(from);
        if (at == std::string::npos) continue;
        std::string other = name;
        other.replace(at, from.size(), to);
        const fs::path q = p.parent_path() / other;
        if (fs::exists(q, error)) return q.string();
    }
    return {};
}

// `outputs` must not be the merges.txt that is read.
result<token::tokenizer> load(const arguments& given, const std::string& path,
                              const std::vector<named_output>& outputs) {
    token::read_options o;
    token::build_options b;
    const auto form = given.choice("--optimize", {"speed", "size"});
    if (!form) return form.error();
    // What goes into firmware is small unless said otherwise.
    b.compact =
        given.has("--optimize") ? *form == "size" : ends_with(given.value("--emit"), ".hpp");
    const auto bytes = read_file(path, token::tokenizer_file_limit);
    if (!bytes.ok()) return bytes.error();
    const bytes_view view(bytes->data(), bytes->size());
    const token::tokenizer_format format = token::format_of(view);
    const bool ranks = format == token::tokenizer_format::tiktoken,
               parts = format == token::tokenizer_format::vocab_json;
    if (!ranks) KOMPAKT_TRY(refuse(given, {"--pattern"}, "tiktoken ranks"));
    if (!parts) KOMPAKT_TRY(refuse(given, {"--merges"}, "a vocab.json"));
    if (!ranks && !parts)
        KOMPAKT_TRY(refuse(given, {"--special-token"}, "tiktoken ranks or a vocab.json"));
    if (format != token::tokenizer_format::vocab_txt)
        KOMPAKT_TRY(refuse(given, {"--cased"}, "a vocab.txt"));
    if (format == token::tokenizer_format::ktok)
        KOMPAKT_TRY(refuse(given, {"--optimize"}, "vocabularies that are no .ktok"));
    o.tiktoken.pattern = pattern_of(given.value("--pattern"));
    for (const std::string& s : given.all("--special-token")) {
        if (parts) {
            o.gpt2.specials.push_back(s);
            continue;
        }
        const std::size_t equals = s.rfind('=');
        token::special_token t;
        t.text = s.substr(0, equals);
        const char* const last = s.data() + s.size();
        const auto r =
            std::from_chars(equals == std::string::npos ? last : s.data() + equals + 1, last, t.id);
        if (r.ec != std::errc() || r.ptr != last || t.text.empty())
            return fail(errc::bad_argument, "--special-token ", s, ": needs TEXT=ID");
        o.tiktoken.specials.push_back(t);
    }
    o.bert.lowercase = !given.has("--cased");
    if (parts) {
        const std::string merges = given.value("--merges", merges_beside(path));
        if (merges.empty()) {
            // Half a tokenizer.json looks like one.
            const auto whole = json::read(view);
            if (!whole.ok()) return whole.error().within(path, ": ");
            return fail(errc::bad_argument, "--merges: ", path,
                        " is a vocab.json, which needs its merges.txt");
        }
        std::error_code error;
        for (const named_output& to : outputs) {
            if (std::filesystem::equivalent(to.path, merges, error))
                return fail(errc::bad_argument, to.option, " ", to.path,
                            ": would overwrite what is read from it (the merges)");
        }
        const auto text = read_file(merges, token::tokenizer_file_limit);
        if (!text.ok()) return text.error();
        o.merges.assign(reinterpret_cast<const char*>(text->data()), text->size());
    }
    auto t = token::read_tokenizer_bytes(view, o, b);
    if (!t.ok()) return t.error().within(path, ": ");
    return t;
}

status emit(const arguments& given, answer& a, written& w, const token::tokenizer& t,
            const std::string& to) {
    if (ends_with(to, ".ktok")) {
        w.add(to, t.bytes());
    } else {
        emit_tokenizer_options o;
        const std::string name = given.value("--name", "vocabulary");
        if (!kompakt::detail::is_namespace_name(name))
            return fail(errc::bad_argument, "--name ", name, ": is no C++ name for a namespace");
        if (given.has("--include")) {
            const std::string include = given.value("--include");
            o.include = include[0] == '<' || include[0] == '"' ? include : "<" + include + ">";
        }
        o.title = name + ": " + given.positional(0);
        o.offsets = given.has("--offsets");
        std::string text;
        KOMPAKT_TRY(emit_tokenizer_header(t.bytes(), name, text, o));
        w.add(to, std::move(text));
    }
    a.say("Wrote ", to, ": ", t.bytes().size(), " bytes of tables");
    a.json.member("emitted", to).member("table_bytes", t.bytes().size());
    return {};
}

result<std::vector<std::uint32_t>> ids_of(const std::vector<std::byte>& bytes) {
    if (bytes.size() % 4 != 0)
        return fail(errc::bad_data, "token ids: needs 4 bytes for each, has ", bytes.size(),
                    " bytes");
    std::vector<std::uint32_t> ids(bytes.size() / 4);
    for (std::size_t i = 0; i < ids.size(); ++i)
        ids[i] = load_le<std::uint32_t>(bytes.data() + 4 * i);
    return ids;
}
status check_ids(const std::vector<std::uint32_t>& ids, const token::tokenizer& t) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if ((t.table().kind(ids[i]) & token::piece_absent) != 0) {
            return fail(errc::bad_data, "token ", i, ": id ", ids[i],
                        " is not in the vocabulary of ", t.vocabulary());
        }
    }
    return {};
}

std::string lines(const std::vector<std::uint32_t>& ids, const token::tokenizer& t, bool pieces) {
    std::string s;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (pieces) {
            json::detail::append_quoted(s, t.piece(ids[i]));
            s += '\n';
        } else {
            s += (i != 0 ? " " : "") + std::to_string(ids[i]);
        }
    }
    if (!pieces) s += '\n';
    return s;
}

status decode(const arguments& given, answer& a, written& files, const token::tokenizer& t,
              const std::string& from, const std::string& to) {
    const auto bytes = read_input(from);
    if (!bytes.ok()) return bytes.error();
    token::decode_options o;
    o.skip_special = given.has("--skip-special");
    std::string out;
    std::size_t tokens = 0;
    if (ends_with(from, ".json")) {
        const auto v = json::read(bytes_view(bytes->data(), bytes->size()));
        if (!v.ok()) return v.error().within(from, ": ");
        if (!v->is(json::kind::array))
            return fail(errc::bad_data, from, ": needs an array of arrays of ids");
        json::writer w;
        w.begin_array();
        for (std::size_t i = 0; i < v->size(); ++i) {
            std::vector<std::uint32_t> ids;
            if (!v->at(i).is(json::kind::array))
                return fail(errc::bad_data, from, ": element ", i, " is no array of ids");
            for (const json::value& id : v->at(i).items()) {
                const std::int64_t n = id.as_integer(-1);
                if (n < 0 || n > 0xffffffff)
                    return fail(errc::bad_data, from, ": element ", i,
                                " has something that is no id");
                ids.push_back(static_cast<std::uint32_t>(n));
            }
            KOMPAKT_TRY(check_ids(ids, t).within(from, ": element ", i, ": "));
            tokens += ids.size();
            w.value(t.decode({ids.data(), ids.size()}, o));
        }
        w.end();
        out = w.take() + "\n";
    } else {
        const auto ids = ids_of(*bytes);
        if (!ids.ok()) return ids.error().within(from, ": ");
        KOMPAKT_TRY(check_ids(*ids, t).within(from, ": "));
        tokens = ids->size();
        out = t.decode({ids->data(), ids->size()}, o);
    }
    a.json.member("tokens", tokens).member("bytes", out.size());
    if (to.empty()) {
        a.json.member("text", out);
        // A terminal gets what it can show, a pipe the bytes.
        if (is_terminal(stdout)) {
            a.text += out;
        } else if (!given.has("--json")) {
            files.raw = std::move(out);
        }
        return {};
    }
    a.say(from, ": ", tokens, " tokens; wrote ", to, ", ", out.size(), " bytes");
    files.add(to, std::move(out));
    a.json.member("output", to);
    return {};
}

status encode_json(const token::tokenizer& t, const token::encode_options& o, answer& a,
                   written& files, const std::vector<std::byte>& bytes, const std::string& from,
                   const std::string& to, std::size_t threads) {
    const auto v = json::read(bytes_view(bytes.data(), bytes.size()));
    if (!v.ok()) return v.error().within(from, ": ");
    if (!v->is(json::kind::array)) return fail(errc::bad_data, from, ": needs an array of strings");
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < v->size(); ++i) {
        if (!v->at(i).is(json::kind::string))
            return fail(errc::bad_data, from, ": element ", i, " is no string");
        texts.push_back(v->at(i).as_string());
    }
    std::vector<std::vector<std::uint32_t>> ids;
    thread_pool pool(threads);
    KOMPAKT_TRY(t.encode_batch({texts.data(), texts.size()}, ids, o, pool).within(from, ": "));
    json::writer w;
    w.begin_array();
    std::size_t tokens = 0;
    for (const auto& one : ids) {
        w.begin_array();
        for (const std::uint32_t id : one) w.value(id);
        w.end();
        tokens += one.size();
    }
    w.end();
    const std::string text = w.take();
    a.json.member("texts", texts.size()).member("tokens", tokens);
    if (to.empty()) {
        a.text += text + "\n";
        a.json.key("ids").begin_array();
        for (const auto& one : ids) {
            a.json.begin_array();
            for (const std::uint32_t id : one) a.json.value(id);
            a.json.end();
        }
        a.json.end();
        return {};
    }
    files.add(to, text + "\n");
    a.say(from, ": ", texts.size(), " texts, ", tokens, " tokens; wrote ", to);
    a.json.member("output", to);
    return {};
}

status encode(const arguments& given, answer& a, written& files, const token::tokenizer& t,
              const std::string& from, const std::string& to) {
    const auto bytes = read_input(from);
    if (!bytes.ok()) return bytes.error();
    const auto threads = given.number("--threads", 0, 0, 256);
    if (!threads) return threads.error();
    token::encode_options o;
    o.special = given.has("--special");
    if (given.has("--no-added")) o.added = token::added_tokens::off;
    if (ends_with(from, ".json"))
        return encode_json(t, o, a, files, *bytes, from, to, static_cast<std::size_t>(*threads));

    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    std::vector<std::uint32_t> ids;
    std::vector<token::origin> offsets;
    if (given.has("--json") && to.empty()) {
        token::encoded_text e;
        KOMPAKT_TRY(t.encode(text, e, o).within(from, ": "));
        ids = std::move(e.ids);
        offsets = std::move(e.offsets);
    } else {
        KOMPAKT_TRY(t.encode(text, ids, o).within(from, ": "));
    }
    a.json.member("bytes", text.size()).member("tokens", ids.size());
    if (to.empty()) {
        a.text += lines(ids, t, given.has("--pieces"));
        a.json.key("ids").begin_array();
        for (const std::uint32_t id : ids) a.json.value(id);
        a.json.end();
        a.json.key("pieces").begin_array();
        for (const std::uint32_t id : ids) a.json.value(t.piece(id));
        a.json.end();
        a.json.key("offsets").begin_array();
        for (const token::origin& r : offsets)
            a.json.begin_array().value(r.begin).value(r.end).end();
        a.json.end();
        return {};
    }
    if (given.has("--pieces") || given.has("--ids")) {
        files.add(to, lines(ids, t, given.has("--pieces")));
    } else {
        std::string raw(ids.size() * 4, '\0');
        for (std::size_t i = 0; i < ids.size(); ++i)
            store_le<std::uint32_t>(reinterpret_cast<std::byte*>(raw.data()) + 4 * i, ids[i]);
        files.add(to, std::move(raw));
    }
    a.say(from, ": ", text.size(), " bytes, ", ids.size(), " tokens; wrote ", to);
    a.json.member("output", to);
    return {};
}

const char* name_of(token::model_kind k) {
    switch (k) {
    case token::model_kind::bpe:
        return "byte-pair encoding";
    case token::model_kind::unigram:
        return "unigram";
    case token::model_kind::wordpiece:
        return "WordPiece";
    case token::model_kind::wordlevel:
        return "word level";
    }
    return "unknown";
}

status tokenize(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const std::string to = given.value("-o"), emitted = given.value("--emit"),
                      from = given.value("--input");
    std::vector<named_output> outputs;
    if (!to.empty()) outputs.push_back({"-o", to});
    if (!emitted.empty()) outputs.push_back({"--emit", emitted});
    KOMPAKT_TRY(check_outputs(given, outputs));
    KOMPAKT_TRY(check_options(given));
    if (!emitted.empty()) {
        if (!ends_with(emitted, ".hpp") && !ends_with(emitted, ".ktok"))
            return fail(errc::bad_argument, "--emit ", emitted,
                        ": the ending says the format, needs one of .hpp, .ktok");
    }
    const auto t = load(given, path, outputs);
    if (!t.ok()) return t.error();
    a.json.member("vocabulary", path);
    written files;
    if (!emitted.empty()) KOMPAKT_TRY(emit(given, a, files, *t, emitted));
    if (!from.empty()) {
        KOMPAKT_TRY(given.has("--decode") ? decode(given, a, files, *t, from, to)
                                          : encode(given, a, files, *t, from, to));
    }
    if (emitted.empty() && from.empty()) {
        const token::ktok_header& h = t->table().header();
        a.say(path, ": ", name_of(h.model), ", ", t->vocabulary(), " ids, tables of ",
              t->bytes().size(), " bytes");
        a.say(h.normalizers, " normalizers, ", h.pre_tokenizers, " pre-tokenizers, ",
              t->table().bytes(token::section::added) / 16, " added tokens");
        a.json.member("model", name_of(h.model))
            .member("ids", t->vocabulary())
            .member("table_bytes", t->bytes().size());
    }
    return files.finish();
}

} // namespace

command tokenize_command() {
    return {
        "tokenize",
        "VOCAB [--input F] [-o OUT] [--decode] [--emit vocab.ktok|vocab.hpp]",
        "Turns text into token ids and back; writes vocabularies for firmware.",
        "VOCAB is a tokenizer.json, a SentencePiece .model, tiktoken ranks, a vocab.json beside "
        "its\n"
        "merges.txt, a BERT vocab.txt or a .ktok. The input is text; a .json file is an array of\n"
        "texts (of arrays of ids with --decode), any other file with --decode uint32 ids; - is\n"
        "standard input.\n",
        {{"--input", "F", "text to tokenize, or with --decode ids"},
         {"-o", "OUT", "uint32 ids, little-endian (for .json: JSON; with --decode: text)"},
         {"--ids", nullptr, "ids as numbers, one line; on standard output by default"},
         {"--pieces", nullptr, "each token's text, one a line"},
         {"--special", nullptr, "add what the template of the tokenizer says, as [CLS]"},
         {"--no-added", nullptr, "added tokens in the text are plain text"},
         {"--decode", nullptr, "ids to text"},
         {"--skip-special", nullptr, "with --decode: leave special tokens out"},
         {"--threads", "N", "for a .json of many texts; all by default"},
         {"--emit", "F", "vocab.ktok, or vocab.hpp for firmware"},
         {"--optimize", "FORM", "tables for speed, or size (the default for .hpp)"},
         {"--name", "N", ".hpp: the namespace, vocabulary by default"},
         {"--include", "H", ".hpp: the header that it includes, kompakt/device.hpp by default"},
         {"--offsets", nullptr, ".hpp: the encoder can give offsets"},
         {"--pattern", "P", "tiktoken: gpt2, cl100k, o200k, or the regular expression itself"},
         {"--special-token", "T=ID", "tiktoken: a special token; vocab.json: T alone", true},
         {"--merges", "F", "vocab.json: its merges.txt, if it is not beside it"},
         {"--cased", nullptr, "vocab.txt: keep upper case and accents"}},
        tokenize};
}

} // namespace tool
