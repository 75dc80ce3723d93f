// Files that are wrong on purpose, each refused with a message that says what; bytes that somebody
// has changed; texts that are meant to hurt.
#include "small.hpp"

#include <doctest/doctest.h>
#include <random>

using namespace kompakt;
using namespace kompakt::token;
using namespace kompakt_test;

namespace {

bool mentions(const status& s, const char* what) {
    const bool found = std::string_view(s.message()).find(what) != std::string_view::npos;
    if (!found) MESSAGE("message: " << s.message());
    return !s.ok() && found;
}
std::string model_json(const std::string& model) {
    return R"({"model":)" + model + "}";
}

void refused(const std::string& text, const char* what) {
    CAPTURE(text.substr(0, 200));
    const auto t = load_json(text);
    REQUIRE(!t.ok());
    CHECK(mentions(t.error(), what));
}

void varint(std::string& out, std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out += static_cast<char>((n & 0x7f) | 0x80);
    out += static_cast<char>(n);
}
void message(std::string& out, int field, const std::string& content) {
    varint(out, static_cast<std::uint64_t>(field) << 3 | 2);
    varint(out, content.size());
    out += content;
}
std::string piece(const std::string& text, float score, int type) {
    std::string p, out;
    message(p, 1, text);
    p += '\x15';
    char bytes[4];
    store_le<float>(bytes, score);
    p.append(bytes, 4);
    p += '\x18';
    p += static_cast<char>(type);
    message(out, 1, p);
    return out;
}
bytes_view view(const std::string& s) {
    return as_bytes(span<const char>(s.data(), s.size()));
}

} // namespace

