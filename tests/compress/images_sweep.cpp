#include <compress/real_models.hpp>

using namespace kompakt_test;

TEST_CASE("ResNet8, calibrated on 200 training images") {
    const auto model = file_bytes("data/tflite/resnet8_fp32/pretrainedResnet.tflite");
    if (model.empty()) return;
    const auto g = read_tflite(bytes_view(model));
    REQUIRE_MESSAGE(g.ok(), g.error().message());
    const auto inputs = pixels_of(file_bytes("data/sets/cifar10_test_jpeg.bin"));
    const auto labels = file_bytes("data/sets/cifar10_test_labels.bin");
    auto training = pixels_of(file_bytes("data/cifar10_train/cifar10_train10k_jpeg.bin"));
    training.resize(200 * 3072);
    // Float32 answers 75.48 % right.
    const comparison c =
        compare_quantized(*g, training, {}, inputs, labels, test_samples(labels.size()));
    CHECK(c.accuracy >= 75.2);
    CHECK(c.agreement >= 95.0);
}
