// How often each word occurs, from text of any size in bounded memory.
//
// Words are counted in a table; when it has grown to a limit it goes to a temporary file, sorted,
// and the files are merged in the end. If even the distinct words are too many for their limit, the
// rarest are left out. The result does not depend on the number of threads.
#pragma once

#include <kompakt/core/executor.hpp>
#include <kompakt/core/utf8.hpp>
#include <kompakt/io/token/train/text_blocks.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// What is going on, for a person who waits: "reading", bytes done, bytes in all (0: unknown).
using progress_callback =
    std::function<void(const char* what, std::uint64_t done, std::uint64_t total)>;

// Each word once, most frequent first, equally frequent ones by their bytes.
class word_list {
  public:
    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    std::string_view word(std::size_t i) const noexcept {
        return {text_.data() + entries_[i].at, entries_[i].length};
    }
    std::uint64_t count(std::size_t i) const noexcept { return entries_[i].count; }
    std::size_t text_bytes() const noexcept { return text_.size(); }

    void add(std::string_view word, std::uint64_t count) {
        entries_.push_back({text_.size(), count, static_cast<std::uint32_t>(word.size())});
        text_.append(word);
    }
    void sort() {
        std::sort(entries_.begin(), entries_.end(), [this](const entry& a, const entry& b) {
            if (a.count != b.count) return a.count > b.count;
            return view(a) < view(b);
        });
    }
    // Sorts, and keeps as many words from the front as fit so many bytes.
    void keep(std::size_t most_bytes) {
        sort();
        if (bytes() <= most_bytes) return;
        std::size_t n = 0, text = 0;
        while (n < size() && text + entries_[n].length + (n + 1) * sizeof(entry) <= most_bytes) {
            text += entries_[n++].length;
        }
        std::string kept;
        kept.reserve(text);
        for (std::size_t i = 0; i < n; ++i) {
            const std::string_view w = word(i);
            entries_[i].at = kept.size();
            kept.append(w);
        }
        left_out += size() - n;
        entries_.resize(n);
        text_ = std::move(kept);
    }
    std::size_t bytes() const noexcept { return text_.size() + entries_.size() * sizeof(entry); }

    std::uint64_t total = 0;         // of all counts, of words left out too
    std::uint64_t left_out = 0;      // words, the rarest, that were too many for the memory
    std::uint64_t bytes_of_text = 0; // that were read
    std::uint64_t lines = 0;         // that were used
    std::uint64_t skipped_lines =
        0; // that the splitter refused: too long, or with reserved characters

  private:
    struct entry {
        std::size_t at;
        std::uint64_t count;
        std::uint32_t length;
    };
    std::string_view view(const entry& e) const noexcept { return {text_.data() + e.at, e.length}; }

    std::string text_;
    std::vector<entry> entries_;
};

namespace detail {

inline std::uint32_t hash_bytes(std::string_view s) noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15u ^ s.size();
    std::size_t i = 0;
    for (; i + 8 <= s.size(); i += 8) {
        h = (h ^ load_le<std::uint64_t>(s.data() + i)) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    std::uint64_t last = 0;
    for (std::size_t k = 0; i + k < s.size(); ++k) {
        last |= std::uint64_t{static_cast<unsigned char>(s[i + k])} << 8 * k;
    }
    h = (h ^ last) * 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return static_cast<std::uint32_t>(h >> 32);
}

// Words and counts, by hash.
class word_table {
  public:
    struct entry {
        std::uint64_t at;
        std::uint64_t count;
        std::uint32_t length;
        std::uint32_t hash;
    };
    void add(std::string_view word, std::uint64_t count) { add(word, count, hash_bytes(word)); }
    void add(std::string_view word, std::uint64_t count, std::uint32_t hash) {
        if (entries_.size() * 2 >= slots_.size()) grow();
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            if (slots_[i] == 0) {
                slots_[i] = static_cast<std::uint32_t>(entries_.size() + 1);
                entries_.push_back(
                    {text_.size(), count, static_cast<std::uint32_t>(word.size()), hash});
                text_.append(word);
                return;
            }
            entry& e = entries_[slots_[i] - 1];
            if (e.hash == hash && view(e) == word) {
                e.count += count;
                return;
            }
        }
    }
    const std::vector<entry>& entries() const noexcept { return entries_; }
    std::string_view view(const entry& e) const noexcept { return {text_.data() + e.at, e.length}; }
    std::size_t bytes() const noexcept {
        return text_.size() + entries_.size() * sizeof(entry) + slots_.size() * 4;
    }
    bool full() const noexcept { return entries_.size() > UINT32_MAX / 4; }
    void clear() {
        std::fill(slots_.begin(), slots_.end(), 0u);
        entries_.clear();
        text_.clear();
    }
    void release() { *this = word_table(); }

