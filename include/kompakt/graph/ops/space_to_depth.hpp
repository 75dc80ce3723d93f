// space_to_depth: blocks of pixels become channels; NHWC, rank 4.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Rows and columns of blocks, for both directions.
inline status expect_blocks(inference& c, std::int32_t size) {
    KOMPAKT_TRY(c.expect(1, 1, 1));
    KOMPAKT_TRY(c.expect_rank(0, 4));
    if (size < 1) return fail(errc::bad_file, "block of ", size);
    for (std::size_t i = 1; i < 4; ++i) KOMPAKT_TRY(expect_known(c.input_shape(0)[i]));
    return {};
}

struct space_to_depth : op_of<space_to_depth> {
    static constexpr const char* op_name = "space_to_depth";

    std::int32_t block = 1;

    template <class V>
    void fields(V&& v) {
        v("block", block);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(expect_blocks(c, block));
        const shape& in = c.input_shape(0);
        if (in[1].value() % block != 0 || in[2].value() % block != 0) {
            return fail(errc::bad_file, "blocks of ", block, " in ", text_of(in));
        }
        const std::int64_t area = std::int64_t{block} * block;
        if (area > INT32_MAX || in[3].value() > INT32_MAX) {
            return fail(errc::limit, "blocks of ", block, " in ", text_of(in));
        }
        c.set_output(0, c.input(0).type,
                     {in[0], dim(in[1].value() / block), dim(in[2].value() / block),
                      dim(in[3].value() * area)});
        return {};
    }

    status lower(lowering& c) const override {
        const shape &in = c.input(0).shape, &out = c.output().shape;
        const std::vector<strided_map::level> l = strided_map::of(in).levels;
        strided_map m;
        m.levels = {l[0],
                    {out[1].value(), l[1].step * block},
                    {out[2].value(), l[2].step * block},
                    {block, l[1].step},
                    {block, l[2].step},
                    l[3]};
        return emit_strided(c, std::move(m));
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
