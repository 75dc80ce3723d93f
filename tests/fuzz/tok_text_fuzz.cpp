// Any text through tokenizers of three families: there and back where the family promises it, the
// same ids with and without cache, with little and with much memory, the same text token by token
// and at once.
#include "tok_use.hpp"

#include <token/small.hpp>

using namespace kompakt;
using namespace kompakt::token;

namespace {

const std::vector<tokenizer>& all() {
    static const std::vector<tokenizer> list = [] {
        std::vector<tokenizer> v;
        const auto add = [&](const std::string& text) {
            const auto spec = read_tokenizer_json(text);
            if (!spec.ok()) std::abort();
            build_options compact;
            compact.compact = v.size() == 1;
            auto t = tokenizer::from_spec(*spec, compact);
            if (!t.ok()) std::abort();
            v.push_back(std::move(*t));
        };
        add(kompakt_test::small_byte_level());
        add(kompakt_test::small_byte_level(
            R"({"type":"ByteLevel","add_prefix_space":false,"use_regex":false})"));
        std::string vocab = R"({"<unk>":0)";
        for (int b = 0; b < 256; ++b) {
            char name[40];
            std::snprintf(name, sizeof name, ",\"<0x%02X>\":%d", static_cast<unsigned>(b), b + 1);
            vocab += name;
        }
        vocab += R"(,"a":257,"b":258,"ab":259,"\u2581":260,"\u2581a":261,"aa":262,"aaaa":263})";
        add(R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"\u2581"},{"type":"Replace","pattern":{"String":" "},"content":"\u2581"}]},
            "decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},
            {"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"BPE","byte_fallback":true,"fuse_unk":true,"unk_token":"<unk>","vocab":)" +
            vocab + R"(,"merges":["a b","\u2581 a","a a","aa aa"]}})");
        return v;
    }();
    return list;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const tokenizer& t = all()[data[0] % all().size()];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    encode_options o;
    o.added = added_tokens::off;
    std::vector<std::uint32_t> ids, again;
    if (!t.encode(text, ids, o).ok() || !t.encode(text, again, o).ok() || ids != again)
        std::abort();
    encoded_text e;
    if (!t.encode(text, e, o).ok() || e.ids != ids) std::abort();
    // As little memory as the vocabulary allows. What the rewritten text needs is an estimate, and
    // text that is not UTF-8 is copied and repaired first: where it is short, encode says so, and
    // the whole of a text, its repair and two of its normalized forms at three times its bytes
    // must do.
    const bool valid = is_valid_utf8({text.data(), text.size()});
    const std::size_t least = encoder::memory_bytes(t.table(), size, false);
    bool done = false;
    std::size_t n = 0;
    encoder::options plain;
    plain.added = added_tokens::off;
    for (const std::size_t bytes : {least, least + 9 * size + 1024}) {
        std::vector<std::uint64_t> memory(bytes / 8 + 1);
        encoder small(t.table(), {reinterpret_cast<std::byte*>(memory.data()), memory.size() * 8});
        again.resize(ids.size() + 1);
        done = small.encode({text.data(), text.size()}, {again.data(), again.size()}, n, {}, plain)
                   .ok();
        if (done) break;
        if (!small.memory_was_short() || small.ids_were_short()) std::abort();
    }
    if (!done) std::abort();
    again.resize(n);
    if (ids != again) std::abort();
    const std::string back = t.decode(ids);
    // What is not UTF-8 becomes U+FFFD; a space in front is the Prepend step's own.
    if (valid && text.find("\xe2\x96\x81") == std::string_view::npos && back != text) std::abort();
    std::vector<char> scratch(decoder::scratch_bytes(t.table()));
    decoder d(t.table(), {scratch.data(), scratch.size()});
    std::vector<char> out(back.size() + 1);
    text_sink sink({out.data(), out.size()});
    for (const std::uint32_t id : ids) d.push(id, sink);
    d.finish(sink);
    if (sink.size() != back.size() || back.compare(0, back.size(), out.data(), back.size()) != 0)
        std::abort();
    return 0;
}
