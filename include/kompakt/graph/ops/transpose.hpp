// transpose: axis k of the output is axis perm[k] of the input.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct transpose : op_of<transpose> {
    static constexpr const char* op_name = "transpose";

    std::vector<std::int32_t> perm;

    template <class V>
    void fields(V&& v) {
        v("perm", perm);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        if (perm.size() != in.size()) {
            return fail(errc::bad_file, perm.size(), " axes for ", text_of(in));
        }
        std::vector<bool> seen(in.size(), false);
        shape out;
        for (std::int32_t axis : perm) {
            if (axis < 0 || static_cast<std::size_t>(axis) >= in.size() ||
                seen[static_cast<std::size_t>(axis)]) {
                return fail(errc::bad_file, "axis ", axis, " of ", text_of(in),
                            " does not exist or comes twice");
            }
            seen[static_cast<std::size_t>(axis)] = true;
            out.push_back(in[static_cast<std::size_t>(axis)]);
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        const strided_map in = strided_map::of(c.input(0).shape);
        strided_map m;
        for (std::int32_t axis : perm)
            m.levels.push_back(in.levels[static_cast<std::size_t>(axis)]);
        return emit_strided(c, std::move(m));
    }

    status gradient(differentiation& d) const override {
        transpose o;
        o.perm.resize(perm.size());
        for (std::size_t i = 0; i < perm.size(); ++i) {
            o.perm[static_cast<std::size_t>(perm[i])] = static_cast<std::int32_t>(i);
        }
        d.give(0, d.add(o, {d.gradient()}));
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
