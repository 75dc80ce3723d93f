// Truncation, padding, templates, pairs, batches.
#include "small.hpp"
#include "truncation_cases.hpp"

#include <kompakt/host/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace kompakt;
using namespace kompakt::token;
using namespace kompakt_test;

namespace {

using id_list = std::vector<std::uint32_t>;

void check_same(const encoded_text& e, const json::value& want) {
    const auto numbers = [](const json::value& list) {
        id_list out;
        for (const json::value& v : list.items())
            out.push_back(static_cast<std::uint32_t>(v.as_integer()));
        return out;
    };
    const auto digits = [](const std::vector<std::uint8_t>& v) {
        std::string s;
        for (const std::uint8_t x : v) s += static_cast<char>('0' + x);
        return s;
    };
    id_list offsets;
    for (const origin& o : e.offsets) {
        offsets.push_back(o.begin);
        offsets.push_back(o.end);
    }
    CHECK(e.ids == numbers(want.at(0)));
    CHECK(e.type_ids == numbers(want.at(1)));
    CHECK(offsets == numbers(want.at(2)));
    CHECK(digits(e.special) == want.at(3).as_string());
    CHECK(digits(e.attention) == want.at(4).as_string());
}
std::string text_of(const json::value& file, const std::string& part) {
    json::writer w;
    w.begin_object();
    for (const json::member& m : file.members()) w.key(m.key).value(m.value);
    w.end();
    std::string s = w.take();
    s.pop_back();
    return s + "," + part;
}

// Letters, one token each, between a first and a last special token.
std::string letters(const std::string& more) {
    return R"({"added_tokens":[{"id":0,"content":"<s>","special":true},{"id":1,"content":"</s>","special":true}],
        "pre_tokenizer":{"type":"WhitespaceSplit"},"post_processor":{"type":"TemplateProcessing",
        "single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}}],
        "pair":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"</s>","type_id":0}},{"Sequence":{"id":"B","type_id":1}},{"SpecialToken":{"id":"</s>","type_id":1}}],
        "special_tokens":{"<s>":{"id":"<s>","ids":[0],"tokens":["<s>"]},"</s>":{"id":"</s>","ids":[1],"tokens":["</s>"]}}},)" +
           more +
           R"("model":{"type":"WordLevel","unk_token":"<s>","vocab":{"<s>":0,"</s>":1,"a":2,"b":3,"c":4,"d":5,"e":6,"f":7,"g":8,"h":9}}})";
}

} // namespace

TEST_CASE("what Hugging Face makes of random settings") {
    std::size_t texts = 0;
    for (const char* const text : truncation_cases) {
        const auto c = json::read(std::string_view(text));
        REQUIRE(c.ok());
        const auto t = load_json(text_of(
            (*c)["file"], (*c)["model"].as_string() == "Unigram" ? unigram_part : wordpiece_part));
        REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message()));
        for (const json::value& run : (*c)["runs"].items()) {
            encode_options o;
            o.special = run["special"].as_boolean();
            // There, settings of the file hold with and without special tokens.
            o.truncation = t->truncation();
            o.padding = t->padding();
            if (run["batch"].is(json::kind::array)) {
                std::vector<text_pair> in;
                for (const json::value& p : run["batch"].items()) {
                    in.push_back({p.at(0).as_string(), {}});
                    if (p.size() == 2) in.back().second = p.at(1).as_string();
                }
                std::vector<encoded_text> out;
                REQUIRE(t->encode_batch({in.data(), in.size()}, out, o).ok());
                REQUIRE(out.size() == run["want"].size());
                for (std::size_t i = 0; i < out.size(); ++i) check_same(out[i], run["want"].at(i));
                texts += out.size();
                continue;
            }
            const std::string &a = run["a"].as_string(), &b = run["b"].as_string();
            CAPTURE(text);
            CAPTURE(a);
            CAPTURE(b);
            encoded_text e;
            const status s = run["b"].is_null() ? t->encode(a, e, o) : t->encode(a, b, e, o);
            ++texts;
            if (run["want"].is_null()) {
                CHECK(!s.ok());
                continue;
            }
            REQUIRE_MESSAGE(s.ok(), s.message());
            check_same(e, run["want"].at(0));
        }
    }
    CHECK(texts > 60);
}

