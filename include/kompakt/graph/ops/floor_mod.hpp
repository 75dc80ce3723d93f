// floor_mod: the remainder of the quotient rounded down, of two float32 inputs; shapes broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/floor_mod.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct floor_mod : op_of<floor_mod> {
    static constexpr const char* op_name = "floor_mod";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c); }
    status lower(lowering& c) const override {
        if (c.input(0).type != dtype::f32) return refuse_type(c, "float32");
        emit_binary<floor_mod_f32>(c, {});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
