// Matrix products of float32 for training, where both operands change at every step: nothing is
// packed beforehand, and one loop serves products with either operand transposed.
//
//     c[m][n] = sum over k of a(m, k) * b[k][n]      (or c[m][n] += …)
//
// Each element's sum runs over k in order, whatever the port's tile: only the rounding of single
// steps differs between ports (some fuse multiply and add).
#pragma once

#include <kompakt/core/port.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Sizes, and strides in elements: a(m, k) = a[m * a_row + k * a_depth], b rows are contiguous.
struct gemm_shape {
    std::int32_t m, n, k;
    std::int32_t a_row, a_depth, b_row, c_row;
    bool add = false; // to what `c` holds
};

namespace detail {

inline constexpr std::int32_t gemm_rows = 4, gemm_columns = 8;

// A tile of at most gemm_rows x gemm_columns; whole ones have constant bounds, which compilers
// turn into vector code without reordering a sum.
template <bool Whole>
inline void gemm_tile(const gemm_shape& s, const float* a, const float* b, float* c,
                      std::int32_t rows, std::int32_t columns) noexcept {
    const std::int32_t m = Whole ? gemm_rows : rows, n = Whole ? gemm_columns : columns;
    float sums[gemm_rows][gemm_columns] = {};
    if (s.add) {
        for (std::int32_t i = 0; i < m; ++i)
            for (std::int32_t j = 0; j < n; ++j) sums[i][j] = c[i * s.c_row + j];
    }
    for (std::int32_t k = 0; k < s.k; ++k) {
        for (std::int32_t i = 0; i < m; ++i) {
            const float x = a[i * s.a_row + k * s.a_depth];
            for (std::int32_t j = 0; j < n; ++j) sums[i][j] += x * b[k * s.b_row + j];
        }
    }
    for (std::int32_t i = 0; i < m; ++i)
        for (std::int32_t j = 0; j < n; ++j) c[i * s.c_row + j] = sums[i][j];
}

} // namespace detail

template <class Port>
void gemm(portable, Port, const gemm_shape& s, const float* a, const float* b, float* c) noexcept {
    using namespace detail;
    for (std::int32_t j = 0; j < s.n; j += gemm_columns) {
        const std::int32_t columns = s.n - j < gemm_columns ? s.n - j : gemm_columns;
        for (std::int32_t i = 0; i < s.m; i += gemm_rows) {
            const std::int32_t rows = s.m - i < gemm_rows ? s.m - i : gemm_rows;
            const float* from = a + i * s.a_row;
            float* to = c + i * s.c_row + j;
            if (rows == gemm_rows && columns == gemm_columns) {
                gemm_tile<true>(s, from, b + j, to, rows, columns);
            } else {
                gemm_tile<false>(s, from, b + j, to, rows, columns);
            }
        }
    }
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
