// The whole way in one file: a float network, post-training quantization to int8, both measured,
// and the int8 network written as a C++ header for firmware.
//
//     c++ -std=c++17 -O2 -Iinclude -Iports examples/digits/digits.cpp -o digits && ./digits
#include "digits_data.hpp"
#include "digits_network.hpp"

#include <kompakt/kompakt.hpp>

#include <chrono>
#include <cstdio>

namespace {

// Stops the demo with the message of whatever went wrong.
template <class T>
T must(kompakt::result<T> r) {
    if (!r.ok()) {
        std::fprintf(stderr, "digits: %s\n", r.error().message());
        std::exit(1);
    }
    return *std::move(r);
}
void must(const kompakt::status& s) {
    if (!s.ok()) {
        std::fprintf(stderr, "digits: %s\n", s.message());
        std::exit(1);
    }
}

// A network is a graph: tensors, and operators that connect them.
class network {
  public:
    network() {
        kompakt::graph_tensor image;
        image.name = "image";
        image.type = kompakt::dtype::f32;
        image.shape = {1, 8, 8, 1};
        last_ = graph_.add_tensor(image);
        graph_.inputs = {last_};
    }

    // An operator with weights and bias behind the last one.
    template <class Op, std::size_t N, std::size_t M>
    network& layer(const char* name, Op op, const kompakt::shape& shape, const float (&weights)[N],
                   const float (&bias)[M]) {
        const std::string n = name;
        const auto w = graph_.add_constant(
            n + "/weights",
            kompakt::make_constant(shape, std::vector<float>(weights, weights + N)));
        const auto b = graph_.add_constant(
            n + "/bias",
            kompakt::make_constant({std::int64_t{M}}, std::vector<float>(bias, bias + M)));
        return append(n, std::move(op), {last_, w, b});
    }
    template <class Op>
    network& layer(const char* name, Op op) {
        return append(name, std::move(op), {last_});
    }
    kompakt::graph done() {
        graph_.outputs = {last_};
        must(kompakt::infer(graph_));
        return graph_;
    }

  private:
    template <class Op>
    network& append(const std::string& name, Op op, std::vector<kompakt::tensor_id> inputs) {
        kompakt::graph_tensor out;
        out.name = name;
        last_ = graph_.add_tensor(out);
        graph_.add_node(name, std::move(op), std::move(inputs), {last_});
        return *this;
    }

    kompakt::graph graph_;
    kompakt::tensor_id last_ = 0;
};

kompakt::graph float_network() {
    namespace ops = kompakt::ops;
    namespace w = digits::network;
    ops::conv2d conv1, conv2, pointwise;
    ops::depthwise_conv2d depthwise;
    conv1.fused = conv2.fused = pointwise.fused = depthwise.fused = kompakt::activation::relu;
    conv2.window.stride_h = conv2.window.stride_w = 2;
    conv1.window.pad_same(8, 8, 3, 3);
    conv2.window.pad_same(8, 8, 3, 3);
    depthwise.window.pad_same(4, 4, 3, 3);
    ops::average_pool2d pool;
    pool.kernel_h = pool.kernel_w = 2;
    pool.window.stride_h = pool.window.stride_w = 2;
    return network()
        .layer("conv1", conv1, {8, 3, 3, 1}, w::conv1_weights, w::conv1_bias)
        .layer("conv2", conv2, {16, 3, 3, 8}, w::conv2_weights, w::conv2_bias)
        .layer("depthwise", depthwise, {1, 3, 3, 16}, w::depthwise_weights, w::depthwise_bias)
        .layer("pointwise", pointwise, {32, 1, 1, 16}, w::pointwise_weights, w::pointwise_bias)
        .layer("pool", pool)
        .layer("dense", ops::fully_connected(), {10, 128}, w::dense_weights, w::dense_bias)
        .layer("softmax", ops::softmax())
        .done();
}

void fill(kompakt::span<float> input, std::size_t sample) {
    for (std::size_t i = 0; i < digits::pixel_count; ++i) {
        input[i] = static_cast<float>(digits::data().pixels[sample][i]) / 16.0f;
    }
}

struct measured {
    double accuracy, microseconds;
};

// Runs the test samples, which neither training nor calibration has seen.
measured measure(const kompakt::planned& executable) {
    kompakt::session session(executable.bytes());
    must(session.check());
    kompakt::aligned_buffer arena(session.arena_bytes()), packed(session.pack_bytes());
    must(session.bind({arena.data(), arena.size()}, {packed.data(), packed.size()}));
    std::vector<float> image(digits::pixel_count);
    int right = 0;
    std::chrono::duration<double, std::micro> busy{};
    for (std::size_t s = digits::train_count; s < digits::sample_count; ++s) {
        fill(image, s);
        int best = 0;
        const auto classify = [&](const auto scores) {
            for (int k = 1; k < 10; ++k) {
                if (scores[static_cast<std::size_t>(k)] > scores[static_cast<std::size_t>(best)])
                    best = k;
            }
        };
        const bool is_float = session.record(session.input_tensor(0)).type == kompakt::dtype::f32;
        if (is_float) {
            std::copy(image.begin(), image.end(), session.input<float>(0).begin());
        } else {
            kompakt::quantize_values(kompakt::span<const float>(image), session.input_quantizer(0),
                                     session.input<std::int8_t>(0));
        }
        const auto start = std::chrono::steady_clock::now();
        session.run();
        busy += std::chrono::steady_clock::now() - start;
        if (is_float) {
            classify(session.output<float>(0));
        } else {
            classify(session.output<std::int8_t>(0));
        }
        right += best == digits::data().labels[s];
    }
    const auto n = static_cast<double>(digits::test_count);
    return {100.0 * right / n, busy.count() / n};
}

} // namespace

int main() {
    const kompakt::graph network = float_network();

    // Calibration: some training samples show the range of every tensor.
    std::vector<float> images(200 * digits::pixel_count);
    for (std::size_t s = 0; s < 200; ++s) {
        fill(kompakt::span<float>(images).subspan(s * digits::pixel_count), s);
    }
    kompakt::memory_samples calibration({images});
    const kompakt::quantized small = must(kompakt::quantize(network, calibration, {}));

    const kompakt::planned before = must(kompakt::plan(network));
    const kompakt::planned after = must(kompakt::plan(small));
    const measured f = measure(before), q = measure(after);
    const auto weights = [](const kompakt::planned& p) {
        kompakt::session s(p.bytes());
        return static_cast<unsigned>(s.code().header->constant_bytes);
    };
    std::printf("handwritten digits, %zu test samples\n\n", digits::test_count);
    std::printf("          accuracy   weights      arena   time a sample (%s)\n",
                kompakt::default_kernels().port);
    std::printf("float32   %6.2f %%   %5u B   %6u B   %6.2f us\n", f.accuracy, weights(before),
                static_cast<unsigned>(before.arena_bytes), f.microseconds);
    std::printf("int8      %6.2f %%   %5u B   %6u B   %6.2f us\n", q.accuracy, weights(after),
                static_cast<unsigned>(after.arena_bytes), q.microseconds);

    std::string header;
    must(kompakt::emit_header(after, "digits_int8", header));
    must(kompakt::write_file_atomic("digits_int8.hpp",
                                    kompakt::as_bytes(kompakt::span<const char>(header))));
    std::printf(
        "\nwrote digits_int8.hpp: include it in a firmware, give digits_int8::model an arena "
        "of %u bytes, and call run()\n",
        static_cast<unsigned>(after.arena_bytes));
    return 0;
}
