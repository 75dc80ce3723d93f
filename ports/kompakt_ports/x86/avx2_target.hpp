// What the headers of the AVX2 port share: the target attribute.
#pragma once

#include <kompakt_ports/x86/tags.hpp>

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

// Only functions that carry one of these use AVX2, and no compiler inlines them into one that does
// not: the rest of the program stays as the compiler was told. A lambda would not inherit the
// attribute, so there is none in namespace avx2_code.
#define KOMPAKT_DETAIL_AVX2 __attribute__((target("avx2,fma")))
#define KOMPAKT_DETAIL_AVX2_INLINE inline __attribute__((always_inline, target("avx2,fma")))

#endif
