// mirror_pad: the elements at the edges, backwards, before and after each axis.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/mirror_pad.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct mirror_pad : op_of<mirror_pad> {
    static constexpr const char* op_name = "mirror_pad";

    std::vector<std::int32_t> before, after; // one for each axis
    bool reflect = true;                     // the edge itself is not repeated; else symmetric

    template <class V>
    void fields(V&& v) {
        v("before", before), v("after", after), v("reflect", reflect);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        shape s = c.input_shape(0);
        if (before.size() != s.size() || after.size() != s.size()) {
            return fail(errc::bad_file, before.size(), " and ", after.size(), " pads for ",
                        text_of(s));
        }
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (before[i] == 0 && after[i] == 0) continue;
            KOMPAKT_TRY(expect_known(s[i]));
            const std::int64_t most = s[i].value() - (reflect ? 1 : 0);
            if (before[i] < 0 || after[i] < 0 || before[i] > most || after[i] > most) {
                return fail(errc::unsupported, "pads ", before[i], " and ", after[i],
                            ", needed 0 to ", most);
            }
            s[i] = dim(s[i].value() + before[i] + after[i]);
        }
        c.set_output(0, c.input(0).type, std::move(s));
        return {};
    }

    status lower(lowering& c) const override {
        const shape& in = c.input(0).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        mirror_pad_params p;
        const std::size_t lead = max_rank - in.size();
        for (std::size_t i = 0; i < before.size(); ++i) p.before[lead + i] = before[i];
        // Leading dimensions of one that the input lacks have no pads.
        p.edge = reflect ? 1 : 0;
        if (in == c.output().shape) return emit_strided(c, strided_map::of(in));
        c.emit<kompakt::mirror_pad>(p, {c.in(0)}, {c.out()});
        return {};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
