// The text that a tokenizer is trained on: files read in blocks of whole lines, so that memory
// does not depend on their size.
#pragma once

#include <kompakt/core/utf8.hpp>
#include <kompakt/host/file.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token_train {

// Some lines of a file, each with its line feed (the last of a file may have none).
struct text_block {
    std::string text;
    bool continues = false; // the first line is the rest of one that was too long for a block
};

// Gives the files' text one block after another. Blocks depend on the files alone, so whatever is
// summed over them is the same for every number of threads.
class text_reader {
  public:
    // A block ends with the last line that fits `block_bytes`. A line longer than that gets a
    // longer block, up to `longest_line`; beyond it the line is cut, behind white space if there is
    // some, else between characters.
    explicit text_reader(std::vector<std::string> paths,
                         std::size_t block_bytes = std::size_t{1} << 20,
                         std::size_t longest_line = std::size_t{16} << 20)
        : paths_(std::move(paths)), block_bytes_(block_bytes),
          longest_line_((std::max)(longest_line, block_bytes)) {}

    // False at the end of the last file. Fails with errc::io, naming the file.
    result<bool> next(text_block& block) {
        block.text.clear();
        block.continues = inside_line_;
        inside_line_ = false;
        std::swap(block.text, rest_);
        // Where line feeds have not been looked for.
        std::size_t searched = 0;
        std::size_t goal = block_bytes_;
        for (;;) {
            if (file_ == nullptr) {
                if (!block.text.empty()) return true; // the rest of a file
                if (at_ == paths_.size()) return false;
                KOMPAKT_TRY(open());
                block.continues = false;
            }
            const std::size_t had = block.text.size();
            if (had < goal) {
                block.text.resize(goal);
                errno = 0;
                const std::size_t n = std::fread(&block.text[had], 1, goal - had, file_->get());
                if (std::ferror(file_->get()) != 0) {
                    return kompakt::detail::io_failure(paths_[at_ - 1], "cannot read", errno);
                }
                block.text.resize(had + n);
                bytes_ += n;
                if (had + n < goal) { // the end of the file
                    file_.reset();
                    continue;
                }
            }
            const std::size_t end = std::string_view(block.text).substr(searched).rfind('\n');
            if (end != std::string_view::npos) {
                cut(block, searched + end + 1);
                return true;
            }
            if (block.text.size() >= longest_line_) {
                cut(block, place_to_cut(block.text));
                inside_line_ = true;
                return true;
            }
            searched = block.text.size();
            goal = (std::min)(2 * block.text.size(), longest_line_);
        }
    }

    std::uint64_t bytes_read() const noexcept { return bytes_; }

  private:
    status open() {
        const std::string& path = paths_[at_++];
        errno = 0;
        file_ = std::make_unique<kompakt::detail::file_handle>(std::fopen(path.c_str(), "rb"));
        if (file_->get() == nullptr) return kompakt::detail::io_failure(path, "cannot open", errno);
        return {};
    }
    void cut(text_block& block, std::size_t end) {
        rest_.assign(block.text, end, std::string::npos);
        block.text.resize(end);
    }
    static std::size_t place_to_cut(const std::string& text) {
        // A word that goes on for a tenth of the text is no word.
        const std::size_t least = text.size() - text.size() / 10;
        for (std::size_t i = text.size(); i > least; --i) {
            const char c = text[i - 1];
            if (c == ' ' || c == '\t' || c == '\r') return i;
        }
        std::size_t i = text.size();
        for (int k = 0; k < 3 && is_continuation_byte(text[i - 1]); ++k) --i;
        // `i` is behind a lead byte or ASCII.
        return i > 1 && static_cast<unsigned char>(text[i - 1]) >= 0xc0 ? i - 1 : text.size();
    }

    std::vector<std::string> paths_;
    std::size_t block_bytes_, longest_line_, at_ = 0;
    std::unique_ptr<kompakt::detail::file_handle> file_;
    std::string rest_;
    bool inside_line_ = false;
    std::uint64_t bytes_ = 0;
};

} // namespace token_train
} // namespace KOMPAKT_ABI
} // namespace kompakt
