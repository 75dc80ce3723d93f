// Several emitted one-operator models in one firmware. operators_fw.py writes `models.hpp`, which
// includes their headers and calls `check<NAME::model, inputs, outputs>("NAME", NAME::arena_bytes)`
// for each, and NAME.bin beside it: for every sample the inputs, then the outputs that are wanted.
#include <kompakt/device.hpp>

#include "semihost.h"

namespace {

alignas(16) __attribute__((section(".noinit"))) std::byte arena[512 * 1024];

bool read_exactly(int file, void* to, std::size_t bytes) {
    return sh_read(file, to, bytes) == static_cast<long>(bytes);
}

template <class T>
std::size_t differences(kompakt::span<const T> out, int file) {
    std::size_t bad = 0;
    for (const T value : out) {
        T wanted{};
        if (!read_exactly(file, &wanted, sizeof wanted)) return out.size();
        if constexpr (kompakt::is_float(kompakt::dtype_of<T>)) {
            // NaN where NaN is wanted; infinities by equality.
            const float error = value > wanted ? value - wanted : wanted - value;
            const bool both_nan = value != value && wanted != wanted;
            bad += !(both_nan || value == wanted ||
                     error <= 1e-5f + 1e-4f * (wanted < 0 ? -wanted : wanted));
        } else {
            bad += value != wanted;
        }
    }
    return bad;
}

template <class Model, std::size_t... In, std::size_t... Out>
std::size_t run_samples(int file, std::size_t arena_bytes, std::index_sequence<In...>,
                        std::index_sequence<Out...>) {
    std::size_t bad = 0, samples = 0;
    Model m(kompakt::span<std::byte>(arena, arena_bytes));
    const auto fill = [&](auto input) {
        return read_exactly(file, input.data(), input.size_bytes());
    };
    while ((fill(m.template input<In>()) && ...)) {
        m.run();
        bad += (differences(m.template output<Out>(), file) + ...);
        ++samples;
    }
    return samples != 0 ? bad : 1;
}

template <class Model, std::size_t Inputs, std::size_t Outputs>
void check(const char* name, const char* path, std::size_t arena_bytes) {
    const int file = sh_open(path, 1);
    const std::size_t bad =
        file < 0 || arena_bytes > sizeof arena
            ? 1
            : run_samples<Model>(file, arena_bytes, std::make_index_sequence<Inputs>(),
                                 std::make_index_sequence<Outputs>());
    sh_puts(name);
    sh_puts(" ");
    sh_put_u64(bad);
    sh_puts("\n");
}

} // namespace

#include "models.hpp"

int main() {
    check_all();
    return 0;
}