  private:
    void grow() {
        slots_.assign((std::max)(std::size_t{1024}, slots_.size() * 2), 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t k = 0; k < entries_.size(); ++k) {
            std::size_t i = entries_[k].hash & mask;
            while (slots_[i] != 0) i = (i + 1) & mask;
            slots_[i] = static_cast<std::uint32_t>(k + 1);
        }
    }

    std::vector<std::uint32_t> slots_; // number of an entry plus one
    std::vector<entry> entries_;
    std::string text_;
};

// Sorted runs of words in a temporary file, one behind the other.
class word_runs {
  public:
    // `order` are the table's entries by their bytes.
    status write(const word_table& t, const std::vector<std::uint32_t>& order) {
        if (file_ == nullptr) {
            errno = 0;
            file_ = std::make_unique<kompakt::detail::file_handle>(std::tmpfile());
            if (file_->get() == nullptr) {
                return kompakt::detail::io_failure("temporary file", "cannot create", errno);
            }
        }
        const std::uint64_t begin = end_;
        std::string out;
        for (std::size_t k = 0; k < order.size(); ++k) {
            const word_table::entry& e = t.entries()[order[k]];
            char head[12];
            store_le<std::uint32_t>(head, e.length);
            store_le<std::uint64_t>(head + 4, e.count);
            out.append(head, sizeof head);
            out.append(t.view(e));
            if (out.size() >= (std::size_t{1} << 16) || k + 1 == order.size()) {
                errno = 0;
                if (std::fwrite(out.data(), 1, out.size(), file_->get()) != out.size()) {
                    return kompakt::detail::io_failure("temporary file", "cannot write", errno);
                }
                end_ += out.size();
                out.clear();
            }
        }
        runs_.push_back({begin, end_});
        return {};
    }
    bool empty() const noexcept { return runs_.empty(); }

    // f(word, count) for each word once, in the order of the bytes.
    template <class F>
    status merge(F&& f) {
        errno = 0;
        if (std::fflush(file_->get()) != 0) {
            return kompakt::detail::io_failure("temporary file", "cannot write", errno);
        }
        std::vector<cursor> cursors(runs_.size());
        std::vector<std::size_t> heap;
        const auto later = [&](std::size_t a, std::size_t b) {
            return cursors[a].word > cursors[b].word;
        };
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            cursors[i].at = runs_[i].first;
            cursors[i].end = runs_[i].second;
            const auto more = cursors[i].next(file_->get());
            if (!more) return more.error();
            if (*more) heap.push_back(i);
        }
        std::make_heap(heap.begin(), heap.end(), later);
        std::string word;
        std::uint64_t count = 0;
        while (!heap.empty()) {
            std::pop_heap(heap.begin(), heap.end(), later);
            cursor& c = cursors[heap.back()];
            if (count != 0 && c.word == word) {
                count += c.count;
            } else {
                if (count != 0) f(std::string_view(word), count);
                word = c.word;
                count = c.count;
            }
            const auto more = c.next(file_->get());
            if (!more) return more.error();
            if (*more) {
                std::push_heap(heap.begin(), heap.end(), later);
            } else {
                heap.pop_back();
            }
        }
        if (count != 0) f(std::string_view(word), count);
        return {};
    }

  private:
    struct cursor {
        std::uint64_t at = 0, end = 0;
        std::string buffer;
        std::size_t used = 0;
        std::string word;
        std::uint64_t count = 0;

        result<bool> next(std::FILE* f) {
            KOMPAKT_TRY(need(f, 12));
            if (buffer.size() - used < 12) return false;
            const std::uint32_t length = load_le<std::uint32_t>(buffer.data() + used);
            count = load_le<std::uint64_t>(buffer.data() + used + 4);
            used += 12;
            KOMPAKT_TRY(need(f, length));
            if (buffer.size() - used < length) {
                return fail(errc::io, "temporary file: was cut while in use");
            }
            word.assign(buffer, used, length);
            used += length;
            return true;
        }
        status need(std::FILE* f, std::size_t n) {
            if (buffer.size() - used >= n || at == end) return {};
            buffer.erase(0, used);
            used = 0;
            const auto more = static_cast<std::size_t>(
                (std::min)(end - at, std::uint64_t{(std::max)(n, std::size_t{1} << 16)}));
            const std::size_t had = buffer.size();
            buffer.resize(had + more);
            errno = 0;
            if (at > static_cast<std::uint64_t>((std::numeric_limits<long>::max)())) {
                return fail(errc::limit, "temporary file: ", at, " bytes, at most ",
                            (std::numeric_limits<long>::max)(), " here: give it more memory");
            }
            if (std::fseek(f, static_cast<long>(at), SEEK_SET) != 0 ||
                std::fread(&buffer[had], 1, more, f) != more) {
                return kompakt::detail::io_failure("temporary file", "cannot read", errno);
            }
            at += more;
            return {};
        }
    };

    std::unique_ptr<kompakt::detail::file_handle> file_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs_;
    std::uint64_t end_ = 0;
};

} // namespace detail

