// Matrix products of two computed operands, batch by batch.
//
//     a […, m, k], b […, k, n], out […, m, n]
//
// The dimensions before the last two broadcast as numpy says. Either matrix may be stored
// transposed, as […, k, m] or […, n, k]. int8: sums are int32; int16: sums are int64, zero points 0
// (TensorFlow Lite). Sums wrap.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/elementwise.hpp>
#include <kompakt/kernel/kernel_id.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct batch_matmul_integer_params {
    std::int32_t transpose_a = 0, transpose_b = 0;
    std::int32_t zero_point_a = 0, zero_point_b = 0;
    multiplier result; // of int16, cut to 15 bits (fixed_point.hpp: requantize_wide)
    output_stage_params output;

    template <class F>
    static constexpr void fields(F&& f) {
        f("transpose_a"), f("transpose_b"), f("zero_point_a"), f("zero_point_b");
        f("multiplier"), f("shift"), output_stage_params::fields(f);
    }
};

struct batch_matmul_f32_params {
    std::int32_t transpose_a = 0, transpose_b = 0;

    template <class F>
    static constexpr void fields(F&& f) {
        f("transpose_a"), f("transpose_b");
    }
};

// One product: elements of `a` lie `step_m` and `step_ka` apart, those of `b` `step_kb` and
// `step_n`, the output's are dense.
struct matrix_sizes {
    std::int32_t m, k, n;
    std::int32_t step_m, step_ka, step_kb, step_n;
};

// How products are added up and what becomes of a sum, by the type of the elements.
struct matmul_finish_i8 {
    using value = std::int32_t;
    using sum = std::int32_t;
    batch_matmul_integer_params p;

    KOMPAKT_ALWAYS_INLINE value a(std::int8_t x) const noexcept { return x - p.zero_point_a; }
    KOMPAKT_ALWAYS_INLINE value b(std::int8_t x) const noexcept { return x - p.zero_point_b; }
    static KOMPAKT_ALWAYS_INLINE sum add(sum s, value a, value b) noexcept {
        return wrap_add(s, a * b);
    }
    KOMPAKT_ALWAYS_INLINE std::int8_t operator()(sum s) const noexcept {
        const std::int32_t scaled = requantize(s, p.result);
        return static_cast<std::int8_t>(
            clamp(wrap_add(scaled, p.output.zero_point), p.output.min, p.output.max));
    }
};
struct matmul_finish_i16 {
    using value = std::int32_t;
    using sum = std::int64_t;
    batch_matmul_integer_params p;

    static KOMPAKT_ALWAYS_INLINE value a(std::int16_t x) noexcept { return x; }
    static KOMPAKT_ALWAYS_INLINE value b(std::int16_t x) noexcept { return x; }
    static KOMPAKT_ALWAYS_INLINE sum add(sum s, value a, value b) noexcept {
        return wrap_add_wide(s, a * b); // at most 2^30
    }
    KOMPAKT_ALWAYS_INLINE std::int16_t operator()(sum s) const noexcept {
        const std::int32_t scaled = requantize_wide(s, p.result.q31, p.result.shift);
        return static_cast<std::int16_t>(clamp(scaled, p.output.min, p.output.max));
    }
};
struct matmul_finish_f32 {
    using value = float;
    using sum = float;

    static KOMPAKT_ALWAYS_INLINE value a(float x) noexcept { return x; }
    static KOMPAKT_ALWAYS_INLINE value b(float x) noexcept { return x; }
    static KOMPAKT_ALWAYS_INLINE sum add(sum s, value a, value b) noexcept { return s + a * b; }
    KOMPAKT_ALWAYS_INLINE float operator()(sum s) const noexcept { return s; }
};

template <class Port, class T, class Finish>
void matmul(portable, Port, const T* a, const T* b, T* out, const matrix_sizes& s,
            const Finish& finish) noexcept {
    using value = typename Finish::value;
    using sum = typename Finish::sum;
    for (std::int32_t i = 0; i < s.m; ++i, a += s.step_m) {
        for (std::int32_t j = 0; j < s.n;) {
            // Four columns share what is loaded of `a`.
            const std::int32_t lanes = s.n - j >= 4 ? 4 : 1;
            const T* x = a;
            const T* y = b + j * s.step_n;
            sum sums[4] = {};
            if (lanes == 4) {
                sum s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                for (std::int32_t k = 0; k < s.k; ++k) {
                    const value v = finish.a(x[k * s.step_ka]);
                    const T* w = y + k * s.step_kb;
                    s0 = Finish::add(s0, v, finish.b(w[0]));
                    s1 = Finish::add(s1, v, finish.b(w[s.step_n]));
                    s2 = Finish::add(s2, v, finish.b(w[2 * s.step_n]));
                    s3 = Finish::add(s3, v, finish.b(w[3 * s.step_n]));
                }
                sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
            } else {
                for (std::int32_t k = 0; k < s.k; ++k) {
                    sums[0] = Finish::add(sums[0], finish.a(x[k * s.step_ka]),
                                          finish.b(y[k * s.step_kb]));
                }
            }
            for (std::int32_t l = 0; l < lanes; ++l, ++j) *out++ = finish(sums[l]);
        }
    }
}

