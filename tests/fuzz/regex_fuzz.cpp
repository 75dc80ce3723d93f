// A pattern and a text, a newline between: whatever compiles must be bytes that `check` takes, and
// must match without leaving the text, in order, to an end. The same for damaged bytes.
#include <kompakt/io/token/regex/compile.hpp>
#include <kompakt/token/regex/regex.hpp>

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace {

using namespace kompakt;

void require(bool condition) {
    if (!condition) __builtin_trap();
}

void search(const std::vector<std::byte>& bytes, std::string_view text) {
    const token::regex_view regex(bytes);
    require(regex.size_bytes() <= bytes.size());
    token::regex_cursor cursor;
    token::regex_match some[5];
    std::size_t end = 0, count = 0;
    while (const std::size_t n = regex.find_many(text, cursor, some)) {
        for (std::size_t i = 0; i < n; ++i) {
            require(some[i].begin >= end && some[i].end >= some[i].begin);
            require(some[i].end <= text.size());
            end = some[i].end;
        }
        count += n;
        require(count <= 2 * text.size() + 2);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::uint8_t mode = data[0];
    const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t cut = all.find('\n');
    const std::string_view pattern = all.substr(0, cut);
    const std::string_view rest = cut == all.npos ? std::string_view() : all.substr(cut + 1);
    const auto dialect =
        (mode & 1) != 0 ? token::regex_dialect::fancy : token::regex_dialect::oniguruma;
    auto bytes = token::compile_regex(pattern, {dialect});
    if (!bytes.ok()) return 0;
    require(token::regex_view::check(*bytes).ok());
    // A copy without room around it, so that a sanitizer sees every step outside.
    const std::unique_ptr<char[]> copy(new char[rest.size() + 1]);
    if (!rest.empty()) std::memcpy(copy.get(), rest.data(), rest.size());
    const std::string_view text(copy.get(), rest.size());
    search(*bytes, text);
    if (token::regex_view(*bytes).covers_all()) {
        token::regex_cursor cursor;
        token::regex_match m{0, 0};
        std::size_t end = 0;
        while (token::regex_view(*bytes).find_many(text, cursor, {&m, 1}) != 0) {
            require(m.begin == end && m.end > end);
            end = m.end;
        }
        require(end == text.size());
    }
    if ((mode & 2) != 0 && rest.size() >= 3) {
        const std::size_t at = static_cast<unsigned char>(rest[0]) +
                               std::size_t{static_cast<unsigned char>(rest[1])} * 256;
        (*bytes)[at % bytes->size()] = static_cast<std::byte>(rest[2]);
        if (token::regex_view::check(*bytes).ok()) search(*bytes, text);
    }
    return 0;
}