TEST_CASE("tokenizer.json: what is wrong is named") {
    refused("", "");
    refused("{", "");
    refused("[]", "object");
    refused("{}", "model");
    refused(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"model":{}})", "twice");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0,"a":1},"merges":[]})"), "twice");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0,"b":0},"merges":[]})"),
            "id 0 is there twice");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":["a b"]})"),
            "\"b\" is not in the vocabulary");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]})"),
            "\"ab\" is not in the vocabulary");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":["a"]})"), "one space");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":[["a"]]})"), "two tokens");
    refused(model_json(R"({"type":"BPE","vocab":{"a":-1},"merges":[]})"), "whole number");
    refused(model_json(R"({"type":"BPE","vocab":{"a":1.5},"merges":[]})"), "whole number");
    refused(model_json(R"({"type":"BPE","vocab":{"a":99999999999999999999},"merges":[]})"),
            "whole number");
    refused(model_json(R"({"type":"BPE","vocab":{"a":10000000},"merges":[]})"), "10000000");
    refused(model_json(R"({"type":"BPE","vocab":{"a":2000000},"merges":[]})"), "2000000");
    refused(model_json(R"({"type":"BPE","vocab":[],"merges":[]})"), "object");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0}})"), "merges");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1})"), "dropout");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"?"})"),
            "unknown token");
    refused(model_json(R"({"type":"BPE","vocab":{"a":0},"merges":[],"new_thing":1})"), "new_thing");
    refused(model_json(R"({"type":"Magic","vocab":{"a":0}})"), "Magic");
    refused(model_json(R"({"type":"Unigram","vocab":[["a",0],["b"]]})"), "vocab");
    refused(model_json(R"({"type":"Unigram","vocab":[["a","b"]]})"), "vocab");
    refused(model_json(R"({"type":"Unigram","vocab":[["a",1e999]]})"), "score");
    refused(model_json(R"({"type":"Unigram","unk_id":7,"vocab":[["a",0]]})"), "unk_id");
    refused(model_json(R"({"type":"Unigram","vocab":[]})"), "no pieces");
    refused(model_json(R"({"type":"WordPiece","vocab":{"a":0}})"), "unknown token");
    refused(model_json(R"({"type":"BPE","vocab":{"\ud800":0},"merges":[]})"), "vocab");
    refused(model_json("{\"type\":\"BPE\",\"vocab\":{\"\xff\":0},\"merges\":[]}"), "UTF-8");
    refused(model_json(R"({"type":"BPE","vocab":{"a":{}},"merges":[]})"), "vocab");

    const auto with = [](const std::string& key, const std::string& value) {
        return R"({")" + key + R"(":)" + value +
               R"(,"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})";
    };
    refused(with("normalizer", R"({"type":"Shout"})"), "Shout");
    refused(with("normalizer", R"({"type":"NFC","extra":1})"), "extra");
    refused(with("normalizer", R"({"type":"Precompiled","precompiled_charsmap":"!"})"), "base64");
    refused(with("normalizer", R"({"type":"Precompiled","precompiled_charsmap":"AAAA"})"),
            "broken");
    refused(with("normalizer", R"({"type":"Replace","pattern":{"Regex":"(?<=a)(b"},"content":""})"),
            "Replace");
    refused(with("normalizer", R"({"type":"Sequence","normalizers":3})"), "array");
    refused(
        with(
            "pre_tokenizer",
            R"({"type":"Split","pattern":{"Regex":"(a)\\1"},"behavior":"Isolated","invert":false})"),
        "Split");
    refused(
        with("pre_tokenizer",
             R"({"type":"Split","pattern":{"String":"a"},"behavior":"Sideways","invert":false})"),
        "Sideways");
    refused(with("pre_tokenizer", R"({"type":"Metaspace","replacement":"xx"})"), "one character");
    refused(with("pre_tokenizer", R"({"type":"FixedLength","length":0})"), "length");
    refused(with("decoder", R"({"type":"Unknown"})"), "Unknown");
    refused(
        with("decoder", R"({"type":"Sequence","decoders":[{"type":"ByteLevel"},{"type":"Fuse"}]})"),
        "ByteLevel");
    refused(
        with(
            "post_processor",
            R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}}],"pair":[],"special_tokens":{}})"),
        "\"x\"");
    refused(with("post_processor", R"({"type":"BertProcessing","sep":["a",5],"cls":["a",0]})"),
            "sep");
    refused(with("added_tokens", R"([{"id":0,"content":"b"}])"), "already");
    refused(with("added_tokens", R"([{"id":5000000,"content":"b"}])"), "5000000");
    refused(with("surprise", "1"), "surprise");
    refused(with("truncation", R"({"max_length":5,"strategy":"Longest"})"), "Longest");
    refused(with("truncation", R"({"max_length":5,"direction":"Up"})"), "Up");
    refused(with("truncation", R"({"max_length":-1})"), "max_length");
    refused(with("padding", R"({"strategy":"Most","pad_id":0})"), "Most");
    refused(with("padding", R"({"strategy":{"Fixed":-1},"pad_id":0})"), "Fixed");

    std::string deep = R"({"type":"NFC"})";
    for (int i = 0; i < 10000; ++i) deep = R"({"type":"Sequence","normalizers":[)" + deep + "]}";
    refused(with("normalizer", deep), "deep");
    refused(std::string(10000, '['), "");
    refused(R"({"model":)" + std::string(10000, '['), "");
}

TEST_CASE("tokenizer.json: odd but right") {
    // An empty vocabulary: every text becomes nothing.
    const auto none_at_all = load_json(model_json(R"({"type":"BPE","vocab":{},"merges":[]})"));
    REQUIRE_MESSAGE(none_at_all.ok(), (none_at_all.ok() ? "" : none_at_all.error().message()));
    std::vector<std::uint32_t> ids;
    CHECK(none_at_all->encode("text", ids).ok());
    CHECK(ids.empty());
    // Merges that go round: ab and ba make each other's neighbours for ever.
    const auto round =
        load_json(model_json(R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"ba":3,"aba":4,"bab":5},
        "merges":["a b","b a","ab a","ba b","a ba","b ab"]})"));
    REQUIRE(round.ok());
    CHECK(pieces(*round, "abababab").size() == 4);
    // A merge whose right part is made later than the merge itself.
    const auto late = load_json(model_json(
        R"({"type":"BPE","vocab":{"a":0,"b":1,"c":2,"bc":3,"abc":4},"merges":["a bc","b c"]})"));
    REQUIRE(late.ok());
    CHECK(pieces(*late, "abcabc") == std::vector<std::string>{"abc", "abc"});
}

