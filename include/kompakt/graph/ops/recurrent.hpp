// What recurrent layers have in common. Their inputs are the sequence, then for each gate the
// weights [units, n], the recurrent weights [units, units], biases and states.
#pragma once

#include <kompakt/graph/ops/shared.hpp>

#include <initializer_list>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// Q3.12, what integer gates are in whatever the model says; and Q0.15, what comes out of them.
inline constexpr float gate_scale = 0x1p-12f, gate_output_scale = 0x1p-15f;

// Shapes of weights, and of biases from each input in `biases` on; sets the output.
inline status infer_sequence(inference& c, std::size_t gates,
                             std::initializer_list<std::size_t> biases) {
    KOMPAKT_TRY(c.expect_rank(0, 3));
    KOMPAKT_TRY(c.expect_rank(1 + gates, 2));
    const shape& in = c.input_shape(0);
    const dim units = c.input_shape(1 + gates)[0];
    if (!units.known() || !in[2].known()) {
        return fail(errc::unsupported, "input ", text_of(in), " and ", text_of({units}),
                    " units must be numbers");
    }
    const auto expect_shape = [&](std::size_t i, const shape& needed) -> status {
        if (!c.has_input(i) || c.input_shape(i) == needed) return {};
        return fail(errc::bad_file, "input ", i, " is ", text_of(c.input_shape(i)), ", needed ",
                    text_of(needed));
    };
    for (std::size_t g = 0; g < gates; ++g) {
        KOMPAKT_TRY(expect_shape(1 + g, {units, in[2]}));
        KOMPAKT_TRY(expect_shape(1 + gates + g, {units, units}));
        for (const std::size_t b : biases) KOMPAKT_TRY(expect_shape(b + g, {units}));
    }
    shape out = in;
    out[2] = units;
    c.set_output(0, c.input(0).type, std::move(out));
    return {};
}

// The one type that all weights, and the one that all biases (inputs up to `end`) have.
struct gate_types {
    dtype weights, bias;
};
inline result<gate_types> sequence_types(const lowering& c, std::size_t gates, std::size_t end) {
    const gate_types types = {c.input(1).type, c.input(1 + 2 * gates).type};
    for (std::size_t i = 1; i < end; ++i) {
        if (!c.has_input(i)) continue;
        if (c.input(i).type != (i < 1 + 2 * gates ? types.weights : types.bias)) {
            return fail(errc::unsupported, "input ", i, " is ", name_of(c.input(i).type),
                        ", input ", i < 1 + 2 * gates ? 1 : 1 + 2 * gates, " is another type");
        }
    }
    return types;
}

// One multiplier for each product, to gates: of the input by the weights, then of the hidden state
// by the recurrent weights. In float32 first, as in every matrix product with one scale
// (docs/arithmetic.md 2).
inline result<stage_operands> gate_multipliers(lowering& c, std::size_t gates, std::size_t hidden) {
    std::vector<double> scales;
    for (std::size_t i = 1; i < 1 + 2 * gates; ++i) {
        KOMPAKT_TRY(expect_weights(c.input(i), -1, 1));
        const graph_tensor& by = c.input(i < 1 + gates ? 0 : hidden);
        const float product = by.quantization->scale() * c.input(i).quantization->scale();
        scales.push_back(static_cast<double>(product) / static_cast<double>(gate_scale));
    }
    return multiplier_operands(c, scales);
}

// The sequence and all weights.
inline std::vector<input_rule> gate_rules(std::size_t gates) {
    std::vector<input_rule> all(1);
    all.resize(1 + 2 * gates, input_rule::weights(8));
    return all;
}

inline std::uint64_t sequence_macs(const inference& c, std::size_t gates) {
    const auto out = element_count(c.output(0).shape);
    if (!out.ok()) return 0;
    const auto per_unit = c.input_shape(1)[1].value() + c.input_shape(1 + gates)[1].value();
    return *out * gates * static_cast<std::uint64_t>(per_unit);
}

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
