// What the tests of training share: text files, peers' goldens.
#pragma once

#include <kompakt/host/file.hpp>
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/io/token/train/train.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <random>
#include <support/data.hpp>
#include <support/gunzip.hpp>

namespace kompakt_test {

// A file in the temporary folder that goes with this object.
class text_file {
  public:
    explicit text_file(std::string_view content, const std::string& ending = ".txt") {
        static int counter = 0;
        static const std::string run = std::to_string(std::random_device{}());
        path_ = (std::filesystem::temp_directory_path() /
                 ("kompakt_train_" + run + "_" + std::to_string(counter++) + ending))
                    .string();
        REQUIRE(kompakt::write_file_atomic(path_, content).ok());
    }
    text_file(const text_file&) = delete;
    ~text_file() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// Unpacked; empty if there is no test data.
inline std::string unpacked(const std::string& name) {
    const std::string path = test_data("tokenizers/" + name + ".gz");
    if (path.empty()) return {};
    const auto bytes = kompakt::read_file(path);
    REQUIRE(bytes.ok());
    return gunzip::unpack({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

// The lines of a .vocab file of SentencePiece: pieces and scores.
inline std::vector<std::pair<std::string, float>> vocab_lines(const std::string& text) {
    std::vector<std::pair<std::string, float>> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at), tab = text.rfind('\t', end);
        out.push_back({text.substr(at, tab - at), std::strtof(text.c_str() + tab, nullptr)});
        at = end + 1;
    }
    return out;
}

inline kompakt::token_train::word_list
words_of(const std::vector<std::pair<std::string, std::uint64_t>>& words) {
    kompakt::token_train::word_list list;
    for (const auto& w : words) list.add(w.first, w.second);
    list.sort();
    return list;
}

// Words of few different characters: many ties, rows of equal ones.
inline std::vector<std::pair<std::string, std::uint64_t>>
random_words(std::mt19937& random, std::size_t count, unsigned letters) {
    std::map<std::string, std::uint64_t> words;
    for (std::size_t i = 1 + random() % count; i > 0; --i) {
        std::string w;
        for (std::size_t n = 1 + random() % 12; n > 0; --n) {
            w += static_cast<char>('a' + random() % letters);
        }
        words[w] += 1 + random() % 5;
    }
    return {words.begin(), words.end()};
}

} // namespace kompakt_test