namespace detail {

// The dimensions before the matrix, and the matrix as it is meant.
struct matmul_operand {
    dynamic_extents<4> batches;
    std::int32_t rows, columns;
};
inline matmul_operand matmul_operand_of(const dynamic_tensor<const std::byte, 6>& t,
                                        bool transposed) noexcept {
    const std::int32_t rows = t.dim(4), columns = t.dim(5);
    const dynamic_extents<4> batches(t.dim(0), t.dim(1), t.dim(2), t.dim(3));
    if (transposed) return {batches, columns, rows};
    return {batches, rows, columns};
}

inline status check_batch_matmul(const call& c, dtype type, std::int32_t transpose_a,
                                 std::int32_t transpose_b) noexcept {
    if (c.inputs() != 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs two inputs and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input 0", type, 6));
    KOMPAKT_TRY(check_operand(c.input_record(1), "input 1", type, 6));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, 6));
    if ((transpose_a != 0 && transpose_a != 1) || (transpose_b != 0 && transpose_b != 1)) {
        return fail(errc::bad_file, "transpose ", transpose_a, " and ", transpose_b,
                    ", needed 0 or 1");
    }
    const matmul_operand a = matmul_operand_of(c.input<std::byte, 6>(0), transpose_a != 0);
    const matmul_operand b = matmul_operand_of(c.input<std::byte, 6>(1), transpose_b != 0);
    const auto out = c.output<std::byte, 6>(0);
    if (a.columns != b.rows || out.dim(4) != a.rows || out.dim(5) != b.columns) {
        return fail(errc::bad_file, "matrices [", a.rows, ", ", a.columns, "] and [", b.rows, ", ",
                    b.columns, "] do not give [", out.dim(4), ", ", out.dim(5), "]");
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const std::int32_t x = a.batches[i], y = b.batches[i];
        const std::int32_t needed = x == 1 ? y : x;
        if ((y != needed && y != 1) || out.dim(i) != needed) {
            return fail(errc::bad_file, "dimensions ", x, " and ", y, " do not give ", out.dim(i));
        }
    }
    return {};
}

inline status check_batch_matmul_integer(const call& c, dtype type) noexcept {
    const auto p = c.params<batch_matmul_integer_params>();
    KOMPAKT_TRY(check_batch_matmul(c, type, p.transpose_a, p.transpose_b));
    KOMPAKT_TRY(check_zero_point("input 0", p.zero_point_a, type));
    KOMPAKT_TRY(check_zero_point("input 1", p.zero_point_b, type));
    KOMPAKT_TRY(check_zero_point("output", p.output.zero_point, type));
    KOMPAKT_TRY(type == dtype::i16 ? check_wide_multiplier(p.result.q31, p.result.shift)
                                   : check_multiplier(p.result.q31, p.result.shift));
    return check_clamp(p.output.min, p.output.max, type);
}

template <class T, class Port, class Finish>
void run_batch_matmul(Port port, const call& c, bool transpose_a, bool transpose_b,
                      const Finish& finish) noexcept {
    const matmul_operand a = matmul_operand_of(c.input<std::byte, 6>(0), transpose_a);
    const matmul_operand b = matmul_operand_of(c.input<std::byte, 6>(1), transpose_b);
    matrix_sizes s{};
    s.m = a.rows, s.k = a.columns, s.n = b.columns;
    s.step_m = transpose_a ? 1 : s.k, s.step_ka = transpose_a ? s.m : 1;
    s.step_kb = transpose_b ? 1 : s.n, s.step_n = transpose_b ? s.k : 1;
    const auto out = c.output<std::byte, 6>(0);
    const dynamic_extents<4> batches(out.dim(0), out.dim(1), out.dim(2), out.dim(3));
    const T* from_a = c.input_data<T>(0);
    const T* from_b = c.input_data<T>(1);
    T* to = c.output_data<T>(0);
    for (broadcast w(a.batches, b.batches, batches); w.more(); w.next()) {
        for (std::int32_t i = 0; i < w.length(); ++i) {
            matmul(port, port, from_a + (w.at(0) + i * w.step(0)) * (s.m * s.k),
                   from_b + (w.at(1) + i * w.step(1)) * (s.k * s.n), to, s, finish);
            to += s.m * s.n;
        }
    }
}

} // namespace detail

struct batch_matmul_i8 {
    using params = batch_matmul_integer_params;
    static constexpr kernel_id id = kernel_id::batch_matmul_i8;
    static constexpr const char* name = "batch_matmul_i8";

    static status check(const call& c) noexcept {
        return detail::check_batch_matmul_integer(c, dtype::i8);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        detail::run_batch_matmul<std::int8_t>(port, c, p.transpose_a != 0, p.transpose_b != 0,
                                              matmul_finish_i8{p});
    }
};

struct batch_matmul_i16 {
    using params = batch_matmul_integer_params;
    static constexpr kernel_id id = kernel_id::batch_matmul_i16;
    static constexpr const char* name = "batch_matmul_i16";

    static status check(const call& c) noexcept {
        return detail::check_batch_matmul_integer(c, dtype::i16);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        detail::run_batch_matmul<std::int16_t>(port, c, p.transpose_a != 0, p.transpose_b != 0,
                                               matmul_finish_i16{p});
    }
};

struct batch_matmul_f32 {
    using params = batch_matmul_f32_params;
    static constexpr kernel_id id = kernel_id::batch_matmul_f32;
    static constexpr const char* name = "batch_matmul_f32";

    static status check(const call& c) noexcept {
        const auto p = c.params<params>();
        return detail::check_batch_matmul(c, dtype::f32, p.transpose_a, p.transpose_b);
    }
    template <class Port>
    static void run(Port port, const call& c) noexcept {
        const auto p = c.params<params>();
        detail::run_batch_matmul<float>(port, c, p.transpose_a != 0, p.transpose_b != 0,
                                        matmul_finish_f32{});
    }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