TEST_CASE("what is cut off") {
    const auto t = load_json(letters(
        R"("truncation":{"direction":"Right","max_length":5,"strategy":"LongestFirst","stride":1},)"));
    REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message()));
    encode_options o;
    o.special = true;
    encoded_text e;
    REQUIRE(t->encode("a b c d e f", e, o).ok());
    CHECK(e.ids == id_list{0, 2, 3, 4, 1});
    REQUIRE(e.overflowing.size() == 2);
    CHECK(e.overflowing[0].ids == id_list{0, 4, 5, 6, 1});
    CHECK(e.overflowing[0].offsets[1].begin == 4);
    CHECK(e.overflowing[1].ids == id_list{0, 6, 7, 1});
    // Not asked for: as it is.
    o.truncates = false;
    REQUIRE(t->encode("a b c d e f", e, o).ok());
    CHECK(e.ids.size() == 8);
    id_list ids;
    REQUIRE(t->encode("a b c d e f", ids).ok());
    CHECK(ids.size() == 6);
    // From the left, with settings of the call.
    o.truncation = truncation_options{4, 0, truncation_strategy::longest_first, true};
    REQUIRE(t->encode("a b c d e", e, o).ok());
    CHECK(e.ids == id_list{0, 5, 6, 1});
    REQUIRE(e.overflowing.size() == 2);
    CHECK(e.overflowing[0].ids == id_list{0, 3, 4, 1});
    CHECK(e.overflowing[1].ids == id_list{0, 2, 1});
    o.special = false;
    ids.clear();
    REQUIRE(t->encode("a b c d e", ids, o).ok());
    CHECK(ids == id_list{3, 4, 5, 6});
    // Pairs: pieces of one with the other, then with its pieces.
    o.special = true;
    o.truncation = truncation_options{7, 0, truncation_strategy::longest_first, false};
    REQUIRE(t->encode("a b c", "d e f", e, o).ok());
    CHECK(e.ids == id_list{0, 2, 3, 1, 5, 6, 1});
    REQUIRE(e.overflowing.size() == 3);
    CHECK(e.overflowing[0].ids == id_list{0, 4, 1, 5, 6, 1});
    CHECK(e.overflowing[1].ids == id_list{0, 4, 1, 7, 1});
    CHECK(e.overflowing[2].ids == id_list{0, 2, 3, 1, 7, 1});
    CHECK(e.overflowing[2].type_ids == id_list{0, 0, 0, 0, 1, 1});
    o.truncation = truncation_options{6, 0, truncation_strategy::only_second, false};
    REQUIRE(t->encode("a b", "c d e", e, o).ok());
    CHECK(e.ids == id_list{0, 2, 3, 1, 4, 1});
    CHECK(!t->encode("a b c d", "e", e, o).ok());
    CHECK(!t->encode("a b c d e f g", e, o).ok());
    // Room for special tokens alone.
    o.truncation = truncation_options{2, 0, truncation_strategy::longest_first, false};
    REQUIRE(t->encode("a b", e, o).ok());
    CHECK(e.ids == id_list{0, 1});
    o.truncation = truncation_options{0, 0, truncation_strategy::longest_first, false};
    REQUIRE(t->encode("a b", "c", e, o).ok());
    CHECK(e.ids == id_list{0, 1, 1});
    // A stride that would not end.
    o.truncation = truncation_options{4, 2, truncation_strategy::longest_first, false};
    CHECK(!t->encode("a b c", e, o).ok());
    // Pieces of two long texts multiply beyond what a memory holds.
    o.truncation = truncation_options{5, 0, truncation_strategy::longest_first, false};
    std::string many;
    for (int i = 0; i < 3000; ++i) many += "a ";
    CHECK(!t->encode(many, many, e, o).ok());
}

TEST_CASE("batches are padded to one length, by any number of threads") {
    const auto t = load_json(letters(
        R"("padding":{"strategy":"BatchLongest","direction":"Right","pad_to_multiple_of":4,"pad_id":1,"pad_type_id":0,"pad_token":"</s>"},)"));
    REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message()));
    encode_options o;
    o.special = true;
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i)
        texts.push_back(std::string(i % 7 == 0 ? "" : i % 7 == 1 ? "a b c d e" : "a b"));
    std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<text_pair> pairs;
    for (const std::string& s : texts) pairs.push_back({s, {}});
    std::vector<id_list> one, two;
    std::vector<encoded_text> whole, again;
    thread_pool pool(3);
    REQUIRE(t->encode_batch({views.data(), views.size()}, one, o).ok());
    REQUIRE(t->encode_batch({views.data(), views.size()}, two, o, pool).ok());
    REQUIRE(t->encode_batch({pairs.data(), pairs.size()}, whole, o).ok());
    REQUIRE(t->encode_batch({pairs.data(), pairs.size()}, again, o, pool).ok());
    CHECK(one == two);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        CHECK(one[i].size() == 8);
        CHECK(whole[i].ids == one[i]);
        CHECK(again[i].ids == one[i]);
        CHECK(whole[i].attention == again[i].attention);
        std::size_t seen = 0;
        for (const std::uint8_t a : whole[i].attention) seen += a;
        CHECK(seen == (i % 7 == 0 ? 2u : i % 7 == 1 ? 7u : 4u));
    }
    // An error names the text.
    o.truncation = truncation_options{5, 0, truncation_strategy::only_second, false};
    const status s = t->encode_batch({views.data(), views.size()}, one, o);
    REQUIRE(!s.ok());
    CHECK(std::string_view(s.message()).find("text 1:") != std::string_view::npos);
    // A length that no memory holds.
    o.truncation.reset();
    o.padding = padding_options{SIZE_MAX / 2, 0, 0, 0, false};
    CHECK(!t->encode_batch({views.data(), 1}, one, o).ok());
    CHECK(t->encode_batch({views.data(), 0}, one, o).ok());
}
