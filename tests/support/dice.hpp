// Random numbers that are the same everywhere (splitmix64), and text of them.
#pragma once

#include <kompakt/core/utf8.hpp>

#include <cstdint>
#include <string>

class dice {
  public:
    explicit dice(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
    bool one_in(unsigned n) { return below(n) == 0; }

  private:
    std::uint64_t state_;
};

inline std::string to_utf8(const std::u32string& text) {
    std::string out;
    for (const char32_t c : text) {
        char bytes[4];
        out.append(bytes, kompakt::encode_utf8(c, bytes));
    }
    return out;
}
