// differentiate: a graph becomes its training graph: the forward pass, the loss, and the backward
// pass, lowered, planned and run like any other graph.
//
//     const auto t = differentiate(*bound, {});        // shapes are known
//     t->graph: inputs of the model, then labels or targets, then (if drawn) the step
//               outputs: {loss sum, weight}, the prediction, then a gradient for each parameter
//
// Parameters are states of the training graph: they keep their place in the arena, and who trains
// them writes there between runs. Gradients are those of the summed loss.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/log_softmax.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/loss.hpp>
#include <kompakt/graph/ops/softmax.hpp>

#include <functional>
#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct differentiate_options {
    loss_params loss;
    std::vector<float> weights; // of classes, or of positive targets; empty: all 1
    // Layers keep the statistics that they have, and so does what the model says.
    bool freeze_batch_norm = false;
    // Which parameters are trained, by the names of their tensors; empty: all.
    std::function<bool(const std::string&)> trains;
    // Constants that are trained though no layer calls them parameters: scales, say.
    std::vector<tensor_id> also;
};

struct trained_parameter {
    std::string name;
    tensor_id tensor = no_tensor;   // the state, in the training graph and in the model
    tensor_id gradient = no_tensor; // an output of the training graph
    std::size_t elements = 0;
    bool decays = true; // a matrix or filter; biases and normalization do not
};

struct training_graph {
    kompakt::graph graph;
    tensor_id loss = no_tensor, prediction = no_tensor;
    tensor_id target = no_tensor; // labels or targets
    tensor_id step = no_tensor;   // int32 [1], if anything draws random numbers
    std::vector<trained_parameter> parameters;
    std::vector<tensor_id> statistics; // states that the forward pass itself updates
    bool mixes_samples = false;        // a batch cannot be split
};

// Refuses, by the node's name, what stands between the loss and a trained parameter and has no
// gradient. Needs one output (the first is taken) and float32 parameters.
KOMPAKT_ONCE result<training_graph> differentiate(const graph& g,
                                                  const differentiate_options& options = {});

#if defined(KOMPAKT_DEFINITIONS)
namespace detail {

class differentiator final : public differentiation {
  public:
    differentiator(const graph& g, const differentiate_options& options) : options_(options) {
        t_.graph = g;
    }

    result<training_graph> run() {
        graph& g = t_.graph;
        if (g.outputs.empty()) return fail(errc::bad_argument, "differentiate: no output");
        for (tensor_id i : g.inputs) {
            if (is_known(g.tensor(i).shape)) continue;
            return fail(errc::bad_argument, "differentiate: input ", g.tensor(i).name, " ",
                        text_of(g.tensor(i).shape), ": bind its dimensions first");
        }
        t_.prediction = logits(g.outputs[0]);
        g.outputs.clear();
        remove_unused();
        KOMPAKT_TRY(enter_training());
        find_parameters();
        if (t_.parameters.empty()) {
            return fail(errc::bad_argument, "differentiate: nothing to train: no float32 "
                                            "constants that are parameters of a layer");
        }
        KOMPAKT_TRY(infer(g));
        const std::vector<node_id> forward = g.order();
        spread_needs(forward);
        KOMPAKT_TRY(add_loss());
        for (std::size_t i = forward.size(); i-- > 0;) KOMPAKT_TRY(back(forward[i]));
        for (trained_parameter& p : t_.parameters) {
            const auto found = gradients_.find(p.tensor);
            if (found == gradients_.end()) {
                return fail(errc::bad_argument, "differentiate: the loss does not depend on ",
                            p.name);
            }
            p.gradient = found->second;
        }
        g.outputs = {t_.loss, t_.prediction};
        for (const trained_parameter& p : t_.parameters) g.outputs.push_back(p.gradient);
        KOMPAKT_TRY(status_);
        KOMPAKT_TRY(infer(g));
        return std::move(t_);
    }

    tensor_id constant_tensor(constant value) override {
        return t_.graph.add_constant("gradient/constant", std::move(value));
    }
    const shape& shape_of(tensor_id t) const override { return t_.graph.tensor(t).shape; }
    const constant* value_of(tensor_id t) const override {
        const auto& v = t_.graph.tensor(t).value;
        return v ? &*v : nullptr;
    }
    tensor_id step() override {
        if (t_.step == no_tensor) t_.step = add_input("step", dtype::i32, {dim(1)});
        return t_.step;
    }

