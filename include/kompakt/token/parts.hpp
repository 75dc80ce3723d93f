// Which parts of the tokenizer a program contains. Firmware names those of its vocabulary, so that
// nothing else is linked; `parts_of` a .ktok says which they are.
#pragma once

#include <kompakt/token/format.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

enum : std::uint32_t {
    part_bpe = 1u << 0,
    part_heap = 1u << 1, // long words faster than by scanning
    part_unigram = 1u << 2,
    part_wordpiece = 1u << 3, // and word level
    part_regex = 1u << 4,
    part_classes = 1u << 5,      // splits at white space and punctuation
    part_categories = 1u << 6,   // digits, accents, added tokens that are whole words
    part_forms = 1u << 7,        // NFC, NFD
    part_compatible = 1u << 8,   // NFKC, NFKD
    part_bert = 1u << 9,         // BERT's normalizer, lowercase
    part_precompiled = 1u << 10, // Hugging Face's use of character maps
    part_sentencepiece = 1u << 11,
    part_added = 1u << 12,
    part_decoders = 1u << 13, // other than of byte-level vocabularies
    part_offsets = 1u << 14,
    part_steps = 1u << 15, // any normalizer; pre-tokenizers other than one regular expression
    all_parts = (1u << 16) - 1,
};

inline std::uint32_t parts_of(const tables& t) noexcept {
    std::uint32_t parts = 0;
    switch (t.header().model) {
    case model_kind::bpe:
        parts |= part_bpe;
        break;
    case model_kind::unigram:
        parts |= part_unigram;
        break;
    default:
        parts |= part_wordpiece;
        break;
    }
    if (t.has(section::added)) parts |= part_added;
    for (std::uint32_t i = 0; i < t.bytes(section::added) / 16; ++i) {
        if ((t.added(i).flags & added_single_word) != 0) parts |= part_categories;
    }
    if (t.flag(flag_sentencepiece)) parts |= part_sentencepiece;
    if (t.header().normalizers != 0 || t.header().pre_tokenizers > 1) parts |= part_steps;
    for (std::uint32_t i = 0; i < t.step_count(); ++i) {
        const step_record s = t.step(i);
        switch (s.kind) {
        case step_kind::nfc:
        case step_kind::nfd:
            parts |= part_forms;
            break;
        case step_kind::nfkc:
        case step_kind::nfkd:
            parts |= part_compatible;
            break;
        case step_kind::strip_accents:
        case step_kind::split_digits:
            parts |= part_categories | part_steps;
            break;
        case step_kind::bert:
        case step_kind::lowercase:
            parts |= part_bert;
            break;
        case step_kind::replace:
        case step_kind::decode_replace:
            if ((s.flags & 1) != 0) parts |= part_regex;
            break;
        case step_kind::precompiled:
            parts |= part_precompiled;
            break;
        case step_kind::split_regex:
            parts |= part_regex;
            if (s.flags != static_cast<std::uint32_t>(behavior::isolated)) parts |= part_steps;
            break;
        case step_kind::split_whitespace:
        case step_kind::split_punctuation:
            parts |= part_classes | part_steps;
            break;
        case step_kind::split_text:
        case step_kind::split_char:
        case step_kind::metaspace:
        case step_kind::prefix_space:
        case step_kind::byte_map:
        case step_kind::fixed_length:
            parts |= part_steps;
            break;
        case step_kind::decode_bytes:
        case step_kind::trim_offsets:
        case step_kind::part_special:
        case step_kind::part_sequence:
            break;
        default:
            if (s.kind >= step_kind::decode_byte_fallback &&
                s.kind <= step_kind::decode_sentencepiece) {
                parts |= part_decoders;
            }
            break;
        }
    }
    return parts;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
