// The tags of the Arm NEON ports, and whether this processor can run them.
#pragma once

#include <kompakt/core/port.hpp>

// ARMv7 with NEON, or AArch64, in the usual byte order. KOMPAKT_DETAIL_NEON64: the latter.
#if (defined(__GNUC__) || defined(__clang__)) && !KOMPAKT_BIG_ENDIAN
#if defined(__aarch64__)
#define KOMPAKT_DETAIL_NEON 1
#define KOMPAKT_DETAIL_NEON64 1
#elif defined(__ARM_NEON) && defined(__ARM_ARCH) && __ARM_ARCH >= 7
#define KOMPAKT_DETAIL_NEON 1
#endif
#endif

#if defined(KOMPAKT_DETAIL_NEON)

#if defined(KOMPAKT_DETAIL_NEON64) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace neon {

struct neon : portable {
    static constexpr const char* name = "neon";
    static constexpr bool supported() noexcept { return true; } // or this would not compile
};

#if defined(KOMPAKT_DETAIL_NEON64)

// Linux says what the processor has, since its registers that do are not for programs. Elsewhere
// what the compiler was told counts. The bits are written out: old system headers lack the names.
struct dotprod : neon {
    static constexpr const char* name = "neon_dotprod";
    static bool supported() noexcept {
#if defined(__linux__)
        return ((getauxval(AT_HWCAP) >> 20) & 1) != 0;
#elif defined(__ARM_FEATURE_DOTPROD)
        return true;
#else
        return false;
#endif
    }
};

struct i8mm : dotprod {
    static constexpr const char* name = "neon_i8mm";
    static bool supported() noexcept {
#if defined(__linux__)
        return dotprod::supported() && ((getauxval(AT_HWCAP2) >> 13) & 1) != 0;
#elif defined(__ARM_FEATURE_DOTPROD) && defined(__ARM_FEATURE_MATMUL_INT8)
        return true;
#else
        return false;
#endif
    }
};

#endif

} // namespace neon
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
