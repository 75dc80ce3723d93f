// slice: the part of the input that begins at `begin` and has the extents `size`.
#pragma once

#include <kompakt/graph/ops/movement.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/kernel/dynamic_slice.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Where the beginning is known at run time only, it is input 1 (int32 or int64, one for each axis)
// and moved until the part lies inside; `begin` is empty then.
struct slice : op_of<slice> {
    static constexpr const char* op_name = "slice";

    std::vector<std::int32_t> begin, size; // size -1: all from there on

    template <class V>
    void fields(V&& v) {
        v("begin", begin), v("size", size);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 2, 1));
        const shape& in = c.input_shape(0);
        const bool late = c.has_input(1);
        if (size.size() != in.size() || begin.size() != (late ? 0 : in.size())) {
            return fail(errc::bad_file, begin.size(), " beginnings and ", size.size(),
                        " sizes for ", text_of(in));
        }
        if (late) {
            KOMPAKT_TRY(expect_index_type(c.input(1)));
            const shape& starts = c.input_shape(1);
            if (starts != shape{dim(static_cast<std::int64_t>(in.size()))}) {
                return fail(errc::bad_file, "beginnings ", text_of(starts), " for ", text_of(in));
            }
        }
        shape out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const std::int64_t from = late ? 0 : begin[i];
            // All of a dimension, whatever it will be.
            if (!late && from == 0 && size[i] == -1) {
                out.push_back(in[i]);
                continue;
            }
            KOMPAKT_TRY(expect_known(in[i]));
            const std::int64_t n = size[i] == -1 && !late ? in[i].value() - from : size[i];
            if (from < 0 || n < 0 || from + n > in[i].value()) {
                return fail(errc::bad_file, n, " elements from ", from, " on axis ", i, " of ",
                            text_of(in));
            }
            out.push_back(dim(n));
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        if (c.has_input(1)) {
            c.emit<dynamic_slice>({}, {c.in(0), c.in(1)}, {c.out()});
            return {};
        }
        return emit_strided(c, map(c.input(0).shape, c.output().shape));
    }

    std::vector<constant> fold(const inference& c) const override {
        if (c.has_input(1) || !foldable(c.input(0))) return {};
        return {fold_strided(c, map(c.input_shape(0), c.output(0).shape))};
    }

    status gradient(differentiation& d) const override {
        if (d.has_input(1)) return fail(errc::unsupported, "has no gradient with a late beginning");
        pad o;
        for (std::size_t i = 0; i < begin.size(); ++i) {
            o.before.push_back(begin[i]);
            o.after.push_back(static_cast<std::int32_t>(d.in_shape(0)[i].value() -
                                                        d.out_shape()[i].value() - begin[i]));
        }
        d.give(0, d.add(o, {d.gradient()}));
        return {};
    }

    quantization_rule quantize_rule() const override {
        quantization_rule r = same_scale_rule();
        r.indices = 1u << 1;
        return r;
    }

  private:
    strided_map map(const shape& in, const shape& out) const {
        strided_map m = strided_map::of(in);
        for (std::size_t i = 0; i < begin.size(); ++i) m.take(i, begin[i], 1, out[i].value());
        return m;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
