// unpack: the input cut along one axis into its slices, which lack that axis.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct unpack : op_of<unpack> {
    static constexpr const char* op_name = "unpack";

    std::int32_t axis = 0; // below zero: from the end

    template <class V>
    void fields(V&& v) {
        v("axis", axis);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, c.outputs()));
        shape out = c.input_shape(0);
        const auto along = axis_of(axis, out.size());
        if (!along.ok()) return along.error();
        const auto at = out.begin() + static_cast<std::ptrdiff_t>(*along);
        KOMPAKT_TRY(expect_known(*at));
        if (at->value() != static_cast<std::int64_t>(c.outputs())) {
            return fail(errc::bad_file, c.outputs(), " outputs for axis ", axis, " of ",
                        text_of(out));
        }
        out.erase(at);
        for (std::size_t i = 0; i < c.outputs(); ++i) c.set_output(i, c.input(0).type, out);
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        for (std::size_t i = 0; i < c.outputs(); ++i) KOMPAKT_TRY(emit_strided(c, map(in, i), i));
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        std::vector<constant> all;
        for (std::size_t i = 0; foldable(c.input(0)) && i < c.outputs(); ++i) {
            all.push_back(fold_strided(c, map(c.input_shape(0), i), i));
        }
        return all;
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    strided_map map(const shape& in, std::size_t i) const {
        strided_map m = strided_map::of(in);
        m.take(*axis_of(axis, in.size()), static_cast<std::int64_t>(i), 1, 1);
        return m;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
