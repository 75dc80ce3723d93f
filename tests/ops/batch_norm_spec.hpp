#pragma once

#include "reference.hpp"

#include <kompakt/graph/ops/batch_norm.hpp>

namespace kompakt_test {

inline void batch_norm_reference(const op_arguments& a, values& out) {
    const auto epsilon = static_cast<double>(a.op<kompakt::ops::batch_norm>().epsilon);
    const auto channels = static_cast<std::size_t>(out.dims.back());
    for (std::size_t i = 0; i < out.data.size(); ++i) {
        const std::size_t c = i % channels;
        const double gamma = a.has(1) ? a.inputs[1].data[c] : 1;
        const double beta = a.has(2) ? a.inputs[2].data[c] : 0;
        out.data[i] = gamma * (a.inputs[0].data[i] - a.inputs[3].data[c]) /
                          std::sqrt(a.inputs[4].data[c] + epsilon) +
                      beta;
    }
}

inline op_spec batch_norm_spec() {
    op_spec s{"batch_norm", {}, batch_norm_reference};
    const auto add = [&](const kompakt::shape& in, bool gamma, bool beta) {
        case_builder b(kompakt::text_of(in) + (gamma ? ", gamma" : "") + (beta ? ", beta" : ""));
        const kompakt::dim channels = in.back();
        dice d(3);
        const auto random = [&](const char* name, float lo, float hi) {
            std::vector<float> v(static_cast<std::size_t>(channels.value()));
            for (float& x : v) x = d.real(lo, hi);
            return b.constant(name, {channels}, v);
        };
        const tensor_id x = b.input(dtype::f32, in);
        const std::vector<tensor_id> inputs = {
            x, gamma ? random("gamma", -2.0f, 2.0f) : kompakt::no_tensor,
            beta ? random("beta", -2.0f, 2.0f) : kompakt::no_tensor, random("mean", -1.0f, 1.0f),
            random("variance", 0.01f, 4.0f)};
        s.cases.push_back(b.finish(kompakt::ops::batch_norm{}, inputs));
    };
    add({1}, true, true);
    add({2, 3, 4, 7}, true, true);
    add({2, 3, 4, 7}, false, true);
    add({5, 255}, true, false);
    add({3, 257}, false, false);
    return s;
}

} // namespace kompakt_test
