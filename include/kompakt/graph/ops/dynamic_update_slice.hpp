// dynamic_update_slice: the first input with a part of it replaced by the second, at the start
// indices that the third holds; they are moved until the part lies inside.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/dynamic_update_slice.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct dynamic_update_slice : op_of<dynamic_update_slice> {
    static constexpr const char* op_name = "dynamic_update_slice";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(3, 3, 1));
        const shape &in = c.input_shape(0), &part = c.input_shape(1);
        if (c.input(0).type != c.input(1).type) {
            return fail(errc::unsupported, "inputs ", name_of(c.input(0).type), " and ",
                        name_of(c.input(1).type), ", needed one type");
        }
        KOMPAKT_TRY(expect_index_type(c.input(2)));
        bool fits = !in.empty() && in.size() == part.size() &&
                    c.input_shape(2) == shape{dim(static_cast<std::int64_t>(in.size()))};
        for (std::size_t i = 0; fits && i < in.size(); ++i) {
            if (in[i] == part[i]) continue;
            KOMPAKT_TRY(expect_known(in[i]));
            KOMPAKT_TRY(expect_known(part[i]));
            fits = part[i].value() <= in[i].value();
        }
        if (!fits) {
            return fail(errc::bad_file, "a part ", text_of(part), " of ", text_of(in), " at ",
                        text_of(c.input_shape(2)), " indices");
        }
        c.set_output(0, c.input(0).type, in);
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        std::vector<overlap> overlaps;
        if (!c.input(0).value) overlaps.push_back({overlap::kind::same_place, 0});
        c.emit<kompakt::dynamic_update_slice>({}, {c.in(0), c.in(1), c.in(2)}, {c.out()},
                                              std::move(overlaps));
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r = same_scale_rule();
        r.indices = 1u << 2;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
