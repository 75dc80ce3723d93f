// graph: typed operators over typed tensors. Importers make it, every compression method and the
// trainer rewrites it, `lower` turns it into kernel ops.
//
// Layouts are fixed: activations NHWC (NWC), convolution weights OHWI, depthwise 1HWC, dense OI.
// Ids are positions that never change: removing leaves a hole until `compact`, so side tables keyed
// by id or name stay right.
#pragma once

#include <kompakt/graph/op.hpp>

#include <algorithm>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct node {
    std::string name;
    std::unique_ptr<kompakt::op> op; // null: removed
    std::vector<tensor_id> inputs, outputs;

    node() = default;
    node(std::string n, std::unique_ptr<kompakt::op> o, std::vector<tensor_id> in,
         std::vector<tensor_id> out)
        : name(std::move(n)), op(std::move(o)), inputs(std::move(in)), outputs(std::move(out)) {}
    node(const node& other)
        : name(other.name), op(other.op ? other.op->clone() : nullptr), inputs(other.inputs),
          outputs(other.outputs) {}
    node(node&&) noexcept = default;
    node& operator=(node other) noexcept {
        name.swap(other.name);
        op.swap(other.op);
        inputs.swap(other.inputs);
        outputs.swap(other.outputs);
        return *this;
    }
};

class graph {
  public:
    std::string name;
    std::vector<tensor_id> inputs, outputs;

    tensor_id add_tensor(graph_tensor t) {
        tensors_.push_back(std::move(t));
        return static_cast<tensor_id>(tensors_.size() - 1);
    }
    tensor_id add_constant(std::string tensor_name, constant value) {
        graph_tensor t;
        t.name = std::move(tensor_name);
        t.type = value.type;
        t.shape = value.shape;
        t.value = std::move(value);
        return add_tensor(std::move(t));
    }
    // Nodes are kept in an order in which they can run; `add_node` appends, `insert_node` puts one
    // before the node at `position` of the order.
    template <class Op>
    node_id add_node(std::string node_name, Op attributes, std::vector<tensor_id> in,
                     std::vector<tensor_id> out) {
        return insert_node(order_.size(), std::move(node_name), std::move(attributes),
                           std::move(in), std::move(out));
    }
    template <class Op>
    node_id insert_node(std::size_t position, std::string node_name, Op attributes,
                        std::vector<tensor_id> in, std::vector<tensor_id> out) {
        return insert_node(position,
                           node(std::move(node_name), std::make_unique<Op>(std::move(attributes)),
                                std::move(in), std::move(out)));
    }
    node_id insert_node(std::size_t position, node n) {
        nodes_.push_back(std::move(n));
        const auto id = static_cast<node_id>(nodes_.size() - 1);
        order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(position), id);
        return id;
    }
    void remove_node(node_id id) {
        order_.erase(std::remove(order_.begin(), order_.end(), id), order_.end());
        nodes_[id] = node();
    }

    std::size_t tensor_count() const noexcept { return tensors_.size(); }
    graph_tensor& tensor(tensor_id t) noexcept {
        KOMPAKT_ASSERT(t < tensors_.size(), "graph: no such tensor");
        return tensors_[t];
    }
    const graph_tensor& tensor(tensor_id t) const noexcept {
        KOMPAKT_ASSERT(t < tensors_.size(), "graph: no such tensor");
        return tensors_[t];
    }
    std::size_t node_count() const noexcept { return nodes_.size(); }
    kompakt::node& node_at(node_id n) noexcept { return nodes_[n]; }
    const kompakt::node& node_at(node_id n) const noexcept { return nodes_[n]; }
    // Execution order.
    const std::vector<node_id>& order() const noexcept { return order_; }

    // The node that writes t; none for inputs and constants.
    std::optional<node_id> producer(tensor_id t) const {
        for (node_id n : order_) {
            const auto& out = nodes_[n].outputs;
            if (std::find(out.begin(), out.end(), t) != out.end()) return n;
        }
        return std::nullopt;
    }
    std::vector<node_id> consumers(tensor_id t) const {
        std::vector<node_id> all;
        for (node_id n : order_) {
            const auto& in = nodes_[n].inputs;
            if (std::find(in.begin(), in.end(), t) != in.end()) all.push_back(n);
        }
        return all;
    }
    bool is_output(tensor_id t) const {
        return std::find(outputs.begin(), outputs.end(), t) != outputs.end();
    }
    bool is_input(tensor_id t) const {
        return std::find(inputs.begin(), inputs.end(), t) != inputs.end();
    }
    // Everything that reads `from`, outputs of the graph included, reads `to` instead.
    void replace_uses(tensor_id from, tensor_id to) {
        for (node_id n : order_) {
            std::replace(nodes_[n].inputs.begin(), nodes_[n].inputs.end(), from, to);
        }
        std::replace(outputs.begin(), outputs.end(), from, to);
    }

    inference infer_context(node_id n) {
        std::vector<const graph_tensor*> in;
        std::vector<graph_tensor*> out;
        for (tensor_id t : nodes_[n].inputs) in.push_back(t == no_tensor ? nullptr : &tensors_[t]);
        for (tensor_id t : nodes_[n].outputs) out.push_back(&tensors_[t]);
        return {std::move(in), std::move(out)};
    }
    // "node 3 conv_2d (block1/conv)": how messages name a node.
    std::string node_text(node_id n) const {
        const kompakt::node& x = nodes_[n];
        std::string s = "node " + std::to_string(n) + " " + (x.op ? x.op->name() : "removed");
        if (!x.name.empty()) s += " (" + x.name + ")";
        return s;
    }

  private:
    std::vector<graph_tensor> tensors_;
    std::vector<kompakt::node> nodes_;
    std::vector<node_id> order_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
