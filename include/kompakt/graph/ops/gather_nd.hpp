// gather_nd: slices of the first input at the places whose index vectors the second holds along its
// last axis.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/gather_nd.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// An index outside its dimension becomes the first or last: see gather.
struct gather_nd : op_of<gather_nd> {
    static constexpr const char* op_name = "gather_nd";

    template <class V>
    void fields(V&&) {}

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        const shape &in = c.input_shape(0), &indices = c.input_shape(1);
        KOMPAKT_TRY(expect_index_type(c.input(1)));
        if (indices.empty()) return fail(errc::bad_file, "indices are a scalar");
        KOMPAKT_TRY(expect_known(indices.back()));
        const std::int64_t depth = indices.back().value();
        if (depth < 1 || depth > static_cast<std::int64_t>(in.size())) {
            return fail(errc::bad_file, "indices of ", depth, " numbers into ", text_of(in));
        }
        shape out(indices.begin(), indices.end() - 1);
        out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(depth), in.end());
        KOMPAKT_TRY(expect_movable_rank(out));
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        KOMPAKT_TRY(expect_movable_rank(c.input(1).shape));
        c.emit<kompakt::gather_nd>({}, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r = same_scale_rule();
        r.indices = 1u << 1;
        return r;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
