// Unpacks .gz test data (RFC 1951, 1952). Dull on purpose: bit by bit, no checks of the checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt_test {

class gunzip {
  public:
    // Empty when the bytes are no gzip file.
    static std::string unpack(std::string_view in) {
        gunzip g(in);
        return g.run() ? std::move(g.out_) : std::string();
    }

  private:
    explicit gunzip(std::string_view in) : in_(in) {}

    struct codes {
        std::uint16_t count[16] = {};
        std::vector<std::uint16_t> symbol;
        explicit codes(const std::vector<std::uint8_t>& lengths) : symbol(lengths.size()) {
            for (const std::uint8_t n : lengths) ++count[n];
            count[0] = 0;
            std::uint16_t at[16] = {};
            for (int n = 1; n < 15; ++n) at[n + 1] = static_cast<std::uint16_t>(at[n] + count[n]);
            for (std::size_t s = 0; s < lengths.size(); ++s) {
                if (lengths[s] != 0) symbol[at[lengths[s]]++] = static_cast<std::uint16_t>(s);
            }
        }
    };

    unsigned bits(int n) {
        unsigned v = 0;
        for (int i = 0; i < n; ++i) {
            if (at_ >= in_.size()) {
                bad_ = true;
                return 0;
            }
            v |= (static_cast<unsigned char>(in_[at_]) >> bit_ & 1u) << i;
            if (++bit_ == 8) {
                bit_ = 0;
                ++at_;
            }
        }
        return v;
    }
    int symbol(const codes& c) {
        int code = 0, first = 0, index = 0;
        for (int n = 1; n < 16 && !bad_; ++n) {
            code |= static_cast<int>(bits(1));
            const int count = c.count[n];
            if (code - count < first)
                return c.symbol[static_cast<std::size_t>(index + code - first)];
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        bad_ = true;
        return 0;
    }
    void block(const codes& literals, const codes& distances) {
        static constexpr std::uint16_t base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                 15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                 67, 83, 99, 115, 131, 163, 195, 227, 258};
        static constexpr std::uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
        static constexpr std::uint16_t far[] = {
            1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
            193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
        while (!bad_) {
            const int s = symbol(literals);
            if (s < 256) {
                out_ += static_cast<char>(s);
            } else if (s == 256 || s > 285) {
                return;
            } else {
                const std::size_t n = base[s - 257] + bits(extra[s - 257]);
                const int d = symbol(distances);
                if (d > 29) {
                    bad_ = true;
                    return;
                }
                const std::size_t back = far[d] + bits(d < 4 ? 0 : d / 2 - 1);
                if (back > out_.size()) {
                    bad_ = true;
                    return;
                }
                for (std::size_t i = 0; i < n; ++i) out_ += out_[out_.size() - back];
            }
        }
    }
    bool run() {
        if (in_.size() < 18 || static_cast<unsigned char>(in_[0]) != 0x1f ||
            static_cast<unsigned char>(in_[1]) != 0x8b)
            return false;
        const unsigned flags = static_cast<unsigned char>(in_[3]);
        at_ = 10;
        if ((flags & 4) != 0)
            at_ += 2u + static_cast<unsigned char>(in_[10]) +
                   256u * static_cast<unsigned char>(in_[11]);
        for (unsigned f = 8; f <= 16; f *= 2) {
            if ((flags & f) == 0) continue;
            while (at_ < in_.size() && in_[at_] != '\0') ++at_;
            ++at_;
        }
        if ((flags & 2) != 0) at_ += 2;
        for (bool last = false; !last && !bad_;) {
            last = bits(1) != 0;
            const unsigned kind = bits(2);
            if (kind == 0) {
                if (bit_ != 0) {
                    bit_ = 0;
                    ++at_;
                }
                const unsigned n = bits(16);
                bits(16);
                if (in_.size() - at_ < n) return false;
                out_ += in_.substr(at_, n);
                at_ += n;
            } else if (kind == 1) {
                std::vector<std::uint8_t> l(288, 8);
                for (std::size_t i = 144; i < 256; ++i) l[i] = 9;
                for (std::size_t i = 256; i < 280; ++i) l[i] = 7;
                block(codes(l), codes(std::vector<std::uint8_t>(30, 5)));
            } else if (kind == 2) {
                const unsigned literals = bits(5) + 257, distances = bits(5) + 1, n = bits(4) + 4;
                static constexpr std::uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
                std::vector<std::uint8_t> l(19, 0), all;
                for (unsigned i = 0; i < n; ++i) l[order[i]] = static_cast<std::uint8_t>(bits(3));
                const codes lengths(l);
                while (all.size() < literals + distances && !bad_) {
                    const int s = symbol(lengths);
                    if (s < 16) {
                        all.push_back(static_cast<std::uint8_t>(s));
                        continue;
                    }
                    const std::uint8_t what =
                        s == 16 && !all.empty() ? all.back() : std::uint8_t{0};
                    const unsigned times = s == 16   ? 3 + bits(2)
                                           : s == 17 ? 3 + bits(3)
                                                     : 11 + bits(7);
                    all.insert(all.end(), times, what);
                }
                if (bad_ || all.size() < literals + distances) return false;
                const auto at = all.begin() + static_cast<std::ptrdiff_t>(literals);
                block(codes({all.begin(), at}), codes({at, all.end()}));
            } else {
                return false;
            }
        }
        return !bad_;
    }

    std::string_view in_;
    std::size_t at_ = 0;
    int bit_ = 0;
    bool bad_ = false;
    std::string out_;
};

// SHA-256 of a text, in hexadecimal (FIPS 180-4).
inline std::string sha256(std::string_view text) {
    static constexpr std::uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    std::uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::string m(text);
    m += '\x80';
    while (m.size() % 64 != 56) m += '\0';
    for (int i = 7; i >= 0; --i)
        m += static_cast<char>(static_cast<std::uint64_t>(text.size()) * 8 >> 8 * i & 0xff);
    const auto turn = [](std::uint32_t x, int n) { return x >> n | x << (32 - n); };
    for (std::size_t at = 0; at < m.size(); at += 64) {
        std::uint32_t w[64];
        for (std::size_t i = 0; i < 16; ++i) {
            w[i] = 0;
            for (std::size_t j = 0; j < 4; ++j)
                w[i] = w[i] << 8 | static_cast<unsigned char>(m[at + 4 * i + j]);
        }
        for (std::size_t i = 16; i < 64; ++i) {
            const std::uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
            const std::uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
            w[i] = w[i - 16] + a + w[i - 7] + b;
        }
        std::uint32_t v[8];
        for (int i = 0; i < 8; ++i) v[i] = h[i];
        for (int i = 0; i < 64; ++i) {
            const std::uint32_t t1 = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                                     ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
            const std::uint32_t t2 = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                                     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            for (int j = 7; j > 0; --j) v[j] = v[j - 1];
            v[4] += t1;
            v[0] = t1 + t2;
        }
        for (int i = 0; i < 8; ++i) h[i] += v[i];
    }
    std::string hex;
    for (const std::uint32_t x : h) {
        for (int i = 28; i >= 0; i -= 4) hex += "0123456789abcdef"[x >> i & 15];
    }
    return hex;
}

} // namespace kompakt_test
