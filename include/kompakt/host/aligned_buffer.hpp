// Bytes on the heap at a multiple of 16, for arenas and executables on hosts.
#pragma once

#include <kompakt/core/config.hpp>
#include <kompakt/core/span.hpp>

#include <memory>
#include <new>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class aligned_buffer {
  public:
    aligned_buffer() = default;
    // Zeros. Without enough memory the buffer is empty, and what takes it says that it is too
    // small.
    explicit aligned_buffer(std::size_t size)
        : blocks_(size != 0 ? new (std::nothrow) block[(size + sizeof(block) - 1) / sizeof(block)]()
                            : nullptr) {
        size_ = blocks_ ? size : 0;
    }

    std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(blocks_.get()); }
    std::size_t size() const noexcept { return size_; }

  private:
    struct alignas(buffer_alignment) block {
        std::byte bytes[buffer_alignment];
    };
    std::size_t size_ = 0;
    std::unique_ptr<block[]> blocks_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
