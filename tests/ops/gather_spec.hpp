#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/dynamic_update_slice.hpp>
#include <kompakt/graph/ops/embedding_lookup.hpp>
#include <kompakt/graph/ops/gather.hpp>
#include <kompakt/graph/ops/gather_nd.hpp>

namespace kompakt_test {

// What an index that is outside becomes.
inline std::int64_t nearest_index(double v, std::int64_t n) {
    const auto most = static_cast<double>(n - 1);
    return static_cast<std::int64_t>(v < 0 ? 0 : v > most ? most : v);
}

inline void gather_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::gather>();
    const values &in = a.inputs[0], &indices = a.inputs[1];
    const auto rank = static_cast<std::int32_t>(in.dims.size());
    const auto rank_of_indices = static_cast<std::int32_t>(indices.dims.size());
    const std::ptrdiff_t axis = op.axis < 0 ? op.axis + rank : op.axis;
    const std::ptrdiff_t batch =
        op.batch_dims < 0 ? op.batch_dims + rank_of_indices : op.batch_dims;
    move_reference(in, out, [&](const place_in& at) {
        // Batch, outer, the indices' own, inner.
        const auto own = at.begin() + axis, inner = own + rank_of_indices - batch;
        place_in which(at.begin(), at.begin() + batch);
        which.insert(which.end(), own, inner);
        place_in from(at.begin(), own);
        from.push_back(nearest_index(indices.data[flat_place(which, indices.dims)],
                                     in.dims[static_cast<std::size_t>(axis)]));
        from.insert(from.end(), inner, at.end());
        return from;
    });
}
inline op_spec gather_spec() {
    op_spec s{"gather", {}, gather_reference};
    const auto add = [&](const kompakt::shape& in, const kompakt::shape& indices, std::int32_t axis,
                         std::int32_t batch = 0, bool bench = false) {
        for (const dtype type : movable_types) {
            for (const dtype index : {dtype::i16, dtype::i32, dtype::i64}) {
                case_builder b(kompakt::text_of(in) + " at " + kompakt::text_of(indices) +
                               " axis " + std::to_string(axis) + ", batch " +
                               std::to_string(batch) + " " + kompakt::name_of(type) + " " +
                               kompakt::name_of(index));
                kompakt::ops::gather op;
                op.axis = axis, op.batch_dims = batch;
                const auto q = some_scale(type);
                const tensor_id x = b.input(type, in, q);
                const tensor_id i = b.input(index, indices);
                b.between(-1, 5);
                s.cases.push_back(b.finish(op, {x, i}, q, bench && index == dtype::i32));
            }
        }
    };
    add({5}, {}, 0);
    add({5}, {3}, -1);
    add({3, 4}, {2}, 0);
    add({3, 4}, {2, 2}, 1);
    add({2, 5, 257}, {3}, 1);
    add({3, 5, 2}, {3, 4}, 1, 1);
    add({3, 2, 5}, {3, 4}, 2, 1);
    add({3, 2, 5, 2}, {3, 2, 3}, -2, -1);
    add({2, 3, 4}, {2, 3}, 2, 2);
    add({2, 1, 3, 2, 4, 2}, {1}, 3);
    add({100, 64}, {32}, 0, 0, true);
    return s;
}

inline void gather_nd_reference(const op_arguments& a, values& out) {
    const values &in = a.inputs[0], &indices = a.inputs[1];
    const auto depth = static_cast<std::size_t>(indices.dims.back());
    const auto lead = static_cast<std::ptrdiff_t>(indices.dims.size()) - 1;
    move_reference(in, out, [&](const place_in& at) {
        place_in from;
        for (std::size_t k = 0; k < depth; ++k) {
            place_in which(at.begin(), at.begin() + lead);
            which.push_back(static_cast<std::int64_t>(k));
            from.push_back(
                nearest_index(indices.data[flat_place(which, indices.dims)], in.dims[k]));
        }
        from.insert(from.end(), at.begin() + lead, at.end());
        return from;
    });
}
inline op_spec gather_nd_spec() {
    op_spec s{"gather_nd", {}, gather_nd_reference};
    const auto add = [&](const kompakt::shape& in, const kompakt::shape& indices) {
        for (const dtype type : movable_types) {
            for (const dtype index : {dtype::i32, dtype::i64}) {
                case_builder b(kompakt::text_of(in) + " at " + kompakt::text_of(indices) + " " +
                               kompakt::name_of(type) + " " + kompakt::name_of(index));
                const auto q = some_scale(type);
                const tensor_id x = b.input(type, in, q);
                const tensor_id i = b.input(index, indices);
                b.between(-1, 5);
                s.cases.push_back(b.finish(kompakt::ops::gather_nd(), {x, i}, q));
            }
        }
    };
    add({5}, {1});
    add({5}, {3, 1});
    add({3, 4}, {2});
    add({3, 4}, {2, 3, 1});
    add({3, 4, 257}, {2, 2});
    add({2, 1, 3, 2, 4, 2}, {2, 6});
    add({2, 3, 2, 2, 2, 2}, {1, 3});
    return s;
}

