#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/pad.hpp>

namespace kompakt_test {

inline void pad_reference(const op_arguments& a, values& out) {
    const auto& op = a.op<kompakt::ops::pad>();
    double value = static_cast<double>(op.value);
    if (const auto& q = a.output().quantization) {
        value = std::round(value / static_cast<double>(q->scale())) + q->zero_point();
        value = value < -128 ? -128 : value > 127 ? 127 : value;
    }
    if (a.has(1)) value = a.inputs[1].data[0];
    const values& in = a.inputs[0];
    for (std::size_t flat = 0; flat < out.data.size(); ++flat) {
        std::size_t rest = flat, index = 0, step = 1;
        bool inside = true;
        for (std::size_t i = out.dims.size(); i-- > 0;) {
            const auto at =
                static_cast<std::int64_t>(rest % static_cast<std::size_t>(out.dims[i])) -
                op.before[i];
            rest /= static_cast<std::size_t>(out.dims[i]);
            inside = inside && at >= 0 && at < in.dims[i];
            if (inside) index += static_cast<std::size_t>(at) * step;
            step *= static_cast<std::size_t>(in.dims[i]);
        }
        out.data[flat] = inside ? in.data[index] : value;
    }
}

inline op_spec pad_spec() {
    op_spec s{"pad", {}, pad_reference};
    using pads = std::vector<std::int32_t>;
    const auto add = [&](const kompakt::shape& in, const pads& before, const pads& after,
                         float value, bool bench = false) {
        for (const dtype type : {dtype::i8, dtype::u8, dtype::i16, dtype::i32, dtype::f32}) {
            case_builder b(kompakt::text_of(in) + " " + kompakt::name_of(type) + " " +
                           std::to_string(value));
            kompakt::ops::pad op;
            op.before = before, op.after = after;
            op.value = type == dtype::u8 ? std::fabs(value) : value;
            std::optional<quantization> q;
            if (type == dtype::i8) q = quantization::per_tensor_affine(0.5f, -9);
            const tensor_id x = b.input(type, in, q);
            s.cases.push_back(b.finish(std::move(op), {x}, q, bench));
        }
    };
    add({}, {}, {}, 0.0f);
    add({1}, {0}, {0}, 3.0f);
    add({5}, {2}, {3}, 0.0f);
    add({5}, {0}, {1}, -70.0f);
    add({3, 4}, {1, 0}, {0, 2}, 7.0f);
    add({2, 3, 5}, {0, 0, 0}, {0, 0, 0}, 7.0f);
    add({2, 3, 5}, {2, 1, 3}, {1, 4, 2}, 127.0f);
    add({2, 3, 4, 3}, {0, 1, 2, 0}, {0, 2, 1, 0}, 0.0f);
    add({1, 2, 1, 3, 1, 2}, {1, 0, 2, 1, 0, 3}, {0, 1, 1, 0, 2, 1}, -1.0f);
    add({2, 255}, {0, 1}, {1, 1}, 0.0f);
    add({1, 32, 32, 3}, {0, 1, 1, 0}, {0, 1, 1, 0}, 0.0f, true);
    // A value that comes as an input.
    for (const dtype type : {dtype::i8, dtype::i16, dtype::f32, dtype::i64}) {
        case_builder b(std::string("value as input ") + kompakt::name_of(type));
        kompakt::ops::pad op;
        op.before = {0, 1, 2}, op.after = {1, 0, 1};
        std::optional<quantization> q;
        if (type == dtype::i8) q = quantization::per_tensor_affine(0.5f, -9);
        const tensor_id x = b.input(type, {2, 3, 2}, q), value = b.input(type, {}, q);
        s.cases.push_back(b.finish(op, {x, value}, q));
    }
    return s;
}

} // namespace kompakt_test
