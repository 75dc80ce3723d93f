// Trained vocabularies as files, read again by the readers.
#include "train_support.hpp"

#include <kompakt/io/token/tokenizer.hpp>
#include <kompakt/io/token/train/segment.hpp>
#include <kompakt/io/token/train/write.hpp>

using namespace kompakt;
using namespace kompakt::token_train;
using namespace kompakt_test;

namespace {

const char* const sample =
    "The quick brown fox jumps over the lazy dog; the dogs jumped 12 times.\n"
    "Gr\xc3\xbc\xc3\x9f"
    "e aus K\xc3\xb6ln, \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e \xe3\x83\x86"
    "\xe3\x82\xad\xe3\x82\xb9\xe3\x83\x88!\n";

std::string training_text() {
    std::string s;
    for (int i = 0; i < 20; ++i) s += sample;
    return s;
}

trained_tokenizer trained(const train_options& o) {
    const text_file file(training_text());
    serial_executor serial;
    auto t = train_tokenizer({file.path()}, o, serial);
    REQUIRE_MESSAGE(t.ok(), t.error().message());
    return std::move(*t);
}

class folder {
  public:
    folder() : file_("") {
        path_ = file_.path() + ".d";
        std::filesystem::create_directory(path_);
    }
    ~folder() { std::filesystem::remove_all(path_); }
    std::string operator/(const char* name) const { return path_ + "/" + name; }

