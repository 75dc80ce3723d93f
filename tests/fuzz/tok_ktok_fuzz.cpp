// Any bytes as a .ktok: opened in place, and used.
#include "tok_use.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Where they lie must be aligned as in a program.
    kompakt::aligned_buffer bytes(size);
    if (size != 0) std::memcpy(bytes.data(), data, size);
    use_tables({bytes.data(), bytes.size()});
    return 0;
}
