// Philox4x32-10: counter-based random numbers, so that a value depends only on (seed, stream, step,
// element) and never on the order in which threads ask for it.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <kompakt/core/config.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct philox_block {
    std::uint32_t word[4];
};

// Ten rounds on a 128-bit counter under a 64-bit key.
constexpr philox_block philox4x32(philox_block counter, std::uint32_t key0,
                                  std::uint32_t key1) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter.word[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter.word[2];
        counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key0,
                    static_cast<std::uint32_t>(b),
                    static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key1,
                    static_cast<std::uint32_t>(a)}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

// Random numbers keyed by (seed, stream), counted by (step, element).
class philox {
  public:
    constexpr philox(std::uint32_t seed, std::uint32_t stream) noexcept
        : seed_(seed), stream_(stream) {}

    constexpr philox_block block(std::uint64_t step, std::uint64_t element) const noexcept {
        return philox4x32(
            {{static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32),
              static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)}},
            seed_, stream_);
    }
    constexpr std::uint32_t bits(std::uint64_t step, std::uint64_t element) const noexcept {
        return block(step, element / 4).word[element % 4];
    }
    // In [0, 1), a multiple of 2^-24.
    constexpr float uniform(std::uint64_t step, std::uint64_t element) const noexcept {
        return static_cast<float>(bits(step, element) >> 8) * (1.0f / 16777216.0f);
    }
    // In [0, n), n > 0; the bias is below n / 2^32.
    constexpr std::uint32_t below(std::uint32_t n, std::uint64_t step,
                                  std::uint64_t element) const noexcept {
        return static_cast<std::uint32_t>((std::uint64_t{bits(step, element)} * n) >> 32);
    }

  private:
    std::uint32_t seed_, stream_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