  private:
    text_file file_;
    std::string path_;
};

// The pieces that a reader cuts the line into, as the vocabulary writes them.
std::vector<std::string> pieces(const token::tokenizer& t, const trained_tokenizer& from,
                                std::string_view line) {
    std::vector<std::uint32_t> ids;
    REQUIRE(t.encode(line, ids).ok());
    std::vector<std::string> out;
    for (const std::uint32_t id : ids) {
        REQUIRE(id < from.pieces.size());
        out.push_back(from.pieces[id].text);
    }
    return out;
}

token::tokenizer written(const trained_tokenizer& t, const std::string& path) {
    const auto files = write_trained(t, path);
    REQUIRE_MESSAGE(files.ok(), files.error().message());
    token::read_options o;
    if (files->size() == 2) {
        const auto merges = read_file((*files)[1]);
        REQUIRE(merges.ok());
        o.merges.assign(reinterpret_cast<const char*>(merges->data()), merges->size());
    }
    auto r = read_tokenizer(path, o);
    REQUIRE_MESSAGE(r.ok(), r.error().message());
    CHECK(r->vocabulary() == t.pieces.size());
    return std::move(*r);
}

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("byte-pair vocabularies by Hugging Face's rules") {
    const folder f;
    train_options o;
    o.vocabulary_size = 330;
    o.special_tokens = {"<|end|>"};
    const trained_tokenizer t = trained(o);
    const segmenter cut(t);
    const token::tokenizer json = written(t, f / "t.json");
    const token::tokenizer gpt2 = written(t, f / "vocab.json");
    strings expected;
    byte_splitter split;
    split(std::string_view(sample, 71), false, [&](std::string_view word) {
        std::string text;
        for (const char c : word) {
            const char32_t shown = character_of_byte(static_cast<unsigned char>(c));
            char bytes[4];
            text.append(bytes, encode_utf8(shown, bytes));
        }
        for (const std::int64_t id : cut.merge_order(text)) {
            REQUIRE(id >= 0);
            expected.push_back(t.pieces[static_cast<std::size_t>(id)].text);
        }
    });
    CHECK(pieces(json, t, std::string_view(sample, 71)) == expected);
    CHECK(pieces(gpt2, t, std::string_view(sample, 71)) == expected);
    CHECK(pieces(json, t, "<|end|>")[0] == "<|end|>");
    CHECK(!write_trained(t, f / "t.model").ok());
    CHECK(!write_trained(t, f / "t.txt").ok());
    CHECK(!write_trained(t, f / "t.doc").ok());
    CHECK(!write_trained(t, "/nowhere/t.json").ok());
}

TEST_CASE("other expressions for words") {
    const folder f;
    train_options o;
    o.vocabulary_size = 300;
    o.pattern = R"(\p{L}+|\p{N}|\s+|.)";
    const trained_tokenizer t = trained(o);
    const token::tokenizer json = written(t, f / "t.json");
    CHECK(pieces(json, t, "12 ab").front() == "1");
    o.add_prefix_space = true;
    const text_file file("a");
    serial_executor serial;
    CHECK(!train_tokenizer({file.path()}, o, serial).ok());
}

TEST_CASE("greedy segmentation beside the order of merges") {
    // Merges "ab", "bc" in this order, and "abc" never: greedy and merge order differ on "abcd".
    trained_tokenizer t;
    for (const char* p : {"<unk>", "a", "b", "c", "d", "bc", "ab", "cd", "abx"}) {
        t.pieces.push_back({p, 0, piece_type::normal});
    }
    t.merges = {{2, 3}, {1, 2}, {3, 4}};
    const segmenter s(t);
    using ids = std::vector<std::int64_t>;
    CHECK(s.merge_order("abcd") == ids{1, 5, 4});
    CHECK(s.longest_match("abcd") == ids{6, 7});
    CHECK(s.longest_match("abz") == ids{6, -1});
    CHECK(s.merge_order("abz") == ids{6, -1});
    CHECK(s.longest_match("").empty());
    CHECK(s.merge_order("").empty());

    const folder f;
    train_options o;
    o.vocabulary_size = 320;
    o.greedy = true;
    o.unknown_token = "<unk>";
    const trained_tokenizer g = trained(o);
    const segmenter cut(g);
    const token::tokenizer json = written(g, f / "t.json");
    strings expected;
    for (const std::int64_t id : cut.longest_match("jumped")) {
        expected.push_back(g.pieces[static_cast<std::size_t>(id)].text);
    }
    CHECK(pieces(json, g, "jumped") == expected);
    CHECK(!write_trained(g, f / "vocab.json").ok());
    train_options suffix = o;
    suffix.split = splitting::white_space;
    suffix.end_of_word_suffix = "</w>";
    const trained_tokenizer h = trained(suffix);
    CHECK(!write_trained(h, f / "h.json").ok());
    const segmenter marked(h);
    for (const std::int64_t id : marked.merge_order("dog;</w>")) CHECK(id >= 0);
    // A word of the text is found whole or in pieces that give it back.
    std::string back;
    for (const std::int64_t id : marked.longest_match("fox</w>")) {
        REQUIRE(id >= 0);
        back += h.pieces[static_cast<std::size_t>(id)].text;
    }
    CHECK(back == "fox</w>");
}

TEST_CASE("WordPiece, words and characters") {
    const folder f;
    train_options o;
    o.model = model_kind::wordpiece;
    o.vocabulary_size = 120;
    o.special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    o.unknown_token = "[UNK]";
    const trained_tokenizer t = trained(o);
    CHECK(t.pieces[1].text == "[UNK]");
    const segmenter cut(t);
    strings expected;
    for (const std::int64_t id : cut.longest_match("jumps")) {
        REQUIRE(id >= 0);
        expected.push_back(t.pieces[static_cast<std::size_t>(id)].text);
    }
    for (const char* name : {"t.json", "t.txt"}) {
        const token::tokenizer r = written(t, f / name);
        CHECK(pieces(r, t, "JUMPS") == expected);
        CHECK(pieces(r, t, "\xd0\x96") == strings{"[UNK]"});
    }

    o.model = model_kind::word;
    o.split = splitting::bert;
    o.lowercase = false;
    o.vocabulary_size = 12;
    o.special_tokens.clear();
    const trained_tokenizer words = trained(o);
    CHECK(words.pieces.size() == 12);
    CHECK(pieces(written(words, f / "w.json"), words, "the ferret") == strings{"the", "[UNK]"});
    o.split = splitting::byte_level;
    const text_file file("a");
    serial_executor serial;
    CHECK(!train_tokenizer({file.path()}, o, serial).ok());

    o.model = model_kind::character;
    o.unknown_token = "<unk>";
    o.vocabulary_size = 100;
    const trained_tokenizer characters = trained(o);
    CHECK(pieces(written(characters, f / "c.json"), characters, "dog ") ==
          strings{"d", "o", "g", " "});
}

TEST_CASE("SentencePiece's models") {
    const folder f;
    const std::string m = "\xe2\x96\x81";
    for (const model_kind kind :
         {model_kind::bpe, model_kind::unigram, model_kind::word, model_kind::character}) {
        train_options o;
        o.model = kind;
        o.rules = rule_set::sentencepiece;
        o.vocabulary_size = 80;
        o.special_tokens = {"<pad>"};
        o.user_defined = {"dog;"};
        const trained_tokenizer t = trained(o);
        CAPTURE(name_of(kind));
        CHECK(t.pieces[4].type == piece_type::user_defined);
        const token::tokenizer model = written(t, f / "t.model");
        const strings cut = pieces(model, t, "  The fox");
        std::string joined;
        for (const std::string& p : cut) joined += p;
        CHECK(joined == m + "The" + m + "fox");
        if (kind == model_kind::word) {
            CHECK(cut == strings{m + "The", m + "fox"});
        } else if (kind == model_kind::character) {
            CHECK(cut.size() == 8);
        }
        if (kind == model_kind::bpe || kind == model_kind::unigram) {
            const token::tokenizer json = written(t, f / "t.json");
            CHECK(pieces(json, t, "The quick brown fox") ==
                  pieces(model, t, "The quick brown fox"));
        }
    }
    train_options o;
    o.rules = rule_set::sentencepiece;
    o.vocabulary_size = 400;
    o.byte_fallback = true;
    const trained_tokenizer t = trained(o);
    const token::tokenizer model = written(t, f / "b.model");
    CHECK(pieces(model, t, "\xd0\x96") == strings{m, "<0xD0>", "<0x96>"});
}

TEST_CASE("files are replaced whole or not at all") {
    const folder f;
    train_options o;
    o.vocabulary_size = 260;
    const trained_tokenizer t = trained(o);
    REQUIRE(write_file_atomic(f / "vocab.json", "old").ok());
    std::filesystem::create_directory(f / "merges.txt"); // where the second file should go
    CHECK(!write_trained(t, f / "vocab.json").ok());
    const auto kept = read_file(f / "vocab.json");
    REQUIRE(kept.ok());
    CHECK(kept->size() == 3);
}

TEST_CASE("protocol buffers") {
    protobuf_writer inner, w;
    inner.text(1, "ab");
    w.integer(1, 300).boolean(2, true).number(3, 1.0f).number(4, -2.0).message(5, inner);
    w.integer(16, -1);
    const std::string bytes = w.take();
    const unsigned char expected[] = {0x08, 0xac, 0x02, 0x10, 0x01, 0x1d, 0,    0,    0x80, 0x3f,
                                      0x21, 0,    0,    0,    0,    0,    0,    0,    0xc0, 0x2a,
                                      4,    0x0a, 2,    'a',  'b',  0x80, 0x01, 0xff, 0xff, 0xff,
                                      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    CHECK(bytes == std::string(reinterpret_cast<const char*>(expected), sizeof expected));
    CHECK(w.size() == 0);
}
