// The tags of the x86 ports, and whether this processor and its operating system can run them.
#pragma once

#include <kompakt/core/port.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

#include <cpuid.h>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace x86 {

namespace detail {

struct cpuid_words {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};
// Zeros for a leaf that the processor does not have.
inline cpuid_words cpuid(std::uint32_t leaf) noexcept {
    cpuid_words r;
    if (__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0) r = {};
    return r;
}

// Whether the operating system saves the upper halves of the YMM registers when it changes
// threads: a processor with AVX2 under a system that does not must not use them. XGETBV
// itself exists only if the system says so (OSXSAVE); written as assembler since its
// intrinsic needs a target attribute.
inline bool system_saves_ymm(const cpuid_words& leaf1) noexcept {
    if (((leaf1.ecx >> 27) & 1) == 0) return false;
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}

} // namespace detail

// `supported` asks the processor each time, a matter of a microsecond: nothing is remembered, so
// there is nothing to initialize and nothing that threads could race for. Sessions ask once.
struct sse41 : portable {
    static constexpr const char* name = "sse41";
    static bool supported() noexcept { return ((detail::cpuid(1).ecx >> 19) & 1) != 0; }
};

// With FMA, which only AVX2 processors of VIA lack.
struct avx2 : sse41 {
    static constexpr const char* name = "avx2";
    static bool supported() noexcept {
        const detail::cpuid_words leaf1 = detail::cpuid(1);
        return sse41::supported() && detail::system_saves_ymm(leaf1) &&
               ((leaf1.ecx >> 28) & 1) != 0 && ((leaf1.ecx >> 12) & 1) != 0 &&
               ((detail::cpuid(7).ebx >> 5) & 1) != 0;
    }
};

} // namespace x86
} // namespace KOMPAKT_ABI
} // namespace kompakt

#endif
