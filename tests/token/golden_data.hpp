// Vocabularies, texts and goldens of the peers, from the folder of test data.
#pragma once

#include <kompakt/io/token/tokenizer.hpp>

#include <cstdio>
#include <cstdlib>
#include <support/data.hpp>
#include <support/gunzip.hpp>

namespace kompakt_test {

inline void require(bool ok, const std::string& name) {
    if (ok) return;
    std::fprintf(stderr, "test data is broken: %s\n", name.c_str());
    std::abort();
}

// Unpacked; empty if there is no test data.
inline std::string token_data(const std::string& name) {
    const std::string path = test_data("tokenizers/" + name + ".gz");
    if (path.empty()) return {};
    const auto bytes = kompakt::read_file(path, std::uint64_t{1} << 30);
    require(bytes.ok(), name);
    return gunzip::unpack({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// Names are those of the goldens; each says which file it was made from.
struct token_case {
    const char* name;
    const char* file;
};
inline constexpr token_case token_cases[] = {
    {"gpt2", "gpt2.tokenizer.json"},
    {"roberta", "roberta.tokenizer.json"},
    {"llama3", "llama3.tokenizer.json"},
    {"qwen3", "qwen3.tokenizer.json"},
    {"llama2-phi3", "llama2-phi3.tokenizer.json"},
    {"bert-uncased", "bert-uncased.tokenizer.json"},
    {"t5-small", "t5-small.tokenizer.json"},
    {"mbart32k", "mbart32k.tokenizer.json"},
    {"tiktoken-gpt2", "gpt2.tiktoken"},
    {"tiktoken-cl100k_base", "cl100k_base.tiktoken"},
    {"tiktoken-o200k_base", "o200k_base.tiktoken"},
    {"spm-llama2", "llama2.model"},
    {"spm-enwiki-bpe100k", "enwiki-bpe100k.model"},
    {"spm-test1000", "test1000.model"},
    {"spm-mbart32k", "mbart32k.model"},
    {"spm-t5small", "t5small.model"},
};

inline kompakt::json::value token_golden(const std::string& name) {
    auto v = kompakt::json::read(token_data("golden/" + name + ".edge.json"));
    require(v.ok(), name);
    return std::move(*v);
}

inline kompakt::result<kompakt::tokenizer>
load_case(const token_case& c, const kompakt::json::value& golden,
          const kompakt::token::build_options& build = {}) {
    const std::string bytes = token_data(std::string("vocab/") + c.file);
    kompakt::token::read_options o;
    o.tiktoken.pattern = golden["manifest"]["pat_str"].as_string();
    for (const kompakt::json::member& m : golden["manifest"]["special_tokens"].members()) {
        o.tiktoken.specials.push_back({m.key, static_cast<std::uint32_t>(m.value.as_integer())});
    }
    return kompakt::token::read_tokenizer_bytes(
        kompakt::as_bytes(kompakt::span<const char>(bytes.data(), bytes.size())), o, build);
}

inline std::vector<std::uint32_t> numbers(const kompakt::json::value& list) {
    std::vector<std::uint32_t> out;
    for (const kompakt::json::value& v : list.items())
        out.push_back(static_cast<std::uint32_t>(v.as_integer()));
    return out;
}

} // namespace kompakt_test