TEST_CASE("SentencePiece models: what is wrong is named") {
    const auto refuse = [](const std::string& bytes, const char* what) {
        CAPTURE(what);
        const auto s = read_sentencepiece(view(bytes));
        REQUIRE(!s.ok());
        CHECK(mentions(s.error(), what));
    };
    const std::string unk = piece("<unk>", 0, 2);
    refuse("", "no pieces");
    refuse("\x0a", "not a protocol buffer");
    refuse("\x0a\xff\xff\xff\xff\x7f", "not a protocol buffer");
    refuse(piece("a", 0, 1), "no unknown piece");
    refuse(unk + piece("<x>", 0, 2), "both");
    refuse(unk + piece("", 0, 1), "empty");
    refuse(unk + piece("a", 0, 9), "type 9");
    refuse(unk + piece("a", 0, 1) + piece("a", 0, 1), "twice");
    refuse(unk + piece("<0x41>", 0, 6), "byte");
    refuse(unk + piece("0x41", 0, 6), "no byte");
    const float infinite = 1e38f * 10;
    refuse(unk + piece("a", infinite, 1), "finite");
    std::string trainer, normalizer;
    varint(trainer, 3 << 3);
    varint(trainer, 9);
    std::string bad = unk + piece("a", 0, 1);
    message(bad, 2, trainer);
    refuse(bad, "model_type 9");
    message(normalizer, 2, std::string("\xff\xff\xff\x7f", 4));
    bad = unk + piece("a", 0, 1);
    message(bad, 3, normalizer);
    refuse(bad, "character map");
    // Every cut of a good model is refused or read, never more than that.
    std::string good = unk + piece("a", -1, 1) + piece("\xe2\x96\x81", -2, 1);
    for (std::size_t n = 0; n < good.size(); ++n)
        static_cast<void>(read_sentencepiece(view(good.substr(0, n))).ok());
    const auto s = read_sentencepiece(view(good));
    REQUIRE(s.ok());
    const auto t = tokenizer::from_spec(*s);
    REQUIRE(t.ok());
    CHECK(pieces(*t, "aa a").size() == 5);
}

TEST_CASE("rank files and vocab.txt: what is wrong is named") {
    tiktoken_options o;
    const auto refuse = [&](const char* text, const char* what) {
        const auto s = read_tiktoken(text, o);
        REQUIRE(!s.ok());
        CHECK(mentions(s.error(), what));
    };
    refuse("YQ== 0\n", "pattern");
    o.pattern = ".";
    refuse("", "no tokens");
    refuse("YQ==\n", "line 1");
    refuse("YQ== 0\n! 1\n", "line 2");
    refuse("YQ== 0\nYg== 0\n", "twice");
    refuse("YQ== -1\n", "line 1");
    refuse("YQ== 9999999\n", "9999999");
    o.pattern = "(a";
    refuse("YQ== 0\n", "tiktoken");
    o.pattern = ".";
    o.specials = {{"<x>", 0}};
    refuse("YQ== 0\n", "already");
    CHECK(mentions(read_bert_vocabulary("").error(), "no tokens"));
    CHECK(mentions(read_bert_vocabulary("a\n").error(), "unknown token"));
    CHECK(mentions(read_bert_vocabulary("[UNK]\n\xff\n").error(), "UTF-8"));
    CHECK(mentions(read_gpt2("{}", "a b\n").error(), "not in the vocabulary"));
    CHECK(mentions(read_tokenizer("/nowhere/tokenizer.json").error(), "/nowhere/tokenizer.json"));
}

