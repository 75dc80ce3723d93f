// Operators with state: recurrent layers, and variables. VAR_HANDLE and CALL_ONCE, which only say
// which variables there are and how they start, are read by model_reader.
#pragma once

#include <kompakt/graph/ops/assign_variable.hpp>
#include <kompakt/graph/ops/lstm.hpp>
#include <kompakt/graph/ops/read_variable.hpp>
#include <kompakt/graph/ops/svdf.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_svdf(operator_reader& r) {
    if (r.inputs.size() != 5 || r.outputs.size() != 1) {
        return fail(errc::bad_file, "has ", r.inputs.size(), " inputs and ", r.outputs.size(),
                    " outputs, needed 5 and 1");
    }
    ops::svdf s;
    s.rank = r.options.scalar<std::int32_t>(svdf_field::rank, 0);
    const auto fused = r.fused(svdf_field::activation);
    if (!fused.ok()) return fused.error();
    s.fused = *fused;
    // How float activations become int8 beside int8 weights: here there is no such pair.
    r.options.scalar<bool>(svdf_field::asymmetric_inputs, false);
    return r.make(std::move(s));
}

inline status write_svdf(operator_writer& w, const op& o) {
    const auto& s = *o.as<ops::svdf>();
    KOMPAKT_TRY(w.variable_input(4));
    const bool integer = w.input(0).type == dtype::i8;
    w.add(builtin::svdf,
          integer                            ? 3
          : w.weights(dtype::f32, dtype::i8) ? 2
                                             : 1,
          options_type::svdf,
          flatbuffer::fields()
              .scalar<std::int32_t>(svdf_field::rank, s.rank, 0)
              .scalar<std::int8_t>(svdf_field::activation, w.number(s.fused), 0));
    return {};
}

// TensorFlow Lite's inputs of an LSTM: those of ops::lstm in the order of the graph, -1 for those
// that must be absent.
inline constexpr std::size_t lstm_inputs = 24;
inline constexpr int lstm_input_of[lstm_inputs] = {0, 1,  2,  3,  4,  5,  6,  7,  8,  -1, -1, -1,
                                                   9, 10, 11, 12, -1, -1, 13, 14, -1, -1, -1, -1};

inline status read_lstm(operator_reader& r) {

    // Layer normalization came later: 20 inputs without.
    if ((r.inputs.size() != lstm_inputs && r.inputs.size() != 20) || r.outputs.size() != 1) {
        return fail(errc::bad_file, "has ", r.inputs.size(), " inputs and ", r.outputs.size(),
                    " outputs, needed 24 (or 20) and 1");
    }
    std::vector<tensor_id> inputs(15, no_tensor);
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
        const int to = lstm_input_of[i];
        if (to < 0 && r.has_input(i)) {
            return fail(errc::unsupported, "input ", i, " (",
                        i < 12   ? "peephole"
                        : i < 18 ? "projection"
                                 : "layer normalization",
                        ")");
        }
        if (to >= 0 && !r.has_input(i)) {
            return fail(errc::unsupported, "input ", i, " is missing",
                        i == 1 || i == 5 || i == 12 ? " (coupled gates)" : "");
        }
        if (to >= 0) inputs[static_cast<std::size_t>(to)] = r.inputs[i];
    }
    r.inputs = std::move(inputs);
    ops::lstm l;
    const auto activation = r.options.scalar<std::int8_t>(sequence_lstm_field::activation, 0);
    if (activation != 4) {
        return fail(errc::unsupported, "activation ", activation, ", needed 4 (TANH)");
    }
    l.cell_clip = r.options.scalar<float>(sequence_lstm_field::cell_clip, 0.0f);
    if (!std::isfinite(l.cell_clip)) return fail(errc::bad_file, "cell_clip is not finite");
    l.time_major = r.options.scalar<bool>(sequence_lstm_field::time_major, false);
    // Without a projection nothing is clipped there; float inputs stay float.
    r.options.scalar<float>(sequence_lstm_field::proj_clip, 0.0f);
    r.options.scalar<bool>(sequence_lstm_field::asymmetric_inputs, false);
    if (r.options.scalar<bool>(sequence_lstm_field::diagonal_recurrent, false)) {
        return fail(errc::unsupported, "diagonal recurrent weights");
    }
    return r.make(std::move(l));
}

inline status write_lstm(operator_writer& w, const op& o) {

    const auto& l = *o.as<ops::lstm>();
    KOMPAKT_TRY(w.variable_input(ops::lstm::hidden));
    KOMPAKT_TRY(w.variable_input(ops::lstm::cell));
    const bool integer = w.input(0).type != dtype::f32;
    const bool hybrid = w.weights(dtype::f32, dtype::i8);
    // What TensorFlow Lite (not Micro) computes with: gates in Q3.12, the hidden state.
    if (integer) {
        const graph_tensor& h = w.input(ops::lstm::hidden);
        if (!h.quantization) return fail(errc::unsupported, "hidden state without a scale");
        for (const char* gate : {"input", "forget", "cell", "output"}) {
            w.intermediate(gate, dtype::i16,
                           quantization::per_tensor_affine(ops::gate_scale, 0, 16));
        }
        w.intermediate("hidden", h.type, *h.quantization);
    }
    const std::vector<tensor_id> graph_inputs = w.inputs;
    w.inputs.assign(lstm_inputs, no_tensor);
    for (std::size_t i = 0; i < lstm_inputs; ++i) {
        if (lstm_input_of[i] >= 0) {
            w.inputs[i] = graph_inputs[static_cast<std::size_t>(lstm_input_of[i])];
        }
    }
    w.add(builtin::unidirectional_sequence_lstm,
          integer  ? 3
          : hybrid ? 2
                   : 1,
          options_type::unidirectional_sequence_lstm,
          flatbuffer::fields()
              .scalar<std::int8_t>(sequence_lstm_field::activation, 4, 0)
              .scalar<float>(sequence_lstm_field::cell_clip, l.cell_clip, 0.0f)
              .scalar<bool>(sequence_lstm_field::time_major, l.time_major, false));
    return {};
}

inline status read_read_variable(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    return r.make(ops::read_variable());
}
inline status write_read_variable(operator_writer& w, const op&) {
    KOMPAKT_TRY(w.resource_input(0));
    w.add(builtin::read_variable, 1, options_type::read_variable);
    return {};
}

inline status read_assign_variable(operator_reader& r) {
    if (r.inputs.size() != 2 || !r.outputs.empty() || !r.has_input(0) || !r.has_input(1)) {
        return fail(errc::bad_file, "has ", r.inputs.size(), " inputs and ", r.outputs.size(),
                    " outputs, needed 2 and 0");
    }
    return r.make(ops::assign_variable());
}
inline status write_assign_variable(operator_writer& w, const op&) {
    KOMPAKT_TRY(w.resource_input(0));
    w.add(builtin::assign_variable, 1, options_type::assign_variable);
    return {};
}

inline constexpr operator_entry state_operators[] = {
    {builtin::assign_variable, 1, options_type::assign_variable, read_assign_variable,
     holds<ops::assign_variable>, write_assign_variable},
    {builtin::read_variable, 1, options_type::read_variable, read_read_variable,
     holds<ops::read_variable>, write_read_variable},
    {builtin::svdf, 4, options_type::svdf, read_svdf, holds<ops::svdf>, write_svdf},
    {builtin::unidirectional_sequence_lstm, 4, options_type::unidirectional_sequence_lstm,
     read_lstm, holds<ops::lstm>, write_lstm, true},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
