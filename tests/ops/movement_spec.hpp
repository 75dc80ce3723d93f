// What specs of operators that move elements have in common: a reference is a function from the
// place of an output element to that of an input element.
#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/movement.hpp>

#include <algorithm>

namespace kompakt_test {

using place_in = std::vector<std::int64_t>; // one index for each axis

inline std::size_t flat_place(const place_in& at, const std::vector<std::int64_t>& dims) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < dims.size(); ++i) flat = flat * dims[i] + at[i];
    return static_cast<std::size_t>(flat);
}

// `source(place in the output)` is the place in `in`.
template <class Source>
void move_reference(const values& in, values& out, Source&& source) {
    place_in at(out.dims.size(), 0);
    for (double& v : out.data) {
        v = in.data[flat_place(source(at), in.dims)];
        for (std::size_t i = at.size(); i-- > 0;) {
            if (++at[i] < out.dims[i]) break;
            at[i] = 0;
        }
    }
}

inline std::optional<quantization> some_scale(dtype type) {
    if (type == dtype::i8) return quantization::per_tensor_affine(0.5f, -9);
    return std::nullopt;
}
// One of each size of element.
inline constexpr dtype movable_types[] = {dtype::i8, dtype::i16, dtype::f32, dtype::i64};

inline std::string list_text(const std::vector<std::int32_t>& all) {
    std::string s;
    for (std::int32_t v : all) s += (s.empty() ? "" : " ") + std::to_string(v);
    return "(" + s + ")";
}

// A case of an operator with one input, for each of the types.
template <class Op>
void add_movement(op_spec& s, const std::string& name, const kompakt::shape& in, const Op& op,
                  bool bench = false) {
    for (const dtype type : movable_types) {
        case_builder b(kompakt::text_of(in) + " " + name + " " + kompakt::name_of(type));
        const auto q = some_scale(type);
        const tensor_id x = b.input(type, in, q);
        s.cases.push_back(b.finish(op, {x}, q, bench));
    }
}
template <class Op>
void add_movement_parts(op_spec& s, const std::string& name, const kompakt::shape& in, const Op& op,
                        std::size_t outputs) {
    for (const dtype type : movable_types) {
        for (std::size_t which = 0; which < outputs; ++which) {
            case_builder b(kompakt::text_of(in) + " " + name + ", output " + std::to_string(which) +
                           " " + kompakt::name_of(type));
            const auto q = some_scale(type);
            const tensor_id x = b.input(type, in, q);
            s.cases.push_back(b.finish_one_of(outputs, which, op, {x}, q));
        }
    }
}

} // namespace kompakt_test
