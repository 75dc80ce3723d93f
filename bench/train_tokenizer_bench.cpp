// Training of tokenizers: each step by itself. The text is KOMPAKT_TRAIN_TEXT, or else one that is
// made up.
#include <kompakt/io/token/train/train.hpp>

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <random>

namespace {

using namespace kompakt;
using namespace kompakt::token_train;

// Words with frequencies like those of a language, in lines.
const std::string& text_path() {
    static const std::string path = [] {
        if (const char* given = std::getenv("KOMPAKT_TRAIN_TEXT")) return std::string(given);
        std::mt19937 random(1);
        std::vector<std::string> words(50000);
        for (std::string& w : words) {
            for (std::size_t n = 1 + random() % 10; n > 0; --n) {
                w += static_cast<char>('a' + random() % 5 * (random() % 6));
            }
        }
        std::string text;
        while (text.size() < (std::size_t{4} << 20)) {
            const double u = static_cast<double>(random() % 1000000 + 1) / 1e6;
            const auto k = static_cast<std::size_t>(std::pow(static_cast<double>(words.size()), u));
            text += words[k - 1];
            text += random() % 12 == 0 ? '\n' : ' ';
        }
        const std::string made = "train_tokenizer_bench.tmp.txt";
        if (!write_file_atomic(made, text).ok()) std::abort();
        std::atexit([] { std::remove("train_tokenizer_bench.tmp.txt"); });
        return made;
    }();
    return path;
}

word_list piece_words() {
    piece_splitter_options o;
    o.map = std::make_shared<character_map>(*character_map::read(*normalization_map("nmt_nfkc")));
    o.longest_line = 1000000;
    serial_executor serial;
    return *count_words({text_path()}, piece_splitter(o), serial);
}

void character_maps(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(normalization_map("nmt_nfkc")->size());
}
BENCHMARK(character_maps)->Unit(benchmark::kMillisecond);

void counting_bytes(benchmark::State& state) {
    serial_executor serial;
    std::uint64_t bytes = 0;
    for (auto _ : state)
        bytes += count_words({text_path()}, byte_splitter(), serial)->bytes_of_text;
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(counting_bytes)->Unit(benchmark::kMillisecond);

void merges(benchmark::State& state) {
    serial_executor serial;
    const auto words = *count_words({text_path()}, byte_splitter(), serial);
    merge_options o;
    o.vocabulary_size = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(train_merges(words, o)->tokens.size());
}
BENCHMARK(merges)->Arg(8000)->Arg(30000)->Unit(benchmark::kMillisecond);

void piece_merging(benchmark::State& state) {
    const word_list words = piece_words();
    const piece_alphabet alphabet = find_alphabet(words, 0.9995);
    piece_merge_options o;
    o.pieces = 8000 - 3;
    for (auto _ : state) {
        benchmark::DoNotOptimize(train_piece_merges(words, alphabet, o)->pieces.size());
    }
}
BENCHMARK(piece_merging)->Unit(benchmark::kMillisecond);

void unigrams(benchmark::State& state) {
    const word_list words = piece_words();
    const piece_alphabet alphabet = find_alphabet(words, 0.9995);
    unigram_options o;
    o.pieces = 8000 - 3;
    serial_executor serial;
    for (auto _ : state) {
        benchmark::DoNotOptimize(train_unigram(words, alphabet, o, serial)->size());
    }
}
BENCHMARK(unigrams)->Unit(benchmark::kMillisecond);

} // namespace
