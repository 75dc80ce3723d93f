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

// Two inputs of one type that broadcast, one output.
inline status infer_binary(inference& c) {
    KOMPAKT_TRY(c.expect(2, 2, 1));
    if (c.input(0).type != c.input(1).type) {
        return fail(errc::unsupported, "inputs ", name_of(c.input(0).type), " and ",
                    name_of(c.input(1).type), ", needed one type");
    }
    auto out = broadcast_shape(c.input_shape(0), c.input_shape(1));
    if (!out.ok()) return out.error();
    c.set_output(0, c.input(0).type, std::move(*out));
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

inline clamp_f32_params clamp_for(activation a) noexcept {
    const float_range r = range_of(a);
    return {r.min, r.max};
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
