// Matrix products of computed operands.
#pragma once

#include <kompakt/graph/ops/batch_matmul.hpp>
#include <kompakt/io/tflite/operator_entry.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

inline status read_batch_matmul(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::batch_matmul m;
    m.transpose_a = r.options.scalar<bool>(batch_matmul_field::transpose_a, false);
    m.transpose_b = r.options.scalar<bool>(batch_matmul_field::transpose_b, false);
    // How float inputs become int8 beside int8 ones, which are refused here.
    r.options.scalar<bool>(batch_matmul_field::asymmetric_inputs, false);
    return r.make(std::move(m));
}

inline status write_batch_matmul(operator_writer& w, const op& o) {
    const auto& m = *o.as<ops::batch_matmul>();
    w.add(builtin::batch_matmul, w.version(1, 2, 3), options_type::batch_matmul,
          flatbuffer::fields()
              .scalar<bool>(batch_matmul_field::transpose_a, m.transpose_a, false)
              .scalar<bool>(batch_matmul_field::transpose_b, m.transpose_b, false));
    return {};
}

inline constexpr operator_entry batch_matmul_operators[] = {
    {builtin::batch_matmul, 4, options_type::batch_matmul, read_batch_matmul,
     holds<ops::batch_matmul>, write_batch_matmul},
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
