// Long texts: windows give what one piece of memory gives, and a dull reference; time and memory
// stay in proportion to the text.
#include "small.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <random>
#include <support/data.hpp>

using namespace kompakt;
using namespace kompakt::token;
using namespace kompakt_test;

namespace {

// Joins the pair of lowest rank, the leftmost, again and again, looking at all of them each time.
std::vector<std::string> dull_bpe(const std::string& word,
                                  const std::vector<std::pair<std::string, std::string>>& merges) {
    std::vector<std::string> w;
    for (const char c : word) w.emplace_back(1, c);
    for (;;) {
        std::size_t best = merges.size(), where = 0;
        for (std::size_t i = 0; i + 1 < w.size(); ++i) {
            for (std::size_t m = 0; m < best; ++m) {
                if (merges[m].first == w[i] && merges[m].second == w[i + 1]) {
                    best = m;
                    where = i;
                }
            }
        }
        if (best == merges.size()) return w;
        w[where] += w[where + 1];
        w.erase(w.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
}

// A vocabulary of letters with random merges, many of which overlap.
std::string random_vocabulary(std::mt19937& random, std::size_t count,
                              std::vector<std::pair<std::string, std::string>>& merges) {
    std::vector<std::string> tokens = {"a", "b", "c"};
    merges.clear();
    while (tokens.size() < count) {
        const std::string& l = tokens[random() % tokens.size()];
        const std::string& r = tokens[random() % tokens.size()];
        const std::string t = l + r;
        if (t.size() > 12) continue;
        bool known = false;
        for (const std::string& x : tokens) known = known || x == t;
        if (known && random() % 3 != 0) continue;
        bool listed = false;
        for (const auto& m : merges) listed = listed || (m.first == l && m.second == r);
        if (listed) continue;
        merges.emplace_back(l, r);
        if (!known) tokens.push_back(t);
    }
    // Not in the order in which they were made: parts may come after the whole.
    for (std::size_t i = 0; i < merges.size(); ++i) {
        if (random() % 4 == 0) std::swap(merges[i], merges[random() % merges.size()]);
    }
    json::writer w;
    w.begin_object().key("model").begin_object().member("type", "BPE").key("vocab").begin_object();
    for (std::size_t i = 0; i < tokens.size(); ++i) w.key(tokens[i]).value(i);
    w.end().key("merges").begin_array();
    for (const auto& [l, r] : merges) w.begin_array().value(l).value(r).end();
    w.end().end().end();
    return w.take();
}

} // namespace

TEST_CASE("byte-pair encoding is that of a dull reference, in any window") {
    std::mt19937 random(7);
    std::vector<std::pair<std::string, std::string>> merges;
    for (int round = 0; round < 60; ++round) {
        const auto t = load_json(random_vocabulary(random, 6 + random() % 40, merges));
        REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message()));
        for (const std::size_t size :
             {std::size_t{1}, std::size_t{2}, std::size_t{30}, std::size_t{127}, std::size_t{128},
              std::size_t{129}, std::size_t{700}}) {
            std::string text;
            for (std::size_t i = 0; i < size; ++i)
                text += static_cast<char>('a' + (random() % 5 == 0 ? random() % 3 : random() % 2));
            const std::vector<std::string> want = dull_bpe(text, merges);
            CHECK(pieces(*t, text) == want);
            // Windows of few symbols.
            for (const std::size_t bytes :
                 {std::size_t{700}, std::size_t{1000}, std::size_t{3000}}) {
                std::vector<std::uint64_t> memory(bytes / 8);
                encoder e(t->table(), {reinterpret_cast<std::byte*>(memory.data()), bytes});
                std::vector<std::uint32_t> ids(text.size());
                std::size_t n = 0;
                REQUIRE(e.encode({text.data(), text.size()}, {ids.data(), ids.size()}, n).ok());
                std::vector<std::string> got;
                for (std::size_t i = 0; i < n; ++i) got.emplace_back(t->piece(ids[i]));
                CHECK(got == want);
            }
        }
    }
}

TEST_CASE("unigram in few nodes is unigram in many") {
    const auto t = load_json(
        R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["a",-1],["aa",-1.5],["aab",-1.2],["b",-2],["ba",-2.1],["abab",-3.3],["bbbb",-4]]}})");
    REQUIRE(t.ok());
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        std::string text;
        for (std::size_t i = 0; i < 3000; ++i) text += "aab?"[random() % (round % 2 == 0 ? 3 : 4)];
        std::vector<std::uint32_t> want;
        REQUIRE(t->encode(text, want).ok());
        std::vector<std::uint64_t> memory(encoder::memory_bytes(t->table(), 0, false) / 8 + 1);
        encoder e(t->table(), {reinterpret_cast<std::byte*>(memory.data()), memory.size() * 8});
        std::vector<std::uint32_t> ids(text.size());
        std::size_t n = 0;
        REQUIRE(e.encode({text.data(), text.size()}, {ids.data(), ids.size()}, n).ok());
        ids.resize(n);
        CHECK(ids == want);
    }
}

TEST_CASE("a megabyte of one thing takes some ten times as long as a tenth of it") {
    // Time is no test where others compute too; what would be quadratic takes minutes here.
    const std::size_t size = test_full() ? 100000000 : 1000000;
    const std::string kinds[] = {"a",    " ",  "\xcc\x81", "a\xd0\xb1", "\xe4\xbd\xa0",
                                 "\xff", "\n", "hello"};
    const std::string byte_level = small_byte_level(),
                      no_split = small_byte_level(
                          R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})");
    const std::string wordpiece =
        R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"##a":2}}})";
    const std::string unigram =
        R"({"normalizer":{"type":"NFKC"},"pre_tokenizer":{"type":"Metaspace","replacement":"_"},"model":{"type":"Unigram","unk_id":0,"vocab":[["?",0],["_",-1],["a",-2],["aa",-2.5],["aaa",-3]]}})";
    const std::string fallback =
        R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"_"},{"type":"Replace","pattern":{"String":" "},"content":"_"}]},
        "model":{"type":"BPE","unk_token":"?","fuse_unk":true,"vocab":{"?":0,"_":1,"a":2,"__":3,"____":4,"aa":5},"merges":["_ _","__ __","a a"]}})";
    for (const std::string& json : {byte_level, no_split, wordpiece, unigram, fallback}) {
        const auto t = load_json(json);
        REQUIRE_MESSAGE(t.ok(), (t.ok() ? "" : t.error().message()));
        for (const std::string& kind : kinds) {
            std::string text;
            text.reserve(size + 8);
            while (text.size() < size) text += kind;
            std::vector<std::uint32_t> ids;
            const auto start = std::chrono::steady_clock::now();
            const status s = t->encode(text, ids);
            const double seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            CAPTURE(json.substr(0, 60));
            CAPTURE(kind);
            CHECK_MESSAGE(s.ok(), s.message());
            CHECK(seconds < static_cast<double>(size) * 20e-6);
        }
    }
}
