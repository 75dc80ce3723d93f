// select: the second input where the first (bool) is true, else the third; shapes broadcast.
#pragma once

#include <kompakt/graph/ops/elementwise.hpp>
#include <kompakt/kernel/select.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct select : op_of<select> {
    static constexpr const char* op_name = "select";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(3, 3, 1));
        KOMPAKT_TRY(expect_one_type(c, 1, 2));
        if (c.input(0).type != dtype::boolean) {
            return fail(errc::unsupported, "condition ", name_of(c.input(0).type), ", needed bool");
        }
        auto out = broadcast_inputs(c);
        if (!out.ok()) return out.error();
        c.set_output(0, c.input(1).type, std::move(*out));
        return {};
    }
    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_same_scale(c, 1));
        if (bits_of(c.output().type) < 8) {
            return fail(errc::unsupported, name_of(c.output().type));
        }
        c.emit<kompakt::select>({}, {c.in(0), c.in(1), c.in(2)}, {c.out()},
                                elementwise_overlaps(c));
        return {};
    }
    quantization_rule quantize_rule() const override {
        quantization_rule r;
        r.how = quantization_rule::kind::same_scale;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
