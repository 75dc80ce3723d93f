// The test digits as inputs and the host's answers for them, for the firmware of digits_int8.hpp:
// in0.bin and out0.bin in the current folder.
#include "../digits/digits_data.hpp"
#include "digits_int8.hpp"

#include <kompakt/quant/affine.hpp>

#include <cstdio>

alignas(16) static std::byte arena[digits_int8::arena_bytes];

int main() {
    std::FILE* in = std::fopen("in0.bin", "wb");
    std::FILE* out = std::fopen("out0.bin", "wb");
    if (in == nullptr || out == nullptr) return 1;
    const kompakt::affine_quantizer q{digits_int8::input_scale, digits_int8::input_zero_point};
    digits_int8::model model{kompakt::span<std::byte>(arena)};
    int right = 0;
    for (std::size_t s = digits::train_count; s < digits::sample_count; ++s) {
        const auto input = model.input();
        for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = static_cast<std::int8_t>(
                q.quantize(static_cast<float>(digits::data().pixels[s][i]) / 16.0f));
        }
        if (std::fwrite(input.data(), 1, input.size(), in) != input.size()) return 1;
        model.run();
        const auto output = model.output();
        if (std::fwrite(output.data(), 1, output.size(), out) != output.size()) return 1;
        std::size_t best = 0;
        for (std::size_t k = 1; k < output.size(); ++k) best = output[k] > output[best] ? k : best;
        right += best == digits::data().labels[s];
    }
    std::printf("%d of %d right\n", right, static_cast<int>(digits::test_count));
    return std::fclose(in) | std::fclose(out);
}
