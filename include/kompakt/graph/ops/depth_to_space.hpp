// depth_to_space: channels become blocks of pixels; NHWC, rank 4.
#pragma once

#include <kompakt/graph/ops/space_to_depth.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct depth_to_space : op_of<depth_to_space> {
    static constexpr const char* op_name = "depth_to_space";

    std::int32_t block = 1;

    template <class V>
    void fields(V&& v) {
        v("block", block);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(expect_blocks(c, block));
        const shape& in = c.input_shape(0);
        const std::int64_t area = std::int64_t{block} * block;
        if (in[3].value() % area != 0 || in[1].value() > INT32_MAX || in[2].value() > INT32_MAX) {
            return fail(errc::bad_file, "blocks of ", block, " in ", text_of(in));
        }
        c.set_output(0, c.input(0).type,
                     {in[0], dim(in[1].value() * block), dim(in[2].value() * block),
                      dim(in[3].value() / area)});
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        const std::vector<strided_map::level> l = strided_map::of(in).levels;
        const std::int64_t channels = c.output().shape[3].value();
        strided_map m;
        m.levels = {l[0], l[1], {block, channels * block}, l[2], {block, channels}, {channels, 1}};
        return emit_strided(c, std::move(m));
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
