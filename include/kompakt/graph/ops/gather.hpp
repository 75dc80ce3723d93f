// gather: slices of the first input along one axis, at the indices that the second holds.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/kernel/gather.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The first `batch_dims` axes of both belong together. An index outside the axis takes its first
// or last slice: none can be refused once a model runs, and TensorFlow Lite Micro checks nothing.
struct gather : op_of<gather> {
    static constexpr const char* op_name = "gather";

    std::int32_t axis = 0;       // below zero: from the end
    std::int32_t batch_dims = 0; // below zero: from the end of the indices

    template <class V>
    void fields(V&& v) {
        v("axis", axis), v("batch_dims", batch_dims);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(2, 2, 1));
        const shape &in = c.input_shape(0), &indices = c.input_shape(1);
        KOMPAKT_TRY(expect_index_type(c.input(1)));
        std::size_t at = 0, batch = 0;
        KOMPAKT_TRY(resolve(in, indices, at, batch));
        shape out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(at));
        out.insert(out.end(), indices.begin() + static_cast<std::ptrdiff_t>(batch), indices.end());
        out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(at) + 1, in.end());
        KOMPAKT_TRY(expect_movable_rank(out));
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        const shape &in = c.input(0).shape, &indices = c.input(1).shape;
        KOMPAKT_TRY(expect_movable_rank(in));
        KOMPAKT_TRY(expect_movable_rank(indices));
        std::size_t at = 0, batch = 0;
        KOMPAKT_TRY(resolve(in, indices, at, batch));
        gather_params p;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto n = static_cast<std::int32_t>(in[i].value());
            if (i < batch) p.batch *= n;
            if (i >= batch && i < at) p.outer *= n;
            if (i > at) p.inner *= n;
        }
        c.emit<kompakt::gather>(p, {c.in(0), c.in(1)}, {c.out()});
        return {};
    }

    std::vector<constant> fold(const inference& c) const override {
        if (c.input_shape(0).size() != 1 || !foldable(c.input(0)) || !foldable(c.input(1)))
            return {};
        const auto in = integers_of(*c.input(0).value), at = integers_of(*c.input(1).value);
        std::vector<std::int64_t> out;
        for (const std::int64_t i : at) {
            const auto most = static_cast<std::int64_t>(in.size()) - 1;
            out.push_back(in[static_cast<std::size_t>(i < 0 ? 0 : i > most ? most : i)]);
        }
        return {index_constant(c.output(0).shape, out, c.input(0).type == dtype::i64)};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r = same_scale_rule();
        r.indices = 1u << 1;
        return r;
    }

  private:
    status resolve(const shape& in, const shape& indices, std::size_t& at,
                   std::size_t& batch) const {
        const auto a = axis_of(axis, in.size());
        if (!a.ok()) return a.error();
        const auto rank = static_cast<std::int64_t>(indices.size());
        const std::int64_t b = batch_dims < 0 ? batch_dims + rank : batch_dims;
        if (b < 0 || b > rank || b > static_cast<std::int64_t>(*a)) {
            return fail(errc::bad_file, batch_dims, " batch dimensions for axis ", axis, " of ",
                        text_of(in), " and indices ", text_of(indices));
        }
        at = *a, batch = static_cast<std::size_t>(b);
        for (std::size_t i = 0; i < batch; ++i) {
            if (in[i] == indices[i]) continue;
            return fail(errc::bad_file, "batch dimensions of ", text_of(in), " and ",
                        text_of(indices));
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
