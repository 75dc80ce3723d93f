// tile: the input repeated a number of times along each axis.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct tile : op_of<tile> {
    static constexpr const char* op_name = "tile";

    std::vector<std::int32_t> multiples; // one for each axis, 1 or more

    template <class V>
    void fields(V&& v) {
        v("multiples", multiples);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        shape out = c.input_shape(0);
        if (multiples.size() != out.size()) {
            return fail(errc::bad_file, multiples.size(), " multiples for ", text_of(out));
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (multiples[i] < 1) return fail(errc::bad_file, "multiple ", multiples[i]);
            if (multiples[i] == 1) continue;
            KOMPAKT_TRY(expect_known(out[i]));
            if (out[i].value() > INT32_MAX) return fail(errc::limit, "input ", text_of(out));
            out[i] = dim(out[i].value() * multiples[i]);
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    // In two passes where one would have too many levels: the inner half of the axes first.
    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        strided_map whole = map(in, 0, in.size());
        whole.simplify();
        if (whole.levels.size() <= max_copy_levels) return emit_strided(c, std::move(whole));
        const std::size_t half = in.size() / 2;
        shape between = in;
        for (std::size_t i = half; i < in.size(); ++i) between[i] = c.output().shape[i];
        const std::uint32_t t = c.temporary(c.input(0).type, dims_of(between));
        const auto given = element_count(in), made = element_count(between);
        if (!given.ok() || !made.ok()) return fail(errc::limit, "too many elements");
        KOMPAKT_TRY(emit_strided(c, map(in, half, in.size()), c.in(0), *given, t));
        return emit_strided(c, map(between, 0, half), t, *made, c.out());
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    strided_map map(const shape& in, std::size_t first, std::size_t end) const {
        const strided_map from = strided_map::of(in);
        strided_map m;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (i >= first && i < end) m.levels.push_back({multiples[i], 0});
            m.levels.push_back(from.levels[i]);
        }
        return m;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
