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
//     };
#pragma once

#include <kompakt/graph/lowered.hpp>
#include <kompakt/graph/multiplier.hpp>

#include <cstring>
#include <map>
#include <optional>

namespace kompakt {
inline namespace KOMPAKT_ABI {

using tensor_id = std::uint32_t;
using node_id = std::uint32_t;
inline constexpr tensor_id no_tensor = UINT32_MAX; // an optional input that is not there

// A typed value: written by a node, given as an input, or constant.
struct graph_tensor {
    std::string name;
    dtype type = dtype::none;
    kompakt::shape shape;
    std::optional<kompakt::quantization> quantization;
    std::optional<constant> value;
};

// The activation that TensorFlow Lite fuses into an operator.
enum class activation : std::uint8_t { none, relu, relu6, relu_n1_to_1 };

constexpr const char* name_of(activation a) noexcept {
    switch (a) {
    case activation::none:
        return "none";
    case activation::relu:
        return "relu";
    case activation::relu6:
        return "relu6";
    case activation::relu_n1_to_1:
        return "relu_n1_to_1";
    }
    return "unknown";
}

// What an importer and `infer` see of a node.
class inference {
  public:
    inference(std::vector<const graph_tensor*> inputs, std::vector<graph_tensor*> outputs)
        : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

    std::size_t inputs() const noexcept { return inputs_.size(); }
    std::size_t outputs() const noexcept { return outputs_.size(); }
    bool has_input(std::size_t i) const noexcept {
        return i < inputs_.size() && inputs_[i] != nullptr;
    }
    const graph_tensor& input(std::size_t i) const noexcept { return *inputs_[i]; }
    const shape& input_shape(std::size_t i) const noexcept { return inputs_[i]->shape; }
    const graph_tensor& output(std::size_t i) const noexcept { return *outputs_[i]; }

    // The number of inputs that must be there, and outputs; further inputs are optional.
    status expect(std::size_t least, std::size_t most, std::size_t outputs) const noexcept {
        if (inputs_.size() < least || inputs_.size() > most || outputs_.size() != outputs) {
            return fail(errc::bad_file, "has ", inputs_.size(), " inputs and ", outputs_.size(),
                        " outputs, needed ", least, " to ", most, " and ", outputs);
        }
        for (std::size_t i = 0; i < least; ++i) {
            if (inputs_[i] == nullptr) return fail(errc::bad_file, "input ", i, " is missing");
        }
        return {};
    }
    status expect_rank(std::size_t i, std::size_t rank) const {
        if (inputs_[i]->shape.size() == rank) return {};
        return fail(errc::unsupported, "input ", i, ": needed rank ", rank, ", given ",
                    text_of(inputs_[i]->shape));
    }
    void set_output(std::size_t i, dtype type, kompakt::shape s) {
        outputs_[i]->type = type;
        outputs_[i]->shape = std::move(s);
    }

  private:
    std::vector<const graph_tensor*> inputs_;
    std::vector<graph_tensor*> outputs_;
};

// Operands that lowering derived from others: (operand, purpose) -> operand.
using derived_key = std::pair<std::uint32_t, std::string>;
using derived_operands = std::map<derived_key, std::uint32_t>;

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

// How post-training quantization treats an operator's tensors
// (TensorFlow Lite 8-bit quantization specification).
struct quantization_rule {
    enum class kind : std::uint8_t {
        none,       // stays in float: dequantized before, quantized after
        free,       // every activation has a range of its own
        same_scale, // activation inputs and outputs share one scale and zero point
        fixed,      // the output's scale and zero point are the operator's
    };
    kind how = kind::none;
    float scale = 0.0f; // of `fixed`
    std::int32_t zero_point = 0;
    int weights = -1;      // the input that holds weights: symmetric int8 …
    int channel_axis = -1; // … per channel along this axis, -1: per tensor
    int bias = -1;         // the input that holds the bias: int32, scale of input times weights
};

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
