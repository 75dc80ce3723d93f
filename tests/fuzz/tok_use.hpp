// What fuzz targets do with a tokenizer that could be made of hostile bytes: all of it, on a short
// text that has a bit of everything.
#pragma once

#include <kompakt/io/token/tokenizer.hpp>

#include <cstdlib>

inline void use_tables(kompakt::bytes_view bytes) {
    using namespace kompakt;
    using namespace kompakt::token;
    tables t;
    if (!tables::open(bytes, t).ok()) return;
    static const std::string text =
        "Hello  w\xc3\xb6rld, <s></s>[CLS] 123 \xe4\xbd\xa0\xe5\xa5\xbd "
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\tab\xff\xe2\x96\x81_x\n"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
        "e\xcc\x81";
    alignas(8) static std::byte memory[1 << 16];
    static cached_word cache[64];
    encoder e(t, {memory, sizeof memory}, cache);
    std::uint32_t ids[512];
    origin offsets[512];
    std::size_t n = 0;
    static_cast<void>(e.encode({text.data(), text.size()}, ids, n).ok());
    static_cast<void>(e.encode({text.data(), text.size()}, ids, n).ok());
    static_cast<void>(e.encode({text.data(), text.size()}, ids, n, offsets).ok());
    std::vector<char> scratch((std::min)(decoder::scratch_bytes(t), std::size_t{1} << 16));
    decoder d(t, {scratch.data(), scratch.size()});
    char out[4096];
    text_sink sink(out);
    for (std::size_t i = 0; i < n; ++i) d.push(ids[i], sink);
    for (std::uint32_t id = 0; id < 64; ++id) d.push(id * 37, sink);
    d.finish(sink);
}

inline void use_spec(const kompakt::result<kompakt::token::tokenizer_spec>& spec) {
    if (!spec.ok()) return;
    for (const bool compact : {false, true}) {
        kompakt::token::build_options o;
        o.compact = compact;
        const auto bytes = kompakt::token::build_ktok(*spec, o);
        if (!bytes.ok()) continue;
        if (!kompakt::token::verify_ktok({bytes->data(), bytes->size()})) std::abort();
        use_tables({bytes->data(), bytes->size()});
    }
}
