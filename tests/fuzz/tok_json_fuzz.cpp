// Any text as a tokenizer.json.
#include "tok_use.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    use_spec(kompakt::token::read_tokenizer_json({reinterpret_cast<const char*>(data), size}));
    return 0;
}
