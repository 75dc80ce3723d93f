#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/transpose.hpp>

#include <algorithm>
#include <numeric>

namespace kompakt_test {

inline void transpose_reference(const op_arguments& a, values& out) {
    const auto& perm = a.op<kompakt::ops::transpose>().perm;
    const values& in = a.inputs[0];
    for (std::size_t flat = 0; flat < out.data.size(); ++flat) {
        std::vector<std::size_t> at(perm.size());
        std::size_t rest = flat;
        for (std::size_t i = perm.size(); i-- > 0;) {
            at[static_cast<std::size_t>(perm[i])] = rest % static_cast<std::size_t>(out.dims[i]);
            rest /= static_cast<std::size_t>(out.dims[i]);
        }
        std::size_t index = 0;
        for (std::size_t i = 0; i < perm.size(); ++i) {
            index = index * static_cast<std::size_t>(in.dims[i]) + at[i];
        }
        out.data[flat] = in.data[index];
    }
}

inline op_spec transpose_spec() {
    op_spec s{"transpose", {}, transpose_reference};
    const auto add = [&](dtype type, const kompakt::shape& in,
                         const std::vector<std::int32_t>& perm, bool bench = false) {
        std::string name = kompakt::text_of(in) + " by";
        for (std::int32_t p : perm) name += " " + std::to_string(p);
        case_builder b(name + " " + kompakt::name_of(type));
        kompakt::ops::transpose op;
        op.perm = perm;
        std::optional<quantization> q;
        if (type == dtype::i8) q = quantization::per_tensor_affine(0.5f, -9);
        const tensor_id x = b.input(type, in, q);
        s.cases.push_back(b.finish(std::move(op), {x}, q, bench));
    };
    for (const dtype type : {dtype::i8, dtype::i16, dtype::f32}) {
        add(type, {}, {});
        add(type, {7}, {0});
        add(type, {3, 5}, {1, 0});
        add(type, {1, 5}, {1, 0});
        add(type, {2, 255}, {1, 0});
        add(type, {257, 3}, {1, 0});
        for (const kompakt::shape& in : {kompakt::shape{2, 3, 4, 5}, {3, 1, 2, 1}}) {
            std::vector<std::int32_t> perm(4);
            std::iota(perm.begin(), perm.end(), 0);
            do add(type, in, perm);
            while (std::next_permutation(perm.begin(), perm.end()));
        }
        add(type, {2, 3, 1, 4, 2, 3}, {5, 3, 1, 4, 2, 0});
        add(type, {2, 3, 1, 4, 2, 3}, {1, 0, 2, 3, 4, 5});
        add(type, {2, 3, 1, 4, 2, 3}, {0, 3, 2, 1, 4, 5});
        add(type, {1, 32, 32, 16}, {0, 3, 1, 2}, true);
    }
    return s;
}

} // namespace kompakt_test
