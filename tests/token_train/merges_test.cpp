// Byte-pair training, by both rules: against dull references on random words, and the peers'
// results.
#include "train_support.hpp"

#include <kompakt/format/json.hpp>

#include <map>
#include <set>

using namespace kompakt;
using namespace kompakt::token_train;
using namespace kompakt_test;

namespace {

// Hugging Face's trainer, step by step: a queue in which a pair may wait more than once, each time
// with the words that it was found in; words merged as wholes.
struct slow_merges {
    std::vector<std::string> tokens;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> merges;

    using pair = std::pair<std::uint32_t, std::uint32_t>;
    struct waiting {
        pair p;
        std::int64_t count;
        std::set<std::size_t> words;
    };

    slow_merges(const word_list& list, std::size_t size, std::uint64_t min_frequency,
                const std::string& prefix, std::size_t longest) {
        std::map<std::string, std::uint32_t> ids;
        const auto id = [&](const std::string& t) {
            const auto r = ids.emplace(t, static_cast<std::uint32_t>(tokens.size()));
            if (r.second) tokens.push_back(t);
            return r.first->second;
        };
        std::set<char> letters;
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (const char c : list.word(i)) letters.insert(c);
        }
        for (const char c : letters) id(std::string(1, c));
        std::set<std::string> inner;
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (const char c : list.word(i).substr(1)) inner.insert(prefix + c);
        }
        for (const std::string& s : inner) id(s);
        std::vector<std::vector<std::uint32_t>> words;
        std::vector<std::vector<std::size_t>> lengths;
        std::map<pair, std::int64_t> counts;
        std::map<pair, std::set<std::size_t>> found;
        for (std::size_t i = 0; i < list.size(); ++i) {
            words.emplace_back();
            for (std::size_t k = 0; k < list.word(i).size(); ++k) {
                words[i].push_back(id((k == 0 ? "" : prefix) + list.word(i)[k]));
            }
            lengths.emplace_back(words[i].size(), 1);
            for (std::size_t k = 1; k < words[i].size(); ++k) {
                const pair p(words[i][k - 1], words[i][k]);
                counts[p] += static_cast<std::int64_t>(list.count(i));
                found[p].insert(i);
            }
        }
        std::vector<waiting> queue;
        const auto move_found = [&] {
            for (const auto& f : found) {
                if (counts[f.first] > 0) queue.push_back({f.first, counts[f.first], f.second});
            }
            found.clear();
        };
        move_found();
        while (tokens.size() < size && !queue.empty()) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < queue.size(); ++i) {
                const waiting &a = queue[i], &b = queue[best];
                if (a.count > b.count || (a.count == b.count && a.p < b.p)) best = i;
            }
            waiting top = queue[best];
            if (top.count != counts[top.p]) {
                queue[best].count = counts[top.p];
                // As unsigned numbers counts below zero are the largest, and end the training.
                if (queue[best].count < 0) break;
                continue;
            }
            queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(best));
            if (top.count < 1 || static_cast<std::uint64_t>(top.count) < min_frequency) break;
            std::string right = tokens[top.p.second];
            if (!prefix.empty() && right.compare(0, prefix.size(), prefix) == 0) {
                right.erase(0, prefix.size());
            }
            const std::uint32_t made = id(tokens[top.p.first] + right);
            merges.push_back(top.p);
            for (const std::size_t w : top.words) {
                const auto n = static_cast<std::int64_t>(list.count(w));
                auto& s = words[w];
                auto& l = lengths[w];
                for (std::size_t i = 0; i + 1 < s.size(); ++i) {
                    if (s[i] != top.p.first || s[i + 1] != top.p.second) continue;
                    const std::size_t length = l[i] + l[i + 1];
                    if (i > 0) {
                        counts[{s[i - 1], s[i]}] -= n;
                        if (l[i - 1] + length < longest) {
                            counts[{s[i - 1], made}] += n;
                            found[{s[i - 1], made}].insert(w);
                        }
                    }
                    if (i + 2 < s.size()) {
                        counts[{s[i + 1], s[i + 2]}] -= n;
                        if (l[i + 2] + length < longest) {
                            counts[{made, s[i + 2]}] += n;
                            found[{made, s[i + 2]}].insert(w);
                        }
                    }
                    s[i] = made;
                    l[i] = length;
                    s.erase(s.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                    l.erase(l.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                }
            }
            move_found();
        }
        // The rank of a pair is that of its last merge.
        std::vector<pair> kept;
        for (std::size_t i = 0; i < merges.size(); ++i) {
            if (std::find(merges.begin() + static_cast<std::ptrdiff_t>(i) + 1, merges.end(),
                          merges[i]) == merges.end()) {
                kept.push_back(merges[i]);
            }
        }
        merges = kept;
    }
};

