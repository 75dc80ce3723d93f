// logical_and, logical_or, logical_not: of bool, which is 0 or 1; shapes broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/comparison.hpp>
#include <kompakt/kernel/extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// And is the smaller of two, or the larger.
template <class Op, bool Smallest>
struct logical_op : op_of<Op> {
    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c); }
    status lower(lowering& c) const override {
        if (c.input(0).type != dtype::boolean) return refuse_type(c, "bool");
        emit_binary<extreme_int>(c, {Smallest ? 1 : 0});
        return {};
    }
};

struct logical_and : logical_op<logical_and, true> {
    static constexpr const char* op_name = "logical_and";
};
struct logical_or : logical_op<logical_or, false> {
    static constexpr const char* op_name = "logical_or";
};

struct logical_not : op_of<logical_not> {
    static constexpr const char* op_name = "logical_not";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_unary(c); }
    status lower(lowering& c) const override {
        if (c.input(0).type != dtype::boolean) return refuse_type(c, "bool");
        const std::uint32_t no = c.constant_operand<bool>({}, {false});
        c.emit<equal_int>({}, {c.in(0), no}, {c.out()}, elementwise_overlaps(c));
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
