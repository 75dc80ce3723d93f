// Whole files: read with a limit, written whole or not at all. And whether a stream is a terminal.
//
// Failures are errc::io (or errc::limit) and say the path, what was tried, and the system's reason.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/host/aligned_buffer.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#define KOMPAKT_DETAIL_POSIX 1
#else
#define KOMPAKT_DETAIL_POSIX 0
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Enough for every model and data set that fits the formats here.
inline constexpr std::uint64_t default_file_limit = std::uint64_t{4} << 30;

namespace detail {

// A path as messages show it: a long one by its end, so that the reason still fits behind it.
inline std::string shown_path(const std::string& path) {
    return path.size() <= 120 ? path : "..." + path.substr(path.size() - 117);
}

inline status io_failure(const std::string& path, const char* what, int error) {
    return fail(errc::io, shown_path(path), ": ", what, ": ",
                error != 0 ? std::strerror(error) : "unknown reason");
}

class file_handle {
  public:
    explicit file_handle(std::FILE* f) noexcept : file_(f) {}
    file_handle(const file_handle&) = delete;
    file_handle& operator=(const file_handle&) = delete;
    ~file_handle() {
        if (file_ != nullptr) std::fclose(file_);
    }
    std::FILE* get() const noexcept { return file_; }
    // Whether everything reached the system.
    bool close() noexcept {
        std::FILE* f = file_;
        file_ = nullptr;
        return std::fclose(f) == 0;
    }

  private:
    std::FILE* file_;
};

inline status no_memory(const std::string& path, std::uint64_t bytes) {
    return fail(errc::limit, shown_path(path), ": not enough memory for ", bytes, " bytes");
}

// Gives `resize(n)` room for more and reads into `data()`, so that any kind of buffer can be
// filled, from pipes too, whose size nobody knows before.
template <class Grow>
status read_all(const std::string& path, std::uint64_t limit, Grow&& grow) {
    limit = (std::min)(limit, std::uint64_t{SIZE_MAX / 2}); // what memory can hold at all
    errno = 0;
    file_handle f(std::fopen(path.c_str(), "rb"));
    if (f.get() == nullptr) return io_failure(path, "cannot open", errno);
    std::uint64_t expected = 0;
#if KOMPAKT_DETAIL_POSIX
    struct stat info;
    if (::fstat(::fileno(f.get()), &info) == 0) {
        if (S_ISDIR(info.st_mode)) return io_failure(path, "cannot read", EISDIR);
        // A terminal is a device whose input ends, /dev/null another; /dev/zero is none of those.
        if (S_ISCHR(info.st_mode)) limit = (std::min)(limit, std::uint64_t{1} << 20);
        if (S_ISREG(info.st_mode)) expected = static_cast<std::uint64_t>(info.st_size);
    }
#endif
    if (expected > limit) {
        return fail(errc::limit, shown_path(path), ": has ", expected, " bytes, the limit is ",
                    limit);
    }
    std::uint64_t size = 0, room = (std::max)(expected, std::uint64_t{1} << 16);
    for (;;) {
        // One byte beyond the limit is asked for, to tell a file that ends there from a longer one.
        room = (std::min)(room, limit + 1);
        std::byte* data = grow(static_cast<std::size_t>(room));
        if (data == nullptr) return no_memory(path, room);
        errno = 0;
        size += std::fread(data + size, 1, static_cast<std::size_t>(room - size), f.get());
        if (std::ferror(f.get()) != 0) return io_failure(path, "cannot read", errno);
        if (size > limit) {
            return fail(errc::limit, shown_path(path), ": has more than the limit of ", limit,
                        " bytes");
        }
        if (size < room) break;
        if (size == expected && std::feof(f.get()) == 0) {
            const int next = std::fgetc(f.get());
            if (next == EOF) break;
            std::ungetc(next, f.get());
        }
        room = size + (std::max)(size / 2, std::uint64_t{1} << 16);
    }
    if (grow(static_cast<std::size_t>(size)) == nullptr && size != 0) return no_memory(path, size);
    return {};
}

} // namespace detail

inline result<std::vector<std::byte>> read_file(const std::string& path,
                                                std::uint64_t limit = default_file_limit) {
    std::vector<std::byte> bytes;
    KOMPAKT_TRY(detail::read_all(path, limit, [&](std::size_t n) {
        bytes.resize(n);
        return bytes.data();
    }));
    return bytes;
}

// The same at an address that executables need.
inline result<aligned_buffer> read_file_aligned(const std::string& path,
                                                std::uint64_t limit = default_file_limit) {
    aligned_buffer buffer;
    KOMPAKT_TRY(detail::read_all(path, limit, [&](std::size_t n) {
        if (n != buffer.size()) {
            aligned_buffer other(n);
            if (other.size() != n) return static_cast<std::byte*>(nullptr);
            const std::size_t kept = (std::min)(n, buffer.size());
            if (kept != 0) std::memcpy(other.data(), buffer.data(), kept);
            buffer = std::move(other);
        }
        return buffer.data();
    }));
    return buffer;
}

struct file_to_write {
    std::string path;
    bytes_view bytes;
};

struct write_file_options {
    bool sync = false; // wait until the disk has the data
};

