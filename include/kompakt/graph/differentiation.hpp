// differentiation: what an operator writes its part of the backward pass to.
//
// Differentiating turns a graph into a larger graph: the nodes of the forward pass in their order,
// then, from the last to the first, the nodes that each operator's `gradient` hook adds.
#pragma once

#include <kompakt/graph/graph_tensor.hpp>

#include <memory>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class op;

class differentiation {
  public:
    virtual ~differentiation() = default;

    // Of the node at hand.
    std::size_t inputs() const noexcept { return inputs_.size(); }
    std::size_t outputs() const noexcept { return outputs_.size(); }
    bool has_input(std::size_t i) const noexcept {
        return i < inputs_.size() && inputs_[i] != no_tensor;
    }
    tensor_id in(std::size_t i) const noexcept { return inputs_[i]; }
    tensor_id out(std::size_t i = 0) const noexcept { return outputs_[i]; }
    const shape& in_shape(std::size_t i) const { return shape_of(inputs_[i]); }
    const shape& out_shape(std::size_t i = 0) const { return shape_of(outputs_[i]); }
    // The loss by output `i`; `no_tensor` for one that the loss does not depend on.
    tensor_id gradient(std::size_t i = 0) const noexcept { return output_gradients_[i]; }
    // Whether the loss by input `i` is asked for.
    bool wants(std::size_t i) const noexcept { return i < wanted_.size() && wanted_[i]; }

    // Appends a node; its outputs are inferred.
    template <class Op>
    tensor_id add(Op attributes, std::vector<tensor_id> in) {
        return append(std::make_unique<Op>(std::move(attributes)), std::move(in), 1)[0];
    }
    template <class Op>
    std::vector<tensor_id> add(Op attributes, std::vector<tensor_id> in, std::size_t outputs) {
        return append(std::make_unique<Op>(std::move(attributes)), std::move(in), outputs);
    }
    virtual tensor_id constant_tensor(constant value) = 0;
    virtual const shape& shape_of(tensor_id t) const = 0;
    virtual const constant* value_of(tensor_id t) const = 0; // null: not a constant
    // The step that random operators count by: int32 [1].
    virtual tensor_id step() = 0;

    // The loss by input `i` is this, and what other nodes give.
    void give(std::size_t i, tensor_id gradient) { give_to(inputs_[i], gradient); }

  protected:
    virtual std::vector<tensor_id> append(std::unique_ptr<op> o, std::vector<tensor_id> in,
                                          std::size_t outputs) = 0;
    virtual void give_to(tensor_id t, tensor_id gradient) = 0;

    std::vector<tensor_id> inputs_, outputs_, output_gradients_;
    std::vector<bool> wanted_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
