// program_builder: the tables of an executable under construction.
#pragma once

#include <kompakt/core/byte_order.hpp>
#include <kompakt/core/checked.hpp>
#include <kompakt/graph/lowered.hpp>

#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {

namespace detail {

// The tables under construction: `code()` can be given to kernels' functions at any time.
class program_builder {
  public:
    std::vector<tensor_record> tensors;
    std::vector<op_record> ops;
    std::vector<std::uint32_t> words;
    std::vector<std::byte> constants;
    std::uint32_t inputs_at = 0, outputs_at = 0, states_at = 0;

    explicit program_builder(const lowered_program& p) {
        std::map<std::vector<std::int32_t>, std::uint32_t> dims_at; // equal shapes are stored once
        // and shared payloads, unless a byte order would be another one
        std::map<std::pair<const void*, std::size_t>, std::uint32_t> stored;
        for (const lowered_tensor& t : p.tensors) {
            tensor_record r{};
            r.type = t.type;
            r.rank = static_cast<std::uint8_t>(t.dims.size());
            r.where = t.where;
            r.bytes = t.where == place::absent ? 0 : static_cast<std::uint32_t>(t.bytes());
            const auto [it, fresh] = dims_at.try_emplace(t.dims, word_count());
            if (fresh) words.insert(words.end(), t.dims.begin(), t.dims.end());
            r.dims_at = it->second;
            if (t.where == place::constant && t.shared) {
                const auto [place, first] =
                    stored.try_emplace({t.shared.get(), number_bytes(t.type)}, 0);
                if (first) place->second = add_little_endian(t.data(), t.type);
                r.at = place->second;
            } else if (t.where == place::constant) {
                r.at = add_little_endian(t.data(), t.type);
            }
            tensors.push_back(r);
        }
        for (const lowered_op& op : p.ops) {
            op_record r{};
            r.kernel = static_cast<std::uint16_t>(op.kernel);
            r.inputs = static_cast<std::uint16_t>(op.inputs.size());
            r.outputs = static_cast<std::uint16_t>(op.outputs.size());
            r.operands_at = word_count();
            words.insert(words.end(), op.inputs.begin(), op.inputs.end());
            words.insert(words.end(), op.outputs.begin(), op.outputs.end());
            r.params_at = word_count();
            words.insert(words.end(), op.params.begin(), op.params.end());
            ops.push_back(r);
        }
        inputs_at = word_count();
        words.insert(words.end(), p.inputs.begin(), p.inputs.end());
        outputs_at = word_count();
        words.insert(words.end(), p.outputs.begin(), p.outputs.end());
        states_at = word_count();
        for (const lowered_state& s : p.states) {
            words.insert(words.end(), {s.tensor, s.initial, std::uint32_t{s.fill}});
        }
    }

    std::uint32_t add_constant(bytes_view payload) {
        const auto at = static_cast<std::uint32_t>(constants.size() / block_bytes);
        constants.insert(constants.end(), payload.begin(), payload.end());
        constants.resize(round_up(constants.size(), block_bytes));
        return at;
    }
    // Payloads of a graph are little-endian.
    std::uint32_t add_little_endian(bytes_view payload, dtype type) {
        const std::uint32_t at = add_constant(payload);
        convert_little_endian({constants.data() + std::size_t{at} * block_bytes, payload.size()},
                              type);
        return at;
    }
    program code() const noexcept {
        return {tensors.data(),
                ops.data(),
                words.data(),
                constants.data(),
                static_cast<std::uint32_t>(tensors.size()),
                static_cast<std::uint32_t>(ops.size())};
    }

  private:
    std::uint32_t word_count() const noexcept { return static_cast<std::uint32_t>(words.size()); }
};

} // namespace detail

} // namespace KOMPAKT_ABI
} // namespace kompakt
