// Checkpoints: everything that a training run needs to go on bit for bit, in one file.
//
//     magic "kompaktT" | version | recipe hash | words … | floats … | checksum
//
// The file is written beside its target and renamed: one that exists is whole. What does not fit
// the model and the recipe, or was cut, is refused.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/host/file.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace detail {

// FNV-1a over 64 bits: finds accidents, not forgeries.
class checksum {
  public:
    void add(bytes_view bytes) noexcept {
        for (std::byte b : bytes) {
            value_ = (value_ ^ std::to_integer<std::uint64_t>(b)) * 0x100000001b3u;
        }
    }
    void add(std::uint64_t x) noexcept {
        for (int i = 0; i < 8; ++i) value_ = (value_ ^ (x >> (8 * i) & 255)) * 0x100000001b3u;
    }
    void add(float x) noexcept {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        add(std::uint64_t{bits});
    }
    void add(const std::string& s) noexcept {
        for (char c : s) add(std::uint64_t{static_cast<unsigned char>(c)});
        add(std::uint64_t{s.size()});
    }
    std::uint64_t value() const noexcept { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

inline constexpr char checkpoint_magic[] = "kompaktT";
inline constexpr std::uint32_t checkpoint_version = 1;

class checkpoint_writer {
  public:
    explicit checkpoint_writer(std::uint64_t recipe) {
        for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(checkpoint_magic[i]));
        word(checkpoint_version);
        word(recipe);
    }
    void word(std::uint64_t x) {
        for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(x >> (8 * i) & 255));
    }
    void real(double x) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &x, sizeof bits);
        word(bits);
    }
    void floats(span<const float> all) {
        word(all.size());
        const std::size_t at = bytes_.size();
        bytes_.resize(at + all.size() * sizeof(float));
        for (std::size_t i = 0; i < all.size(); ++i) {
            store_le(bytes_.data() + at + i * sizeof(float), all[i]);
        }
    }
    status write(const std::string& path) {
        checksum c;
        c.add(bytes_view(bytes_.data(), bytes_.size()));
        word(c.value());
        write_file_options options;
        options.sync = true; // what survives a crash of the machine, too
        return write_file_atomic(path, bytes_view(bytes_.data(), bytes_.size()), options);
    }

  private:
    std::vector<std::byte> bytes_;
};

// Reads fail by count: every length is known to the reader beforehand.
class checkpoint_reader {
  public:
    static result<checkpoint_reader> open(const std::string& path, std::uint64_t recipe) {
        auto bytes = read_file(path, std::uint64_t{1} << 36);
        if (!bytes.ok()) return bytes.error();
        checkpoint_reader r;
        r.bytes_ = std::move(*bytes);
        r.path_ = path;
        if (r.bytes_.size() < 32 || std::memcmp(r.bytes_.data(), checkpoint_magic, 8) != 0) {
            return r.bad("is no checkpoint of kompakt");
        }
        r.end_ = r.bytes_.size() - 8;
        checksum c;
        c.add(bytes_view(r.bytes_.data(), r.end_));
        r.at_ = r.end_;
        r.end_ += 8;
        const std::uint64_t stored = r.word();
        r.end_ -= 8;
        r.at_ = 8;
        if (stored != c.value()) return r.bad("is damaged or cut: its checksum is wrong");
        const std::uint64_t version = r.word();
        if (version != checkpoint_version) {
            return r.bad("has version ", version, ", needed ", checkpoint_version);
        }
        if (r.word() != recipe) {
            return r.bad("belongs to another model or recipe");
        }
        return r;
    }
    std::uint64_t word() noexcept {
        if (end_ - at_ < 8) {
            short_ = true;
            return 0;
        }
        std::uint64_t x = 0;
        for (int i = 0; i < 8; ++i) {
            x |= std::to_integer<std::uint64_t>(bytes_[at_ + static_cast<std::size_t>(i)])
                 << (8 * i);
        }
        at_ += 8;
        return x;
    }
    double real() noexcept {
        const std::uint64_t bits = word();
        double x = 0;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
    void floats(span<float> all) noexcept {
        if (word() != all.size() || (end_ - at_) / sizeof(float) < all.size()) {
            short_ = true;
            return;
        }
        for (float& x : all) {
            x = load_le<float>(bytes_.data() + at_);
            at_ += sizeof(float);
        }
    }
    std::size_t left() const noexcept { return short_ ? 0 : end_ - at_; }
    // Whether everything was there and nothing is left.
    status finish() const {
        if (!short_ && at_ == end_) return {};
        return bad("does not have the contents of a checkpoint of this model");
    }
    template <class... Parts>
    status bad(const Parts&... parts) const {
        return fail(errc::bad_file, shown_path(path_), ": ", parts...);
    }

  private:
    std::vector<std::byte> bytes_;
    std::string path_;
    std::size_t at_ = 0, end_ = 0;
    bool short_ = false;
};

} // namespace detail
} // namespace KOMPAKT_ABI
} // namespace kompakt
