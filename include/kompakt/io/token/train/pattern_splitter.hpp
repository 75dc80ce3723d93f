// Words as a regular expression cuts them: its matches, and what stands between them.
#pragma once

#include <kompakt/io/token/regex/compile.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// Copies share the compiled expression.
class pattern_splitter {
  public:
    // Fails with what is wrong with the expression (Oniguruma's dialect, that of tokenizer.json).
    static result<pattern_splitter> make(std::string_view pattern) {
        auto bytes = token::compile_regex(pattern);
        if (!bytes) return bytes.error();
        KOMPAKT_TRY(token::regex_view::check(*bytes));
        pattern_splitter s;
        s.bytes_ = std::make_shared<std::vector<std::byte>>(std::move(*bytes));
        return s;
    }

    template <class Emit>
    bool operator()(std::string_view line, bool, Emit&& emit) {
        const token::regex_view view(*bytes_);
        const auto word = [&](std::size_t begin, std::size_t end) {
            if (end > begin) emit(line.substr(begin, end - begin));
        };
        token::regex_match found[64];
        token::regex_cursor cursor;
        std::size_t at = 0;
        while (const std::size_t n = view.find_many(line, cursor, found)) {
            for (std::size_t i = 0; i < n; ++i) {
                word(at, found[i].begin);
                word(found[i].begin, found[i].end);
                at = found[i].end;
            }
        }
        word(at, line.size());
        return true;
    }

  private:
    pattern_splitter() = default;

    std::shared_ptr<const std::vector<std::byte>> bytes_;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
