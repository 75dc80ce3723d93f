// space_to_batch_nd: the spatial axes, those after the batch, are padded and dealt out to batches,
// block by block.
#pragma once

#include <kompakt/graph/ops/pad.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct space_to_batch_nd : op_of<space_to_batch_nd> {
    static constexpr const char* op_name = "space_to_batch_nd";

    std::vector<std::int32_t> block, before, after; // one for each spatial axis

    template <class V>
    void fields(V&& v) {
        v("block", block), v("before", before), v("after", after);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        shape s = c.input_shape(0);
        if (block.size() != before.size() || block.size() != after.size() ||
            block.size() + 1 > s.size()) {
            return fail(errc::bad_file, block.size(), " blocks, ", before.size(), " and ",
                        after.size(), " pads for ", text_of(s));
        }
        for (std::size_t i = 0; i <= block.size(); ++i) KOMPAKT_TRY(expect_known(s[i]));
        std::int64_t batch = s[0].value();
        for (std::size_t i = 0; i < block.size(); ++i) {
            if (block[i] < 1 || before[i] < 0 || after[i] < 0) {
                return fail(errc::bad_file, "block of ", block[i], ", pads ", before[i], " and ",
                            after[i]);
            }
            const std::int64_t padded = s[i + 1].value() + before[i] + after[i];
            if (padded % block[i] != 0) {
                return fail(errc::bad_file, "blocks of ", block[i], " in ", padded);
            }
            s[i + 1] = dim(padded / block[i]);
            if (batch > INT32_MAX) return fail(errc::limit, "too many blocks");
            batch *= block[i];
        }
        s[0] = dim(batch);
        c.set_output(0, c.input(0).type, std::move(s));
        return {};
    }

    // Pads hold what stands for 0, which TensorFlow Lite Micro leaves undefined.
    status lower(lowering& c) const override {
        shape padded = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(padded));
        pad_params p;
        KOMPAKT_TRY(element_bits(c.output(), 0.0f, p.value));
        const std::size_t lead = max_rank - padded.size();
        for (std::size_t i = 0; i < block.size(); ++i) {
            p.before[lead + i + 1] = before[i];
            padded[i + 1] = dim(padded[i + 1].value() + before[i] + after[i]);
        }
        std::uint32_t in = c.in(0);
        if (padded != c.input(0).shape) {
            in = c.temporary(c.input(0).type, dims_of(padded));
            c.emit<kompakt::pad>(p, {c.in(0)}, {in});
        }
        const std::vector<strided_map::level> l = strided_map::of(padded).levels;
        strided_map m;
        for (std::size_t i = 0; i < block.size(); ++i)
            m.levels.push_back({block[i], l[i + 1].step});
        m.levels.push_back(l[0]);
        for (std::size_t i = 0; i < block.size(); ++i) {
            m.levels.push_back({l[i + 1].count / block[i], l[i + 1].step * block[i]});
        }
        m.levels.insert(m.levels.end(), l.begin() + static_cast<std::ptrdiff_t>(block.size()) + 1,
                        l.end());
        const auto elements = element_count(padded);
        if (!elements.ok()) return elements.error();
        return emit_strided(c, std::move(m), in, *elements, c.out());
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
