#include <compress/real_models.hpp>

using namespace kompakt_test;

TEST_CASE("keyword spotting, calibrated on its first 100 samples") {
    const auto model = file_bytes("data/tflite/kws_fp32/kws_ref_model_float32_dequant.tflite");
    if (model.empty()) return;
    const auto g = read_tflite(bytes_view(model));
    REQUIRE_MESSAGE(g.ok(), g.error().message());
    const auto inputs = floats_of(file_bytes("data/tflite/kws_fp32/in0.bin"));
    const auto labels = file_bytes("data/sets/kws01_labels.bin");
    const std::vector<float> first(inputs.begin(), inputs.begin() + 100 * 490);
    // Float32 answers 90.1 % right; 89.8 % and 98 % agreement are what issue 2 asks for.
    const comparison c = compare_quantized(*g, first, {}, inputs, labels, labels.size());
    CHECK(c.accuracy >= 89.8);
    CHECK(c.agreement >= 98.0);
}

TEST_CASE("the hybrid keyword model gives the same as its float32 form") {
    const auto model =
        file_bytes("data/tflite/kws_fp32/kws_ref_model_float32_ORIGINAL_hybrid.tflite");
    if (model.empty()) return;
    const auto g = read_tflite(bytes_view(model));
    REQUIRE_MESSAGE(g.ok(), g.error().message());
    const auto inputs = floats_of(file_bytes("data/tflite/kws_fp32/in0.bin"));
    memory_samples source({std::vector<float>(inputs.begin(), inputs.begin() + 20 * 490)});
    const auto q = quantize(*g, source, {});
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    CHECK(q->report.layers.size() == 14);
    for (const layer_report& l : q->report.layers) {
        CHECK(l.integer);
        CHECK(l.sqnr > 15.0);
    }
}
