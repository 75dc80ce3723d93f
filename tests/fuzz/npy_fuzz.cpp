// Reads, writes what was read, reads that, and wants the same.
#include <kompakt/format/npy.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace npy = kompakt::npy;
    const auto a = npy::read(kompakt::bytes_view(reinterpret_cast<const std::byte*>(data), size));
    if (!a.ok()) return 0;
    const auto file = npy::write(a->type, a->shape, a->data);
    if (!file.ok()) __builtin_trap();
    const auto again = npy::read(*file);
    if (!again.ok() || again->type != a->type || again->shape != a->shape ||
        again->data.size() != a->data.size() ||
        (!a->data.empty() &&
         std::memcmp(again->data.data(), a->data.data(), a->data.size()) != 0)) {
        __builtin_trap();
    }
    return 0;
}
