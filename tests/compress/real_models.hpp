// Float models of the test data, quantized and compared by their answers.
#pragma once

#include <kompakt/compress/quantize.hpp>
#include <kompakt/io/tflite/reader.hpp>

#include <compress/models.hpp>
#include <cstdio>
#include <support/data.hpp>

namespace kompakt_test {

// Empty, with a message, where there is no test data.
inline std::vector<std::byte> file_bytes(const std::string& name) {
    const std::string path = test_data(name);
    std::vector<std::byte> all;
    if (path.empty()) return all;
    std::FILE* f = std::fopen(path.c_str(), "rb");
    REQUIRE(f != nullptr);
    std::byte part[65536];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) != 0;) {
        all.insert(all.end(), part, part + n);
    }
    std::fclose(f);
    return all;
}
inline std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
    std::vector<float> out(bytes.size() / sizeof(float));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = load_le<float>(bytes.data() + 4 * i);
    return out;
}
inline std::vector<float> pixels_of(const std::vector<std::byte>& bytes) {
    std::vector<float> out;
    for (std::byte b : bytes) out.push_back(static_cast<float>(b));
    return out;
}

// The largest output of each sample; the first of equals.
inline std::vector<int> answers(const graph& unbound, const std::vector<float>& inputs,
                                std::size_t samples) {
    const auto g = kompakt::bind(unbound, {{"batch", 1}});
    REQUIRE_MESSAGE(g.ok(), g.error().message());
    plan_options options;
    options.kernels = &default_kernels();
    const auto code = plan(*g, options);
    REQUIRE_MESSAGE(code.ok(), code.error().message());
    session s(code->bytes());
    REQUIRE_MESSAGE(s.check().ok(), s.check().message());
    const aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    const graph_tensor &in = g->tensor(g->inputs[0]), &out = g->tensor(g->outputs[0]);
    const std::size_t length = *element_count(in.shape);
    REQUIRE(inputs.size() >= samples * length);
    const auto largest = [](const auto& values) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < values.size(); ++i) {
            if (values[i] > values[best]) best = i;
        }
        return static_cast<int>(best);
    };
    std::vector<int> all;
    for (std::size_t k = 0; k < samples; ++k) {
        const span<const float> x(inputs.data() + k * length, length);
        if (in.type == dtype::f32) {
            std::memcpy(s.input_bytes(0).data(), x.data(), x.size_bytes());
        } else {
            const affine_quantizer a{in.quantization->scale(), in.quantization->zero_point(),
                                     signed_range(8)};
            quantize_values(x, a, s.input<std::int8_t>(0));
        }
        s.run();
        all.push_back(out.type == dtype::f32 ? largest(s.output<float>(0))
                                             : largest(s.output<std::int8_t>(0)));
    }
    return all;
}

struct comparison {
    double accuracy, agreement; // percent: of int8 with the labels, and with float32
};
inline comparison compare_quantized(const graph& g, std::vector<float> calibration,
                                    const quantize_options& options,
                                    const std::vector<float>& inputs,
                                    const std::vector<std::byte>& labels, std::size_t samples) {
    memory_samples source({std::move(calibration)});
    const auto q = quantize(g, source, options);
    REQUIRE_MESSAGE(q.ok(), q.error().message());
    const auto exact = answers(g, inputs, samples), integer = answers(*q, inputs, samples);
    std::size_t right = 0, same = 0;
    for (std::size_t i = 0; i < samples; ++i) {
        right += integer[i] == static_cast<int>(labels[i]);
        same += integer[i] == exact[i];
    }
    const double percent = 100.0 / static_cast<double>(samples);
    return {percent * static_cast<double>(right), percent * static_cast<double>(same)};
}

} // namespace kompakt_test
