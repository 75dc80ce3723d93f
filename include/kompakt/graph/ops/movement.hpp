// What operators that move elements have in common: axes, the map from output places to input
// places, and its lowering to the one kernel that follows it.
#pragma once

#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/kernel/concatenation.hpp>
#include <kompakt/kernel/copy.hpp>
#include <kompakt/kernel/strided_copy.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Of a tensor of known shape.
inline std::vector<std::int32_t> dims_of(const shape& s) {
    std::vector<std::int32_t> dims;
    for (const dim& d : s) dims.push_back(static_cast<std::int32_t>(d.value()));
    return dims;
}

// From 0 on; axes below zero count from the end.
inline result<std::size_t> axis_of(std::int32_t axis, std::size_t rank) {
    const auto n = static_cast<std::int64_t>(rank);
    if (axis < -n || axis >= n) return fail(errc::bad_file, "axis ", axis, " of rank ", rank);
    return static_cast<std::size_t>(axis < 0 ? axis + n : axis);
}

inline status expect_known(const dim& d) {
    if (d.known()) return {};
    return fail(errc::bad_argument, "dimension ", d.symbol(), " has no value; bind it first");
}
inline status expect_known(const shape& s) {
    for (const dim& d : s) KOMPAKT_TRY(expect_known(d));
    return {};
}
inline status expect_movable_rank(const shape& s) {
    if (s.size() <= max_rank) return {};
    return fail(errc::unsupported, "rank ", s.size(), ", needed at most ", max_rank);
}

inline status expect_index_type(const graph_tensor& t) {
    if (t.type == dtype::i32 || t.type == dtype::i64 || t.type == dtype::i16) return {};
    return fail(errc::unsupported, "indices ", name_of(t.type), ", needed int16, int32 or int64");
}

// Where the elements of an output come from: out, row-major over the counts of the levels (the
// outermost first), is in[start + i0 * step0 + i1 * step1 + …].
struct strided_map {
    struct level {
        std::int64_t count, step;
    };
    std::int64_t start = 0;
    std::vector<level> levels;

    // Of a whole tensor: one level an axis.
    static strided_map of(const shape& s) {
        strided_map m;
        std::int64_t step = 1;
        for (std::size_t i = s.size(); i-- > 0;) {
            m.levels.insert(m.levels.begin(), {s[i].value(), step});
            step *= s[i].value();
        }
        return m;
    }
    // Elements `from`, `from` + `stride`, … of one level.
    void take(std::size_t l, std::int64_t from, std::int64_t stride, std::int64_t count) {
        start += from * levels[l].step;
        levels[l] = {count, levels[l].step * stride};
    }
    // Levels that count one say nothing; two that follow each other are one.
    void simplify() {
        std::vector<level> kept;
        for (const level& l : levels) {
            if (l.count == 1) continue;
            if (!kept.empty() && kept.back().step == l.step * l.count) {
                kept.back() = {kept.back().count * l.count, l.step};
            } else {
                kept.push_back(l);
            }
        }
        levels = std::move(kept);
    }
};

// Copies `in` of `elements` elements to `out` by the map.
inline status emit_strided(lowering& c, strided_map m, std::uint32_t in, std::size_t elements,
                           std::uint32_t out) {
    m.simplify();
    const bool row = m.levels.size() == 1 && m.levels[0].step == 1;
    const std::int64_t count = m.levels.empty() ? 1 : m.levels[0].count;
    if (m.start == 0 && (row || m.levels.empty()) && count == static_cast<std::int64_t>(elements)) {
        std::vector<overlap> over;
        if (c.in_arena(in)) over.push_back({overlap::kind::same_place, 0});
        c.emit<copy>({}, {in}, {out}, std::move(over));
        return {};
    }
    if (m.levels.size() > max_copy_levels) {
        return fail(errc::unsupported, "needs ", m.levels.size(), " levels of copying, at most ",
                    max_copy_levels);
    }
    strided_copy_params p;
    p.start = static_cast<std::int32_t>(m.start);
    const std::size_t lead = max_copy_levels - m.levels.size();
    for (std::size_t i = 0; i < m.levels.size(); ++i) {
        p.count[lead + i] = static_cast<std::int32_t>(m.levels[i].count);
        p.step[lead + i] = static_cast<std::int32_t>(m.levels[i].step);
    }
    c.emit<strided_copy>(p, {in}, {out});
    return {};
}
// Input 0 to output `output`.
inline status emit_strided(lowering& c, strided_map m, std::size_t output = 0) {
    const auto elements = element_count(c.input(0).shape);
    if (!elements.ok()) return elements.error();
    return emit_strided(c, std::move(m), c.in(0), *elements, c.out(output));
}

