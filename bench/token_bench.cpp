// Vocabularies of three peers on their texts: each is verified against the golden ids before it is
// timed. Bytes of text a second, one thread; `cold` starts with an empty cache each time, `short`
// is a batch of strings of 80 bytes, `load` the whole way from the file. `short/N` and `pages/N`, a
// batch of texts of 16 KB, run on N threads; their time is the clock's, which says something only
// on an idle machine, and their CPU time that of all threads. KOMPAKT_TEST_DATA names the folder
// of test data.
#include <kompakt/host/thread_pool.hpp>

#include <benchmark/benchmark.h>
#include <token/golden_data.hpp>

using namespace kompakt;
using namespace kompakt_test;

// Where tests/support/data.cpp would say that it skips.
std::string kompakt_test::test_data(const std::string& name) {
    const char* folder = std::getenv("KOMPAKT_TEST_DATA");
    return folder != nullptr ? std::string(folder) + "/" + name : std::string();
}

namespace {

void time_text(benchmark::State& state, const token_case& c, const std::string& file, bool cold) {
    const json::value golden = token_golden(c.name);
    const auto t = load_case(c, golden);
    if (!t.ok()) return state.SkipWithError(t.error().message());
    const std::string text = token_data("corpus/" + file + ".txt");
    const std::string raw = token_data(std::string("golden/") + c.name + "." + file + ".u32");
    token::encode_options o;
    if (std::string_view(c.name).substr(0, 9) == "tiktoken-") o.added = token::added_tokens::off;
    std::vector<std::uint32_t> ids;
    const status s = t->encode(text, ids, o);
    if (!s.ok() || ids.size() * 4 != raw.size() ||
        std::memcmp(ids.data(), raw.data(), raw.size()) != 0) {
        return state.SkipWithError("not timed: other ids than the golden ones");
    }
    for (auto _ : state) {
        ids.clear();
        if (cold) {
            state.PauseTiming();
            auto fresh =
                tokenizer::from_ktok(std::vector<std::byte>(t->bytes().begin(), t->bytes().end()));
            state.ResumeTiming();
            benchmark::DoNotOptimize(fresh->encode(text, ids, o).ok());
        } else {
            benchmark::DoNotOptimize(t->encode(text, ids, o).ok());
        }
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

// A batch of pieces of the English text, of so many bytes each; eight times over, so that threads
// have something to do. The ids of one thread are the measure of the others.
void time_batch(benchmark::State& state, const token_case& c, std::size_t bytes,
                std::size_t threads) {
    const auto t = load_case(c, token_golden(c.name));
    if (!t.ok()) return state.SkipWithError(t.error().message());
    const std::string text = token_data("corpus/en.txt");
    std::vector<std::string_view> texts;
    for (int copy = 0; copy < 8; ++copy) {
        for (std::size_t i = 0; i < text.size(); i += bytes)
            texts.push_back(std::string_view(text).substr(i, bytes));
    }
    thread_pool pool(threads);
    std::vector<std::vector<std::uint32_t>> out, alone;
    if (!t->encode_batch({texts.data(), texts.size()}, alone).ok() ||
        !t->encode_batch({texts.data(), texts.size()}, out, {}, pool).ok() || out != alone) {
        return state.SkipWithError("not timed: other ids than those of one thread");
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(t->encode_batch({texts.data(), texts.size()}, out, {}, pool).ok());
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 8 * text.size()));
}

void time_load(benchmark::State& state, const token_case& c, bool from_ktok) {
    const json::value golden = token_golden(c.name);
    const auto t = load_case(c, golden);
    if (!t.ok()) return state.SkipWithError(t.error().message());
    const std::string bytes = token_data(std::string("vocab/") + c.file);
    token::read_options o;
    o.tiktoken.pattern = golden["manifest"]["pat_str"].as_string();
    for (auto _ : state) {
        if (from_ktok) {
            token::tables opened;
            benchmark::DoNotOptimize(token::tables::open(t->bytes(), opened).ok());
        } else {
            benchmark::DoNotOptimize(token::read_tokenizer_bytes(
                                         as_bytes(span<const char>(bytes.data(), bytes.size())), o)
                                         .ok());
        }
    }
}

[[maybe_unused]] const bool registered = [] {
    if (test_data("tokenizers/edge.json").empty()) return false;
    for (const token_case& c : token_cases) {
        const std::string name = c.name;
        for (const char* file : {"en", "code", "multi"}) {
            for (const bool cold : {false, true}) {
                benchmark::RegisterBenchmark(
                    (name + "/" + file + (cold ? "/cold" : "")).c_str(),
                    [&c, file, cold](benchmark::State& s) { time_text(s, c, file, cold); });
            }
        }
        for (const std::size_t threads : {1, 2, 4}) {
            const std::string count = "/" + std::to_string(threads);
            benchmark::RegisterBenchmark(
                (name + "/short" + count).c_str(),
                [&c, threads](benchmark::State& s) { time_batch(s, c, 80, threads); })
                ->MeasureProcessCPUTime()
                ->UseRealTime();
            benchmark::RegisterBenchmark(
                (name + "/pages" + count).c_str(),
                [&c, threads](benchmark::State& s) { time_batch(s, c, 16384, threads); })
                ->MeasureProcessCPUTime()
                ->UseRealTime();
        }
        benchmark::RegisterBenchmark((name + "/load").c_str(),
                                     [&c](benchmark::State& s) { time_load(s, c, false); });
        benchmark::RegisterBenchmark((name + "/open_ktok").c_str(),
                                     [&c](benchmark::State& s) { time_load(s, c, true); });
    }
    return true;
}();

} // namespace
