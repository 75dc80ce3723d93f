// neg: -x, elementwise. float32 only.
#pragma once

#include <kompakt/graph/ops/unary.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct neg : unary_op<neg, unary_neg_f32> {
    static constexpr const char* op_name = "neg";

    status gradient(differentiation& d) const override {
        d.give(0, d.add(neg(), {d.gradient()}));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
