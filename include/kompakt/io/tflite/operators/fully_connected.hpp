// Fully connected layers.
#pragma once

#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_fully_connected(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::fully_connected f;
    const auto format = r.options.scalar<std::int8_t>(fully_connected_field::weights_format, 0);
    if (format != 0) return fail(errc::unsupported, "weights format ", format, ", needed 0");
    f.keep_num_dims = r.options.scalar<bool>(fully_connected_field::keep_num_dims, false);
    // How float activations become int8 beside int8 weights: here they stay float.
    r.options.scalar<bool>(fully_connected_field::asymmetric_inputs, false);
    const auto int32_sums = r.int32_sums(fully_connected_field::bias_type);
    if (!int32_sums.ok()) return int32_sums.error();
    f.int32_sums = *int32_sums;
    const auto fused = r.fused(fully_connected_field::activation);
    if (!fused.ok()) return fused.error();
    f.fused = *fused;
    return r.make(std::move(f));
}

inline status write_fully_connected(operator_writer& w, const op& o) {
    const auto& f = *o.as<ops::fully_connected>();
    const bool hybrid = w.weights(dtype::f32, dtype::i8);
    const std::int8_t bias_type = w.bias_type(f.int32_sums);
    const int version = w.weights(dtype::i16, dtype::i4)    ? 13
                        : hybrid && w.per_channel_weights() ? 12
                        : bias_type != 0                    ? 11
                        : w.weights(dtype::i16, dtype::i8)  ? 7
                        : w.inputs.size() == 2              ? 6
                        : f.keep_num_dims                   ? 5
                        : w.weights(dtype::i8, dtype::i8)   ? 4
                        : w.weights(dtype::i8, dtype::i4)   ? 10
                        : hybrid                            ? 3
                                                            : 1;
    w.add(builtin::fully_connected, version, options_type::fully_connected,
          flatbuffer::fields()
              .scalar<std::int8_t>(fully_connected_field::activation, w.number(f.fused), 0)
              .scalar<bool>(fully_connected_field::keep_num_dims, f.keep_num_dims, false)
              .scalar<std::int8_t>(fully_connected_field::bias_type, bias_type, 0));
    return {};
}

inline constexpr operator_entry fully_connected_operators[] = {
    {builtin::fully_connected, 13, options_type::fully_connected, read_fully_connected,
     holds<ops::fully_connected>, write_fully_connected},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
