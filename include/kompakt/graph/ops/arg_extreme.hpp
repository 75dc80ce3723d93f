// arg_max, arg_min: the index (int32) of the largest or the smallest element along one axis, which
// goes.
#pragma once

#include <kompakt/graph/ops/axis.hpp>
#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/arg_extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

template <class Op, bool Smallest>
struct arg_extreme_op : op_of<Op> {
    std::int32_t axis = 0; // below zero: from the end

    template <class V>
    void fields(V&& v) {
        v("axis", axis);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        shape s = c.input_shape(0);
        const auto at = resolve_axis(axis, s);
        if (!at.ok()) return at.error();
        s.erase(s.begin() + *at);
        c.set_output(0, dtype::i32, std::move(s));
        return {};
    }
    status lower(lowering& c) const override {
        const auto at = resolve_axis(axis, c.input(0).shape);
        if (!at.ok()) return at.error();
        const arg_extreme_params p{*at, {Smallest ? 1 : 0}};
        switch (c.input(0).type) {
        case dtype::f32:
            c.emit<arg_extreme_f32>(p, {c.in(0)}, {c.out()});
            return {};
        case dtype::i8: // one scale for all: numbers compare as they are
        case dtype::i16:
        case dtype::i32:
        case dtype::i64:
        case dtype::boolean:
            c.emit<arg_extreme_int>(p, {c.in(0)}, {c.out()});
            return {};
        default:
            return refuse_type(c, "float32, int8, int16, int32, int64 or bool");
        }
    }
};

struct arg_max : arg_extreme_op<arg_max, false> {
    static constexpr const char* op_name = "arg_max";
};
struct arg_min : arg_extreme_op<arg_min, true> {
    static constexpr const char* op_name = "arg_min";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