struct count_options {
    std::size_t memory_bytes = std::size_t{1} << 30; // for counting
    std::size_t list_bytes = std::size_t{1} << 30;   // for the result
    // Longer words are cut, in bytes: what has no white space for so long is no word.
    std::size_t longest_word = std::size_t{1} << 16;
    std::size_t block_bytes = std::size_t{1} << 20;
    std::size_t longest_line = std::size_t{16} << 20;
    progress_callback progress;
};

// Counts the words that `splitter` makes of the files. A splitter is copied for each piece of work
// and called as
//
//     splitter(std::string_view line, bool continues, emit) -> bool
//
// with a line and its line feed; it calls emit(std::string_view word) for each word, and answers
// false when it has skipped the line. Fails with errc::io.
template <class Splitter, class Executor>
result<word_list> count_words(const std::vector<std::string>& paths, const Splitter& splitter,
                              Executor& executor, const count_options& options = {}) {
    constexpr std::size_t blocks = 8, shards = 8;
    // Room for a character; words are stored with 32 bits for their length.
    const std::size_t longest_word =
        (std::min)((std::max)(options.longest_word, std::size_t{4}), std::size_t{1} << 31);
    text_reader reader(paths, options.block_bytes, options.longest_line);
    std::vector<text_block> batch(blocks);
    std::vector<detail::word_table> local(blocks), shard(shards);
    std::vector<detail::word_runs> runs(shards);
    std::vector<std::uint64_t> lines(blocks, 0), skipped(blocks, 0), words(blocks, 0);

    const auto spill = [&]() -> status {
        std::vector<std::vector<std::uint32_t>> order(shards);
        executor.parallel_for(shards, [&](std::size_t s) {
            order[s].resize(shard[s].entries().size());
            std::iota(order[s].begin(), order[s].end(), 0u);
            std::sort(order[s].begin(), order[s].end(), [&](std::uint32_t a, std::uint32_t b) {
                return shard[s].view(shard[s].entries()[a]) < shard[s].view(shard[s].entries()[b]);
            });
        });
        for (std::size_t s = 0; s < shards; ++s) {
            KOMPAKT_TRY(runs[s].write(shard[s], order[s]));
            shard[s].clear();
        }
        return {};
    };

    bool more = true;
    while (more) {
        std::size_t n = 0;
        while (n < blocks && more) {
            const auto got = reader.next(batch[n]);
            if (!got) return got.error();
            more = *got;
            if (more) ++n;
        }
        executor.parallel_for(n, [&](std::size_t b) {
            Splitter split = splitter;
            detail::word_table& table = local[b];
            table.clear();
            std::string_view text = batch[b].text;
            bool continues = batch[b].continues;
            while (!text.empty()) {
                const std::size_t feed = text.find('\n');
                const std::size_t end = feed == std::string_view::npos ? text.size() : feed + 1;
                const bool used = split(text.substr(0, end), continues, [&](std::string_view word) {
                    while (word.size() > longest_word) {
                        std::size_t k = longest_word;
                        while (k > longest_word - 3 && is_continuation_byte(word[k])) --k;
                        table.add(word.substr(0, k), 1);
                        ++words[b];
                        word.remove_prefix(k);
                    }
                    table.add(word, 1);
                    ++words[b];
                });
                ++(used ? lines : skipped)[b];
                text.remove_prefix(end);
                continues = false;
            }
        });
        executor.parallel_for(shards, [&](std::size_t s) {
            for (std::size_t b = 0; b < n; ++b) {
                for (const auto& e : local[b].entries()) {
                    if (e.hash >> 29 == s) shard[s].add(local[b].view(e), e.count, e.hash);
                }
            }
        });
        std::size_t bytes = 0;
        bool full = false;
        for (const auto& t : shard) {
            bytes += t.bytes();
            full = full || t.full();
        }
        if (bytes > options.memory_bytes || full) KOMPAKT_TRY(spill());
        if (options.progress) options.progress("reading", reader.bytes_read(), 0);
    }

    word_list list;
    local.clear();
    batch.clear();
    const auto collect = [&](std::string_view word, std::uint64_t count) {
        list.add(word, count);
        // What is cut off here is not among the first in the end either.
        if (list.bytes() / 2 > options.list_bytes) list.keep(options.list_bytes);
    };
    bool spilled = false;
    for (const auto& r : runs) spilled = spilled || !r.empty();
    if (spilled) {
        KOMPAKT_TRY(spill());
        for (auto& r : runs) KOMPAKT_TRY(r.merge(collect));
    } else {
        for (auto& t : shard) {
            for (const auto& e : t.entries()) collect(t.view(e), e.count);
            t.release();
        }
    }
    list.keep(options.list_bytes);
    list.bytes_of_text = reader.bytes_read();
    list.lines = std::accumulate(lines.begin(), lines.end(), std::uint64_t{0});
    list.skipped_lines = std::accumulate(skipped.begin(), skipped.end(), std::uint64_t{0});
    list.total = std::accumulate(words.begin(), words.end(), std::uint64_t{0});
    return list;
}

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
