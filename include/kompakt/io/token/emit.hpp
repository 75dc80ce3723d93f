// emit_tokenizer_header: a .ktok as one C++ header for firmware: its bytes as constexpr data in
// flash, and encoder and decoder types that contain what the vocabulary needs and nothing else.
#pragma once

#include <kompakt/token/decoder.hpp>
#include <kompakt/token/encoder.hpp>

#include <string>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct emit_tokenizer_options {
    std::string include = "<kompakt/device.hpp>";
    std::string title;
    bool offsets = false; // the encoder gives offsets
    bool heap = false;    // long words in time n log n instead of n times the window
};

// `name`: the namespace, a C++ identifier.
inline status emit_tokenizer_header(bytes_view ktok, std::string_view name, std::string& out,
                                    const emit_tokenizer_options& o = {}) {
    token::tables t;
    KOMPAKT_TRY(token::tables::open(ktok, t));
    std::uint32_t parts = token::parts_of(t);
    if (o.offsets) parts |= token::part_offsets;
    if (o.heap && t.header().model == token::model_kind::bpe) parts |= token::part_heap;
    const auto line = [&](const std::string& s) { out += s + '\n'; };
    std::string title;
    for (const char c : o.title.empty() ? std::string(name) : o.title.substr(0, 72)) {
        title += c >= 0x20 && c < 0x7f && c != '\\' && c != '?' ? c : '.';
    }
    const std::size_t fixed = token::basic_encoder<>::memory_bytes(t, 0, false);
    const bool rewrites = token::basic_encoder<>::memory_bytes(t, 1, false) != fixed;
    line("// " + title);
    line("// Made by `kompakt tokenize --emit`; do not edit.");
    line("#pragma once");
    line("");
    line("#include " + o.include);
    line("");
    line("namespace " + std::string(name) + " {");
    line("");
    line("static_assert(kompakt::token::ktok_version == " + std::to_string(token::ktok_version) +
         ", \"emitted for another version of kompakt; emit it again\");");
    line("");
    line("inline constexpr std::uint32_t vocabulary = " + std::to_string(t.header().vocabulary) +
         "; // largest id + 1");
    line("inline constexpr std::uint32_t parts = " + std::to_string(parts) +
         "; // see kompakt/token/parts.hpp");
    line("");
    line("using encoder = kompakt::token::basic_encoder<parts>;");
    line("using decoder = kompakt::token::basic_decoder<parts>;");
    line("");
    line("// What an encoder works in, aligned to 8, for texts of up to so many bytes.");
    line("constexpr std::size_t memory_bytes(std::size_t text_bytes) {");
    line("    return " + std::to_string(fixed) + (rewrites ? " + 3 * text_bytes + 1024" : "") +
         (rewrites ? "" : " + 0 * text_bytes") + (o.offsets ? " + 27 * text_bytes + 9216" : "") +
         ";");
    line("}");
    line("// What a decoder works in.");
    line("inline constexpr std::size_t scratch_bytes = " +
         std::to_string(t.header().decoders == 1 &&
                                t.step(t.header().normalizers + t.header().pre_tokenizers).kind ==
                                    token::step_kind::decode_bytes
                            ? std::size_t{0}
                            : token::basic_decoder<>::scratch_bytes(t)) +
         ";");
    line("");
    line("namespace detail {");
    line("alignas(16) inline constexpr std::uint32_t words[] = {");
    const std::size_t words = ktok.size() / 4;
    out.reserve(out.size() + words * 12);
    char buffer[16];
    for (std::size_t i = 0; i < words; ++i) {
        const auto w = load_le<std::uint32_t>(ktok.data() + 4 * i);
        int n = 0;
        // The fewest characters: these files are megabytes.
        std::uint32_t x = w;
        do {
            buffer[n++] = static_cast<char>('0' + x % 10);
            x /= 10;
        } while (x != 0);
        while (n > 0) out += buffer[--n];
        if (w > 0x7fffffffu) out += 'u';
        out += i % 10 == 9 || i + 1 == words ? ",\n" : ",";
    }
    line("};");
    line("} // namespace detail");
    line("");
    line("inline kompakt::bytes_view bytes() noexcept {");
    line("    return {reinterpret_cast<const std::byte*>(detail::words), sizeof detail::words};");
    line("}");
    line("// Cannot fail: the bytes are these.");
    line("inline kompakt::token::tables tables() noexcept {");
    line("    kompakt::token::tables t;");
    line("    static_cast<void>(kompakt::token::tables::open(bytes(), t).ok());");
    line("    return t;");
    line("}");
    line("");
    line("} // namespace " + std::string(name));
    return {};
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
