// The tags of the Cortex-M ports.
//
// Their kernels are also written in plain C++, with the same results: every compiler can use them,
// so that the host plans and packs for a microcontroller, and tests see every line.
#pragma once

#include <kompakt/core/port.hpp>

// 1: a Cortex-M, whichever.
#if defined(__ARM_ARCH_PROFILE) && defined(__thumb__) && (defined(__GNUC__) || defined(__clang__))
#if __ARM_ARCH_PROFILE == 'M'
#define KOMPAKT_DETAIL_CORTEX_M_ANY 1
#endif
#endif
#if !defined(KOMPAKT_DETAIL_CORTEX_M_ANY)
#define KOMPAKT_DETAIL_CORTEX_M_ANY 0
#endif

// 1: the compiler may use the DSP extension of a Cortex-M (M4, M7, M33, M55, M85).
#if KOMPAKT_DETAIL_CORTEX_M_ANY && defined(__ARM_FEATURE_DSP) && defined(__thumb2__)
#define KOMPAKT_DETAIL_CORTEX_M_DSP 1
#else
#define KOMPAKT_DETAIL_CORTEX_M_DSP 0
#endif

// 1: the compiler may use the vector extension (Helium) of a Cortex-M55 or M85.
#if KOMPAKT_DETAIL_CORTEX_M_DSP && defined(__ARM_FEATURE_MVE)
#define KOMPAKT_DETAIL_CORTEX_M_MVE 1
#else
#define KOMPAKT_DETAIL_CORTEX_M_MVE 0
#endif

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace cortex_m {

// For ARMv6-M (Cortex-M0, M0+, M1): no long multiplication, eight registers that count. Every
// Cortex-M runs it.
struct v6m : portable {
    static constexpr const char* name = "cortex_m_v6m";
    static constexpr bool supported() noexcept { return KOMPAKT_DETAIL_CORTEX_M_ANY != 0; }
};

struct dsp : portable {
    static constexpr const char* name = "cortex_m_dsp";
    // Whether its own instructions are used; elsewhere it runs as plain C++.
    static constexpr bool supported() noexcept { return KOMPAKT_DETAIL_CORTEX_M_DSP != 0; }
};

// Every core with the vector extension has the DSP extension too: what has no vector kernel falls
// back to that one.
struct mve : dsp {
    static constexpr const char* name = "cortex_m_mve";
    static constexpr bool supported() noexcept { return KOMPAKT_DETAIL_CORTEX_M_MVE != 0; }
};

} // namespace cortex_m
} // namespace KOMPAKT_ABI
} // namespace kompakt
