// Reader of SentencePiece's .model (sentencepiece_model.proto), all four kinds of models.
#pragma once

#include <kompakt/format/protobuf.hpp>
#include <kompakt/io/token/spec.hpp>
#include <kompakt/io/token/text_index.hpp>
#include <kompakt/io/token/trie_builder.hpp>
#include <kompakt/token/charsmap.hpp>

#include <cmath>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

namespace detail {

class sentencepiece_reader {
  public:
    explicit sentencepiece_reader(bytes_view bytes) : bytes_(bytes) {}

    result<tokenizer_spec> read() {
        protobuf_reader r(bytes_);
        while (r.next()) {
            if (!r.is(wire_type::bytes)) continue;
            switch (r.field()) {
            case 1:
                KOMPAKT_TRY(piece(r.content()));
                break;
            case 2:
                KOMPAKT_TRY(trainer(r.content()));
                break;
            case 3:
                KOMPAKT_TRY(normalizer(r.content()));
                break;
            case 5:
                KOMPAKT_TRY(denormalizer(r.content()));
                break;
            default: // self tests and extensions
                break;
            }
        }
        if (!r.ok()) return r.error("sentencepiece model");
        return finish();
    }

  private:
    enum kind : std::uint64_t {
        normal = 1,
        unknown = 2,
        control = 3,
        user_defined = 4,
        unused = 5,
        byte = 6
    };

    template <class... Parts>
    static status wrong(const Parts&... parts) {
        return fail(errc::bad_file, "sentencepiece model: ", parts...);
    }

    status piece(bytes_view bytes) {
        const std::size_t id = s_.tokens.size();
        if (id > vocabulary_limit)
            return fail(errc::limit, "sentencepiece model: more than ", vocabulary_limit,
                        " pieces");
        token_spec t;
        std::uint64_t type = normal;
        protobuf_reader r(bytes);
        while (r.next()) {
            if (r.field() == 1) t.text = r.text();
            if (r.field() == 2) t.score = static_cast<double>(r.real());
            if (r.field() == 3) type = r.number();
        }
        if (!r.ok()) return wrong("piece ", id, ": not a protocol buffer");
        if (t.text.empty()) return wrong("piece ", id, " is empty");
        if (!std::isfinite(t.score)) return wrong("piece ", id, ": a score that is not finite");
        t.kind = 0;
        switch (type) {
        case normal:
            break;
        case unknown:
            if (s_.unknown != none)
                return wrong("pieces ", s_.unknown, " and ", id, " are both the unknown one");
            s_.unknown = static_cast<std::uint32_t>(id);
            t.kind = piece_unknown;
            t.usable = false;
            break;
        case control:
            t.kind = piece_control | piece_special;
            t.usable = false;
            break;
        case user_defined:
            t.user_defined = true;
            break;
        case unused:
            t.unused = true;
            break;
        case byte: {
            const auto hex = [](char c) {
                return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
            };
            if (t.text.size() != 6 || t.text.compare(0, 3, "<0x") != 0 || t.text[5] != '>' ||
                hex(t.text[3]) < 0 || hex(t.text[4]) < 0) {
                return wrong("piece ", id, ": \"", t.text, "\" is no byte");
            }
            t.kind = piece_byte;
            t.usable = false;
            t.decoded = std::string(1, static_cast<char>(hex(t.text[3]) * 16 + hex(t.text[4])));
            t.decodes_apart = true;
            ++bytes_seen_;
            break;
        }
        default:
            return fail(errc::unsupported, "sentencepiece model: piece ", id, ": type ", type,
                        " is not supported");
        }
        s_.tokens.push_back(std::move(t));
        return {};
    }

