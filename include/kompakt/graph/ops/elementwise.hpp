// What elementwise operators have in common: the broadcast rule, overlaps, and the refusals.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/elementwise.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Numpy's rule, from the last dimension on: equal, or one of the two is one. A symbol beside a
// number above one can only be one or that number.
inline result<shape> broadcast_shape(const shape& a, const shape& b) {
    const std::size_t rank = a.size() > b.size() ? a.size() : b.size();
    shape out(rank);
    for (std::size_t i = 1; i <= rank; ++i) {
        const dim x = i <= a.size() ? a[a.size() - i] : dim(1);
        const dim y = i <= b.size() ? b[b.size() - i] : dim(1);
        dim& d = out[rank - i];
        if (x == y || y == dim(1)) {
            d = x;
        } else if (x == dim(1)) {
            d = y;
        } else if (x.known() != y.known()) {
            d = x.known() ? x : y;
        } else if (!x.known()) {
            return fail(errc::bad_argument, "shapes ", text_of(a), " and ", text_of(b), ": bind ",
                        x.symbol(), " and ", y.symbol(), " first");
        } else {
            return fail(errc::bad_file, "shapes ", text_of(a), " and ", text_of(b),
                        " do not broadcast");
        }
    }
    if (rank > max_rank) {
        return fail(errc::unsupported, "rank ", rank, ", needed at most ", max_rank);
    }
    return out;
}

// The shape that all inputs broadcast to.
inline result<shape> broadcast_inputs(const inference& c) {
    shape out = c.input_shape(0);
    for (std::size_t i = 1; i < c.inputs(); ++i) {
        auto next = broadcast_shape(out, c.input_shape(i));
        if (!next.ok()) return next.error();
        out = std::move(*next);
    }
    return out;
}
inline status expect_one_type(const inference& c, std::size_t first, std::size_t last) {
    for (std::size_t i = first + 1; i <= last; ++i) {
        if (c.input(i).type != c.input(first).type) {
            return fail(errc::unsupported, "inputs ", name_of(c.input(first).type), " and ",
                        name_of(c.input(i).type), ", needed one type");
        }
    }
    return {};
}

// Two inputs of one type that broadcast, one output, of their type unless told otherwise.
inline status infer_binary(inference& c, dtype type = dtype::none) {
    KOMPAKT_TRY(c.expect(2, 2, 1));
    KOMPAKT_TRY(expect_one_type(c, 0, 1));
    auto out = broadcast_inputs(c);
    if (!out.ok()) return out.error();
    c.set_output(0, type == dtype::none ? c.input(0).type : type, std::move(*out));
    return {};
}
// One input, one output like it.
inline status infer_unary(inference& c) {
    KOMPAKT_TRY(c.expect(1, 1, 1));
    c.set_output(0, c.input(0).type, c.input_shape(0));
    return {};
}

// The output may lie over any input that is neither broadcast nor constant.
inline std::vector<overlap> elementwise_overlaps(const lowering& c) {
    std::vector<overlap> all;
    for (std::size_t i = 0; i < c.inputs(); ++i) {
        const auto in = element_count(c.input(i).shape), out = element_count(c.output().shape);
        if (!c.input(i).value && in.ok() && out.ok() && *in == *out) {
            all.push_back({overlap::kind::same_place, static_cast<std::uint32_t>(i)});
        }
    }
    return all;
}

// All inputs and the output are of this integer type with one scale each.
inline status expect_quantized(const lowering& c, dtype type) {
    for (std::size_t i = 0; i < c.inputs(); ++i) {
        if (c.input(i).type != type) {
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", needed ",
                        name_of(type));
        }
        KOMPAKT_TRY(expect_per_tensor(c.input(i), i == 0 ? "input" : "second input"));
        KOMPAKT_TRY(check_zero_point(i == 0 ? "input" : "second input",
                                     c.input(i).quantization->zero_point(), type));
    }
    if (c.output().type != type) {
        return fail(errc::unsupported, name_of(type), " input and ", name_of(c.output().type),
                    " output");
    }
    KOMPAKT_TRY(expect_per_tensor(c.output(), "output"));
    return check_zero_point("output", c.output().quantization->zero_point(), type);
}

// Numbers that no scale belongs to: int32 and int64 are counts and indices, never quantized.
inline status expect_plain(const lowering& c) {
    for (std::size_t i = 0; i < c.inputs(); ++i) {
        if (c.input(i).quantization) {
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type),
                        " with a scale");
        }
    }
    if (!c.output().quantization) return {};
    return fail(errc::unsupported, "output: ", name_of(c.output().type), " with a scale");
}
// Inputs from `first` on and the output have one scale and zero point, or none at all: what moves
// and compares numbers as they are.
inline status expect_same_scale(const lowering& c, std::size_t first) {
    for (std::size_t i = first; i < c.inputs(); ++i) {
        if (c.input(i).type != c.output().type) {
            return fail(errc::unsupported, "input ", i, ": ", name_of(c.input(i).type), ", output ",
                        name_of(c.output().type));
        }
        if (c.input(i).quantization != c.output().quantization) {
            return fail(errc::unsupported, "input ", i, ": ", scale_text(c.input(i)),
                        ", needed that of the output, ", scale_text(c.output()));
        }
    }
    return {};
}
inline status refuse_type(const lowering& c, const char* needed) {
    return fail(errc::unsupported, "input ", name_of(c.input(0).type), ", needed ", needed);
}
inline std::vector<std::int32_t> dims_of(const graph_tensor& t) {
    std::vector<std::int32_t> dims;
    for (const dim& d : t.shape) dims.push_back(static_cast<std::int32_t>(d.value()));
    return dims;
}

// Two inputs and one output with scales of their own, and a fused activation.
template <class Op>
struct arithmetic_op : op_of<Op> {
    activation fused = activation::none;

    template <class V>
    void fields(V&& v) {
        v("activation", fused);
    }
    status infer(inference& c) const override { return infer_binary(c); }
    quantization_rule quantize_rule() const override { return free_rule(); }
};
// The same kernel op for two inputs.
template <class Kernel>
void emit_binary(lowering& c, const typename Kernel::params& p) {
    c.emit<Kernel>(p, {c.in(0), c.in(1)}, {c.out()}, elementwise_overlaps(c));
}

inline clamp_f32_params clamp_for(activation a) noexcept {
    const float_range r = range_of(a);
    return {r.min, r.max};
}
// Of int32, whose scale is one.
inline clamp_i32_params clamp_i32_for(activation a) noexcept {
    const float_range r = range_of(a);
    clamp_i32_params p;
    if (std::isfinite(r.min)) p.min = static_cast<std::int32_t>(r.min);
    if (std::isfinite(r.max)) p.max = static_cast<std::int32_t>(r.max);
    return p;
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
