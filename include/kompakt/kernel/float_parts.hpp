// A float32 as an integer times a power of two, for what must be exact without double.
#pragma once

#include <kompakt/core/config.hpp>

#include <cstring>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// |x| = mantissa * 2^exponent for finite x; mantissa below 2^24, exponent from -149 on.
struct float_parts {
    std::uint32_t mantissa;
    std::int32_t exponent;
    bool negative;

    static float_parts of(float x) noexcept {
        std::uint32_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        const std::uint32_t field = bits >> 23 & 0xff, low = bits & 0x7fffff;
        // Field 0 is for numbers below the normal range: no hidden bit, the exponent of field 1.
        return {field != 0 ? low | 0x800000 : low,
                static_cast<std::int32_t>(field != 0 ? field : 1) - 150, bits >> 31 != 0};
    }
    // Exact for a mantissa below 2^24 and an exponent from -149 to 104.
    float value() const noexcept {
        std::uint32_t m = mantissa;
        std::int32_t e = exponent;
        while (m != 0 && m < 0x800000 && e > -149) m <<= 1, --e;
        std::uint32_t bits = m;
        if (m >= 0x800000) bits = (m & 0x7fffff) | static_cast<std::uint32_t>(e + 150) << 23;
        if (negative) bits |= std::uint32_t{1} << 31;
        float x;
        std::memcpy(&x, &bits, sizeof x);
        return x;
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
