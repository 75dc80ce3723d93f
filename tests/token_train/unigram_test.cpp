// Suffix arrays, Unigram training and its compression.
#include "train_support.hpp"

#include <kompakt/io/token/train/write.hpp>

#include <support/text.hpp>

using namespace kompakt;
using namespace kompakt::token_train;
using namespace kompakt_test;

namespace {

// The fewest-cost segmentation: how many pieces, and their score. Unknown characters cost ten more
// than the worst piece.
struct segmentation {
    std::size_t pieces;
    double score;
};
segmentation best(const std::map<std::string, float>& pieces, float lowest, std::string_view word) {
    std::vector<double> score(word.size() + 1, -1e300);
    std::vector<std::size_t> count(word.size() + 1, 0);
    score[0] = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (is_continuation_byte(word[i])) continue;
        const std::size_t one = decode_utf8(&word[i], word.data() + word.size()).length;
        bool known = false;
        for (std::size_t n = 1; n <= 64 && i + n <= word.size(); ++n) {
            const auto it = pieces.find(std::string(word.substr(i, n)));
            double s = 0;
            if (it != pieces.end()) {
                s = static_cast<double>(it->second);
                known = known || n == one;
            } else if (n == one && !known) {
                s = static_cast<double>(lowest) - 10;
            } else {
                continue;
            }
            if (score[i] + s > score[i + n]) {
                score[i + n] = score[i] + s;
                count[i + n] = count[i] + 1;
            }
        }
    }
    return {count.back(), score.back()};
}

struct measured {
    std::map<std::string, float> pieces;
    float lowest = 0;
    void add(const std::string& piece, float score) {
        pieces[piece] = score;
        lowest = (std::min)(lowest, score);
    }
    double tokens(const word_list& words) const {
        double n = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            n += static_cast<double>(words.count(i)) *
                 static_cast<double>(best(pieces, lowest, words.word(i)).pieces);
        }
        return n;
    }
};

train_options unigram(std::size_t size) {
    train_options o;
    o.model = model_kind::unigram;
    o.rules = rule_set::sentencepiece;
    o.vocabulary_size = size;
    o.longest_line = 100000;
    return o;
}

bool same(const trained_tokenizer& a, const trained_tokenizer& b) {
    return *sentencepiece_model(a) == *sentencepiece_model(b);
}

} // namespace

TEST_CASE("suffix arrays are sorted suffixes") {
    std::mt19937 random(6);
    for (int round = 0; round < 2000; ++round) {
        const std::size_t symbols = 1 + random() % 5;
        std::vector<std::uint32_t> text(random() % 60);
        for (auto& c : text) c = static_cast<std::uint32_t>(random() % symbols);
        if (round % 10 == 0) std::fill(text.begin(), text.end(), 0u);
        std::vector<std::uint32_t> expected(text.size());
        std::iota(expected.begin(), expected.end(), 0u);
        std::sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::lexicographical_compare(text.begin() + a, text.end(), text.begin() + b,
                                                text.end());
        });
        REQUIRE(suffix_array(text, symbols) == expected);
    }
    std::vector<std::uint32_t> text(100000);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = i % 7 == 0 ? 1 : 0;
    const auto sa = suffix_array(text, 2);
    std::vector<bool> seen(text.size(), false);
    for (const auto p : sa) seen[p] = true;
    CHECK(std::count(seen.begin(), seen.end(), false) == 0);
}

TEST_CASE("what occurs often becomes a piece") {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "the cat sat on the mat\nthe dog sat too\n";
    const text_file file(text);
    serial_executor serial;
    const auto t = train_tokenizer({file.path()}, unigram(20), serial);
    REQUIRE(t.ok());
    CHECK(t->pieces.size() == 20);
    CHECK(t->pieces[0].text == "<unk>");
    CHECK(t->find("\xe2\x96\x81the") > 0);
    CHECK(t->find("\xe2\x96\x81sat") > 0);
    for (std::size_t i = 4; i < t->pieces.size(); ++i) {
        CHECK(t->pieces[i].score <= t->pieces[i - 1].score);
        CHECK(t->pieces[i].score < 0);
    }
    for (const char* letter : {"t", "h", "e", "c", "a", "s", "o", "n", "m", "d", "g"}) {
        CHECK(t->find(letter) > 0);
    }
}

TEST_CASE("words of any length are trained on alike") {
    // Rows without spaces, too long for plain doubles.
    std::mt19937 random(7);
    std::string text;
    for (int line = 0; line < 60; ++line) {
        for (int i = 0; i < 400; ++i)
            text += random() % 3 == 0 ? "abcd" : random() % 2 ? "xy" : "z";
        text += '\n';
    }
    const text_file file(text);
    serial_executor serial;
    const auto t = train_tokenizer({file.path()}, unigram(40), serial);
    REQUIRE(t.ok());
    // No piece but a letter cuts what belongs together.
    std::size_t rows = 0;
    for (const trained_piece& p : t->pieces) {
        CHECK(std::isfinite(p.score));
        if (p.type != piece_type::normal || p.text.size() < 2) continue;
        std::string_view left = p.text;
        if (left.substr(0, 3) == "\xe2\x96\x81") left.remove_prefix(3);
        for (bool cut = false; !left.empty() && !cut;) {
            const std::size_t n = left.substr(0, 4) == "abcd" ? 4
                                  : left.substr(0, 2) == "xy" ? 2
                                  : left[0] == 'z'            ? 1
                                                              : 0;
            cut = n == 0;
            left.remove_prefix(n);
        }
        CAPTURE(p.text);
        CHECK(left.empty());
        ++rows;
    }
    CHECK(rows > 20);
}

