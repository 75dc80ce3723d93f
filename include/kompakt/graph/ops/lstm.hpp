// lstm: over a sequence, input [batch, time, n] or, time major, [time, batch, n]; output the same
// with `units` features. Gates in the order input, forget, cell, output:
//
//     inputs 1 … 4 weights [units, n], 5 … 8 recurrent weights [units, units], 9 … 12 biases
//     [units], 13 hidden state and 14 cell state, [batch, units] each
//
// No peepholes, no projection, no layer normalization, no coupled gates.
#pragma once

#include <kompakt/graph/ops/recurrent.hpp>
#include <kompakt/kernel/lstm.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace ops {

// The binary logarithm of a scale that is a power of two, within 0.1 %.
inline result<std::int32_t> power_of_two(float scale, const char* what) {
    const double log = (std::log2)(static_cast<double>(scale));
    const double power = (std::round)(log);
    if ((std::fabs)(log - power) < 1e-3) return static_cast<std::int32_t>(power);
    return fail(errc::unsupported, what, ": scale ", scale, ", needed a power of two");
}

struct lstm : op_of<lstm> {
    static constexpr const char* op_name = "unidirectional_sequence_lstm";
    static constexpr std::size_t gates = 4, hidden = 13, cell = 14;

    bool time_major = false;
    float cell_clip = 0.0f; // the cell stays within it; 0 and below: no limit

    template <class V>
    void fields(V&& v) {
        v("time_major", time_major), v("cell_clip", cell_clip);
    }

    std::vector<std::size_t> updates() const override { return {hidden, cell}; }

    status infer(inference& c) const override {
        KOMPAKT_TRY(c.expect(15, 15, 1));
        return infer_sequence(c, gates, {9});
    }

    status lower(lowering& c) const override {
        const graph_tensor &in = c.input(0), &h = c.input(hidden), &state = c.input(cell);
        std::vector<std::uint32_t> inputs;
        for (std::size_t i = 0; i < hidden; ++i) inputs.push_back(c.in(i));
        const std::vector<std::uint32_t> outputs = {c.out(), c.in(hidden), c.in(cell)};
        const auto types = sequence_types(c, gates, hidden);
        if (!types.ok()) return types.error();
        const dtype weights = types->weights, bias = types->bias;
        if (in.type == dtype::f32 && weights == dtype::f32) {
            const float clip = cell_clip > 0.0f ? cell_clip : 0.0f;
            c.emit<lstm_f32>({time_major ? 1 : 0, clip}, inputs, outputs);
            return {};
        }
        const bool wide = in.type == dtype::i16;
        if ((!wide && in.type != dtype::i8) || weights != dtype::i8 ||
            bias != (wide ? dtype::i64 : dtype::i32) || h.type != in.type ||
            state.type != dtype::i16 || c.output().type != in.type) {
            return fail(errc::unsupported, name_of(in.type), " input, ", name_of(weights),
                        " weights, ", name_of(bias), " bias, ", name_of(h.type), " hidden and ",
                        name_of(state.type), " cell state, ", name_of(c.output().type), " output");
        }
        KOMPAKT_TRY(expect_per_tensor(in, "input"));
        KOMPAKT_TRY(expect_per_tensor(h, "hidden state"));
        KOMPAKT_TRY(expect_per_tensor(state, "cell state"));
        if (state.quantization->zero_point() != 0) {
            return fail(errc::unsupported, "cell state: zero point ",
                        state.quantization->zero_point(), ", needed 0");
        }
        // The output is the hidden state.
        if (c.output().quantization != h.quantization) {
            return fail(errc::unsupported, "output: ", scale_text(c.output()),
                        ", needed that of the hidden state, ", scale_text(h));
        }
        const auto stage = gate_multipliers(c, gates, hidden);
        if (!stage.ok()) return stage.error();
        inputs.insert(inputs.end(), {stage->multipliers, stage->shifts});
        const auto p = integer_parameters(*in.quantization, *h.quantization, *state.quantization);
        if (!p.ok()) return p.error();
        if (wide) {
            c.emit<lstm_i16>(*p, inputs, outputs);
        } else {
            c.emit<lstm_i8>(*p, inputs, outputs);
        }
        return {};
    }

    quantization_rule quantize_rule() const override { return free_rule(); }
    std::vector<input_rule> input_rules() const override {
        std::vector<input_rule> all = gate_rules(gates);
        for (int g = 0; g < static_cast<int>(gates); ++g) {
            all.push_back(input_rule::bias(0, 1 + g));
        }
        all.push_back(input_rule::state_of(8, input_rule::scale_of::output));
        all.push_back(input_rule::state_of(16, input_rule::scale_of::power_of_two));
        return all;
    }

    std::uint64_t macs(const inference& c) const override { return sequence_macs(c, gates); }

  private:
    result<lstm_integer_params> integer_parameters(const quantization& in, const quantization& h,
                                                   const quantization& state) const {
        const auto power = power_of_two(state.scale(), "cell state");
        if (!power.ok()) return power.error();
        lstm_integer_params p;
        p.time_major = time_major ? 1 : 0;
        p.input_zero_point = in.zero_point();
        p.hidden_zero_point = h.zero_point();
        const double s = static_cast<double>(state.scale());
        if (cell_clip > 0.0f) {
            const double clip = static_cast<double>(cell_clip) / s;
            p.cell_clip = clip < 32767.0 ? static_cast<std::int32_t>(clip) : 32767;
        }
        const double q15 = static_cast<double>(gate_output_scale);
        p.forget_cell = quantize_multiplier(q15 * s / s);
        p.input_cell = quantize_multiplier(q15 * q15 / s);
        p.hidden = quantize_multiplier(q15 * q15 / static_cast<double>(h.scale()));
        // Three times the cell in Q3.12.
        const std::int32_t shift = *power + 12;
        if (shift > 13 || shift < -30) {
            return fail(errc::unsupported, "cell state: scale 2^", *power, ", needed 2^-42 to 2");
        }
        p.cell_tanh = shift < 0 ? table_scale{3, -shift} : table_scale{3 << shift, 0};
        return p;
    }
};

} // namespace ops
} // namespace KOMPAKT_ABI
} // namespace kompakt
