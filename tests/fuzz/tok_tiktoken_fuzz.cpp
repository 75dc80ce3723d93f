// Any text as tiktoken's ranks.
#include "tok_use.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    kompakt::token::tiktoken_options o;
    o.pattern = " ?[a-z]+|\\s+(?!\\S)|.";
    o.specials = {{"<s>", 60}};
    use_spec(kompakt::token::read_tiktoken({reinterpret_cast<const char*>(data), size}, o));
    return 0;
}
