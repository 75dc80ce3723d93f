// reverse: the elements along some axes in the opposite order.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct reverse : op_of<reverse> {
    static constexpr const char* op_name = "reverse";

    std::vector<std::int32_t> axes; // below zero: from the end; none twice

    template <class V>
    void fields(V&& v) {
        v("axes", axes);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        std::vector<bool> seen(in.size(), false);
        for (std::int32_t axis : axes) {
            const auto at = axis_of(axis, in.size());
            if (!at.ok()) return at.error();
            if (seen[*at]) return fail(errc::bad_file, "axis ", axis, " comes twice");
            seen[*at] = true;
        }
        c.set_output(0, c.input(0).type, in);
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        strided_map m = strided_map::of(in);
        for (std::int32_t axis : axes) {
            const std::size_t at = *axis_of(axis, in.size());
            m.take(at, in[at].value() - 1, -1, in[at].value());
        }
        return emit_strided(c, std::move(m));
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
