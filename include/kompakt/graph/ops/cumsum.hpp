// cumsum: sums of all elements up to each along one axis.
#pragma once

#include <kompakt/graph/ops/add_n.hpp>
#include <kompakt/graph/ops/axis.hpp>
#include <kompakt/kernel/cumsum.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// No quantization rule: the int8 form is off by the input's zero point, as add_n's.
struct cumsum : op_of<cumsum> {
    static constexpr const char* op_name = "cumsum";

    std::int32_t axis = 0;  // below zero: from the end
    bool exclusive = false; // without the element itself
    bool reverse = false;   // from the last element backward

    template <class V>
    void fields(V&& v) {
        v("axis", axis), v("exclusive", exclusive), v("reverse", reverse);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(infer_unary(c));
        const auto at = resolve_axis(axis, c.input_shape(0));
        return at.ok() ? status() : at.error();
    }
    status lower(lowering& c) const override {
        const auto at = resolve_axis(axis, c.input(0).shape);
        if (!at.ok()) return at.error();
        const cumsum_params p{*at, exclusive ? 1 : 0, reverse ? 1 : 0};
        if (c.input(0).type == dtype::f32) {
            c.emit<cumsum_f32>(p, {c.in(0)}, {c.out()}, in_place());
            return {};
        }
        if (c.input(0).type != dtype::i8) return refuse_type(c, "float32 or int8");
        KOMPAKT_TRY(expect_quantized(c, dtype::i8));
        const auto sum = add_n_params(*c.input(0).quantization, *c.output().quantization);
        if (!sum.ok()) return sum.error();
        c.emit<cumsum_i8>({p, *sum}, {c.in(0)}, {c.out()}, in_place());
        return {};
    }

  private:
    // Not in the order of memory, so only just there.
    static std::vector<overlap> in_place() { return {{overlap::kind::same_place, 0}}; }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
