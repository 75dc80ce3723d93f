// lowering: what an operator writes its kernel ops to.
#pragma once

#include <kompakt/graph/graph_tensor.hpp>
#include <kompakt/graph/lowered.hpp>

#include <cstring>
#include <map>
#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Operands that lowering derived from others: (operand, purpose) -> operand.
using derived_key = std::pair<std::uint32_t, std::string>;
using derived_operands = std::map<derived_key, std::uint32_t>;
inline constexpr const char* packed_purpose = "packed";

// What `lower` writes to. Operands are numbers of lowered tensors.
class lowering {
  public:
    lowering(lowered_program& program, std::vector<const graph_tensor*> inputs,
             std::vector<const graph_tensor*> outputs, std::vector<std::uint32_t> input_operands,
             std::vector<std::uint32_t> output_operands, std::uint32_t node,
             derived_operands& derived)
        : derived_(&derived), program_(&program), inputs_(std::move(inputs)),
          outputs_(std::move(outputs)), input_operands_(std::move(input_operands)),
          output_operands_(std::move(output_operands)), node_(node) {}

    std::size_t inputs() const noexcept { return inputs_.size(); }
    bool has_input(std::size_t i) const noexcept {
        return i < inputs_.size() && inputs_[i] != nullptr;
    }
    const graph_tensor& input(std::size_t i) const noexcept { return *inputs_[i]; }
    const graph_tensor& output(std::size_t i = 0) const noexcept { return *outputs_[i]; }
    std::size_t outputs() const noexcept { return outputs_.size(); }

    // Operands of the node's own tensors; an absent input gives an absent operand.
    std::uint32_t in(std::size_t i) { return has_input(i) ? input_operands_[i] : absent(); }
    std::uint32_t out(std::size_t i = 0) const noexcept { return output_operands_[i]; }

    // Quantization lowers single nodes on trial, whose own tensors the program does not have.
    bool in_arena(std::uint32_t operand) const noexcept {
        return operand >= program_->tensors.size() ||
               program_->tensors[operand].where == place::arena;
    }
    // Input `i`, a constant that operators see decoded, as it is stored: for kernels that run on
    // packed int4.
    std::optional<std::uint32_t> packed_in(std::size_t i) const {
        const auto found = derived_->find({input_operands_[i], packed_purpose});
        if (found == derived_->end()) return std::nullopt;
        return found->second;
    }

    std::uint32_t absent() {
        lowered_tensor t;
        t.where = place::absent;
        return add(std::move(t));
    }
    template <class T>
    std::uint32_t constant_operand(std::vector<std::int32_t> dims, const std::vector<T>& values) {
        lowered_tensor t;
        t.type = dtype_of<T>;
        t.dims = std::move(dims);
        t.where = place::constant;
        t.payload.resize(values.size() * sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            store_le(t.payload.data() + i * sizeof(T), static_cast<T>(values[i]));
        }
        return add(std::move(t));
    }
    // A constant of the graph's making: a type that is known at run time only.
    std::uint32_t constant_operand(const constant& value) {
        lowered_tensor t;
        t.type = value.type;
        for (const dim& d : value.shape) t.dims.push_back(static_cast<std::int32_t>(d.value()));
        t.where = place::constant;
        t.payload.assign(value.bytes().begin(), value.bytes().end());
        return add(std::move(t));
    }
    // What `make` makes of input `i`, made once for each purpose however many nodes ask for it.
    template <class F>
    std::uint32_t once(std::size_t i, const char* purpose, F&& make) {
        const derived_key key{input_operands_[i], purpose};
        const auto found = derived_->find(key);
        if (found != derived_->end()) return found->second;
        const std::uint32_t made = make();
        derived_->emplace(key, made);
        return made;
    }
    std::uint32_t temporary(dtype type, std::vector<std::int32_t> dims) {
        lowered_tensor t;
        t.type = type;
        t.dims = std::move(dims);
        return add(std::move(t));
    }

    // Of operators with blocks. What the operands of a node inside are called is up to the caller.
    lowering inside(std::vector<const graph_tensor*> inputs,
                    std::vector<const graph_tensor*> outputs,
                    std::vector<std::uint32_t> input_operands,
                    std::vector<std::uint32_t> output_operands) const {
        return {*program_,
                std::move(inputs),
                std::move(outputs),
                std::move(input_operands),
                std::move(output_operands),
                node_,
                *derived_};
    }
    std::uint32_t add_tensor(lowered_tensor t) { return add(std::move(t)); }
    void count_made(std::size_t bytes) { program_->made_bytes += bytes; }
    // The operand is written in several places: it never becomes another name of what is copied to
    // it or from it.
    void rewrite(std::uint32_t operand) { program_->tensors[operand].rewritten = true; }
    std::size_t ops() const noexcept { return program_->ops.size(); }
    // Gives jump `op` its target.
    void aim(std::size_t op, std::size_t target) {
        program_->ops[op].params[0] = static_cast<std::uint32_t>(target);
    }

    // One kernel op. `params` is a struct of 32-bit words.
    template <class Kernel>
    void emit(const typename Kernel::params& params, std::vector<std::uint32_t> inputs,
              std::vector<std::uint32_t> outputs, std::vector<overlap> overlaps = {}) {
        lowered_op op;
        op.kernel = Kernel::id;
        if constexpr (!std::is_empty_v<typename Kernel::params>) {
            op.params.resize(sizeof params / 4);
            std::memcpy(op.params.data(), &params, sizeof params);
        }
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        op.overlaps = std::move(overlaps);
        op.node = node_;
        program_->ops.push_back(std::move(op));
    }

  private:
    std::uint32_t add(lowered_tensor t) {
        program_->made_bytes += t.payload.size();
        program_->tensors.push_back(std::move(t));
        return static_cast<std::uint32_t>(program_->tensors.size() - 1);
    }

    derived_operands* derived_;
    lowered_program* program_;
    std::vector<const graph_tensor*> inputs_, outputs_;
    std::vector<std::uint32_t> input_operands_, output_operands_;
    std::uint32_t node_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
