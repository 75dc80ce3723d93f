// Every macro that a user may set, with its default, and the name of the inline ABI namespace.
//
// Set them in a file `kompakt_config.hpp` on the include path, or on the command line.
//
//   KOMPAKT_ASSERT(condition, text)  what misuse of the API does; `assert` in debug builds of hosted
//                                    programs, nothing elsewhere
//   KOMPAKT_MESSAGES     1 | 0       0 strips all message text from `status`; codes stay
//   KOMPAKT_MESSAGE_BYTES            room for one message in a `status`
//   KOMPAKT_PORT                     the port that code without a run-time choice uses: portable, or
//                                    the name of another port of the processor (avx2)
//   KOMPAKT_HOSTED       1 | 0       whether the host rooms may be included
//   KOMPAKT_COMPILED     0 | 1       1: kernels and large functions are linked, not compiled in each
//                                    file (CMake's target kompakt::compiled sets it)
#pragma once

#if defined(__has_include)
#if __has_include(<kompakt_config.hpp>)
#include <kompakt_config.hpp>
#endif
#endif

#include <cstddef>
#include <cstdint>

#define KOMPAKT_VERSION_MAJOR 0
#define KOMPAKT_VERSION_MINOR 1
#define KOMPAKT_VERSION_PATCH 0

#if !defined(KOMPAKT_MESSAGES)
#define KOMPAKT_MESSAGES 1
#endif

#if !defined(KOMPAKT_MESSAGE_BYTES)
#define KOMPAKT_MESSAGE_BYTES 240
#endif

// Bare-metal tool chains call themselves hosted too, so the operating system decides.
#if !defined(KOMPAKT_HOSTED)
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define KOMPAKT_HOSTED 1
#else
#define KOMPAKT_HOSTED 0
#endif
#endif

#if !defined(KOMPAKT_COMPILED)
#define KOMPAKT_COMPILED 0
#endif
// Large functions are declared only where CMake's kompakt::compiled is linked, whose sources say
// KOMPAKT_DEFINITIONS, and inline elsewhere.
#if !KOMPAKT_COMPILED
#define KOMPAKT_ONCE inline
#define KOMPAKT_DEFINITIONS
#else
#define KOMPAKT_ONCE
#endif

#if !defined(KOMPAKT_PORT)
#define KOMPAKT_PORT portable
#endif

#if !defined(KOMPAKT_ASSERT)
#if KOMPAKT_HOSTED && !defined(NDEBUG)
#include <cassert>
#define KOMPAKT_ASSERT(condition, text) assert((condition) && (text))
#else
#define KOMPAKT_ASSERT(condition, text) static_cast<void>(0)
#endif
#endif

// Two files that disagree on a macro that changes layout or meaning must not link with each other:
// such macros are part of the name of an inline namespace around everything. KOMPAKT_COMPILED and
// KOMPAKT_HOSTED change neither, only where code comes from and what else may be included.
#define KOMPAKT_DETAIL_ABI_NAME(port, messages, bytes) v0_##port##_m##messages##_##bytes
#define KOMPAKT_DETAIL_ABI(port, messages, bytes) KOMPAKT_DETAIL_ABI_NAME(port, messages, bytes)
#define KOMPAKT_ABI KOMPAKT_DETAIL_ABI(KOMPAKT_PORT, KOMPAKT_MESSAGES, KOMPAKT_MESSAGE_BYTES)

#if defined(__GNUC__) || defined(__clang__)
#define KOMPAKT_ALWAYS_INLINE inline __attribute__((always_inline))
#define KOMPAKT_NOINLINE __attribute__((noinline))
// After a lambda's parameters.
#define KOMPAKT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define KOMPAKT_ALWAYS_INLINE inline
#define KOMPAKT_NOINLINE
#define KOMPAKT_INLINE_LAMBDA
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define KOMPAKT_BIG_ENDIAN 1
#else
#define KOMPAKT_BIG_ENDIAN 0
#endif

static_assert(sizeof(float) == 4, "kompakt needs IEEE single precision");

namespace kompakt {
inline namespace KOMPAKT_ABI {

// All buffers that a caller hands over (arena, packed weights) and all tensors in them start at a
// multiple of this. It is enough for every port's widest aligned access.
inline constexpr std::size_t buffer_alignment = 16;

} // namespace KOMPAKT_ABI
} // namespace kompakt
