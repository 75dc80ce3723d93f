// From files to counted words: blocks, splitters, memory.
#include "train_support.hpp"

using namespace kompakt;
using namespace kompakt::token_train;
using namespace kompakt_test;

namespace {

template <class Splitter>
std::vector<std::string> split(Splitter s, std::string_view line) {
    std::vector<std::string> out;
    s(line, false, [&](std::string_view w) { out.emplace_back(w); });
    return out;
}

std::vector<std::string> lines_of(const std::vector<std::string>& paths, std::size_t block,
                                  std::size_t longest) {
    text_reader r(paths, block, longest);
    std::vector<std::string> out;
    text_block b;
    for (;;) {
        const auto more = r.next(b);
        REQUIRE(more.ok());
        if (!*more) return out;
        out.push_back((b.continues ? "+" : "") + b.text);
    }
}

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("blocks end with lines") {
    const text_file a("one\ntwo\nthree\nfour"), empty(""), b("five\n");
    CHECK(lines_of({a.path(), empty.path(), b.path()}, 9, 100) ==
          strings{"one\ntwo\n", "three\n", "four", "five\n"});
    // A line that is longer than a block, and one that is too long: cut behind a space.
    const text_file c("0123456789012345\nx\n");
    CHECK(lines_of({c.path()}, 8, 100) == strings{"0123456789012345\nx\n"});
    CHECK(lines_of({c.path()}, 17, 100) == strings{"0123456789012345\n", "x\n"});
    const text_file d("0123456789 12345678 x\nnext\n");
    CHECK(lines_of({d.path()}, 4, 20) == strings{"0123456789 12345678 ", "+x\n", "next\n"});
    // Without one: between characters.
    const text_file e("aaa\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
    CHECK(lines_of({e.path()}, 4, 4) ==
          strings{"aaa", "+\xe6\x97\xa5", "+\xe6\x97\xa5", "+\xe6\x97\xa5"});
    text_block t;
    text_reader missing({a.path(), "/nowhere/at all"});
    REQUIRE(missing.next(t).ok());
    const auto r = missing.next(t);
    REQUIRE(!r.ok());
    CHECK(r.error().code() == errc::io);
    CHECK(std::string(r.error().message()).find("/nowhere/at all") != std::string::npos);
    const text_file folder("");
    text_reader directory({std::filesystem::temp_directory_path().string()});
    CHECK(!directory.next(t).ok());
}

TEST_CASE("counts are the same for all threads, blocks and limits of memory") {
    std::mt19937 random(3);
    std::string text;
    std::map<std::string, std::uint64_t> expected;
    for (int i = 0; i < 20000; ++i) {
        std::string w;
        for (std::size_t n = 1 + random() % 4; n > 0; --n) {
            w += static_cast<char>('a' + random() % 9);
        }
        ++expected[w];
        text += w + (random() % 9 == 0 ? "\n" : " ");
    }
    const text_file file(text);
    const auto check = [&](auto&& executor, std::size_t memory, std::size_t block) {
        count_options o;
        o.memory_bytes = memory;
        o.block_bytes = block;
        const auto list = count_words({file.path()}, white_space_splitter(), executor, o);
        REQUIRE(list.ok());
        CHECK(list->total == 20000);
        REQUIRE(list->size() == expected.size());
        for (std::size_t i = 0; i < list->size(); ++i) {
            REQUIRE(expected[std::string(list->word(i))] == list->count(i));
            if (i == 0) continue;
            const bool ordered =
                list->count(i - 1) > list->count(i) ||
                (list->count(i - 1) == list->count(i) && list->word(i - 1) < list->word(i));
            REQUIRE(ordered);
        }
    };
    thread_pool pool(3);
    for (const std::size_t memory : {std::size_t{1}, std::size_t{100000}, std::size_t{1} << 30}) {
        for (const std::size_t block : {std::size_t{16}, std::size_t{1000}, std::size_t{1} << 20}) {
            check(serial_executor(), memory, block);
            check(pool, memory, block);
        }
    }
    // A list that is too long loses its rarest words, and says how many.
    count_options o;
    o.list_bytes = 4000;
    o.memory_bytes = 50000;
    const auto list = count_words({file.path()}, white_space_splitter(), pool, o);
    REQUIRE(list.ok());
    CHECK(list->bytes() <= 4000);
    CHECK(list->size() > 50);
    CHECK(list->size() + list->left_out == expected.size());
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& e : expected) order.push_back({e.second, e.first});
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (std::size_t i = 0; i < list->size(); ++i) REQUIRE(list->word(i) == order[i].second);
}

TEST_CASE("words that never end are cut between characters") {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "\xe6\x97\xa5";
    const text_file file(text);
    count_options o;
    o.longest_word = 10;
    serial_executor serial;
    const auto list = count_words({file.path()}, white_space_splitter(), serial, o);
    REQUIRE(list.ok());
    REQUIRE(list->size() == 2);
    CHECK(list->word(0) == "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
    CHECK(list->count(0) == 333);
    CHECK(list->word(1) == "\xe6\x97\xa5");
}

TEST_CASE("words of bytes are those of GPT-2's expression") {
    CHECK(split(byte_splitter(), "I'll pay 20\xe2\x82\xac,  don't\n") ==
          strings{"I", "'ll", " pay", " 20", "\xe2\x82\xac,", " ", " don", "'t", "\n"});
    CHECK(split(byte_splitter(true), "a") == strings{" a"});
    CHECK(split(byte_splitter(true), " a") == strings{" a"});
    CHECK(split(byte_splitter(), "").empty());
    const auto pattern = pattern_splitter::make(
        R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
    REQUIRE(pattern.ok());
    std::mt19937 random(4);
    const std::string pieces[] = {" ",
                                  "  ",
                                  "\n",
                                  "\t",
                                  "a",
                                  "Z",
                                  "'s",
                                  "'",
                                  "ll",
                                  "7",
                                  "!",
                                  "?",
                                  "re",
                                  "\xc3\xa9",
                                  "\xc2\xa0",
                                  "\xe3\x80\x80",
                                  "\xe6\x97\xa5",
                                  "\xc2\xb2",
                                  "\xf0\x9f\x98\x80",
                                  "\xcc\x81"};
    for (int i = 0; i < 3000; ++i) {
        std::string line;
        for (std::size_t n = random() % 12; n > 0; --n)
            line += pieces[random() % std::size(pieces)];
        CAPTURE(line);
        REQUIRE(split(byte_splitter(), line) == split(*pattern, line));
    }
    for (const char* name : {"corpus/en.txt", "corpus/multi.txt", "corpus/code.txt",
                             "corpus/emoji.txt", "corpus/weird.txt"}) {
        const std::string text = unpacked(name);
        if (text.empty()) return;
        CHECK(split(byte_splitter(), text) == split(*pattern, text));
    }
}

TEST_CASE("bad UTF-8 stays whole in words of bytes, and ends nothing") {
    std::mt19937 random(5);
    for (int i = 0; i < 2000; ++i) {
        std::string line;
        for (std::size_t n = random() % 20; n > 0; --n) line += static_cast<char>(random());
        std::string joined;
        for (const std::string& w : split(byte_splitter(), line)) joined += w;
        REQUIRE(joined == line);
        for (const std::string& w : split(bert_splitter(), line)) {
            REQUIRE(is_valid_utf8(w));
            REQUIRE(!w.empty());
        }
        for (const std::string& w : split(piece_splitter({}), line)) {
            REQUIRE(is_valid_utf8(w));
        }
    }
}

TEST_CASE("BERT's words") {
    CHECK(split(bert_splitter(),
                "H\xc3\xa9llo, W\xc3\x96RLD\xe6\x97\xa5\xe6\x9c\xac x\xc2\xad\tz\n") ==
          strings{"hello", ",", "world", "\xe6\x97\xa5", "\xe6\x9c\xac", "x", "z"});
    bert_splitter_options cased;
    cased.lowercase = cased.strip_accents = false;
    CHECK(split(bert_splitter(cased), "H\xc3\xa9 A.") == strings{"H\xc3\xa9", "A", "."});
}

TEST_CASE("SentencePiece's words") {
    const auto map_bytes = normalization_map("nmt_nfkc");
    REQUIRE(map_bytes.ok());
    const auto map = character_map::read(*map_bytes);
    REQUIRE(map.ok());
    piece_splitter_options o;
    o.map = std::make_shared<character_map>(*map);
    o.special = {"<unk>", "<s>"};
    const std::string m = "\xe2\x96\x81";
    CHECK(split(piece_splitter(o), "  two  words \n") == strings{m + "two", m + "words"});
    CHECK(split(piece_splitter(o), "\xef\xbc\xa1\xc2\xa0"
                                   "e\xcc\x81") == strings{m + "A", m + "\xc3\xa9"});
    CHECK(split(piece_splitter(o), " \xe3\x80\x80\n").empty());
    CHECK(split(piece_splitter(o), "\x01\n").empty());
    CHECK(split(piece_splitter(o), "a<s>b<unk") == strings{m + "a\tb<unk"});
    CHECK(split(piece_splitter(o), "a\xff\x62") == strings{m + "a\xef\xbf\xbd"
                                                               "b"});
    o.remove_extra_spaces = false;
    o.add_dummy_prefix = false;
    CHECK(split(piece_splitter(o), " a  b ") == strings{m + "a", m, m + "b", m});
    piece_splitter long_line(o);
    CHECK(!long_line(std::string(4193, 'a'), false, [](std::string_view) { CHECK(false); }));
    CHECK(!long_line("x\xe2\x96\x85", false, [](std::string_view) { CHECK(false); }));
}

TEST_CASE("the character map is SentencePiece's") {
    CHECK(!normalization_map("nfd").ok());
    CHECK(normalization_map("identity")->empty());
    const auto bytes = normalization_map("nmt_nfkc");
    REQUIRE(bytes.ok());
    CHECK(bytes->size() < 260000);
    const auto ours = character_map::read(*bytes);
    REQUIRE(ours.ok());
    std::string_view to;
    CHECK(ours->longest("\xef\xac\x81x", to) == 3); // U+FB01
    CHECK(to == "fi");
    CHECK(ours->longest("a", to) == 0);
    CHECK(ours->longest("\xef\xbd\x9e", to) == 0); // U+FF5E stays
    for (std::size_t n = 0; n < 2000; n += 7) {
        std::string cut = bytes->substr(0, n);
        const auto r = character_map::read(cut);
        if (!cut.empty()) CHECK(!r.ok());
    }
    const std::string model = unpacked("train/spm_tr_bpe.model");
    if (model.empty()) return;
    // The map is the second field of the third; it is long enough to be found by its size.
    const std::size_t at = model.find("nmt_nfkc\x12");
    REQUIRE(at != std::string::npos);
    std::size_t p = at + 9, size = 0;
    for (int shift = 0;; shift += 7) {
        const auto b = static_cast<unsigned char>(model[p++]);
        size |= std::size_t{b & 127u} << shift;
        if (b < 128) break;
    }
    const auto theirs = character_map::read(model.substr(p, size));
    REQUIRE(theirs.ok());
    std::size_t younger = 0, different = 0;
    for (char32_t c = 1; c <= last_code_point; ++c) {
        if (c >= 0xd800 && c < 0xe000) continue;
        for (const char32_t mark : {U'\0', U'\x301', U'\x308', U'\x3099', U'\xff9e'}) {
            std::u32string s(1, c);
            if (mark != 0) s += mark;
            const std::string text = token_train::detail::to_utf8(s);
            std::string_view a, b;
            const std::size_t n = ours->longest(text, a), k = theirs->longest(text, b);
            // Theirs is older and has no rule for some.
            if (k == 0 && n != 0) {
                younger += mark == 0;
            } else if (n != k || a != b) {
                ++different;
            }
        }
    }
    CHECK(different == 0);
    CHECK(younger < 200);
}
