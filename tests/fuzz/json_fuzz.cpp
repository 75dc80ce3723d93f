// Reads, writes what was read, reads that, and wants the same.
#include <kompakt/format/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto v =
        kompakt::json::read(kompakt::bytes_view(reinterpret_cast<const std::byte*>(data), size));
    if (!v.ok()) return 0;
    for (const unsigned indent : {0u, 2u}) {
        const std::string text = kompakt::json::write(*v, indent);
        const auto again = kompakt::json::read(text);
        if (!again.ok() || *again != *v || kompakt::json::write(*again, indent) != text) {
            __builtin_trap();
        }
    }
    return 0;
}
