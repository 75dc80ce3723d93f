// A network by hand, trained on digits from nothing, in a minute.
//
//     c++ -std=c++17 -O3 -Iinclude -Iports examples/training/mnist.cpp -o mnist -pthread
//     ./mnist FOLDER [seeds] [threads]
//
// FOLDER has mnist_train_images.bin, mnist_train_labels.bin and the same for "test": 28 x 28 bytes
// a digit, one byte a label.
#include <kompakt/host/thread_pool.hpp>
#include <kompakt/train/layers.hpp>
#include <kompakt/train/trainer.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace kompakt::layers;

using net = sequence<image<28, 28, 1>, conv2d<16, 3>, relu, max_pool<2>, conv2d<32, 3>, relu,
                     max_pool<2>, dense<32>, relu, dense<10>>;
static_assert(net::parameters == 55338, "at most 60 thousand");

[[noreturn]] void stop(const char* message) {
    std::fprintf(stderr, "mnist: %s\n", message);
    std::exit(1);
}

// Digits as 0 to 1; those that train move by up to two pixels each epoch.
kompakt::data_set digits(const std::string& folder, const std::string& part, std::uint32_t seed,
                         bool move) {
    const auto pixels = kompakt::read_file(folder + "/mnist_" + part + "_images.bin"),
               labels = kompakt::read_file(folder + "/mnist_" + part + "_labels.bin");
    if (!pixels.ok()) stop(pixels.error().message());
    if (!labels.ok()) stop(labels.error().message());
    kompakt::data_set d;
    d.samples = labels->size();
    d.input_elements = 28 * 28;
    if (pixels->size() != d.samples * d.input_elements) stop("not 784 bytes for each label");
    for (std::byte b : *labels) d.labels.push_back(std::to_integer<std::int32_t>(b));
    d.fill = [images = *pixels, seed, move](std::size_t s, std::uint64_t epoch, float* to) {
        const kompakt::philox random(seed, 1);
        const int dy = move ? static_cast<int>(random.below(5, epoch, 2 * s)) - 2 : 0,
                  dx = move ? static_cast<int>(random.below(5, epoch, 2 * s + 1)) - 2 : 0;
        for (int y = 0; y < 28; ++y) {
            for (int x = 0; x < 28; ++x) {
                const int v = y + dy, u = x + dx;
                const bool inside = v >= 0 && v < 28 && u >= 0 && u < 28;
                const auto at = s * 784 + static_cast<std::size_t>(inside ? v * 28 + u : 0);
                to[y * 28 + x] =
                    inside ? static_cast<float>(std::to_integer<int>(images[at])) / 255.0f : 0.0f;
            }
        }
    };
    return d;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) stop("needs the folder of the digits");
    const std::string folder = argv[1];
    const int seeds = argc > 2 ? std::atoi(argv[2]) : 1;
    kompakt::thread_pool pool(argc > 3 ? static_cast<std::size_t>(std::atoi(argv[3])) : 2);
    double sum = 0;
    for (int seed = 0; seed < seeds; ++seed) {
        const auto number = static_cast<std::uint32_t>(seed);
        const kompakt::data_set train = digits(folder, "train", number, true),
                                test = digits(folder, "test", number, false);
        kompakt::trainer_options o;
        o.epochs = 20, o.batch = 64, o.seed = number;
        o.optimizer = kompakt::optimizer_options::of(kompakt::optimizer_kind::adam);
        o.schedule.kind = kompakt::schedule_kind::cosine, o.schedule.rate = 0.003;
        o.schedule.warmup = 100;
        o.keep_best = false;
        auto t = kompakt::trainer::make(net::make(number), o);
        if (!t.ok()) stop(t.error().message());
        const kompakt::status s =
            (*t)->fit(pool, train, &test, [](const kompakt::train_progress& p) {
                if (p.finished != nullptr) {
                    std::printf("epoch %2d: loss %.4f, training %.2f %%, test %.2f %%, %.1f s\n",
                                static_cast<int>(p.finished->epoch + 1), p.finished->loss,
                                100 * p.finished->accuracy, 100 * p.finished->validation_accuracy,
                                p.finished->seconds);
                    std::fflush(stdout);
                }
                return true;
            });
        if (!s.ok()) stop(s.message());
        sum += (*t)->history().back().validation_accuracy;
    }
    std::printf("%d parameters, mean of %d: %.2f %%\n", static_cast<int>(net::parameters), seeds,
                100 * sum / seeds);
    return 0;
}
