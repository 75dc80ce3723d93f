// reduce_max, reduce_min: the largest or the smallest element over some axes of an input of rank up
// to 6. reduce_any, reduce_all: the logical or and and of bool.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/graph/ops/reduction.hpp>
#include <kompakt/kernel/reduce_extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

template <class Op, bool Smallest>
struct reduce_extreme_op : reduction_op<Op> {
    status lower(lowering& c) const override {
        const auto r = this->reduced_by(c);
        if (!r.ok()) return r.error();
        const reduce_extreme_params p{r->mask, {Smallest ? 1 : 0}};
        switch (c.input(0).type) {
        case dtype::f32:
            c.emit<reduce_extreme_f32>(p, {c.in(0)}, {c.out()}, this->overlaps());
            return {};
        case dtype::i8:
        case dtype::i16:
        case dtype::i32:
        case dtype::i64:
            KOMPAKT_TRY(expect_same_scale(c, 0));
            c.emit<reduce_extreme_int>(p, {c.in(0)}, {c.out()}, this->overlaps());
            return {};
        default:
            return refuse_type(c, "float32, int8, int16, int32 or int64");
        }
    }
    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

struct reduce_max : reduce_extreme_op<reduce_max, false> {
    static constexpr const char* op_name = "reduce_max";
};
struct reduce_min : reduce_extreme_op<reduce_min, true> {
    static constexpr const char* op_name = "reduce_min";
};

template <class Op, bool Smallest>
struct logical_reduction_op : reduction_op<Op> {
    status lower(lowering& c) const override {
        const auto r = this->reduced_by(c);
        if (!r.ok()) return r.error();
        if (c.input(0).type != dtype::boolean) return refuse_type(c, "bool");
        c.emit<reduce_extreme_int>({r->mask, {Smallest ? 1 : 0}}, {c.in(0)}, {c.out()},
                                   this->overlaps());
        return {};
    }
};

struct reduce_any : logical_reduction_op<reduce_any, false> {
    static constexpr const char* op_name = "reduce_any";
};
struct reduce_all : logical_reduction_op<reduce_all, true> {
    static constexpr const char* op_name = "reduce_all";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
