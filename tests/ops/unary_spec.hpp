// What the specs of functions of one element share: shapes, scales, and the dull walk.
#pragma once

#include "reference.hpp"

namespace kompakt_test {

inline const char* suffix_of(dtype type) {
    return kompakt::name_of(type);
}

template <class Op>
op_case unary_case(Op op, dtype type, kompakt::shape in, std::optional<quantization> from = {},
                   std::optional<quantization> to = {}, bool bench = false) {
    std::string name = kompakt::text_of(in) + " " + suffix_of(type);
    if (from)
        name += " " + std::to_string(from->scale()) + ", " + std::to_string(from->zero_point());
    if (to) name += " to " + std::to_string(to->scale()) + ", " + std::to_string(to->zero_point());
    case_builder b(std::move(name));
    const tensor_id x = b.input(type, std::move(in), std::move(from));
    return b.finish(std::move(op), {x}, std::move(to), bench);
}

inline std::vector<kompakt::shape> unary_shapes() {
    return {{}, {1}, {2, 1, 3, 1, 2, 5}, {3, 255}, {257}, {1, 1, 1001}};
}

// float32 of all shapes; `Op` has no attributes or keeps those given.
template <class Op>
void add_float_cases(op_spec& s, const Op& op) {
    for (const kompakt::shape& in : unary_shapes())
        s.cases.push_back(unary_case(op, dtype::f32, in));
    s.cases.push_back(unary_case(op, dtype::f32, {1, 4096}, {}, {}, true));
}
// int8 of all shapes, and all 256 inputs at scales far apart. `to` fixes the output's quantization.
template <class Op>
void add_int8_cases(op_spec& s, const Op& op, std::optional<quantization> to = {}) {
    const auto affine = [](float scale, int zero) {
        return quantization::per_tensor_affine(scale, zero);
    };
    const auto add = [&](const kompakt::shape& in, quantization from, quantization into,
                         bool bench = false) {
        s.cases.push_back(
            unary_case(op, dtype::i8, in, std::move(from), to ? *to : std::move(into), bench));
    };
    for (const kompakt::shape& in : unary_shapes()) add(in, affine(0.05f, 3), affine(0.04f, -7));
    for (const float from : {1e-4f, 0.0078125f, 0.0235f, 0.1f, 0.77f, 9.0f}) {
        for (const float into : {0.001f, 0.0078125f, 0.04f, 0.3f}) {
            for (const int zero : {-128, 0, 127})
                add({600}, affine(from, zero), affine(into, -zero - 1));
        }
    }
    add({600}, affine(0.05f, 4), affine(0.05f, 4));
    add({1, 4096}, affine(0.05f, 0), affine(0.03f, 5), true);
}
// int16, symmetric.
template <class Op>
void add_int16_cases(op_spec& s, const Op& op, std::optional<quantization> to = {}) {
    for (const kompakt::shape& in : unary_shapes()) {
        s.cases.push_back(unary_case(op, dtype::i16, in, quantization::per_tensor_affine(3e-4f, 0),
                                     to ? *to : quantization::per_tensor_affine(2.1e-4f, 0)));
    }
    for (const float from :
         {1e-6f, 3.0517578125e-5f, 2.44140625e-4f, 4.8828125e-4f, 0.0011f, 0.4f}) {
        for (const float into : {1e-5f, 2.44140625e-4f, 0.01f}) {
            s.cases.push_back(unary_case(op, dtype::i16, {700},
                                         quantization::per_tensor_affine(from, 0),
                                         to ? *to : quantization::per_tensor_affine(into, 0)));
        }
    }
}

// Each element by itself: `real` of float32, `integer(q, arguments)` of integers before they are
// cut to the output's type.
template <class Real, class Integer>
auto unary_reference(Real real, Integer integer) {
    return [real, integer](const op_arguments& a, values& out) {
        const auto range = kompakt::range_of_type(a.output().type);
        for (std::size_t i = 0; i < out.data.size(); ++i) {
            const double x = a.inputs[0].data[i];
            if (!a.integer()) {
                out.data[i] = real(x, a);
                continue;
            }
            const double y = integer(static_cast<std::int64_t>(x), a);
            out.data[i] = y < range.qmin ? range.qmin : y > range.qmax ? range.qmax : y;
        }
    };
}
inline double no_integers(std::int64_t, const op_arguments&) {
    return 1e9; // never asked for
}
// The function in float32 at the input's value, in steps of the output.
template <class Real>
auto by_real(Real real) {
    return [real](std::int64_t q, const op_arguments& a) {
        const quantization &from = *a.tensor(0).quantization, &to = *a.output().quantization;
        const float x = from.scale() * static_cast<float>(q - from.zero_point());
        const float y = real(x);
        const float inverse = 1.0f / to.scale();
        return static_cast<double>(std::round(y * inverse)) + to.zero_point();
    };
}
inline double ratio_in_float(const op_arguments& a) {
    const float ratio = a.tensor(0).quantization->scale() / a.output().quantization->scale();
    return static_cast<double>(ratio);
}

} // namespace kompakt_test
