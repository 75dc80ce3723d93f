// op: what an operator of the graph must say of itself. One file per operator in graph/ops.
//
// An operator is a struct of attributes derived from `op_of<itself>`:
//
//     struct conv2d : op_of<conv2d> {
//         static constexpr const char* op_name = "conv_2d";
//         window_attributes window; …
//         template <class V> void fields(V&& v) { v("stride_h", stride_h); … }  // all attributes
//         status infer(inference&) const override; // checks inputs, sets output type and shape
//         status lower(lowering&) const override;  // writes kernel ops, or refuses by reason
//         quantization_rule quantize_rule() const override;
//         status gradient(differentiation&) const override; // the way back, for training
//     };
#pragma once

#include <kompakt/graph/activation.hpp>
#include <kompakt/graph/differentiation.hpp>
#include <kompakt/graph/inference.hpp>
#include <kompakt/graph/lowering.hpp>
#include <kompakt/graph/multiplier.hpp>
#include <kompakt/graph/quantization_rule.hpp>

#include <memory>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Names and values of attributes, for printing, comparing and checking.
class attribute_visitor {
  public:
    virtual ~attribute_visitor() = default;
    virtual void operator()(const char* name, std::int32_t& value) = 0;
    virtual void operator()(const char* name, float& value) = 0;
    virtual void operator()(const char* name, bool& value) = 0;
    virtual void operator()(const char* name, activation& value) = 0;
    virtual void operator()(const char* name, std::vector<std::int32_t>& value) = 0;
    virtual void operator()(const char* name, shape& value) = 0;
};

class op {
  public:
    virtual ~op() = default;
    virtual const char* name() const noexcept = 0;
    virtual std::unique_ptr<op> clone() const = 0;
    virtual void visit(attribute_visitor& v) = 0;

    // Checks the inputs and sets type and shape of the outputs. Symbols pass through where the
    // operator does not compute with the dimension.
    virtual status infer(inference& c) const = 0;
    // Writes kernel ops for tensors of known shape; refuses what no kernel does, with the reason.
    virtual status lower(lowering& c) const = 0;
    virtual quantization_rule quantize_rule() const { return {}; }
    // The outputs, where they follow from shapes and a few constant integers: importers put them in
    // the node's place, since shapes that a file computes must be known when it is read. Empty
    // where they do not. Asked after `infer`.
    virtual std::vector<constant> fold(const inference&) const { return {}; }
    // One for each input, if `weights` and `bias` of the rule do not tell it all.
    virtual std::vector<input_rule> input_rules() const { return {}; }
    // The inputs that a node updates: states. A node that updates one need not have an output.
    virtual std::vector<std::size_t> updates() const { return {}; }
    // Whether there are graphs inside: nobody runs such a node ahead of time.
    virtual bool has_blocks() const { return false; }
    // Appends the nodes of the backward pass for float32 inputs that `wants` names, from the
    // gradients of the outputs. Shapes are known.
    virtual status gradient(differentiation&) const {
        return fail(errc::unsupported, "has no gradient: what stands before it cannot be trained");
    }
    // The inputs that are trained where they are float32 constants.
    virtual std::vector<std::size_t> parameters() const { return {}; }
    // Turns into the form that runs while training, if that is another one. The node then has
    // `training_outputs` outputs more; and the step as its last input, where it draws numbers.
    virtual void enter_training() {}
    virtual std::size_t training_outputs() const { return 0; }
    virtual bool draws_numbers() const { return false; }
    // Whether samples of a batch influence each other.
    virtual bool mixes_samples() const { return false; }
    // Multiply-accumulates of one run.
    virtual std::uint64_t macs(const inference&) const { return 0; }

    template <class Op>
    Op* as() noexcept {
        return kind() == &Op::tag ? static_cast<Op*>(this) : nullptr;
    }
    template <class Op>
    const Op* as() const noexcept {
        return kind() == &Op::tag ? static_cast<const Op*>(this) : nullptr;
    }

  private:
    virtual const void* kind() const noexcept = 0;
};

// Supplies what every operator does alike.
template <class Op>
class op_of : public op {
  public:
    // Its address tells the operators apart, without RTTI.
    static inline const char tag = 0;

    const char* name() const noexcept final { return Op::op_name; }
    std::unique_ptr<op> clone() const final {
        return std::make_unique<Op>(static_cast<const Op&>(*this));
    }
    void visit(attribute_visitor& v) final { static_cast<Op*>(this)->fields(v); }

  private:
    const void* kind() const noexcept final { return &tag; }
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
