// broadcast_args: the shape that two shapes (int32 or int64 vectors) broadcast to.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/broadcast_args.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct broadcast_args : op_of<broadcast_args> {
    static constexpr const char* op_name = "broadcast_args";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        KOMPAKT_TRY(expect_one_type(c, 0, 1));
        for (std::size_t i = 0; i < 2; ++i) {
            KOMPAKT_TRY(c.expect_rank(i, 1));
            if (!c.input_shape(i)[0].known()) {
                return fail(errc::bad_argument, "dimension ", c.input_shape(i)[0].symbol(),
                            " has no value; bind it first");
            }
        }
        const std::int64_t a = c.input_shape(0)[0].value(), b = c.input_shape(1)[0].value();
        c.set_output(0, c.input(0).type, {dim(a > b ? a : b)});
        return {};
    }
    status lower(lowering& c) const override {
        const dtype type = c.input(0).type;
        if (type != dtype::i32 && type != dtype::i64) return refuse_type(c, "int32 or int64");
        c.emit<kompakt::broadcast_args>({}, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