TEST_CASE("a .ktok that was changed gives errors or other tokens, nothing else") {
    build_options compact;
    compact.compact = true;
    std::vector<std::vector<std::byte>> files;
    const auto keep = [&](const result<tokenizer>& t) {
        REQUIRE(t.ok());
        files.emplace_back(t->bytes().begin(), t->bytes().end());
    };
    keep(load_json(small_byte_level()));
    keep(load_json(small_byte_level(), compact));
    keep(load_json(
        R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece"},
        "model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"##b":2,"ab":3}}})"));
    keep(load_json(
        R"({"pre_tokenizer":{"type":"Metaspace","replacement":"_"},"decoder":{"type":"Metaspace","replacement":"_"},
        "model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["_",-1],["a",-2],["ab",-2.5],["_a",-3]]}})"));
    std::string sp = piece("<unk>", 0, 2) + piece("a", -1, 1) + piece("ab", -2, 1) +
                     piece("b", -3, 5) + piece("\xe2\x96\x81", -2, 1) +
                     piece("\xe2\x96\x81"
                           "a",
                           -2, 4);
    for (const int type : {1, 2}) {
        std::string with = sp, trainer;
        varint(trainer, 3 << 3);
        varint(trainer, static_cast<std::uint64_t>(type));
        message(with, 2, trainer);
        const auto s = read_sentencepiece(view(with));
        REQUIRE(s.ok());
        keep(tokenizer::from_spec(*s));
    }
    std::mt19937 random(1);
    const std::string text =
        "hello world <end> aab ab ba  \xc3\xa9\xe4\xb8\xad\xff b abab hellohello\n\t<pad> x";
    std::size_t opened = 0;
    for (const auto& file : files) {
        CHECK(verify_ktok({file.data(), file.size()}));
        for (std::size_t n = 0; n < sizeof(ktok_header); n += 4) {
            tables t;
            CHECK(!tables::open({file.data(), n}, t).ok());
        }
        for (int round = 0; round < 1500; ++round) {
            std::vector<std::byte> bad = file;
            const std::size_t changes = 1 + random() % 6;
            for (std::size_t k = 0; k < changes; ++k) {
                const std::size_t at =
                    round % 3 == 0 ? random() % sizeof(ktok_header) : random() % bad.size();
                bad[at] = random() % 2 == 0
                              ? static_cast<std::byte>(random())
                              : static_cast<std::byte>(static_cast<unsigned>(bad[at]) ^
                                                       (1u << random() % 8));
            }
            tables t;
            if (!tables::open({bad.data(), bad.size()}, t).ok()) continue;
            ++opened;
            CHECK(!(verify_ktok({bad.data(), bad.size()}) && bad != file));
            alignas(8) static std::byte memory[1 << 16];
            static cached_word cache[64];
            encoder e(t, {memory, sizeof memory}, cache);
            std::uint32_t ids[256];
            origin offsets[256];
            std::size_t n = 0;
            static_cast<void>(e.encode({text.data(), text.size()}, ids, n).ok());
            static_cast<void>(e.encode({text.data(), text.size()}, ids, n, offsets).ok());
            std::vector<char> scratch((std::min)(decoder::scratch_bytes(t), std::size_t{1} << 16));
            decoder d(t, {scratch.data(), scratch.size()});
            char out[4096];
            text_sink sink(out);
            for (std::size_t i = 0; i < n; ++i) d.push(ids[i], sink);
            for (std::uint32_t id = 0; id < 300; ++id) d.push(id * 7919, sink);
            d.finish(sink);
        }
    }
    CHECK(opened > 1000);
}

TEST_CASE("memory that is too small is an error") {
    const auto t = load_json(small_byte_level());
    REQUIRE(t.ok());
    const std::string text = "hello world, hello hello world and more of it";
    std::vector<std::uint32_t> want;
    REQUIRE(t->encode(text, want).ok());
    for (std::size_t n = 0; n < 2000; n += 8) {
        std::vector<std::uint64_t> memory(n / 8 + 1);
        encoder e(t->table(), {reinterpret_cast<std::byte*>(memory.data()), n});
        std::uint32_t ids[64];
        std::size_t count = 0;
        const status s = e.encode({text.data(), text.size()}, ids, count);
        if (s.ok()) CHECK(std::vector<std::uint32_t>(ids, ids + count) == want);
        const status few = e.encode({text.data(), text.size()}, {ids, 5}, count);
        CHECK(!few.ok());
    }
}