TEST_CASE("the same whatever the threads") {
    std::mt19937 random(8);
    std::string text;
    for (int i = 0; i < 30000; ++i) {
        for (std::size_t n = 1 + random() % 5; n > 0; --n) {
            text += static_cast<char>('a' + random() % 6 * random() % 6);
        }
        text += i % 10 == 9 ? '\n' : ' ';
    }
    const text_file file(text);
    serial_executor serial;
    thread_pool pool(4);
    for (const model_kind kind : {model_kind::unigram, model_kind::bpe, model_kind::word}) {
        train_options o = unigram(400);
        o.model = kind;
        const auto a = train_tokenizer({file.path()}, o, serial);
        const auto b = train_tokenizer({file.path()}, o, pool);
        REQUIRE(a.ok());
        REQUIRE(b.ok());
        CHECK(same(*a, *b));
    }
}

TEST_CASE("bad requests are told what they need") {
    const text_file text("some text to train on\n"), empty(""), blank(" \n\n"),
        odd("\xff\xfe\x80\n");
    serial_executor serial;
    const auto message = [&](const std::vector<std::string>& files, const train_options& o) {
        const auto t = train_tokenizer(files, o, serial);
        REQUIRE(!t.ok());
        return std::string(t.error().message());
    };
    for (const model_kind kind : {model_kind::bpe, model_kind::unigram}) {
        train_options o = unigram(8);
        o.model = kind;
        CHECK(has(message({text.path()}, o), "3 special pieces and 11 characters"));
        CHECK(has(message({text.path()}, o), "at least 14"));
        o.vocabulary_size = 100;
        CHECK(has(message({empty.path()}, o), "no text"));
        CHECK(has(message({blank.path()}, o), "no text"));
        CHECK(has(message({"/nowhere"}, o), "/nowhere"));
        o.longest_line = 5;
        CHECK(has(message({text.path()}, o), "all 1 lines were skipped"));
        o.longest_line = 100;
        CHECK(train_tokenizer({odd.path()}, o, serial).ok());
        const auto t = train_tokenizer({text.path()}, o, serial);
        REQUIRE(t.ok());
        CHECK(t->pieces.size() < 100);
        o.special_tokens = {"</s>", "<pad>"};
        o.user_defined = {"<pad>"};
        train_options ok = o;
        ok.user_defined.clear();
        CHECK(train_tokenizer({text.path()}, ok, serial)->pieces[3].text == "<pad>");
        o.vocabulary_size = 0;
        CHECK(has(message({text.path()}, o), "from 1 to"));
    }
    train_options o = unigram(100);
    o.pieces.longest = 65;
    CHECK(has(message({text.path()}, o), "1 to 64"));
    train_options hf;
    hf.vocabulary_size = 255;
    CHECK(has(message({text.path()}, hf), "at least 256"));
    CHECK(has(message({empty.path()}, hf), "no text"));
    hf.pattern = "(";
    CHECK(!train_tokenizer({text.path()}, hf, serial).ok());
}

TEST_CASE("a vocabulary from 5 MB compresses like SentencePiece's") {
    const std::string text = unpacked("train/train5.txt");
    if (text.empty()) return;
    const text_file file(text);
    thread_pool pool(2);
    const auto t = train_tokenizer({file.path()}, unigram(8000), pool);
    REQUIRE(t.ok());
    REQUIRE(t->pieces.size() == 8000);
    measured ours, theirs;
    for (const trained_piece& p : t->pieces) {
        if (p.type == piece_type::normal) ours.add(p.text, p.score);
    }
    const auto golden = vocab_lines(unpacked("train/spm_tr_uni.vocab"));
    std::size_t common = 0;
    for (std::size_t i = 3; i < golden.size(); ++i) {
        theirs.add(golden[i].first, golden[i].second);
        common += ours.pieces.count(golden[i].first);
    }
    CHECK(common > 7000);
    piece_splitter_options s;
    s.map = std::make_shared<character_map>(*character_map::read(t->character_map));
    s.longest_line = 1000000;
    for (const char* name : {"corpus/en.txt", "corpus/multi.txt", "corpus/code.txt"}) {
        const text_file held_out(unpacked(name));
        serial_executor serial;
        const auto words = count_words({held_out.path()}, piece_splitter(s), serial);
        REQUIRE(words.ok());
        const double a = ours.tokens(*words), b = theirs.tokens(*words);
        CAPTURE(name);
        CAPTURE(a / b);
        CHECK(a < 1.01 * b);
    }
}
