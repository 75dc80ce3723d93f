// Any bytes as a SentencePiece model.
#include "tok_use.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    use_spec(kompakt::token::read_sentencepiece({reinterpret_cast<const std::byte*>(data), size}));
    return 0;
}
