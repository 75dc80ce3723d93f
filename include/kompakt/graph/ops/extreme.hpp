// maximum, minimum: the larger or the smaller of two inputs of shapes that broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/extreme.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

template <class Op, bool Smallest>
struct extreme_op : op_of<Op> {
    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override { return infer_binary(c); }

    status lower(lowering& c) const override {
        const extreme_params p{Smallest ? 1 : 0};
        switch (c.input(0).type) {
        case dtype::f32:
            emit_binary<extreme_f32>(c, p);
            return {};
        case dtype::i8:
        case dtype::i16:
        case dtype::i32:
        case dtype::i64:
            KOMPAKT_TRY(expect_same_scale(c, 0));
            emit_binary<extreme_int>(c, p);
            return {};
        default:
            return refuse_type(c, "float32, int8, int16, int32 or int64");
        }
    }
    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

struct maximum : extreme_op<maximum, false> {
    static constexpr const char* op_name = "maximum";
};
struct minimum : extreme_op<minimum, true> {
    static constexpr const char* op_name = "minimum";
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
