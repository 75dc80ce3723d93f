// Added tokens that are looked for in normalized text.
#include <kompakt/io/token/tokenizer.hpp>

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace kompakt;
using namespace kompakt::token;

namespace {

std::string file_with(const std::string& tokens) {
    return R"({"added_tokens":[)" + tokens + R"(],"normalizer":{"type":"Lowercase"},
        "pre_tokenizer":{"type":"Whitespace"},"model":{"type":"WordPiece","unk_token":"[UNK]",
        "continuing_subword_prefix":"##","max_input_chars_per_word":100,
        "vocab":{"[UNK]":0,"a":1,"b":2}}})";
}
std::string added(int id, const std::string& text, bool normalized) {
    return R"({"id":)" + std::to_string(id) + R"(,"content":")" + text +
           R"(","single_word":false,"lstrip":false,"rstrip":false,"normalized":)" +
           (normalized ? "true" : "false") + R"(,"special":false})";
}
std::vector<std::uint32_t> ids_of(const std::string& file, std::string_view text) {
    const auto t = read_tokenizer_bytes(as_bytes(span<const char>(file.data(), file.size())));
    REQUIRE_MESSAGE(t.ok(), t.error().message());
    std::vector<std::uint32_t> ids;
    REQUIRE(t->encode(text, ids).ok());
    return ids;
}

} // namespace

// The numbers are Hugging Face's, tokenizers 0.23.2.
TEST_CASE("added tokens are normalized where the text is") {
    using ids = std::vector<std::uint32_t>;
    const std::string wide = file_with(added(3, "NewT\xc3\x96ken", true));
    CHECK(ids_of(wide, "a NEWT\xc3\x96KEN b newt\xc3\xb6ken") == ids{1, 3, 2, 3});
    // As written only, where the token says so.
    const std::string plain = file_with(added(3, "XY", false));
    CHECK(ids_of(plain, "a XY xy") == ids{1, 3, 0});
    // Two that become the same: the last one counts. The other may still be found as written.
    const std::string same = file_with(added(3, "XY", true) + "," + added(4, "xy", true));
    CHECK(ids_of(same, "XY xy Xy") == ids{4, 4, 4});
    const std::string both = file_with(added(3, "XY", false) + "," + added(4, "Xy", true));
    CHECK(ids_of(both, "XY xy Xy") == ids{3, 4, 4});
}
