// floor_div: the quotient of two float32 inputs rounded down; shapes broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/floor_div.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct floor_div : op_of<floor_div> {
    static constexpr const char* op_name = "floor_div";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c); }
    status lower(lowering& c) const override {
        if (c.input(0).type != dtype::f32) return refuse_type(c, "float32");
        emit_binary<floor_div_f32>(c, {});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
