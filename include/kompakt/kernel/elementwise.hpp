// What elementwise kernels share: the checks of their operands, and the walk through operands that
// may be broadcast.
#pragma once

#include <kompakt/core/port.hpp>
#include <kompakt/kernel/requantize.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Numpy's broadcasting: shapes are aligned at their last dimension, and an operand whose dimension
// is one is repeated along it. Neighbouring dimensions that behave alike are walked as one, so
// equal shapes are a single row.
//
//     for (broadcast w(a.shape(), b.shape(), out.shape()); w.more(); w.next()) {
//         row(a.data() + w.at(0), w.step(0), b.data() + w.at(1), w.step(1), out.data() + w.out(),
//             w.length());
//     }
template <std::size_t Inputs>
class broadcast {
  public:
    // The inputs' extents, then the output's, whose rank is the largest.
    template <class... E>
    constexpr explicit broadcast(const E&... e) noexcept : broadcast() {
        static_assert(sizeof...(E) == Inputs + 1);
        std::int32_t dims[Inputs + 1][max_rank] = {};
        std::size_t n = 0;
        const auto take = [&](const auto& x) {
            using X = std::decay_t<decltype(x)>;
            static_assert(X::rank() <= max_rank);
            for (std::size_t i = 0; i < max_rank; ++i) {
                dims[n][i] = i < X::rank() ? x[X::rank() - 1 - i] : 1;
            }
            ++n;
        };
        (take(e), ...);
        for (std::size_t i = 0; i < max_rank; ++i) {
            std::int32_t in[Inputs] = {};
            for (std::size_t k = 0; k < Inputs; ++k) in[k] = dims[k][i];
            add_level(in, dims[Inputs][i]);
        }
    }
    // The inputs and the first output of a call.
    explicit broadcast(const call& c) noexcept : broadcast() {
        for (std::size_t i = 0; i < max_rank; ++i) {
            std::int32_t in[Inputs];
            for (std::size_t k = 0; k < Inputs; ++k) in[k] = dim_of(c, c.input_record(k), i);
            add_level(in, dim_of(c, c.output_record(0), i));
        }
    }

    constexpr bool more() const noexcept { return more_; }
    // Elements from the start, of an input and of the output.
    constexpr std::int32_t at(std::size_t i) const noexcept { return at_[i]; }
    constexpr std::int32_t out() const noexcept { return out_; }
    // Elements of a row, and 1 or 0: whether an input moves along it.
    constexpr std::int32_t length() const noexcept { return level_[0].n; }
    constexpr std::int32_t step(std::size_t i) const noexcept { return level_[0].step[i]; }

    constexpr void next() noexcept {
        out_ += level_[0].n;
        for (std::size_t i = 1; i < levels_; ++i) {
            level& l = level_[i];
            for (std::size_t k = 0; k < Inputs; ++k) at_[k] += l.step[k];
            if (++l.index < l.n) return;
            l.index = 0;
            for (std::size_t k = 0; k < Inputs; ++k) at_[k] -= l.step[k] * l.n;
        }
        more_ = false;
    }

  private:
    constexpr broadcast() noexcept {
        for (std::int32_t& n : size_) n = 1;
    }

    struct level {
        std::int32_t n = 1, index = 0;
        std::int32_t step[Inputs] = {};
    };

    // Dimension `i` from the last; one beyond the rank.
    static std::int32_t dim_of(const call& c, const tensor_record& t, std::size_t i) noexcept {
        return i < t.rank ? c.dims_of(t)[t.rank - 1 - i] : 1;
    }
    constexpr void add_level(const std::int32_t (&in)[Inputs], std::int32_t out) noexcept {
        if (out == 1) return;
        level made;
        bool like_inner = levels_ > 0;
        for (std::size_t k = 0; k < Inputs; ++k) {
            made.step[k] = in[k] != 1 ? size_[k] : 0;
            size_[k] *= in[k];
            if (levels_ > 0 && (level_[levels_ - 1].step[k] != 0) != (made.step[k] != 0)) {
                like_inner = false;
            }
        }
        if (like_inner) {
            level_[levels_ - 1].n *= out;
            return;
        }
        made.n = out;
        level_[levels_++] = made;
    }

    level level_[max_rank];
    std::size_t levels_ = 0;
    std::int32_t size_[Inputs] = {}; // elements inside the next level
    std::int32_t at_[Inputs] = {};
    std::int32_t out_ = 0;
    bool more_ = true;
};
template <class... E>
broadcast(const E&...) -> broadcast<sizeof...(E) - 1>;