    status trainer(bytes_view bytes) {
        protobuf_reader r(bytes);
        while (r.next()) {
            switch (r.field()) {
            case 3:
                type_ = r.number();
                break;
            case 24:
                suffix_ = r.boolean();
                break;
            case 35:
                s_.byte_fallback = r.boolean();
                break;
            case 44:
                surface_ = r.text();
                break;
            default: // how the model was trained
                break;
            }
        }
        return r.ok() ? status() : wrong("trainer_spec: not a protocol buffer");
    }
    status normalizer(bytes_view bytes) {
        protobuf_reader r(bytes);
        while (r.next()) {
            switch (r.field()) {
            case 2:
                map_ = r.text();
                break;
            case 3:
                dummy_prefix_ = r.boolean();
                break;
            case 4:
                remove_spaces_ = r.boolean();
                break;
            case 5:
                escape_ = r.boolean();
                break;
            default: // the name, and the rules that the map was made from
                break;
            }
        }
        if (!r.ok()) return wrong("normalizer_spec: not a protocol buffer");
        if (!map_.empty() &&
            charsmap_view(bytes_view(reinterpret_cast<const std::byte*>(map_.data()), map_.size()))
                .empty()) {
            return wrong("normalizer_spec: the character map is broken");
        }
        return {};
    }
    status denormalizer(bytes_view bytes) {
        protobuf_reader r(bytes);
        while (r.next()) {
            if (r.field() == 2 && !r.content().empty()) {
                return fail(errc::unsupported,
                            "sentencepiece model: denormalizer_spec is not supported");
            }
        }
        return r.ok() ? status() : wrong("denormalizer_spec: not a protocol buffer");
    }

    result<tokenizer_spec> finish() {
        if (s_.tokens.empty()) return wrong("no pieces");
        if (s_.unknown == none) return wrong("no unknown piece");
        if (s_.byte_fallback && bytes_seen_ < 256)
            return wrong("byte_fallback needs 256 byte pieces, has ", bytes_seen_);
        if (!s_.byte_fallback && bytes_seen_ != 0)
            return wrong("byte pieces without byte_fallback");
        text_index seen(s_.tokens.size()), reserved;
        for (const token_spec& t : s_.tokens) {
            if (!(t.usable ? seen : reserved).add(t.text, 0))
                return wrong("\"", t.text, "\" is there twice");
        }
        s_.sentencepiece = true;
        s_.lossy_text = false; // its own way: each bad byte is one U+FFFD
        s_.unknown_surface = surface_;
        switch (type_) {
        case 1:
            s_.model = model_kind::unigram;
            break;
        case 2:
            s_.model = model_kind::bpe;
            s_.merging = merge_source::by_score;
            break;
        case 3: { // words: what follows a space sign
            s_.model = model_kind::wordlevel;
            step_spec split;
            split.kind = step_kind::split_text;
            split.flags = static_cast<std::uint32_t>(suffix_ ? behavior::merged_with_previous
                                                             : behavior::merged_with_next);
            split.a = "\xe2\x96\x81";
            s_.pre_tokenizers.push_back(std::move(split));
            break;
        }
        case 4: // characters: no two join
            s_.model = model_kind::bpe;
            s_.merging = merge_source::no_merges;
            break;
        default:
            return fail(errc::unsupported, "sentencepiece model: model_type ", type_,
                        " is not supported");
        }
        step_spec n;
        n.kind = step_kind::sentencepiece;
        n.flags = (dummy_prefix_ ? step_dummy_prefix : 0u) |
                  (remove_spaces_ ? step_remove_spaces : 0u) | (escape_ ? step_escape : 0u) |
                  (suffix_ ? step_suffix : 0u);
        n.a = map_;
        std::vector<trie_key> user;
        for (std::uint32_t i = 0; i < s_.tokens.size(); ++i) {
            if (s_.tokens[i].user_defined) user.push_back({s_.tokens[i].text, i});
        }
        trie_builder b;
        KOMPAKT_TRY(b.build(user));
        const std::vector<std::byte> units = b.bytes();
        n.b.assign(reinterpret_cast<const char*>(units.data()), units.size());
        step_spec d;
        d.kind = step_kind::decode_sentencepiece;
        d.flags = n.flags;
        s_.normalizers.push_back(std::move(n));
        s_.decoders.push_back(std::move(d));
        step_spec all;
        all.kind = step_kind::part_sequence;
        s_.single.push_back(all);
        s_.pair.push_back(all);
        all.numbers[0] = all.numbers[1] = 1;
        s_.pair.push_back(all);
        return std::move(s_);
    }

    bytes_view bytes_;
    tokenizer_spec s_;
    std::string map_, surface_ = " \xe2\x81\x87 ";
    std::uint64_t type_ = 1;
    bool suffix_ = false, dummy_prefix_ = true, remove_spaces_ = true, escape_ = true;
    std::size_t bytes_seen_ = 0;
};

} // namespace detail

KOMPAKT_ONCE result<tokenizer_spec> read_sentencepiece(bytes_view bytes);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer_spec> read_sentencepiece(bytes_view bytes) {
    return detail::sentencepiece_reader(bytes).read();
}
#endif

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
