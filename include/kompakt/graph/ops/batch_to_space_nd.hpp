// batch_to_space_nd: batches are put together to blocks of the spatial axes, those after the batch,
// which are then cut.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct batch_to_space_nd : op_of<batch_to_space_nd> {
    static constexpr const char* op_name = "batch_to_space_nd";

    std::vector<std::int32_t> block, before, after; // one for each spatial axis; how much is cut

    template <class V>
    void fields(V&& v) {
        v("block", block), v("before", before), v("after", after);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        if (block.size() != before.size() || block.size() != after.size() ||
            block.size() + 1 > in.size()) {
            return fail(errc::bad_file, block.size(), " blocks, ", before.size(), " and ",
                        after.size(), " cuts for ", text_of(in));
        }
        for (std::size_t i = 0; i <= block.size(); ++i) KOMPAKT_TRY(expect_known(in[i]));
        shape s = in;
        std::int64_t batch = s[0].value();
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (block[i] < 1 || before[i] < 0 || after[i] < 0 || batch % block[i] != 0 ||
                s[i + 1].value() > INT32_MAX) {
                return fail(errc::bad_file, "block of ", block[i], ", cuts ", before[i], " and ",
                            after[i], " in ", text_of(in));
            }
            batch /= block[i];
            const std::int64_t left = s[i + 1].value() * block[i] - before[i] - after[i];
            if (left < 0) {
                return fail(errc::bad_file, "cuts ", before[i], " and ", after[i], " leave ", left);
            }
            s[i + 1] = dim(left);
        }
        s[0] = dim(batch);
        c.set_output(0, c.input(0).type, std::move(s));
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        const std::vector<strided_map::level> l = strided_map::of(in).levels;
        shape whole = in;
        whole[0] = c.output().shape[0];
        // In the batch the first axis' block is the outermost, the batch itself the innermost.
        std::vector<strided_map::level> blocks;
        std::int64_t step = whole[0].value() * l[0].step;
        for (std::size_t i = block.size(); i-- > 0;) {
            blocks.insert(blocks.begin(), {block[i], step});
            step *= block[i];
            whole[i + 1] = dim(in[i + 1].value() * block[i]);
        }
        strided_map m;
        m.levels.push_back({whole[0].value(), l[0].step});
        for (std::size_t i = 0; i < block.size(); ++i) {
            m.levels.push_back(l[i + 1]);
            m.levels.push_back(blocks[i]);
        }
        m.levels.insert(m.levels.end(), l.begin() + static_cast<std::ptrdiff_t>(block.size()) + 1,
                        l.end());
        if (whole == c.output().shape) return emit_strided(c, std::move(m));
        const std::uint32_t joined = c.temporary(c.input(0).type, dims_of(whole));
        const auto elements = element_count(whole);
        if (!elements.ok()) return elements.error();
        KOMPAKT_TRY(emit_strided(c, std::move(m), c.in(0), *elements, joined));
        strided_map cut = strided_map::of(whole);
        for (std::size_t i = 0; i < block.size(); ++i) {
            cut.take(i + 1, before[i], 1, c.output().shape[i + 1].value());
        }
        return emit_strided(c, std::move(cut), joined, *elements, c.out());
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
