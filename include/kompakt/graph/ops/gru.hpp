// gru: over a sequence, input [batch, time, n] or, time major, [time, batch, n]; output the same
// with `units` features. Gates in the order update, reset, new:
//
//     inputs 1 … 3 weights [units, n], 4 … 6 recurrent weights [units, units], 7 … 9 biases
//     [units], 10 … 12 recurrent biases [units], optional, 13 hidden state [batch, units]
//
// In integers the hidden state is int16 of scale 2^-15, biases are int32 of the scale of their
// product (docs/arithmetic.md 23). TensorFlow Lite has no such operator.
#pragma once

#include <kompakt/graph/ops/recurrent.hpp>
#include <kompakt/kernel/gru.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

struct gru : op_of<gru> {
    static constexpr const char* op_name = "gru";
    static constexpr std::size_t gates = 3, hidden = 13;

    bool time_major = false;
    // The reset gate multiplies the recurrent product (Keras' default, PyTorch) or, before, the
    // hidden state (ONNX' default).
    bool reset_after = true;

    template <class V>
    void fields(V&& v) {
        v("time_major", time_major), v("reset_after", reset_after);
    }

    std::vector<std::size_t> updates() const override { return {hidden}; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(10, 14, 1));
        if (!c.has_input(hidden)) return fail(errc::bad_file, "input 13, the state, is missing");
        return infer_sequence(c, gates, {7, 10});
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &h = c.input(hidden);
        std::vector<std::uint32_t> inputs;
        for (std::size_t i = 0; i < hidden; ++i) inputs.push_back(c.in(i));
        const std::vector<std::uint32_t> outputs = {c.out(), c.in(hidden)};
        const auto types = sequence_types(c, gates, hidden);
        if (!types.ok()) return types.error();
        const gru_order_params order = {time_major ? 1 : 0, reset_after ? 1 : 0};
        if (in.type == dtype::f32 && types->weights == dtype::f32) {
            c.emit<gru_f32>({order}, inputs, outputs);
            return {};
        }
        const bool wide = in.type == dtype::i16;
        if ((!wide && in.type != dtype::i8) || types->weights != dtype::i8 ||
            types->bias != dtype::i32 || h.type != dtype::i16 || c.output().type != in.type) {
            return fail(errc::unsupported, name_of(in.type), " input, ", name_of(types->weights),
                        " weights, ", name_of(types->bias), " bias, ", name_of(h.type), " state, ",
                        name_of(c.output().type), " output");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        KOMPAKT_TRY(expect_per_tensor(c.output(), "output"));
        KOMPAKT_TRY(expect_per_tensor(h, "hidden state"));
        if (h.quantization->scale() != gate_output_scale || h.quantization->zero_point() != 0) {
            return fail(errc::unsupported, "hidden state: needed scale 2^-15, zero point 0");
        }
        const auto stage = gate_multipliers(c, gates, hidden);
        if (!stage.ok()) return stage.error();
        inputs.insert(inputs.end(), {stage->multipliers, stage->shifts});
        const quantization& out = *c.output().quantization;
        const gru_integer_params p = {order, in.quantization->zero_point(), out.zero_point(),
                                      quantize_multiplier(static_cast<double>(gate_output_scale) /
                                                          static_cast<double>(out.scale()))};
        if (wide) {
            c.emit<gru_i16>(p, inputs, outputs);
        } else {
            c.emit<gru_i8>(p, inputs, outputs);
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
    std::vector<input_rule> input_rules() const override {
        const int n = static_cast<int>(gates), state = static_cast<int>(hidden);
        std::vector<input_rule> all = gate_rules(gates);
        for (int g = 0; g < n; ++g) all.push_back(input_rule::bias(0, 1 + g));
        for (int g = 0; g < n; ++g) all.push_back(input_rule::bias(state, 1 + n + g));
        all.push_back(input_rule::state_of(16, input_rule::scale_of::fixed, gate_output_scale));
        return all;
    }

    std::uint64_t macs(const inference& c) const override { return sequence_macs(c, gates); }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