// int32, or int64 where `wide`.
inline constant index_constant(shape s, const std::vector<std::int64_t>& values, bool wide) {
    if (wide) return make_constant(std::move(s), values);
    return make_constant(std::move(s), std::vector<std::int32_t>(values.begin(), values.end()));
}

inline std::vector<std::int64_t> integers_of(const constant& c) {
    if (c.type == dtype::i64) return c.values<std::int64_t>();
    const std::vector<std::int32_t> all = c.values<std::int32_t>();
    return {all.begin(), all.end()};
}

// A few constant integers, such as shapes are computed from.
inline bool foldable(const graph_tensor& t) {
    const auto n = element_count(t.shape);
    return t.value && t.value->coding.kind == encoding::dense && n.ok() && *n <= 64 &&
           (t.type == dtype::i32 || t.type == dtype::i64);
}
// Output `output` of a node whose input 0 is foldable.
inline constant fold_strided(const inference& c, const strided_map& m, std::size_t output = 0) {
    const constant& in = *c.input(0).value;
    const std::size_t size = bits_of(in.type) / 8;
    std::vector<std::int64_t> places = {m.start};
    for (const strided_map::level& l : m.levels) {
        std::vector<std::int64_t> next;
        for (const std::int64_t at : places) {
            for (std::int64_t i = 0; i < l.count; ++i) next.push_back(at + i * l.step);
        }
        places = std::move(next);
    }
    std::vector<std::byte> bytes;
    for (const std::int64_t at : places) {
        const std::byte* from = in.bytes().data() + static_cast<std::size_t>(at) * size;
        bytes.insert(bytes.end(), from, from + size);
    }
    return make_constant_bytes(in.type, c.output(output).shape, {bytes.data(), bytes.size()});
}

// Operands of one call are limited; more inputs are joined in groups first, and then the groups.
inline constexpr std::size_t max_joined_at_once = max_operands - 1;
inline constexpr std::size_t max_joined = max_joined_at_once * max_joined_at_once;

// Emits the concatenation of `parts` along axis `along` of dimensions `part_dims` to `out`.
inline void emit_joined(lowering& c, std::size_t along, std::vector<std::uint32_t> parts,
                        const std::vector<std::vector<std::int32_t>>& part_dims,
                        std::uint32_t out) {
    const concatenation_params p{static_cast<std::int32_t>(along)};
    if (parts.size() > max_joined_at_once) {
        std::vector<std::uint32_t> groups;
        for (std::size_t at = 0; at < parts.size(); at += max_joined_at_once) {
            const std::size_t end = std::min(at + max_joined_at_once, parts.size());
            std::vector<std::int32_t> dims = part_dims[at];
            for (std::size_t i = at + 1; i < end; ++i) dims[along] += part_dims[i][along];
            groups.push_back(c.temporary(c.output().type, std::move(dims)));
            c.emit<kompakt::concatenation>(p,
                                           {parts.begin() + static_cast<std::ptrdiff_t>(at),
                                            parts.begin() + static_cast<std::ptrdiff_t>(end)},
                                           {groups.back()});
        }
        parts = std::move(groups);
    }
    c.emit<kompakt::concatenation>(p, std::move(parts), {out});
}

// All inputs one after another: scalars that are packed, vectors that are joined.
inline std::vector<constant> fold_joined(const inference& c) {
    if (c.output(0).shape.size() != 1) return {};
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < c.inputs(); ++i) {
        if (!foldable(c.input(i))) return {};
        const bytes_view b = c.input(i).value->bytes();
        bytes.insert(bytes.end(), b.begin(), b.end());
    }
    return {make_constant_bytes(c.output(0).type, c.output(0).shape, {bytes.data(), bytes.size()})};
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