// SentencePiece's trainer, counting every pair again at each step.
std::vector<std::string> slow_pieces(const word_list& list, std::size_t merges,
                                     std::size_t longest) {
    struct symbol {
        std::string text;
        int left, right;
        std::set<std::array<std::size_t, 3>> positions;
        std::uint64_t count;
        bool gone;
    };
    std::vector<symbol> symbols;
    std::map<std::string, int> letters;
    std::map<std::pair<int, int>, int> pairs;
    std::vector<std::vector<int>> words;
    const auto pair_of = [&](int a, int b) {
        const std::string text =
            symbols[static_cast<std::size_t>(a)].text + symbols[static_cast<std::size_t>(b)].text;
        if (text.size() > longest) return -1;
        const auto r = pairs.emplace(std::make_pair(a, b), static_cast<int>(symbols.size()));
        if (r.second) symbols.push_back({text, a, b, {}, 0, false});
        return r.first->second;
    };
    for (std::size_t w = 0; w < list.size(); ++w) {
        words.emplace_back();
        for (const char c : list.word(w)) {
            const std::string s(1, c);
            if (letters.emplace(s, static_cast<int>(symbols.size())).second) {
                symbols.push_back({s, -1, -1, {}, 0, true});
            }
            words[w].push_back(letters[s]);
        }
    }
    const auto add = [&](std::size_t w, std::size_t left, std::size_t right) {
        const int p = pair_of(words[w][left], words[w][right]);
        if (p >= 0) symbols[static_cast<std::size_t>(p)].positions.insert({w, left, right});
    };
    for (std::size_t w = 0; w < words.size(); ++w) {
        for (std::size_t i = 1; i < words[w].size(); ++i) add(w, i - 1, i);
    }
    std::vector<std::string> out;
    std::set<std::string> made;
    while (out.size() < merges) {
        int best = -1;
        for (std::size_t k = 0; k < symbols.size(); ++k) {
            symbol& s = symbols[k];
            if (s.left < 0 || s.gone) continue;
            s.count = 0;
            std::array<std::size_t, 3> before = {SIZE_MAX, 0, 0};
            for (auto it = s.positions.begin(); it != s.positions.end();) {
                const auto p = *it;
                if ((p[0] == before[0] && p[1] == before[2]) || words[p[0]][p[1]] != s.left ||
                    words[p[0]][p[2]] != s.right) {
                    it = s.positions.erase(it);
                    before = {SIZE_MAX, 0, 0};
                } else {
                    s.count += list.count(p[0]);
                    before = p;
                    ++it;
                }
            }
            if (s.count == 0) continue;
            if (best >= 0) {
                const symbol& b = symbols[static_cast<std::size_t>(best)];
                if (s.count < b.count) continue;
                if (s.count == b.count && (s.text.size() > b.text.size() ||
                                           (s.text.size() == b.text.size() && s.text >= b.text))) {
                    continue;
                }
            }
            best = static_cast<int>(k);
        }
        if (best < 0) break;
        symbols[static_cast<std::size_t>(best)].gone = true;
        const symbol s = symbols[static_cast<std::size_t>(best)];
        if (!made.insert(s.text).second) continue;
        out.push_back(s.text);
        for (const auto& p : s.positions) {
            auto& w = words[p[0]];
            if (w[p[1]] != s.left || w[p[2]] != s.right) continue;
            w[p[1]] = best;
            w[p[2]] = -2;
            std::size_t next = p[2] + 1;
            while (next < w.size() && w[next] == -2) ++next;
            std::size_t before = p[1];
            while (before > 0 && w[before - 1] == -2) --before;
            if (before > 0) add(p[0], before - 1, p[1]);
            if (next < w.size()) add(p[0], p[1], next);
        }
    }
    return out;
}

} // namespace

TEST_CASE("merges by Hugging Face's rules are those of the dull trainer") {
    std::mt19937 random(1);
    for (int round = 0; round < 1500; ++round) {
        const auto words = words_of(random_words(random, 40, static_cast<unsigned>(round % 7 + 2)));
        merge_options o;
        o.byte_level = false;
        o.vocabulary_size = 10 + random() % 60;
        o.min_frequency = random() % 4;
        if (round % 3 == 1) o.continuing_subword_prefix = "##";
        // 'a' and "ba" again: an inner character that looks like a merge.
        if (round % 3 == 2) o.continuing_subword_prefix = "b";
        if (round % 5 == 4) o.longest_token = 2 + random() % 5;
        const auto v = train_merges(words, o);
        const slow_merges expected(words, o.vocabulary_size, o.min_frequency,
                                   o.continuing_subword_prefix, o.longest_token);
        if (!v.ok()) {
            CHECK(expected.tokens.size() > o.vocabulary_size);
            continue;
        }
        CAPTURE(round);
        CHECK(v->tokens == expected.tokens);
        CHECK(v->merges == expected.merges);
    }
}

