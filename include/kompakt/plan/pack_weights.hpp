// pack_weights: constants in the order of one port.
#pragma once

#include <kompakt/host/aligned_buffer.hpp>
#include <kompakt/plan/program_builder.hpp>
#include <kompakt/run/kernels.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// Replaces weights by what the port makes of them, and drops the constants that these hold as well.
// Weights that several ops share stay canonical. Memory is planned before.
inline status pack_weights(program_builder& tables, const kernel_table& kernels) {
    std::vector<std::uint32_t> uses(tables.tensors.size(), 0);
    for (const op_record& op : tables.ops) {
        for (std::uint32_t i = 0; i < op.inputs; ++i) ++uses[tables.words[op.operands_at + i]];
    }
    std::vector<std::vector<std::byte>> payloads(tables.tensors.size());
    std::vector<bool> dropped(tables.tensors.size(), false);
    for (op_record& op : tables.ops) {
        const kernel_entry& k = *kernels.find(op.kernel);
        if (k.pack_bytes == nullptr || op.inputs <= packed_input) continue;
        const std::uint32_t t = tables.words[op.operands_at + packed_input];
        if (tables.tensors[t].where != place::constant || uses[t] != 1) continue;
        const program code = tables.code();
        const call c(code, op, nullptr);
        const std::size_t bytes = k.pack_bytes(c);
        if (bytes == 0) continue;
        aligned_buffer packed(bytes);
        if (packed.size() != bytes) {
            return fail(errc::limit, "not enough memory for ", bytes, " bytes");
        }
        k.pack(c, packed.data());
        payloads[t].assign(packed.data(), packed.data() + bytes);
        op.pack_id = k.pack_id;
        for (std::uint32_t i = 0; i < op.inputs; ++i) {
            const std::uint32_t absorbed = tables.words[op.operands_at + i];
            if (!k.absorbed(i) || uses[absorbed] != 1) continue;
            dropped[absorbed] = tables.tensors[absorbed].where == place::constant;
        }
    }
    // The constants are laid out anew, in the same order.
    const std::vector<std::byte> old = std::move(tables.constants);
    tables.constants.clear();
    for (std::uint32_t t = 0; t < tables.tensors.size(); ++t) {
        tensor_record& r = tables.tensors[t];
        if (r.where != place::constant) continue;
        if (dropped[t]) {
            r.coding = encoding::port;
            r.bytes = 0;
            r.at = 0;
        } else if (!payloads[t].empty()) {
            r.coding = encoding::port;
            r.bytes = static_cast<std::uint32_t>(payloads[t].size());
            r.at = tables.add_constant({payloads[t].data(), payloads[t].size()});
        } else {
            r.at = tables.add_constant({old.data() + std::size_t{r.at} * block_bytes, r.bytes});
        }
    }
    return {};
}

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
