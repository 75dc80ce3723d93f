// A tokenizer on the target: the same ids as on the host, from tables in flash, in a small buffer.
#include "check.hpp"
#include "token_vocabulary.hpp"

#include <cstring>

using namespace kompakt;

namespace {

const char text[] = "hello world, the  h\xc3\xa9llo aaaaa<end>";
const std::uint32_t expected[] = {259, 264, 44,  32,  116, 256, 32, 32,
                                  104, 271, 257, 111, 32,  266, 97, 272};
constexpr std::size_t count = sizeof expected / sizeof expected[0];

alignas(8) std::byte memory[small_vocabulary::memory_bytes(sizeof text)];

} // namespace

int main() {
    const token::tables t = small_vocabulary::tables();
    CHECK(t.header().vocabulary == small_vocabulary::vocabulary);
    small_vocabulary::encoder e(t, memory);
    CHECK(e.state().ok());
    std::uint32_t ids[32] = {};
    std::size_t n = 0;
    const status s = e.encode({text, sizeof text - 1}, ids, n);
    CHECK(s.ok());
    CHECK(n == count);
    for (std::size_t i = 0; i < count; ++i) CHECK(ids[i] == expected[i]);
    // As one word after another with too little room.
    CHECK(!e.encode({text, sizeof text - 1}, span<std::uint32_t>(ids, 3), n).ok() && n == 3);

    // Never half of a character: the two bytes of U+00E9 come as one token here, those of U+20AC
    // apart.
    char out[64];
    small_vocabulary::decoder d(t);
    token::text_sink all(out);
    for (const std::uint32_t id : expected) d.push(id, all);
    d.finish(all);
    CHECK(all.size() == sizeof text - 1 && std::memcmp(out, text, all.size()) == 0);
    const std::uint32_t euro[] = {0xe2, 0x82, 0xac, 'a'};
    std::size_t sizes[4];
    token::text_sink sink(out);
    for (int i = 0; i < 4; ++i) {
        d.push(euro[i], sink);
        sizes[i] = sink.size();
    }
    d.finish(sink);
    CHECK(sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 3 && sizes[3] == 4);

    // 10,000 letters in one word: windows of the same small buffer.
    static char letters[10000];
    std::memset(letters, 'a', sizeof letters);
    static std::uint32_t many[2600];
    CHECK(e.encode({letters, sizeof letters}, many, n).ok());
    CHECK(n == 2500);
    for (std::size_t i = 0; i < n; ++i) CHECK(many[i] == 266);
    return check_failures();
}
