// strided_slice: every stride-th element of each axis from begin to before end, as Python's slices.
#pragma once

#include <kompakt/graph/ops/movement.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Entry i is about axis i of the input, unless bits of the masks say otherwise: an entry of the
// ellipsis stands for all axes that no other entry is about, one of new_axis for a dimension of one
// that the input lacks; shrink_axis takes one element and drops the axis. Bits of begin and end
// leave that end open; `offset` counts ends from their beginnings. Indices outside are cut, but an
// element that does not exist cannot be taken.
struct strided_slice : op_of<strided_slice> {
    static constexpr const char* op_name = "strided_slice";

    std::vector<std::int32_t> begin, end, strides;
    std::int32_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0;
    std::int32_t shrink_axis_mask = 0;
    bool offset = false;

    template <class V>
    void fields(V&& v) {
        v("begin", begin), v("end", end), v("strides", strides);
        v("begin_mask", begin_mask), v("end_mask", end_mask), v("ellipsis_mask", ellipsis_mask);
        v("new_axis_mask", new_axis_mask), v("shrink_axis_mask", shrink_axis_mask);
        v("offset", offset);
    }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(1, 1, 1));
        std::vector<part> parts;
        KOMPAKT_TRY(resolve(c.input_shape(0), parts));
        shape out;
        for (const part& p : parts) {
            if (p.kept) out.push_back(p.whole ? p.size : dim(p.count));
        }
        c.set_output(0, c.input(0).type, std::move(out));
        return {};
    }

    status lower(lowering& c) const override {
        KOMPAKT_TRY(expect_movable_rank(c.input(0).shape));
        auto m = map(c.input(0).shape);
        if (!m.ok()) return m.error();
        return emit_strided(c, std::move(*m));
    }

    std::vector<constant> fold(const inference& c) const override {
        if (!foldable(c.input(0))) return {};
        const auto m = map(c.input_shape(0));
        if (!m.ok()) return {};
        return {fold_strided(c, *m)};
    }

    quantization_rule quantize_rule() const override { return same_scale_rule(); }

  private:
    // What becomes of one axis.
    struct part {
        bool added = false; // not of the input
        bool kept = true;   // in the output
        bool whole = true;
        dim size = dim(1);
        std::int64_t from = 0, stride = 1, count = 1; // of those that are not whole
    };

    result<strided_map> map(const shape& in) const {
        std::vector<part> parts;
        KOMPAKT_TRY(resolve(in, parts));
        strided_map m = strided_map::of(in);
        std::size_t axis = 0;
        for (const part& p : parts) {
            if (p.added) continue;
            if (!p.whole) m.take(axis, p.from, p.stride, p.count);
            ++axis;
        }
        return m;
    }
    status resolve(const shape& in, std::vector<part>& parts) const {
        const std::size_t n = begin.size();
        if (end.size() != n || strides.size() != n || n > 31) {
            return fail(errc::bad_file, n, " beginnings, ", end.size(), " ends, ", strides.size(),
                        " strides");
        }
        const auto bit = [](std::int32_t mask, std::size_t i) { return (mask >> i & 1) != 0; };
        std::size_t named = 0, ellipses = 0; // axes that entries are about
        for (std::size_t i = 0; i < n; ++i) {
            if (bit(ellipsis_mask, i)) {
                ++ellipses;
            } else if (!bit(new_axis_mask, i)) {
                ++named;
            }
        }
        if (ellipses > 1 || named > in.size()) {
            return fail(errc::bad_file, named, " axes and ", ellipses, " ellipses for ",
                        text_of(in));
        }
        std::size_t axis = 0;
        const auto leave = [&](std::size_t axes) {
            for (; axes > 0; --axes, ++axis) {
                part p;
                p.size = in[axis];
                parts.push_back(std::move(p));
            }
        };
        for (std::size_t i = 0; i < n; ++i) {
            if (bit(ellipsis_mask, i)) {
                leave(in.size() - named);
            } else if (bit(new_axis_mask, i)) {
                part p;
                p.added = true;
                parts.push_back(std::move(p));
            } else {
                part p;
                KOMPAKT_TRY(entry(in, axis, i, p));
                parts.push_back(std::move(p));
                ++axis;
            }
        }
        leave(in.size() - axis);
        return {};
    }

    status entry(const shape& in, std::size_t axis, std::size_t i, part& p) const {
        const std::int64_t stride = strides[i];
        const bool from_start = (begin_mask >> i & 1) != 0, to_end = (end_mask >> i & 1) != 0;
        const bool shrink = (shrink_axis_mask >> i & 1) != 0;
        if (stride == 0 || (shrink && stride < 0)) {
            return fail(errc::bad_file, "stride ", stride, " of entry ", i,
                        shrink ? ", which takes one element" : "");
        }
        p.size = in[axis];
        if (stride == 1 && from_start && to_end && !shrink) return {};
        KOMPAKT_TRY(expect_known(in[axis]));
        const std::int64_t size = in[axis].value();
        // Places that can be: before the first only backwards, behind the last only forwards.
        const std::int64_t least = stride > 0 ? 0 : -1, most = stride > 0 ? size : size - 1;
        const auto place = [&](std::int64_t at) {
            if (at < 0) at += size;
            return at < least ? least : at > most ? most : at;
        };
        p.whole = false;
        p.stride = stride;
        p.from = from_start ? (stride > 0 ? 0 : size - 1) : place(begin[i]);
        if (shrink) {
            if (p.from >= size) {
                return fail(errc::bad_file, "element ", begin[i], " of axis ", axis, " of ",
                            text_of(in));
            }
            p.kept = false;
            return {};
        }
        const std::int64_t stop =
            to_end ? (stride > 0 ? size : -1) : place(offset ? end[i] + p.from : end[i]);
        const std::int64_t span = stride > 0 ? stop - p.from : p.from - stop;
        const std::int64_t step = stride > 0 ? stride : -stride;
        p.count = span > 0 ? (span + step - 1) / step : 0;
        // One element has no next: its stride could lie outside int32.
        if (p.count <= 1) p.stride = 1;
        return {};
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
