// Whole models on every port: microseconds a run, verified against the reference outputs first.
// Models come from the folder KOMPAKT_TEST_DATA (environment), as for the tests.
#include <kompakt/host/file.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>

namespace {

using namespace kompakt;

struct model {
    const char* name;
    const char* file;
};
constexpr model models[] = {
    {"kws_int8", "kws_ref_model.tflite"},
    {"resnet8_int8", "pretrainedResnet_quant.tflite"},
    {"ad01_int8", "ad01_int8.tflite"},
    {"vww_int8", "vww_96_int8.tflite"},
    {"kws_fp32", "kws_ref_model_float32_dequant.tflite"},
    {"resnet8_fp32", "pretrainedResnet.tflite"},
    {"ad01_fp32", "ad01_fp32.tflite"},
};

bool same(const session& s, bytes_view wanted) {
    const bytes_view got = s.output_bytes(0);
    if (s.record(s.output_tensor(0)).type != dtype::f32) {
        return std::memcmp(got.data(), wanted.data(), got.size()) == 0;
    }
    for (std::size_t i = 0; i + 4 <= got.size(); i += 4) {
        const float a = load_le<float>(got.data() + i), b = load_le<float>(wanted.data() + i);
        if (!(std::fabs(a - b) <= 1e-5f + 1e-4f * std::fabs(b))) return false;
    }
    return true;
}

void time_model(benchmark::State& state, const std::string& folder, const model& m,
                const kernel_table& port) {
    const auto file = read_file(folder + m.file, std::size_t{64} << 20);
    const auto in = read_file(folder + "in0.bin", std::size_t{64} << 20);
    const auto out = read_file(folder + "out0.bin", std::size_t{64} << 20);
    if (!file || !in || !out) return state.SkipWithError("no model or samples");
    const auto g = read_tflite(*file);
    if (!g) return state.SkipWithError(g.error().message());
    plan_options options;
    options.kernels = &port;
    const auto p = plan(*g, options);
    if (!p) return state.SkipWithError(p.error().message());
    session s(p->bytes(), port);
    aligned_buffer arena(s.arena_bytes()), packed(s.pack_bytes());
    if (const status e = s.bind({arena.data(), arena.size()}, {packed.data(), packed.size()}); !e) {
        return state.SkipWithError(e.message());
    }
    const auto first = [&] {
        std::memcpy(s.input_bytes(0).data(), in->data(), s.input_bytes(0).size());
        s.run();
    };
    first();
    if (!same(s, bytes_view(*out))) return state.SkipWithError("not timed: outputs differ");
    for (auto _ : state) {
        first(); // runs may overwrite their inputs, so the copy belongs to a run
        benchmark::ClobberMemory();
    }
}

[[maybe_unused]] const bool registered = [] {
    const char* data = std::getenv("KOMPAKT_TEST_DATA");
    if (data == nullptr) return false;
    const port_list ports = available_ports();
    for (const model& m : models) {
        const std::string folder = std::string(data) + "/data/tflite/" + m.name + "/";
        for (std::size_t p = 0; p < ports.size; ++p) {
            benchmark::RegisterBenchmark(
                (std::string(m.name) + "/" + ports.tables[p]->port).c_str(),
                [=, &m, table = ports.tables[p]](benchmark::State& state) {
                    time_model(state, folder, m, *table);
                });
        }
    }
    return true;
}();

} // namespace
