// What elementwise kernels share: the checks of their operands, and the walk through two operands
// of which one or both may be broadcast.
#pragma once

#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Numpy's broadcasting: shapes are aligned at their last dimension, and an operand whose dimension
// is one is repeated along it. Neighbouring dimensions that behave alike are walked as one, so
// equal shapes are a single row.
//
//     for (broadcast w(a.shape(), b.shape(), out.shape()); w.more(); w.next()) {
//         row(a.data() + w.a(), w.step_a(), b.data() + w.b(), w.step_b(), out.data() + w.out(),
//             w.length());
//     }
class broadcast {
  public:
    template <class AE, class BE, class OutE>
    constexpr broadcast(const AE& a, const BE& b, const OutE& out) noexcept {
        static_assert(OutE::rank() <= max_rank && AE::rank() <= OutE::rank() &&
                      BE::rank() <= OutE::rank());
        for (std::size_t i = 1; i <= OutE::rank(); ++i) {
            add_level(i <= AE::rank() ? a[AE::rank() - i] : 1,
                      i <= BE::rank() ? b[BE::rank() - i] : 1, out[OutE::rank() - i]);
        }
    }

    constexpr bool more() const noexcept { return more_; }
    constexpr std::int32_t a() const noexcept { return a_; }
    constexpr std::int32_t b() const noexcept { return b_; }
    constexpr std::int32_t out() const noexcept { return out_; }
    // Elements of a row, and 1 or 0: whether each operand moves along it.
    constexpr std::int32_t length() const noexcept { return level_[0].n; }
    constexpr std::int32_t step_a() const noexcept { return level_[0].step_a; }
    constexpr std::int32_t step_b() const noexcept { return level_[0].step_b; }

    constexpr void next() noexcept {
        out_ += level_[0].n;
        for (std::size_t i = 1; i < levels_; ++i) {
            level& l = level_[i];
            a_ += l.step_a;
            b_ += l.step_b;
            if (++l.index < l.n) return;
            l.index = 0;
            a_ -= l.step_a * l.n;
            b_ -= l.step_b * l.n;
        }
        more_ = false;
    }

  private:
    struct level {
        std::int32_t n = 1, step_a = 1, step_b = 1, index = 0;
    };

    constexpr void add_level(std::int32_t a, std::int32_t b, std::int32_t out) noexcept {
        if (out == 1) return;
        const std::int32_t step_a = a != 1 ? size_a_ : 0, step_b = b != 1 ? size_b_ : 0;
        size_a_ *= a;
        size_b_ *= b;
        if (levels_ > 0) {
            level& inner = level_[levels_ - 1];
            if ((inner.step_a != 0) == (step_a != 0) && (inner.step_b != 0) == (step_b != 0)) {
                inner.n *= out;
                return;
            }
        }
        level& l = level_[levels_++];
        l.n = out;
        l.step_a = step_a;
        l.step_b = step_b;
    }

    level level_[max_rank];
    std::size_t levels_ = 0;
    std::int32_t size_a_ = 1, size_b_ = 1; // elements inside the next level
    std::int32_t a_ = 0, b_ = 0, out_ = 0;
    bool more_ = true;
};

// One input and one output of the same number of elements.
inline status check_unary(const call& c, dtype in, dtype out) noexcept {
    if (c.inputs() != 1 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs one input and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input", in, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", out, max_rank));
    if (c.elements(c.input_record(0)) != c.elements(c.output_record(0))) {
        return fail(errc::bad_file, "output has ", c.elements(c.output_record(0)),
                    " elements, input ", c.elements(c.input_record(0)));
    }
    return {};
}

// Two inputs and an output that has the shape of both after broadcasting, all of one type.
inline status check_binary(const call& c, dtype type) noexcept {
    if (c.inputs() != 2 || c.outputs() != 1) {
        return fail(errc::bad_file, "needs two inputs and one output");
    }
    KOMPAKT_TRY(check_operand(c.input_record(0), "input 0", type, max_rank));
    KOMPAKT_TRY(check_operand(c.input_record(1), "input 1", type, max_rank));
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", type, max_rank));
    const auto a = c.input<std::byte, max_rank>(0), b = c.input<std::byte, max_rank>(1);
    const auto out = c.output<std::byte, max_rank>(0);
    for (std::size_t i = 0; i < max_rank; ++i) {
        const std::int32_t needed = a.dim(i) == 1 ? b.dim(i) : a.dim(i);
        if ((b.dim(i) != needed && b.dim(i) != 1) || out.dim(i) != needed) {
            return fail(errc::bad_file, "dimensions ", a.dim(i), " and ", b.dim(i), " do not give ",
                        out.dim(i));
        }
    }
    return {};
}

// `row(a, step_a, b, step_b, out, n)` for each row of the broadcast operands.
template <class T, class AE, class BE, class U, class OutE, class Row>
void for_each_row_of(const tensor<const T, AE>& a, const tensor<const T, BE>& b,
                     const tensor<U, OutE>& out, Row&& row) noexcept {
    for (broadcast w(a.shape(), b.shape(), out.shape()); w.more(); w.next()) {
        row(a.data() + w.a(), w.step_a(), b.data() + w.b(), w.step_b(), out.data() + w.out(),
            w.length());
    }
}

// Clamp of float32 results.
struct clamp_f32_params {
    float min, max;

    template <class F>
    static constexpr void fields(F&& f) {
        f("output_min"), f("output_max");
    }
    KOMPAKT_ALWAYS_INLINE constexpr float apply(float x) const noexcept {
        return x < min ? min : x > max ? max : x;
    }
};
inline status check_float_clamp(const clamp_f32_params& p) noexcept {
    if (p.min <= p.max) return {};
    return fail(errc::bad_file, "clamp whose minimum is above its maximum");
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
