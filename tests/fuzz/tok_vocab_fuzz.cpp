// Any text as BERT's vocab.txt, and in two halves as vocab.json and merges.txt.
#include "tok_use.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    use_spec(kompakt::token::read_bert_vocabulary(text));
    const std::size_t half = text.find('\0');
    if (half == std::string_view::npos) return 0;
    use_spec(kompakt::token::read_gpt2(text.substr(0, half), text.substr(half + 1)));
    return 0;
}
