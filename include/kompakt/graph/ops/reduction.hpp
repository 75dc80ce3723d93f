// What reductions over axes have in common: their attributes, shapes and masks.
#pragma once

#include <kompakt/graph/ops/gradients.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/reduction.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The axes that a reduction runs over, for an input of rank up to 6.
struct reduced_axes {
    std::int32_t mask = 0;  // bit k: axis rank - 1 - k
    std::int64_t count = 1; // elements that become one
};

template <class Op>
struct reduction_op : op_of<Op> {
    std::vector<std::int32_t> axes; // negative ones count from the last; twice is once
    bool keep_dims = false;         // reduced axes stay, with extent 1

    template <class V>
    void fields(V&& v) {
        v("axes", axes), v("keep_dims", keep_dims);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        const shape& in = c.input_shape(0);
        std::vector<bool> reduced;
        KOMPAKT_TRY(resolve(in, reduced));
        shape out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (!reduced[i]) {
                out.push_back(in[i]);
            } else if (keep_dims) {
                out.push_back(dim(1));
            }
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

  protected:
    result<reduced_axes> reduced_by(const lowering& c) const {
        if (c.output().type != c.input(0).type) {
            return fail(errc::unsupported, name_of(c.input(0).type), " input, ",
                        name_of(c.output().type), " output");
        }
        const shape& in = c.input(0).shape;
        std::vector<bool> reduced;
        KOMPAKT_TRY(resolve(in, reduced));
        reduced_axes r;
        for (std::size_t i = 0; i < reduced.size(); ++i) {
            if (!reduced[i]) continue;
            r.mask |= 1 << (reduced.size() - 1 - i);
            r.count *= in[i].value();
        }
        return r;
    }
    // The way back through sums and means.
    status give_spread(differentiation& d, bool mean) const {
        std::vector<bool> reduced;
        KOMPAKT_TRY(resolve(d.in_shape(0), reduced));
        spread o;
        o.kept = o.target = d.in_shape(0);
        for (std::size_t i = 0; i < reduced.size(); ++i) {
            if (!reduced[i]) continue;
            if (mean) o.factor /= static_cast<float>(o.target[i].value());
            o.kept[i] = dim(1);
        }
        d.give(0, d.add(o, {d.gradient()}));
        return {};
    }

    // Output i needs inputs from i on only: an axis that goes makes every later one denser.
    static std::vector<overlap> overlaps() { return {{overlap::kind::same_place, 0}}; }

  private:
    status resolve(const shape& in, std::vector<bool>& reduced) const {
        const auto rank = static_cast<std::int64_t>(in.size());
        if (in.size() > max_rank) {
            return fail(errc::unsupported, "input ", text_of(in), ", needed rank 0 to ", max_rank);
        }
        reduced.assign(in.size(), false);
        for (std::int32_t axis : axes) {
            if (rank == 0) continue; // TensorFlow Lite ignores the axes of a scalar
            if (axis < -rank || axis >= rank) {
                return fail(errc::bad_file, "axis ", axis, " of ", text_of(in));
            }
            reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
        }
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
