// Small tokenizers, made in place.
#pragma once

#include <kompakt/io/token/tokenizer.hpp>

#include <cstdlib>

namespace kompakt_test {

// A byte-level vocabulary: 256 bytes and some merges, with special tokens behind them.
inline std::string small_byte_level(
    const std::string& pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":false})",
    const std::string& more = "") {
    kompakt::json::writer w;
    w.begin_object();
    std::vector<std::string> alphabet(256);
    std::uint32_t id = 0;
    for (int b = 0; b < 256; ++b) {
        char bytes[4];
        alphabet[static_cast<std::size_t>(b)].assign(
            bytes,
            kompakt::encode_utf8(
                kompakt::token::detail::character_of_byte(static_cast<std::uint8_t>(b)), bytes));
        w.key(alphabet[static_cast<std::size_t>(b)]).value(id++);
    }
    const std::string space = alphabet[' '];
    const std::pair<std::string, std::string> merges[] = {{"h", "e"},
                                                          {"l", "l"},
                                                          {"he", "ll"},
                                                          {"hell", "o"},
                                                          {space, "w"},
                                                          {"o", "r"},
                                                          {"l", "d"},
                                                          {"or", "ld"},
                                                          {space + "w", "orld"},
                                                          {"a", "a"},
                                                          {"aa", "aa"},
                                                          {"t", "h"},
                                                          {"th", "e"},
                                                          {space, space},
                                                          {space + space, space + space},
                                                          {"\xc3\x83", "\xc2\xa9"}};
    std::string list;
    for (const auto& [a, b] : merges) {
        w.key(a + b).value(id++);
        list += (list.empty() ? "" : ",");
        kompakt::json::detail::append_quoted(list, a + " " + b);
    }
    w.end();
    const std::string vocab = w.take();
    return R"({"version":"1.0","added_tokens":[{"id":)" + std::to_string(id) +
           R"(,"content":"<end>","special":true,"normalized":false},{"id":)" +
           std::to_string(id + 1) +
           R"(,"content":"<pad>","special":true,"normalized":false,"lstrip":true,"rstrip":true}],"normalizer":null,"pre_tokenizer":)" +
           pre_tokenizer + R"(,"decoder":{"type":"ByteLevel"},)" + more +
           R"("model":{"type":"BPE","vocab":)" + vocab + R"(,"merges":[)" + list + "]}}";
}

inline kompakt::result<kompakt::tokenizer> load_json(const std::string& text,
                                                     const kompakt::token::build_options& o = {}) {
    const auto spec = kompakt::token::read_tokenizer_json(text);
    if (!spec.ok()) return spec.error();
    return kompakt::tokenizer::from_spec(*spec, o);
}

inline std::vector<std::string> pieces(const kompakt::tokenizer& t, const std::string& text) {
    std::vector<std::uint32_t> ids;
    if (!t.encode(text, ids).ok()) std::abort();
    std::vector<std::string> out;
    for (const std::uint32_t id : ids) out.emplace_back(t.piece(id));
    return out;
}

} // namespace kompakt_test
