// What Hugging Face's tokenizers, tiktoken and SentencePiece give, exactly: every edge string and
// every file of text for every vocabulary, ids, offsets, special tokens and decoded text.
#include "golden_data.hpp"

#include <doctest/doctest.h>

using namespace kompakt;
using namespace kompakt::token;
using namespace kompakt_test;

namespace {

// Offsets of the peers count characters.
bool same_offsets(const std::string& text, const json::value& want,
                  const std::vector<origin>& got) {
    if (want.size() != got.size()) return false;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto characters = [&](std::uint32_t b) {
            return static_cast<std::int64_t>(count_characters({text.data(), b}));
        };
        if (want.at(i).at(0).as_integer() != characters(got[i].begin) ||
            want.at(i).at(1).as_integer() != characters(got[i].end))
            return false;
    }
    return true;
}

void check_case(const token_case& c, const build_options& build, bool all_files) {
    const json::value golden = token_golden(c.name);
    const auto t = load_case(c, golden, build);
    REQUIRE_MESSAGE(t.ok(), c.name << ": " << (t.ok() ? "" : t.error().message()));
    CHECK(verify_ktok(t->bytes()));
    const std::string path = test_data("tokenizers/edge.json");
    const auto edge_file = read_file(path);
    REQUIRE(edge_file.ok());
    const auto edge = json::read(bytes_view(edge_file->data(), edge_file->size()));
    REQUIRE(edge.ok());
    REQUIRE(edge->size() == golden["cases"].size());
    const bool is_tiktoken = std::string_view(c.name).substr(0, 9) == "tiktoken-";
    encode_options plain;
    if (is_tiktoken) plain.added = added_tokens::off;

    for (std::size_t i = 0; i < edge->size(); ++i) {
        CAPTURE(c.name);
        CAPTURE(i);
        const std::string& text = edge->at(i).as_string();
        const json::value& want = golden["cases"].at(i);
        const std::vector<std::uint32_t> ids = numbers(want["ids"]);
        std::vector<std::uint32_t> got;
        REQUIRE(t->encode(text, got, plain).ok());
        CHECK(got == ids);
        encoded_text e;
        REQUIRE(t->encode(text, e, plain).ok());
        CHECK(e.ids == ids);
        if (want["off"].is(json::kind::array)) CHECK(same_offsets(text, want["off"], e.offsets));
        // Pieces of SentencePiece: offsets go up and stay inside.
        std::uint32_t before = 0;
        for (const origin& o : e.offsets) {
            CHECK(o.begin <= o.end);
            CHECK(o.end <= text.size());
            if (!want["off"].is(json::kind::array)) CHECK(o.end >= before);
            before = o.end;
        }
        std::vector<std::uint32_t> special = ids;
        if (want["ids_sp"].is(json::kind::array)) {
            special = numbers(want["ids_sp"]);
            encode_options o;
            o.special = true;
            REQUIRE(t->encode(text, e, o).ok());
            CHECK(e.ids == special);
        }
        if (want["ids_allspecial"].is(json::kind::array)) {
            got.clear();
            REQUIRE(t->encode(text, got).ok());
            CHECK(got == numbers(want["ids_allspecial"]));
        }
        const std::string decoded = want["rt"].as_integer() == 1 ? text : want["dec"].as_string();
        CHECK(t->decode(ids) == decoded);
        if (want["dec_skip"].is(json::kind::string)) {
            decode_options o;
            o.skip_special = true;
            CHECK(t->decode(special, o) == want["dec_skip"].as_string());
        }
    }
    for (const json::value& want : golden["invalid_utf8"].items()) {
        std::string text;
        const std::string& hex = want["hex"].as_string();
        for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
            text += static_cast<char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16));
        CAPTURE(hex);
        std::vector<std::uint32_t> got;
        REQUIRE(t->encode(text, got).ok());
        CHECK(got == numbers(want["ids"]));
        CHECK(t->decode(got) == want["dec"].as_string());
    }
    for (const json::member& m : golden["manifest"]["corpus"].members()) {
        if (!all_files && m.key != "weird" && m.key != "emoji") continue;
        CAPTURE(c.name);
        CAPTURE(m.key);
        const std::string text = token_data("corpus/" + m.key + ".txt");
        const std::string raw = token_data(std::string("golden/") + c.name + "." + m.key + ".u32");
        std::vector<std::uint32_t> want(raw.size() / 4), got;
        for (std::size_t i = 0; i < want.size(); ++i)
            want[i] = load_le<std::uint32_t>(raw.data() + 4 * i);
        REQUIRE(t->encode(text, got, plain).ok());
        CHECK(got == want);
        CHECK(sha256(t->decode(want)) == m.value["sha256_dec"].as_string());
        // The same without a cache, with offsets.
        encoded_text e;
        REQUIRE(t->encode(text, e, plain).ok());
        CHECK(e.ids == want);
    }
}

} // namespace

TEST_CASE("goldens of the peers") {
    if (test_data("tokenizers/edge.json").empty()) return;
    for (const token_case& c : token_cases) check_case(c, {}, true);
}

TEST_CASE("compact tables give the same") {
    if (test_data("tokenizers/edge.json").empty()) return;
    build_options compact;
    compact.compact = true;
    for (const token_case& c : token_cases) {
        if (std::string_view(c.name) != "gpt2" && std::string_view(c.name) != "llama3" &&
            std::string_view(c.name) != "llama2-phi3" &&
            std::string_view(c.name) != "spm-test1000" && !test_full()) {
            continue;
        }
        check_case(c, compact, false);
    }
}

TEST_CASE("vocabulary files give what their tokenizer.json gives") {
    if (test_data("tokenizers/edge.json").empty()) return;
    const std::string text =
        token_data("corpus/weird.txt") + token_data("corpus/code.txt").substr(0, 50000);
    const auto whole = read_tokenizer_json(token_data("vocab/gpt2.tokenizer.json"));
    gpt2_options o;
    o.specials = {"<|endoftext|>"};
    const auto parts =
        read_gpt2(token_data("vocab/gpt2.vocab.json"), token_data("vocab/gpt2.merges.txt"), o);
    REQUIRE(whole.ok());
    REQUIRE_MESSAGE(parts.ok(), (parts.ok() ? "" : parts.error().message()));
    const auto bert = read_tokenizer_json(token_data("vocab/bert-uncased.tokenizer.json"));
    const auto lines = read_bert_vocabulary(token_data("vocab/bert-uncased.vocab.txt"));
    REQUIRE(bert.ok());
    REQUIRE_MESSAGE(lines.ok(), (lines.ok() ? "" : lines.error().message()));
    for (const auto& [a, b] : {std::pair(&*whole, &*parts), std::pair(&*bert, &*lines)}) {
        const auto x = tokenizer::from_spec(*a), y = tokenizer::from_spec(*b);
        REQUIRE(x.ok());
        REQUIRE(y.ok());
        encoded_text e, f;
        encode_options with;
        with.special = true;
        REQUIRE(x->encode(text, e, with).ok());
        REQUIRE(y->encode(text, f, with).ok());
        CHECK(e.ids == f.ids);
        CHECK(x->decode(e.ids) == y->decode(f.ids));
    }
}