  protected:
    std::vector<tensor_id> append(std::unique_ptr<op> o, std::vector<tensor_id> in,
                                  std::size_t outputs) override {
        graph& g = t_.graph;
        std::vector<tensor_id> out;
        for (std::size_t i = 0; i < outputs; ++i) {
            graph_tensor x;
            x.name = name_ + "/gradient";
            out.push_back(g.add_tensor(std::move(x)));
        }
        const node_id n = g.insert_node(
            g.order().size(), node(name_ + "/gradient", std::move(o), std::move(in), out));
        inference c = g.infer_context(n);
        const status s = g.node_at(n).op->infer(c);
        if (status_.ok() && !s.ok()) status_ = s.within(g.node_text(n), ": ");
        return out;
    }
    void give_to(tensor_id t, tensor_id gradient) override {
        const auto found = gradients_.find(t);
        if (found == gradients_.end()) {
            gradients_.emplace(t, gradient);
        } else {
            found->second = add(ops::add(), {found->second, gradient});
        }
    }

  private:
    tensor_id add_input(const char* name, dtype type, shape s) {
        graph_tensor x;
        x.name = name;
        x.type = type;
        x.shape = std::move(s);
        const tensor_id t = t_.graph.add_tensor(std::move(x));
        t_.graph.inputs.push_back(t);
        return t;
    }