namespace detail {

// One file on its way: written beside its target under another name, and renamed by `commit`.
// Dropped without `commit`, it leaves nothing behind.
class staged_file {
  public:
    staged_file() = default;
    staged_file(staged_file&& other) noexcept
        : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)) {
        other.temporary_.clear();
    }
    staged_file& operator=(staged_file&&) = delete;
    ~staged_file() {
        if (!temporary_.empty()) std::remove(temporary_.c_str());
    }

    status write(const file_to_write& what, const write_file_options& options) {
        path_ = what.path;
        unsigned mode = 0;
#if KOMPAKT_DETAIL_POSIX
        struct stat info;
        if (::stat(path_.c_str(), &info) == 0) {
            if (S_ISDIR(info.st_mode)) return io_failure(path_, "cannot write", EISDIR);
            // A device or a pipe is no file that could be replaced.
            if (!S_ISREG(info.st_mode)) return put(path_, "wb", what, options, mode);
            // Renaming asks the folder only; a file that its owner protected stays.
            if (::access(path_.c_str(), W_OK) != 0) return io_failure(path_, "cannot write", errno);
            mode = static_cast<unsigned>(info.st_mode & 07777);
        }
        // A symbolic link stays one: what it points to is replaced, or comes to be.
        for (int links = 0;; ++links) {
            if (links == 40) return io_failure(path_, "cannot write", ELOOP);
            char target[4096];
            const ssize_t n = ::readlink(path_.c_str(), target, sizeof target);
            if (n <= 0 || n == static_cast<ssize_t>(sizeof target)) break;
            const std::string to(target, static_cast<std::size_t>(n));
            const std::size_t slash = path_.find_last_of('/');
            const bool beside = to[0] != '/' && slash != std::string::npos;
            path_ = beside ? path_.substr(0, slash + 1) + to : to;
        }
#endif
        static std::atomic<unsigned> counter{0};
        for (int attempt = 0; attempt < 100; ++attempt) {
            std::string name =
                path_ + ".tmp" + process_id() + "-" + std::to_string(counter.fetch_add(1));
            // "x" fails if the file exists: never another's.
            const status s = put(name, "wbx", what, options, mode);
            if (s.ok() || opened_) {
                if (!s.ok()) {
                    std::remove(name.c_str());
                    return s;
                }
                temporary_ = std::move(name);
                return {};
            }
            if (last_error_ != EEXIST) return s;
        }
        return fail(errc::io, shown_path(path_), ": no free name for a temporary file beside it");
    }

    status commit() {
        if (temporary_.empty()) return {};
#if defined(_WIN32)
        std::remove(path_.c_str()); // rename does not replace there
#endif
        errno = 0;
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            return io_failure(path_, "cannot replace", errno);
        }
        temporary_.clear();
        return {};
    }

  private:
    static std::string process_id() {
#if KOMPAKT_DETAIL_POSIX
        return std::to_string(::getpid());
#else
        return "";
#endif
    }
    status put(const std::string& name, const char* how, const file_to_write& what,
               const write_file_options& options, unsigned mode) {
        errno = 0;
        opened_ = false;
        file_handle f(std::fopen(name.c_str(), how));
        last_error_ = errno;
        if (f.get() == nullptr) return io_failure(path_, "cannot create", last_error_);
        opened_ = true;
        errno = 0;
        const std::size_t n =
            what.bytes.empty() ? 0 : std::fwrite(what.bytes.data(), 1, what.bytes.size(), f.get());
        bool good = n == what.bytes.size() && std::fflush(f.get()) == 0;
#if KOMPAKT_DETAIL_POSIX
        if (good && mode != 0) good = ::fchmod(::fileno(f.get()), static_cast<mode_t>(mode)) == 0;
        if (good && options.sync) good = ::fsync(::fileno(f.get())) == 0;
#else
        static_cast<void>(options), static_cast<void>(mode);
#endif
        const int error = errno;
        if (!good) return io_failure(path_, "cannot write", error);
        if (!f.close()) return io_failure(path_, "cannot write", errno);
        return {};
    }

    std::string path_, temporary_;
    bool opened_ = false;
    int last_error_ = 0;
};

} // namespace detail

// Several files that belong together: none is replaced before all are written.
inline status write_files_atomic(span<const file_to_write> files,
                                 const write_file_options& options = {}) {
    std::vector<detail::staged_file> staged;
    staged.reserve(files.size());
    for (const file_to_write& f : files) {
        staged.emplace_back();
        KOMPAKT_TRY(staged.back().write(f, options));
    }
    for (detail::staged_file& f : staged) KOMPAKT_TRY(f.commit());
    return {};
}

// The file is the old one or the new one at every moment, and after a failure the old one.
inline status write_file_atomic(const std::string& path, bytes_view bytes,
                                const write_file_options& options = {}) {
    const file_to_write one{path, bytes};
    return write_files_atomic({&one, 1}, options);
}
inline status write_file_atomic(const std::string& path, std::string_view text,
                                const write_file_options& options = {}) {
    return write_file_atomic(path, as_bytes(span<const char>(text.data(), text.size())), options);
}

inline bool is_terminal(std::FILE* stream) noexcept {
#if KOMPAKT_DETAIL_POSIX
    return ::isatty(::fileno(stream)) != 0;
#else
    static_cast<void>(stream);
    return false;
#endif
}

} // namespace KOMPAKT_ABI
} // namespace kompakt

#undef KOMPAKT_DETAIL_POSIX
