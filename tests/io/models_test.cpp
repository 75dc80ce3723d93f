// The real models, from file to output: the same bytes as TensorFlow Lite Micro for int8, close to
// them for float32, and all tensors in between.
#include <doctest/doctest.h>
#include <io/run_model.hpp>
#include <support/data.hpp>

using namespace kompakt_test;

namespace {

const char* const models[] = {"ad01_fp32",        "ad01_int8",     "hello_world_float",
                              "hello_world_int8", "kws_fp32",      "kws_int8",
                              "micro_speech",     "person_detect", "resnet8_fp32",
                              "resnet8_int8",     "vww_int8"};

void check_layers(const std::string& folder, const kompakt::graph& g,
                  const kompakt::json::value& manifest) {
    kompakt::plan_options options;
    options.keep_all = true;
    auto p = kompakt::plan(g, options);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    runner r(std::move(*p));
    const std::string d = run_samples(r, manifest, folder, 1);
    CHECK_MESSAGE(d.empty(), d);
    const auto& code = r.session.code();
    REQUIRE(code.notes != nullptr);
    std::size_t compared = 0;
    const kompakt::json::value layers = read_manifest(folder + "/layers/tensors.json");
    for (const auto& layer : layers.items()) {
        const auto index = static_cast<std::uint32_t>(layer["index"].as_integer(-1));
        const auto wanted = read_file(folder + "/layers/" + layer["file"].as_string());
        for (std::uint32_t t = 0; t < code.code.tensor_count; ++t) {
            if (code.notes[t].source != index) continue;
            const file_bytes got = little_endian(r.session, t);
            const std::string what = difference(r.session.record(t).type, {got.data(), got.size()},
                                                {wanted.data(), wanted.size()});
            CHECK_MESSAGE(what.empty(), layer["name"].as_string(), ": ", what);
            ++compared;
        }
    }
    CHECK(compared >= g.order().size());
}

} // namespace

TEST_CASE("models give the outputs of TensorFlow Lite Micro") {
    for (const char* model : models) {
        const std::string name = std::string("data/tflite/") + model;
        const std::string path = test_data(name + "/manifest.json");
        if (path.empty()) return;
        CAPTURE(name);
        const std::string folder = path.substr(0, path.rfind('/'));
        const kompakt::json::value manifest = read_manifest(path);
        const file_bytes bytes = read_file(folder + "/" + manifest["model_file"].as_string());
        const auto g = read_bound({bytes.data(), bytes.size()});
        REQUIRE_MESSAGE(g.ok(), std::string(g.error().message()));
        auto p = kompakt::plan(*g);
        REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
        runner r(std::move(*p));
        const std::string d =
            run_samples(r, manifest, folder, test_full() ? SIZE_MAX : test_samples(10));
        CHECK_MESSAGE(d.empty(), d);
        check_layers(folder, *g, manifest);
    }
}

TEST_CASE("a model with int8 weights and float32 activations is one with float32 weights") {
    const std::string path =
        test_data("data/tflite/kws_fp32/kws_ref_model_float32_ORIGINAL_hybrid.tflite");
    if (path.empty()) return;
    const std::string folder = path.substr(0, path.rfind('/'));
    const file_bytes bytes = read_file(path);
    const auto g = read_bound({bytes.data(), bytes.size()});
    REQUIRE_MESSAGE(g.ok(), std::string(g.error().message()));
    auto p = kompakt::plan(*g);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    runner r(std::move(*p));
    const std::string d =
        run_samples(r, read_manifest(folder + "/manifest.json"), folder, test_samples(10));
    CHECK_MESSAGE(d.empty(), d);
}