    // The losses take logits: what makes probabilities of them at the end is left out.
    tensor_id logits(tensor_id out) const {
        const auto n = t_.graph.producer(out);
        if (!n) return out;
        const node& last = t_.graph.node_at(*n);
        const loss_kind kind = options_.loss.kind;
        const bool classes = takes_labels(kind) || kind == loss_kind::soft_cross_entropy ||
                             kind == loss_kind::kl_divergence;
        const ops::softmax* s = last.op->as<ops::softmax>();
        const bool inner = classes ? (s != nullptr && s->beta == 1.0f) ||
                                         last.op->as<ops::log_softmax>() != nullptr
                                   : kind == loss_kind::binary_cross_entropy &&
                                         last.op->as<ops::logistic>() != nullptr;
        return inner ? last.inputs[0] : out;
    }
    void remove_unused() {
        graph& g = t_.graph;
        std::vector<bool> used(g.tensor_count(), false);
        used[t_.prediction] = true;
        const std::vector<node_id> order = g.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const node& n = g.node_at(order[i]);
            bool keep = !n.op->updates().empty();
            for (tensor_id t : n.outputs) keep = keep || used[t];
            if (!keep) {
                g.remove_node(order[i]);
                continue;
            }
            for (tensor_id t : n.inputs)
                if (t != no_tensor) used[t] = true;
        }
    }
    void make_state(tensor_id t) {
        graph_tensor& x = t_.graph.tensor(t);
        if (!x.value) return;
        x.state = state_start{0, std::move(x.value)};
        x.value.reset();
    }
    status enter_training() {
        graph& g = t_.graph;
        for (node_id n : g.order()) {
            op& o = *g.node_at(n).op;
            const bool has_statistics = o.training_outputs() != 0;
            if (has_statistics && options_.freeze_batch_norm) continue;
            o.enter_training();
            if (!has_statistics && !o.draws_numbers()) continue;
            name_ = g.node_at(n).name;
            for (std::size_t i = 0; i < o.training_outputs(); ++i) {
                graph_tensor x;
                x.name = name_ + "/statistics";
                g.node_at(n).outputs.push_back(g.add_tensor(std::move(x)));
            }
            if (o.draws_numbers()) g.node_at(n).inputs.push_back(step());
            t_.mixes_samples = t_.mixes_samples || o.mixes_samples();
            for (std::size_t i : o.updates()) {
                const tensor_id t = g.node_at(n).inputs[i];
                const graph_tensor& x = g.tensor(t);
                if (!x.value || x.type != dtype::f32 || x.value->coding.kind != encoding::dense) {
                    return fail(errc::unsupported, g.node_text(n), ": input ", i, " ",
                                name_of(x.type), ": needed a float32 constant, dense");
                }
                make_state(t);
                t_.statistics.push_back(t);
            }
        }
        return {};
    }
    void find_parameters() {
        graph& g = t_.graph;
        for (node_id n : g.order()) {
            for (std::size_t i : g.node_at(n).op->parameters()) {
                const auto& in = g.node_at(n).inputs;
                if (i >= in.size() || in[i] == no_tensor) continue;
                const graph_tensor& x = g.tensor(in[i]);
                if (!x.value || x.type != dtype::f32 || x.value->coding.kind != encoding::dense) {
                    continue;
                }
                if (!options_.trains || options_.trains(x.name)) add_parameter(in[i]);
            }
        }
        for (tensor_id t : options_.also) {
            if (g.tensor(t).value && g.tensor(t).type == dtype::f32) add_parameter(t);
        }
    }
    void add_parameter(tensor_id t) {
        const graph_tensor& x = t_.graph.tensor(t);
        trained_parameter p;
        p.name = x.name;
        p.tensor = t;
        p.elements = x.value->bytes().size() / sizeof(float);
        p.decays = x.shape.size() > 1;
        t_.parameters.push_back(std::move(p));
        make_state(t);
    }
    // Tensors that depend on a trained parameter.
    void spread_needs(const std::vector<node_id>& forward) {
        needed_.assign(t_.graph.tensor_count(), false);
        for (const trained_parameter& p : t_.parameters) needed_[p.tensor] = true;
        for (node_id n : forward) {
            bool any = false;
            for (tensor_id t : t_.graph.node_at(n).inputs)
                any = any || (t != no_tensor && needed_[t]);
            for (tensor_id t : t_.graph.node_at(n).outputs) needed_[t] = any;
        }
    }
    status add_loss() {
        graph& g = t_.graph;
        const shape predicted = g.tensor(t_.prediction).shape;
        if (predicted.empty() || g.tensor(t_.prediction).type != dtype::f32) {
            return fail(errc::unsupported, "differentiate: output ", g.tensor(t_.prediction).name,
                        ": ", name_of(g.tensor(t_.prediction).type), " ", text_of(predicted),
                        ", needed float32 of rank 1 at least");
        }
        const bool labels = takes_labels(options_.loss.kind);
        t_.target = add_input(labels ? "labels" : "targets", labels ? dtype::i32 : dtype::f32,
                              labels ? shape(predicted.begin(), predicted.end() - 1) : predicted);
        std::vector<tensor_id> in = {t_.prediction, t_.target};
        if (!options_.weights.empty()) {
            if (static_cast<std::int64_t>(options_.weights.size()) != predicted.back().value()) {
                return fail(errc::bad_argument, "differentiate: ", options_.weights.size(),
                            " weights for ", predicted.back().value(), " outputs");
            }
            in.push_back(constant_tensor(make_constant({predicted.back()}, options_.weights)));
        }
        name_ = "loss";
        ops::loss o;
        o.params = options_.loss;
        const auto out = add(o, std::move(in), 2);
        KOMPAKT_TRY(status_);
        t_.loss = out[0];
        gradients_.emplace(t_.prediction, out[1]);
        return {};
    }
    status back(node_id n) {
        graph& g = t_.graph;
        inputs_ = g.node_at(n).inputs;
        outputs_ = g.node_at(n).outputs;
        name_ = g.node_at(n).name;
        gradients_of_outputs();
        wanted_.clear();
        bool any = false, reached = false;
        for (tensor_id t : inputs_) {
            wanted_.push_back(t != no_tensor && needed_[t]);
            any = any || wanted_.back();
        }
        for (tensor_id t : output_gradients_) reached = reached || t != no_tensor;
        if (!any || !reached) return {};
        // The op may move in memory when its hook appends nodes; a copy does not.
        const std::unique_ptr<op> o = g.node_at(n).op->clone();
        if (output_gradients_[0] == no_tensor) {
            return fail(errc::unsupported, g.node_text(n), ": only a later output is used");
        }
        KOMPAKT_TRY(o->gradient(*this).within(g.node_text(n), ": "));
        return status_;
    }
    void gradients_of_outputs() {
        output_gradients_.clear();
        for (tensor_id t : outputs_) {
            const auto found = gradients_.find(t);
            output_gradients_.push_back(found == gradients_.end() ? no_tensor : found->second);
        }
    }

    const differentiate_options& options_;
    training_graph t_;
    std::map<tensor_id, tensor_id> gradients_; // by tensor of the forward pass
    std::vector<bool> needed_;
    std::string name_;
    status status_;
};

} // namespace detail

KOMPAKT_ONCE result<training_graph> differentiate(const graph& g,
                                                  const differentiate_options& options) {
    return detail::differentiator(g, options).run();
}
#endif

} // namespace KOMPAKT_ABI
} // namespace kompakt
