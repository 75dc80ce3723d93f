#pragma once

#include "movement_spec.hpp"

#include <kompakt/graph/ops/pack.hpp>
#include <kompakt/graph/ops/range.hpp>
#include <kompakt/graph/ops/shape.hpp>

namespace kompakt_test {

inline void pack_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::pack>();
    const auto rank = static_cast<std::int32_t>(out.dims.size());
    const auto axis = op.axis < 0 ? op.axis + rank : op.axis;
    for (std::size_t k = 0; k < a.inputs.size(); ++k) {
        place_in at(a.inputs[k].dims.size(), 0);
        for (const double v : a.inputs[k].data) {
            place_in to = at;
            to.insert(to.begin() + axis, static_cast<std::int64_t>(k));
            out.data[flat_place(to, out.dims)] = v;
            for (std::size_t i = at.size(); i-- > 0;) {
                if (++at[i] < a.inputs[k].dims[i]) break;
                at[i] = 0;
            }
        }
    }
}
inline op_spec pack_spec() {
    op_spec s{"pack", {}, pack_reference};
    const auto add = [&](const kompakt::shape& in, std::int32_t axis, std::size_t inputs,
                         bool last_constant = false) {
        for (const dtype type : movable_types) {
            case_builder b(kompakt::text_of(in) + " along " + std::to_string(axis) + ", " +
                           std::to_string(inputs) + " " + kompakt::name_of(type));
            kompakt::ops::pack op;
            op.axis = axis;
            const auto q = some_scale(type);
            std::vector<tensor_id> all;
            for (std::size_t i = 0; i < inputs; ++i) all.push_back(b.input(type, in, q));
            if (last_constant && type == dtype::i16) {
                all.push_back(
                    b.constant<std::int16_t>("c", in, std::vector<std::int16_t>{5, -300, 7}));
            }
            s.cases.push_back(b.finish(op, all, q));
        }
    };
    add({}, 0, 3);
    add({3}, 0, 1);
    add({3}, 0, 2, true);
    add({3}, -1, 4);
    add({2, 3}, 1, 3);
    add({2, 257}, -3, 2);
    add({2, 1, 3, 2, 2}, 3, 2);
    add({2}, 0, 20);
    return s;
}

inline op_spec shape_spec() {
    op_spec s{"shape", {}, [](const op_arguments& a, values& out) {
                  const auto& in = a.inputs[0].dims;
                  for (std::size_t i = 0; i < in.size(); ++i) {
                      out.data[i] = static_cast<double>(in[i]);
                  }
              }};
    for (const bool wide : {false, true}) {
        kompakt::ops::shape_of op;
        op.wide = wide;
        for (const kompakt::shape& in : {kompakt::shape{1}, {2, 255}, {1, 2, 1, 2, 1, 3}}) {
            add_movement(s, wide ? "wide" : "", in, op);
        }
    }
    return s;
}
inline op_spec rank_spec() {
    op_spec s{"rank", {}, [](const op_arguments& a, values& out) {
                  out.data[0] = static_cast<double>(a.inputs[0].dims.size());
              }};
    for (const kompakt::shape& in : {kompakt::shape{}, {2, 255}, {1, 2, 1, 2, 1, 3}}) {
        add_movement(s, "", in, kompakt::ops::rank_of());
    }
    return s;
}
inline op_spec range_spec() {
    op_spec s{"range", {}, [](const op_arguments& a, values& out) {
                  double x = a.inputs[0].data[0];
                  for (double& v : out.data) v = x, x += a.inputs[2].data[0];
              }};
    const auto add = [&](auto start, auto limit, auto step, std::int64_t wanted) {
        using element = decltype(start);
        case_builder b(std::to_string(start) + " to " + std::to_string(limit) + " by " +
                       std::to_string(step) + " " + kompakt::name_of(kompakt::dtype_of<element>));
        const auto one = [&](element v) {
            return b.constant<element>("c", {}, std::vector<element>{v});
        };
        const tensor_id from = one(start), to = one(limit), by = one(step);
        s.cases.push_back(b.finish(kompakt::ops::range(), {from, to, by}));
        const auto& g = s.cases.back().g;
        if (g.tensor(g.outputs[0]).shape != kompakt::shape{kompakt::dim(wanted)}) {
            s.cases.back().name += ": WRONG LENGTH";
        }
    };
    add(std::int32_t{0}, std::int32_t{5}, std::int32_t{1}, 5);
    add(std::int32_t{3}, std::int32_t{-5}, std::int32_t{-3}, 3);
    add(std::int32_t{2147483640}, std::int32_t{2147483647}, std::int32_t{5}, 2);
    add(std::int64_t{-5000000000}, std::int64_t{5000000001}, std::int64_t{5000000000}, 3);
    add(0.5f, 2.0f, 0.25f, 6);
    return s;
}

} // namespace kompakt_test
