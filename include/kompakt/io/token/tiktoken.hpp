// Reader of tiktoken's rank files: lines of a token in base64, a space and its rank, which is its
// id. The pattern that splits text and the special tokens are not in such a file; the caller knows.
#pragma once

#include <kompakt/io/token/tokenizer_json.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

struct special_token {
    std::string text;
    std::uint32_t id = 0;
};

struct tiktoken_options {
    std::string pattern; // a regular expression whose matches are the words
    std::vector<special_token> specials;
};

KOMPAKT_ONCE result<tokenizer_spec> read_tiktoken(std::string_view text, const tiktoken_options& o);

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE result<tokenizer_spec> read_tiktoken(std::string_view text,
                                                  const tiktoken_options& o) {
    tokenizer_spec s;
    s.byte_level = true;
    s.whole_words = true;
    s.merging = merge_source::by_id;
    if (o.pattern.empty())
        return fail(errc::bad_argument,
                    "tiktoken: needs the pattern that splits text, which the file does not have");
    struct entry {
        std::string bytes;
        std::uint64_t id;
    };
    std::vector<entry> entries;
    std::uint64_t most = 0;
    std::size_t line = 0;
    for (std::size_t at = 0; at < text.size();) {
        ++line;
        std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) end = text.size();
        std::string_view l = text.substr(at, end - at);
        at = end + 1;
        if (!l.empty() && l.back() == '\r') l.remove_suffix(1);
        if (l.empty()) continue;
        const std::size_t space = l.find(' ');
        entry e{{}, 0};
        const std::string_view number =
            space == std::string_view::npos ? std::string_view() : l.substr(space + 1);
        const auto r = std::from_chars(number.data(), number.data() + number.size(), e.id);
        if (number.empty() || r.ec != std::errc() || r.ptr != number.data() + number.size() ||
            !detail::tokenizer_json_reader::decode_base64(l.substr(0, space), e.bytes) ||
            e.bytes.empty()) {
            return fail(errc::bad_file, "tiktoken: line ", line,
                        ": needs a token in base64 and its rank");
        }
        most = (std::max)(most, e.id);
        entries.push_back(std::move(e));
    }
    if (entries.empty()) return fail(errc::bad_file, "tiktoken: no tokens");
    for (const special_token& t : o.specials) most = (std::max)(most, std::uint64_t{t.id});
    if (most > vocabulary_limit || most > 64 * (entries.size() + o.specials.size()) + 65536) {
        return fail(errc::limit, "tiktoken: id ", most, " in a vocabulary of ", entries.size());
    }
    s.tokens.resize(static_cast<std::size_t>(most) + 1);
    for (entry& e : entries) {
        token_spec& t = s.tokens[static_cast<std::size_t>(e.id)];
        if ((t.kind & piece_absent) == 0)
            return fail(errc::bad_file, "tiktoken: rank ", e.id, " is there twice");
        t.kind = 0;
        t.text = std::move(e.bytes);
    }
    for (const special_token& special : o.specials) {
        token_spec& t = s.tokens[special.id];
        if ((t.kind & piece_absent) == 0)
            return fail(errc::bad_argument, "tiktoken: special token \"", special.text, "\": id ",
                        special.id, " is a token already");
        if (special.text.empty())
            return fail(errc::bad_argument, "tiktoken: an empty special token");
        t.kind = piece_special | piece_added;
        t.text = special.text;
        t.usable = false;
        s.added.push_back({special.id, special.text, added_special});
    }
    step_spec split;
    split.kind = step_kind::split_regex;
    split.flags = static_cast<std::uint32_t>(behavior::isolated);
    auto regex = regex_bytes(o.pattern);
    if (!regex.ok()) return regex.error().within("tiktoken: ");
    split.a = std::move(*regex);
    s.pre_tokenizers.push_back(std::move(split));
    step_spec d;
    d.kind = step_kind::decode_bytes;
    s.decoders.push_back(d);
    step_spec all;
    all.kind = step_kind::part_sequence;
    s.single = {all};
    s.pair = {all, all};
    s.pair[1].numbers[0] = s.pair[1].numbers[1] = 1;
    return s;
}
#endif

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