// Of families without parameters.
struct no_params {
    template <class F>
    static constexpr void fields(F&&) {}
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

// Inputs whose shapes broadcast to that of the one output; types are the caller's to check.
inline status check_broadcast(const call& c, std::size_t inputs) noexcept {
    if (c.inputs() != inputs || c.outputs() != 1) {
        return fail(errc::bad_file, "needs ", inputs, " inputs and one output");
    }
    KOMPAKT_TRY(check_operand(c.output_record(0), "output", c.output_record(0).type, max_rank));
    const auto out = c.output<std::byte, max_rank>(0);
    bool reached[max_rank] = {}; // some input has the output's dimension
    for (std::size_t k = 0; k < inputs; ++k) {
        KOMPAKT_TRY(check_operand(c.input_record(k), "input", c.input_record(k).type, max_rank));
        const auto in = c.input<std::byte, max_rank>(k);
        for (std::size_t i = 0; i < max_rank; ++i) {
            if (in.dim(i) == out.dim(i)) reached[i] = true;
            if (in.dim(i) != out.dim(i) && in.dim(i) != 1) {
                return fail(errc::bad_file, "input ", k, ": dimension ", in.dim(i),
                            " does not give ", out.dim(i));
            }
        }
    }
    for (std::size_t i = 0; i < max_rank; ++i) {
        if (!reached[i]) return fail(errc::bad_file, "no input has dimension ", out.dim(i));
    }
    return {};
}
// Two inputs of the given types.
inline status check_binary(const call& c, dtype a, dtype b, dtype out) noexcept {
    KOMPAKT_TRY(check_broadcast(c, 2));
    KOMPAKT_TRY(check_operand(c.input_record(0), "input 0", a, max_rank));
    KOMPAKT_TRY(check_operand(c.input_record(1), "input 1", b, max_rank));
    return check_operand(c.output_record(0), "output", out, max_rank);
}
inline status check_binary(const call& c, dtype type) noexcept {
    return check_binary(c, type, type, type);
}

// What one element of a family of two inputs is made of, a row at a time: `step_a` and `step_b` are
// 1, or 0 for an operand that stays. A port may overload it for a family.
template <class Port, class Family, class A, class B, class Out>
void elementwise_row(portable, Port, Family, const A* a, std::int32_t step_a, const B* b,
                     std::int32_t step_b, Out* out, std::int32_t n,
                     const typename Family::params& p) noexcept {
    for (std::int32_t i = 0; i < n; ++i, a += step_a, b += step_b)
        out[i] = Family::apply(*a, *b, p);
}

// A family on operands of any shapes that broadcast: `elementwise(port, port, add_f32{}, a, b, out,
// p)`.
template <class Port, class Family, class A, class AE, class B, class BE, class Out, class OutE>
void elementwise(portable, Port port, Family f, const tensor<const A, AE>& a,
                 const tensor<const B, BE>& b, const tensor<Out, OutE>& out,
                 const typename Family::params& p) noexcept {
    for (broadcast w(a.shape(), b.shape(), out.shape()); w.more(); w.next()) {
        elementwise_row(port, port, f, a.data() + w.at(0), w.step(0), b.data() + w.at(1), w.step(1),
                        out.data() + w.out(), w.length(), p);
    }
}

namespace detail {

// Rows without their types, so that the walk is compiled once.
using binary_row = void (*)(const void* a, std::int32_t step_a, const void* b, std::int32_t step_b,
                            void* out, std::int32_t n, const void* params) noexcept;

inline void run_binary(const call& c, binary_row row, const void* params) noexcept {
    const auto size = [](const tensor_record& t) {
        return static_cast<std::ptrdiff_t>(bits_of(t.type) / 8);
    };
    const std::ptrdiff_t size_a = size(c.input_record(0)), size_b = size(c.input_record(1)),
                         size_out = size(c.output_record(0));
    const auto *a = c.input_data<std::byte>(0), *b = c.input_data<std::byte>(1);
    auto* out = c.output_data<std::byte>(0);
    for (broadcast<2> w(c); w.more(); w.next()) {
        row(a + w.at(0) * size_a, w.step(0), b + w.at(1) * size_b, w.step(1),
            out + w.out() * size_out, w.length(), params);
    }
}

} // namespace detail

// A family of two inputs is a struct of this kind with `params`, `id`, `name`, `check` and
//
//     static Out apply(A a, B b, const params& p) noexcept;
//
// The output's elements are no larger than an input's that it may overlap.
template <class Family, class A, class B = A, class Out = A>
struct binary_kernel {
    static constexpr bool in_place = true;

    template <class Port>
    static void run(Port, const call& c) noexcept {
        if constexpr (std::is_empty_v<typename Family::params>) {
            const typename Family::params p;
            detail::run_binary(c, &row<Port>, &p);
        } else {
            const auto p = c.params<typename Family::params>();
            detail::run_binary(c, &row<Port>, &p);
        }
    }

  private:
    template <class Port>
    static void row(const void* a, std::int32_t step_a, const void* b, std::int32_t step_b,
                    void* out, std::int32_t n, const void* params) noexcept {
        elementwise_row(Port{}, Port{}, Family{}, static_cast<const A*>(a), step_a,
                        static_cast<const B*>(b), step_b, static_cast<Out*>(out), n,
                        *static_cast<const typename Family::params*>(params));
    }
};

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

// Clamp of int32 results.
struct clamp_i32_params {
    std::int32_t min = INT32_MIN, max = INT32_MAX;

    template <class F>
    static constexpr void fields(F&& f) {
        f("output_min"), f("output_max");
    }
};

namespace detail {

inline status check_binary_f32(const call& c) noexcept {
    KOMPAKT_TRY(check_binary(c, dtype::f32));
    return check_float_clamp(c.params<clamp_f32_params>());
}
inline status check_binary_i32(const call& c) noexcept {
    KOMPAKT_TRY(check_binary(c, dtype::i32));
    const auto p = c.params<clamp_i32_params>();
    return check_clamp(p.min, p.max, dtype::i32);
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
