// kompakt train-tokenizer: a vocabulary from text files.
#include "files.hpp"

#include <kompakt/host/thread_pool.hpp>
#include <kompakt/io/token/train/train.hpp>
#include <kompakt/io/token/train/write.hpp>
#include <kompakt/report/progress.hpp>

#include <chrono>
#include <filesystem>
#include <memory>

namespace tool {

using namespace kompakt;

namespace {

namespace tt = token_train;

// One line of progress after another, as the work goes from one step to the next.
class steps {
  public:
    explicit steps(std::uint64_t bytes) : bytes_(bytes) {}
    void operator()(const char* what, std::uint64_t done, std::uint64_t total) {
        if (what_ != what) {
            what_ = what;
            done_ = 0;
            if (what_ == "reading") total = bytes_;
            line_ = std::make_unique<report::progress>(what_, total);
        }
        if (done > done_) line_->step(done - done_);
        done_ = (std::max)(done, done_);
    }

  private:
    std::uint64_t bytes_, done_ = 0;
    std::string what_;
    std::unique_ptr<report::progress> line_;
};

// What the options say, with the defaults that go with the model and the output.
status read_options(const arguments& given, const std::string& to, tt::train_options& o) {
    const auto model = given.choice("--model", {"bpe", "wordpiece", "unigram", "word", "char"});
    if (!model) return model.error();
    o.model = *model == "bpe"         ? tt::model_kind::bpe
              : *model == "wordpiece" ? tt::model_kind::wordpiece
              : *model == "unigram"   ? tt::model_kind::unigram
              : *model == "word"      ? tt::model_kind::word
                                      : tt::model_kind::character;
    const auto rules = given.choice("--rules", {"", "hf", "sentencepiece"});
    if (!rules) {
        return fail(errc::bad_argument, "--rules ", given.value("--rules"),
                    ": there is only hf, sentencepiece");
    }
    const bool pieces = *rules == "sentencepiece" ||
                        (rules->empty() && (*model == "unigram" || ends_with(to, ".model")));
    o.rules = pieces ? tt::rule_set::sentencepiece : tt::rule_set::hugging_face;
    if (*model == "wordpiece" && pieces) {
        return fail(errc::bad_argument, "WordPiece is trained by the rules hf only");
    }
    if (*model == "unigram" && !pieces) {
        return fail(errc::bad_argument, "Unigram is trained by the rules sentencepiece only");
    }

    const auto refuse = [&](std::initializer_list<const char*> names, const char* why) -> status {
        for (const char* name : names) {
            if (given.has(name)) return fail(errc::bad_argument, name, " goes with ", why, " only");
        }
        return {};
    };
    if (pieces) {
        KOMPAKT_TRY(refuse({"--split", "--pattern", "--min-frequency", "--limit-alphabet",
                            "--alphabet", "--prefix-space", "--cased", "--prefix", "--suffix",
                            "--unknown", "--longest-token"},
                           "--rules hf"));
    } else {
        KOMPAKT_TRY(refuse({"--user-defined", "--coverage", "--normalization", "--byte-fallback",
                            "--no-dummy-prefix", "--keep-spaces", "--longest-line",
                            "--longest-piece", "--split-digits"},
                           "--rules sentencepiece"));
    }

    if (!given.has("--size")) return fail(errc::bad_argument, "needs --size N");
    const auto size = given.number("--size", 0, 1, std::uint64_t{1} << 26);
    if (!size) return size.error();
    o.vocabulary_size = static_cast<std::size_t>(*size);
    o.special_tokens = given.all("--special");
    o.user_defined = given.all("--user-defined");
    const auto segmentation = given.choice("--segmentation", {"merges", "greedy"});
    if (!segmentation) return segmentation.error();
    o.greedy = *segmentation == "greedy";
    if (o.greedy && *model != "bpe") {
        return fail(errc::bad_argument, "--segmentation greedy is for byte-pair vocabularies");
    }

    if (pieces) {
        const auto coverage = given.real("--coverage", 0.9995, 0.5, 1);
        if (!coverage) return coverage.error();
        o.coverage = *coverage;
        const auto normalization =
            given.choice("--normalization", {"nmt_nfkc", "nfkc", "identity"});
        if (!normalization) return normalization.error();
        o.normalization = *normalization;
        o.byte_fallback = given.has("--byte-fallback");
        o.add_dummy_prefix = !given.has("--no-dummy-prefix");
        o.remove_extra_spaces = !given.has("--keep-spaces");
        o.pieces.split_digits = given.has("--split-digits");
        const auto line = given.number("--longest-line", 4192, 1, std::uint64_t{1} << 30);
        if (!line) return line.error();
        o.longest_line = static_cast<std::size_t>(*line);
        const auto piece = given.number("--longest-piece", 16, 1, 64);
        if (!piece) return piece.error();
        o.pieces.longest = static_cast<std::uint32_t>(*piece);
        return {};
    }

    const bool bpe = *model == "bpe";
    const auto split =
        given.choice("--split", bpe ? std::vector<std::string>{"bytes", "bert", "space"}
                                    : std::vector<std::string>{"bert", "space"});
    if (!split) return split.error();
    o.split = *split == "bytes"  ? tt::splitting::byte_level
              : *split == "bert" ? tt::splitting::bert
                                 : tt::splitting::white_space;
    const bool bytes = bpe && *split == "bytes";
    if (*model == "wordpiece" && *split != "bert") {
        return fail(errc::bad_argument, "WordPiece is trained on BERT's words: --split bert");
    }
    if (!bytes) {
        KOMPAKT_TRY(refuse({"--pattern", "--alphabet", "--prefix-space"}, "words of bytes"));
    }
    if (!bpe && *model != "wordpiece") {
        KOMPAKT_TRY(refuse({"--prefix", "--suffix", "--limit-alphabet", "--longest-token"},
                           "--model bpe and wordpiece"));
    }
    o.pattern = given.value("--pattern");
    const auto alphabet = given.choice("--alphabet", {"bytes", "seen"});
    if (!alphabet) return alphabet.error();
    o.whole_byte_alphabet = *alphabet == "bytes";
    o.add_prefix_space = given.has("--prefix-space");
    o.lowercase = *model == "wordpiece" && !given.has("--cased");
    o.continuing_subword_prefix = given.value("--prefix");
    o.end_of_word_suffix = given.value("--suffix");
    const auto frequency = given.number("--min-frequency", 0, 0, UINT64_MAX);
    if (!frequency) return frequency.error();
    o.min_frequency = *frequency;
    const auto limit = given.number("--limit-alphabet", SIZE_MAX, 1, SIZE_MAX);
    if (!limit) return limit.error();
    o.limit_alphabet = static_cast<std::size_t>(*limit);
    const auto token = given.number("--longest-token", SIZE_MAX, 1, SIZE_MAX);
    if (!token) return token.error();
    // The trainer's limit is the first length that is too long.
    o.longest_token = static_cast<std::size_t>(*token == SIZE_MAX ? SIZE_MAX : *token + 1);

    // Characters outside the alphabet; bytes have a token each, unless only those seen were asked
    // for.
    const bool complete = bytes && !o.greedy;
    const char* unknown = *model == "wordpiece" || *model == "word" ? "[UNK]" : "<unk>";
    o.unknown_token = given.value("--unknown", complete ? "" : unknown);
    if (*model == "wordpiece" && o.special_tokens.empty()) {
        o.special_tokens = {"[PAD]", o.unknown_token, "[CLS]", "[SEP]", "[MASK]"};
    }
    return {};
}

status train_vocabulary(const arguments& given, answer& a) {
    const std::vector<std::string>& files = given.positionals();
    const auto to = given.required("-o", "FILE.json, FILE.model or FILE.txt");
    if (!to) return to.error();
    if (!ends_with(*to, ".json") && !ends_with(*to, ".model") && !ends_with(*to, ".txt")) {
        return fail(errc::bad_argument, "-o ", *to,
                    ": needs a name that ends in .json, .model or .txt");
    }
    KOMPAKT_TRY(check_outputs(given, {{"-o", *to}}));
    tt::train_options o;
    if (!given.has("--model")) {
        return fail(errc::bad_argument, "needs --model bpe, wordpiece, unigram, word or char");
    }
    KOMPAKT_TRY(read_options(given, *to, o));
    const auto threads = given.number("--threads", 0, 0, 256);
    if (!threads) return threads.error();
    const auto memory = given.number("--memory", 4096, 1, std::uint64_t{1} << 20);
    if (!memory) return memory.error();
    o.memory_bytes = static_cast<std::size_t>(*memory) << 20;

    std::uint64_t bytes = 0;
    for (const std::string& path : files) {
        std::error_code error;
        const auto n = std::filesystem::file_size(path, error);
        if (!error) bytes += n;
    }
    // Finished before anything else is said.
    auto progress = std::make_unique<steps>(bytes);
    o.progress = [&](const char* what, std::uint64_t done, std::uint64_t total) {
        (*progress)(what, done, total);
    };
    const auto start = std::chrono::steady_clock::now();
    thread_pool pool(static_cast<std::size_t>(*threads));
    const auto t = tt::train_tokenizer(files, o, pool);
    progress.reset();
    if (!t) return t.error();
    const auto written = tt::write_trained(*t, *to);
    if (!written) return written.error();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    a.say("read ", t->text_bytes, " bytes in ", t->lines, " lines: ", t->words, " words, ",
          t->distinct_words, " of them different");
    if (t->skipped_lines != 0) {
        a.say("skipped ", t->skipped_lines, " lines: longer than ", o.longest_line,
              " bytes (--longest-line), or with U+2585, which stands for unknown characters");
    }
    if (t->words_left_out != 0) {
        a.say("left out the ", t->words_left_out,
              " rarest words, for which the memory (--memory) was too small");
    }
    a.say("trained ", name_of(t->model), ": ", t->pieces.size(), " pieces",
          t->alphabet != 0 ? ", " + report::grouped(t->alphabet) + " of them characters" : "");
    if (t->pieces.size() < o.vocabulary_size) {
        a.say("the text gives no more: ", o.vocabulary_size, " were asked for");
    }
    a.json.member("model", name_of(t->model));
    a.json.member("rules", t->rules == tt::rule_set::sentencepiece ? "sentencepiece" : "hf");
    a.json.member("pieces", t->pieces.size()).member("asked_for", o.vocabulary_size);
    a.json.member("merges", t->merges.size()).member("alphabet", t->alphabet);
    a.json.member("bytes", t->text_bytes).member("lines", t->lines);
    a.json.member("skipped_lines", t->skipped_lines).member("words", t->words);
    a.json.member("distinct_words", t->distinct_words);
    a.json.member("words_left_out", t->words_left_out).member("seconds", seconds);
    a.json.key("files").begin_array();
    for (const std::string& path : *written) {
        a.say("wrote ", path);
        a.json.value(path);
    }
    a.json.end();
    return {};
}

} // namespace

command train_tokenizer_command() {
    return {
        "train-tokenizer",
        "--model M --size N FILE... -o OUT",
        "makes a vocabulary from text files",
        "The output's ending says what is written: .json Hugging Face's tokenizer.json "
        "(vocab.json\n"
        "GPT-2's, with merges.txt beside it), .model SentencePiece's, .txt BERT's vocab.txt. "
        "Files\n"
        "may be larger than memory; lines are trained on apart. The result does not depend on the\n"
        "number of threads.\n\n"
        "--rules hf trains as Hugging Face's trainers do (bpe, wordpiece, word, char), the merges\n"
        "being the same; --rules sentencepiece as SentencePiece does (bpe, unigram, word, char).\n"
        "Without it: sentencepiece for unigram and for .model, else hf.\n",
        {
            {"--model", "M", "bpe, wordpiece, unigram, word or char"},
            {"--size", "N", "pieces of the vocabulary, special ones counted"},
            {"-o", "OUT", "FILE.json, FILE.model or FILE.txt"},
            {"--rules", "R", "hf or sentencepiece"},
            {"--special", "TOKEN", "a special token; repeated for more", true},
            {"--segmentation", "S", "merges, or greedy: the longest piece that fits (bpe)"},
            {"--threads", "N", "0, the default: as many as the machine runs at once"},
            {"--memory", "MB", "leaves out the rarest words to keep to it; 4096"},
            {"--split", "S", "hf: words of bytes, bert or space"},
            {"--pattern", "REGEX", "hf: what words of bytes are; by default GPT-2's"},
            {"--alphabet", "A", "hf: bytes, all 256; or seen, those of the text"},
            {"--prefix-space", nullptr, "hf: a space in front of each line"},
            {"--min-frequency", "N", "hf: of pairs to merge, of words to take"},
            {"--limit-alphabet", "N", "hf: the most frequent characters only"},
            {"--longest-token", "N", "hf: in characters (bytes)"},
            {"--prefix", "TEXT", "hf: in front of pieces inside a word; ## for wordpiece"},
            {"--suffix", "TEXT", "hf: behind pieces at the end of a word, </w> say"},
            {"--unknown", "TOKEN", "hf: for what the vocabulary does not have"},
            {"--cased", nullptr, "hf, wordpiece: keep upper case and accents"},
            {"--user-defined", "PIECE", "sentencepiece: a piece that text is always cut into",
             true},
            {"--coverage", "X", "sentencepiece: of characters, by the alphabet; 0.9995"},
            {"--normalization", "N", "sentencepiece: nmt_nfkc, nfkc or identity"},
            {"--byte-fallback", nullptr, "sentencepiece: bytes for unknown characters"},
            {"--no-dummy-prefix", nullptr, "sentencepiece: no space in front of the text"},
            {"--keep-spaces", nullptr, "sentencepiece: keep spaces in front, behind, doubled"},
            {"--split-digits", nullptr, "sentencepiece: each digit is a piece"},
            {"--longest-line", "N", "sentencepiece: bytes; longer ones are skipped; 4192"},
            {"--longest-piece", "N", "sentencepiece: characters; 16"},
        },
        train_vocabulary};
}

} // namespace tool
