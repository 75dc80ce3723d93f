// Text in, coloured tokens out: what a model sees of what you write.
//
//     c++ -std=c++17 -O2 -Iinclude -Iports examples/tokens/tokens.cpp -o tokens -pthread
//     echo "Hello, world" | ./tokens tokenizer.json        the same vocabularies as `kompakt
//     tokenize`
//     ./tokens                                             a vocabulary made on the spot, to try it
//
// Each token has the colour of its place; numbers below with --ids.
#include <kompakt/io/token/tokenizer.hpp>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <map>

namespace {

using namespace kompakt;

// The pairs that are most frequent in a few sentences, joined again and again: byte-pair encoding
// as it is told in a lecture. (`kompakt train-tokenizer` does it for real.)
token::tokenizer_spec lecture_vocabulary(const std::string& text, std::size_t merges) {
    token::tokenizer_spec s;
    s.byte_level = true;
    for (int b = 0; b < 256; ++b) {
        token::token_spec t;
        t.text = std::string(1, static_cast<char>(b));
        t.kind = 0;
        s.tokens.push_back(t);
    }
    std::vector<std::uint32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    for (std::size_t k = 0; k < merges; ++k) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> counts;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            // Words end at spaces.
            if (s.tokens[ids[i + 1]].text[0] != ' ') ++counts[{ids[i], ids[i + 1]}];
        }
        std::pair<std::uint32_t, std::uint32_t> best;
        int most = 1;
        for (const auto& [pair, n] : counts) {
            if (n > most) {
                best = pair;
                most = n;
            }
        }
        if (most == 1) break;
        const auto id = static_cast<std::uint32_t>(s.tokens.size());
        token::token_spec t;
        t.text = s.tokens[best.first].text + s.tokens[best.second].text;
        t.kind = 0;
        s.tokens.push_back(t);
        s.merges.push_back({best.first, best.second, id});
        std::vector<std::uint32_t> joined;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const bool here =
                i + 1 < ids.size() && ids[i] == best.first && ids[i + 1] == best.second;
            joined.push_back(here ? id : ids[i]);
            i += here ? 1 : 0;
        }
        ids = joined;
    }
    token::step_spec split, decode;
    split.kind = token::step_kind::split_regex;
    split.flags = static_cast<std::uint32_t>(token::behavior::isolated);
    split.a = *token::regex_bytes(token::gpt2_pattern);
    decode.kind = token::step_kind::decode_bytes;
    s.pre_tokenizers.push_back(split);
    s.decoders.push_back(decode);
    return s;
}

const char sentences[] =
    "the cat sat on the mat. the other cat sat on the other mat. a small model on a small machine "
    "is "
    "still a model, and the smaller the model, the smaller the machine that the model needs. there "
    "is nothing in the machine that is not in the model, nothing in the model that is not in the "
    "text.";

// Background colours that dark and bright text is readable on.
const int colours[] = {24, 58, 22, 53, 94, 60, 23, 89};

} // namespace

int main(int argc, char** argv) {
    std::string path;
    bool shows_ids = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--ids") == 0) {
            shows_ids = true;
        } else if (argv[i][0] == '-' || !path.empty()) {
            std::fprintf(stderr, "tokens [tokenizer.json] [--ids] < text\n");
            return 2;
        } else {
            path = argv[i];
        }
    }
    const auto t = path.empty() ? tokenizer::from_spec(lecture_vocabulary(sentences, 120))
                                : read_tokenizer(path);
    if (!t.ok()) {
        std::fprintf(stderr, "tokens: %s\n", t.error().message());
        return 1;
    }
    std::string text = "the smallest cat on the machine";
    if (!path.empty() || !is_terminal(stdin)) {
        const std::string given((std::istreambuf_iterator<char>(std::cin)),
                                std::istreambuf_iterator<char>());
        if (!path.empty() || !given.empty()) text = given;
    }
    token::encoded_text e;
    if (const status s = t->encode(text, e); !s.ok()) {
        std::fprintf(stderr, "tokens: %s\n", s.message());
        return 1;
    }
    const bool colour = is_terminal(stdout);
    std::uint32_t done = 0;
    for (std::size_t i = 0; i < e.ids.size(); ++i) {
        // Tokens that share a character stand together.
        std::uint32_t end = e.offsets[i].end;
        if (end <= done) continue;
        if (e.offsets[i].begin > done)
            std::printf("%s", text.substr(done, e.offsets[i].begin - done).c_str());
        const std::string part = text.substr((std::max)(done, e.offsets[i].begin),
                                             end - (std::max)(done, e.offsets[i].begin));
        for (const char c : part) {
            if (c == '\n') {
                std::printf(colour ? "\x1b[0m\n" : "|\n");
            } else {
                if (colour) std::printf("\x1b[97;48;5;%dm", colours[i % 8]);
                std::putchar(c);
            }
        }
        if (!colour && part.find('\n') == std::string::npos) std::putchar('|');
        if (colour) std::printf("\x1b[0m");
        done = end;
    }
    std::printf("%s\n%zu bytes, %zu tokens\n", colour ? "\x1b[0m" : "", text.size(), e.ids.size());
    if (shows_ids) {
        for (const std::uint32_t id : e.ids) std::printf("%u ", id);
        std::printf("\n");
    }
    return 0;
}