TEST_CASE("merges by SentencePiece's rules are those of the dull trainer") {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
        const auto words = words_of(random_words(random, 40, static_cast<unsigned>(round % 7 + 1)));
        const piece_alphabet alphabet = find_alphabet(words, 1.0);
        piece_merge_options o;
        o.pieces = alphabet.required.size() + random() % 60;
        o.rules.longest = static_cast<std::uint32_t>(2 + random() % 15);
        const auto v = train_piece_merges(words, alphabet, o);
        REQUIRE(v.ok());
        const auto expected =
            slow_pieces(words, o.pieces - alphabet.required.size(), o.rules.longest);
        CAPTURE(round);
        const std::vector<std::string> merged(
            v->pieces.begin(), v->pieces.begin() + static_cast<std::ptrdiff_t>(v->merged));
        CHECK(merged == expected);
    }
}

TEST_CASE("special tokens, alphabets and their limits") {
    const auto words = words_of({{"abc", 5}, {"abd", 4}, {"xyz", 1}});
    merge_options o;
    o.byte_level = false;
    o.special_tokens = {"<s>", "a", "<s>"};
    o.limit_alphabet = 3; // a, b, c
    o.vocabulary_size = 100;
    const auto v = train_merges(words, o);
    REQUIRE(v.ok());
    // "d" is left out, so "abd" is "ab".
    CHECK(v->tokens == std::vector<std::string>{"<s>", "a", "b", "c", "ab", "abc"});
    o.vocabulary_size = 3;
    const auto small = train_merges(words, o);
    REQUIRE(!small.ok());
    CHECK(small.error().code() == errc::bad_argument);
    CHECK(std::string(small.error().message()).find("at least 4") != std::string::npos);

    merge_options bytes;
    bytes.vocabulary_size = 300;
    bytes.initial_alphabet = token_train::detail::byte_alphabet();
    const auto b = train_merges(words_of({{" caf\xc3\xa9", 3}, {"\xff\x80", 2}}), bytes);
    REQUIRE(b.ok());
    CHECK(b->alphabet == 256);
    CHECK(b->tokens[0] == "!");
    CHECK(b->tokens[255] == "\xc5\x83"); // U+0143 for the byte 0xad
    CHECK(b->tokens.back() == "\xc3\xbf\xc4\xa2");
    CHECK(train_merges(word_list(), bytes)->tokens.size() == 256);
}

TEST_CASE("a word and an end-of-word mark, as in the first paper on it") {
    const auto words = words_of({{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}});
    merge_options o;
    o.byte_level = false;
    o.end_of_word_suffix = "</w>";
    o.vocabulary_size = 19; // 10 letters, 3 marked ones (r, t, w), 6 merges
    const auto v = train_merges(words, o);
    REQUIRE(v.ok());
    std::vector<std::string> merges;
    for (const auto& m : v->merges)
        merges.push_back(v->tokens[m.first] + "+" + v->tokens[m.second]);
    // "e s" and "s t</w>" occur nine times each, "e w" and "n e" six times: the lower numbers win.
    CHECK(merges ==
          std::vector<std::string>{"e+s", "es+t</w>", "l+o", "e+w", "n+ew", "new+est</w>"});
}

TEST_CASE("Hugging Face's own merges, from 5 MB") {
    const std::string text = unpacked("train/train5.txt");
    if (text.empty()) return;
    const text_file file(text);
    train_options o;
    o.vocabulary_size = 30000;
    o.whole_byte_alphabet = false;
    serial_executor serial;
    const auto t = train_tokenizer({file.path()}, o, serial);
    REQUIRE(t.ok());
    const auto golden = json::read(unpacked("train/hf_bpe_default30000.json"));
    REQUIRE(golden.ok());
    const auto& merges = (*golden)["model"]["merges"];
    REQUIRE(t->merges.size() == merges.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < merges.size(); ++i) {
        wrong += t->pieces[t->merges[i].first].text != merges.at(i).at(0).as_string() ||
                 t->pieces[t->merges[i].second].text != merges.at(i).at(1).as_string();
    }
    CHECK(wrong == 0);
    const auto& vocabulary = (*golden)["model"]["vocab"].members();
    REQUIRE(vocabulary.size() == t->pieces.size());
    for (const auto& m : vocabulary) {
        wrong += t->pieces[static_cast<std::size_t>(m.value.as_integer())].text != m.key;
    }
    CHECK(wrong == 0);
}

TEST_CASE("SentencePiece's own byte-pair vocabulary, from 5 MB") {
    const std::string text = unpacked("train/train5.txt");
    if (text.empty()) return;
    const text_file file(text);
    train_options o;
    o.rules = rule_set::sentencepiece;
    o.vocabulary_size = 8000;
    o.longest_line = 100000;
    thread_pool pool(3);
    const auto t = train_tokenizer({file.path()}, o, pool);
    REQUIRE(t.ok());
    const auto golden = vocab_lines(unpacked("train/spm_tr_bpe.vocab"));
    REQUIRE(golden.size() == t->pieces.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < golden.size(); ++i) {
        wrong += golden[i].first != t->pieces[i].text || golden[i].second != t->pieces[i].score;
    }
    CHECK(wrong == 0);
}
