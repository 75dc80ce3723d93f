// Which layers of an emitted header get an instance of their kernel with constant extents.
#pragma once

#include <kompakt/emit/options.hpp>
#include <kompakt/kernel/call.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Multiply-accumulates of an op with weights, elements of the others.
inline std::uint64_t work_of(const program& code, std::uint32_t i) {
    const op_record& op = code.ops[i];
    if (op.outputs == 0) return 0;
    const auto elements = [&](const tensor_record& t) {
        std::uint64_t n = 1;
        for (unsigned d = 0; d < t.rank; ++d) n *= code.words[t.dims_at + d];
        return n;
    };
    const tensor_record& out = code.tensors[code.words[op.operands_at + op.inputs]];
    const std::uint64_t outputs = elements(out);
    if (op.inputs <= packed_input) return outputs;
    const tensor_record& w = code.tensors[code.words[op.operands_at + packed_input]];
    if (w.where != place::constant || out.rank == 0) return outputs;
    return outputs * elements(w) / code.words[out.dims_at + out.rank - 1u];
}
// Layers of equal shapes share one instance of the kernel.
inline bool same_shapes(const program& code, std::uint32_t a, std::uint32_t b) {
    const op_record &l = code.ops[a], &r = code.ops[b];
    if (l.kernel != r.kernel || l.flags != r.flags || l.inputs != r.inputs ||
        l.outputs != r.outputs) {
        return false;
    }
    // Equal shapes are stored once, so equal positions say it.
    for (std::uint32_t i = 0; i < std::uint32_t{l.inputs} + l.outputs; ++i) {
        if (code.tensors[code.words[l.operands_at + i]].dims_at !=
            code.tensors[code.words[r.operands_at + i]].dims_at) {
            return false;
        }
    }
    return true;
}
// Whether op `i` gets an instance of its kernel with constant extents.
inline bool constant_extents(const program& code, std::uint32_t i, optimize how) {
    if (how == optimize::size || code.ops[i].outputs == 0) return false;
    if (how == optimize::speed) return true;
    std::uint64_t total = 0, alike = 0;
    for (std::uint32_t k = 0; k < code.op_count; ++k) {
        total += work_of(code, k);
        if (same_shapes(code, i, k)) alike += work_of(code, k);
    }
    return alike * 4 >= total;
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
