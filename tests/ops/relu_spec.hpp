#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/relu.hpp>

namespace kompakt_test {

inline void relu_reference(const op_arguments& a, values& out) {
    using kompakt::ops::relu_kind;
    const relu_kind kind = a.op<kompakt::ops::relu>().kind;
    const double lo = kind == relu_kind::relu_n1_to_1 ? -1 : 0;
    const double hi = kind == relu_kind::relu    ? std::numeric_limits<double>::infinity()
                      : kind == relu_kind::relu6 ? 6
                                                 : 1;
    const auto clamped = [](double x, double least, double most) {
        return x < least ? least : x > most ? most : x;
    };
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        const double x = a.inputs[0].data[i];
        if (!a.integer()) {
            out.data[i] = clamped(x, lo, hi);
            continue;
        }
        const auto range = kompakt::range_of_type(a.output().type);
        // RELU6 takes the input's numbers for the output's.
        const quantization& in = *a.tensor(0).quantization;
        const quantization& to = kind == relu_kind::relu6 ? in : *a.output().quantization;
        const float narrow = in.scale() / to.scale();
        const double ratio = kind == relu_kind::relu ? static_cast<double>(narrow)
                                                     : static_cast<double>(in.scale()) /
                                                           static_cast<double>(to.scale());
        const auto number = [&](double real) {
            return clamped(std::round(static_cast<double>(static_cast<float>(real) / to.scale())) +
                               to.zero_point(),
                           range.qmin, range.qmax);
        };
        const std::int64_t scaled =
            reference_multiplier(ratio).apply(static_cast<std::int64_t>(x) - in.zero_point());
        out.data[i] = clamped(static_cast<double>(scaled) + to.zero_point(), number(lo),
                              std::isinf(hi) ? range.qmax : number(hi));
    }
}

inline op_case relu_case(dtype type, kompakt::ops::relu_kind kind, kompakt::shape in,
                         quantization from, quantization to, bool bench = false) {
    case_builder b("kind " + std::to_string(static_cast<int>(kind)) + " " + kompakt::text_of(in) +
                   (type != dtype::f32
                        ? std::string(" ") + kompakt::name_of(type) + " " +
                              std::to_string(from.scale()) + " to " + std::to_string(to.scale())
                        : " float32"));
    kompakt::ops::relu op;
    op.kind = kind;
    const bool scaled = type != dtype::f32;
    const tensor_id x =
        b.input(type, std::move(in), scaled ? std::optional(std::move(from)) : std::nullopt);
    return b.finish(std::move(op), {x}, scaled ? std::optional(std::move(to)) : std::nullopt,
                    bench);
}

inline op_spec relu_spec() {
    using kompakt::ops::relu_kind;
    op_spec s{"relu", {}, relu_reference};
    const auto affine = [](float scale, int zero) {
        return quantization::per_tensor_affine(scale, zero);
    };
    for (const relu_kind kind :
         {relu_kind::relu, relu_kind::relu6, relu_kind::relu_n1_to_1, relu_kind::relu_0_to_1}) {
        const auto add = [&](const kompakt::shape& in, const quantization& from,
                             const quantization& to) {
            s.cases.push_back(relu_case(dtype::i8, kind, in, from, to));
        };
        for (const kompakt::shape& in : {kompakt::shape{}, {1}, {2, 1, 3, 1, 2, 5}, {3, 255}}) {
            s.cases.push_back(relu_case(dtype::f32, kind, in, {}, {}));
            add(in, affine(0.05f, 3), affine(0.04f, -7));
        }
        add({400}, affine(0.05f, -128), affine(0.05f, -128));
        add({400}, affine(0.05f, 127), affine(0.025f, 0));
        add({400}, affine(0.0471f, 0), affine(0.0235f, -128));
        add({400}, affine(0.25f, 0), affine(0.5f, 1));
        add({400}, affine(9.0f, 100), affine(0.001f, 5));
        add({400}, affine(0.0001f, -100), affine(7.0f, 127));
        for (const float to : {3e-5f, 1e-4f, 0.01f}) {
            for (const kompakt::shape& in : {kompakt::shape{}, {3, 255}, {1001}}) {
                s.cases.push_back(
                    relu_case(dtype::i16, kind, in, affine(2.3e-4f, 0), affine(to, 0)));
            }
        }
        s.cases.push_back(relu_case(dtype::i8, kind, {1, 16, 16, 32}, affine(0.05f, 3),
                                    affine(0.04f, -128), true));
    }
    return s;
}

} // namespace kompakt_test