inline void embedding_lookup_reference(const op_arguments& a, values& out) {
    const values &rows = a.inputs[0], &table = a.inputs[1];
    move_reference(table, out, [&](place_in at) {
        at[0] = nearest_index(rows.data[static_cast<std::size_t>(at[0])], table.dims[0]);
        return at;
    });
    if (a.tensor(1).type == a.output().type) return;
    const quantization& q = *a.tensor(1).quantization;
    for (double& v : out.data) v = (v - q.zero_point()) * static_cast<double>(q.scale());
}
inline op_spec embedding_lookup_spec() {
    op_spec s{"embedding_lookup", {}, embedding_lookup_reference};
    const auto add = [&](const kompakt::shape& table, std::int64_t rows) {
        for (const bool real : {false, true}) {
            case_builder b(kompakt::text_of(table) + " at " + std::to_string(rows) +
                           (real ? " int8 to float32" : " int8"));
            const tensor_id x = b.input(dtype::i32, {kompakt::dim(rows)});
            b.between(-1, table[0].value());
            std::vector<std::int8_t> v(*kompakt::element_count(table));
            for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int8_t>(7 * i);
            const auto q = quantization::per_tensor_affine(0.03f, 0);
            const tensor_id t = b.constant("table", table, v, q);
            op_case c = b.finish(kompakt::ops::embedding_lookup(), {x, t}, q);
            if (real) {
                // The output's type says that rows are dequantized.
                kompakt::graph_tensor& out = c.g.tensor(c.g.outputs[0]);
                out.type = dtype::f32, out.quantization.reset();
                if (!kompakt::infer(c.g).ok()) c.name += ": INFER FAILS";
            }
            s.cases.push_back(std::move(c));
        }
        case_builder b(kompakt::text_of(table) + " at " + std::to_string(rows) + " float32");
        const tensor_id x = b.input(dtype::i32, {kompakt::dim(rows)});
        b.between(-1, table[0].value());
        const tensor_id t = b.input(dtype::f32, table);
        s.cases.push_back(b.finish(kompakt::ops::embedding_lookup(), {x, t}));
    };
    add({5, 3}, 1);
    add({3, 257}, 4);
    add({4, 2, 3, 2}, 5);
    return s;
}

inline void dynamic_update_slice_reference(const op_arguments& a, values& out) {
    const values &in = a.inputs[0], &part = a.inputs[1], &starts = a.inputs[2];
    out.data = in.data;
    place_in at(part.dims.size(), 0);
    for (const double v : part.data) {
        place_in to = at;
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] += nearest_index(starts.data[i], in.dims[i] - part.dims[i] + 1);
        }
        out.data[flat_place(to, in.dims)] = v;
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < part.dims[i]) break;
            at[i] = 0;
        }
    }
}
inline op_spec dynamic_update_slice_spec() {
    op_spec s{"dynamic_update_slice", {}, dynamic_update_slice_reference};
    const auto add = [&](const kompakt::shape& in, const kompakt::shape& part) {
        for (const dtype type : movable_types) {
            for (const dtype index : {dtype::i32, dtype::i64}) {
                case_builder b(kompakt::text_of(part) + " into " + kompakt::text_of(in) + " " +
                               kompakt::name_of(type) + " " + kompakt::name_of(index));
                const auto q = some_scale(type);
                const tensor_id x = b.input(type, in, q), y = b.input(type, part, q);
                const tensor_id i =
                    b.input(index, {kompakt::dim(static_cast<std::int64_t>(in.size()))});
                b.between(-1, 5);
                s.cases.push_back(b.finish(kompakt::ops::dynamic_update_slice(), {x, y, i}, q));
            }
        }
    };
    add({5}, {2});
    add({5}, {5});
    add({4, 257}, {2, 255});
    add({2, 3, 4}, {1, 3, 2});
    add({2, 3, 2, 2, 2, 3}, {1, 2, 2, 1, 2, 2});
    return s;
}

} // namespace kompakt_test
