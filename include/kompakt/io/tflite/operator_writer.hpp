// operator_writer: one node on its way into a TensorFlow Lite file.
#pragma once

#include <kompakt/format/flatbuffer_writer.hpp>
#include <kompakt/graph/graph.hpp>
#include <kompakt/graph/ops/block.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/io/tflite/schema.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// The model under construction. Tensors are named by `operand`s: the graph's own numbers, and
// numbers from the graph's count on for what is added.
class model_builder {
  public:
    using operand = tensor_id;
    struct written_operator {
        builtin code = builtin::custom;
        int version = 1;
        options_type options = options_type::none;
        flatbuffer::offset table;
        std::vector<operand> inputs, outputs, intermediates;
    };
    // How the file holds a state: as a variable that one operator updates, or as a resource that
    // VAR_HANDLE names, and that READ_VARIABLE and ASSIGN_VARIABLE reach.
    enum class state_kind { none, variable, resource };

    flatbuffer::writer& out;
    // Writes a graph as another subgraph and gives its number.
    std::function<result<std::int32_t>(const graph&)> write_block;

    // `g` is inferred and outlives the builder, as the writer does.
    model_builder(const graph& g, flatbuffer::writer& to)
        : out(to), graph_(&g), used_(g.tensor_count(), false) {
        const auto use = [&](const std::vector<tensor_id>& all) {
            for (tensor_id t : all) {
                if (t != no_tensor) used_[t] = true;
            }
        };
        use(g.inputs), use(g.outputs);
        for (node_id n : g.order()) use(g.node_at(n).inputs), use(g.node_at(n).outputs);
        for (tensor_id t = 0; t < g.tensor_count(); ++t) {
            const graph_tensor& x = g.tensor(t);
            if (x.value && !used_[t] && x.value->coding.kind == encoding::dense) {
                spare_.emplace(x.type, t);
            }
        }
    }

    const graph& source() const noexcept { return *graph_; }
    const graph_tensor& tensor(operand t) const {
        return t < graph_->tensor_count() ? graph_->tensor(t) : added_[t - graph_->tensor_count()];
    }
    // Of the graph's own tensors, those that no operator needs are left out.
    bool used(operand t) const { return t >= used_.size() || used_[t]; }
    std::size_t operands() const { return graph_->tensor_count() + added_.size(); }
    const std::vector<written_operator>& operators() const noexcept { return operators_; }

    operand add_tensor(graph_tensor t) {
        added_.push_back(std::move(t));
        return static_cast<operand>(graph_->tensor_count() + added_.size() - 1);
    }
    // An attribute as a constant input: one that the graph has left from the file that it came
    // from, or a new one.
    operand constant(std::string name, kompakt::constant c, std::optional<quantization> q) {
        const auto range = spare_.equal_range(c.type);
        for (auto it = range.first; it != range.second; ++it) {
            const graph_tensor& x = graph_->tensor(it->second);
            const bytes_view bytes = x.value->bytes();
            if (x.shape != c.shape || x.quantization != q || bytes.size() != c.bytes().size() ||
                !std::equal(bytes.begin(), bytes.end(), c.bytes().begin())) {
                continue;
            }
            const tensor_id found = it->second;
            spare_.erase(it);
            used_[found] = true;
            return found;
        }
        graph_tensor t;
        t.name = std::move(name);
        t.type = c.type;
        t.shape = c.shape;
        t.quantization = std::move(q);
        t.value = std::move(c);
        return add_tensor(std::move(t));
    }
    state_kind kind_of(operand t) const {
        const auto found = states_.find(t);
        return found == states_.end() ? state_kind::none : found->second;
    }
    // The first use settles what it is.
    status use_state(operand t, state_kind kind) {
        const graph_tensor& x = tensor(t);
        if (!x.state) return fail(errc::bad_argument, "tensor ", x.name, " is no state");
        const auto [it, fresh] = states_.try_emplace(t, kind);
        if (it->second != kind) {
            return fail(errc::unsupported, "state ", x.name,
                        " is used by layers and as a variable; TensorFlow Lite has no such thing");
        }
        if (!fresh) return {};
        if (kind == state_kind::resource) {
            resources_.push_back(t);
            const flatbuffer::offset name = out.string(resource_name(t));
            const flatbuffer::offset container = out.string("");
            add_operator(builtin::var_handle, 1, {}, {t}, options_type::var_handle,
                         flatbuffer::fields()
                             .reference(var_handle_field::container, container)
                             .reference(var_handle_field::shared_name, name));
            return {};
        }
        const std::int32_t zero =
            x.type == dtype::i8 && x.quantization ? x.quantization->zero_point() : 0;
        if (x.state->value || x.state->fill != static_cast<std::uint8_t>(zero)) {
            return fail(errc::unsupported, "state ", x.name,
                        " of a layer starts with other values than TensorFlow Lite gives it");
        }
        return {};
    }
    // In the order of their first use.
    const std::vector<operand>& resources() const noexcept { return resources_; }
    // Unique, since names are what makes two of them the same.
    std::string resource_name(operand t) const { return tensor(t).name + "#" + std::to_string(t); }
    // Before all others.
    void add_first_operator(builtin code, options_type type, const flatbuffer::fields& options) {
        add_operator(code, 1, {}, {}, type, options);
        std::rotate(operators_.begin(), operators_.end() - 1, operators_.end());
    }
    void add_operator(builtin code, int version, std::vector<operand> inputs,
                      std::vector<operand> outputs, options_type type = options_type::none,
                      const flatbuffer::fields& options = {},
                      std::vector<operand> intermediates = {}) {
        written_operator o;
        o.code = code;
        o.version = version;
        o.options = type;
        if (type != options_type::none) o.table = out.table(options);
        o.inputs = std::move(inputs);
        o.outputs = std::move(outputs);
        o.intermediates = std::move(intermediates);
        operators_.push_back(std::move(o));
    }

  private:
    const graph* graph_;
    std::vector<bool> used_;
    std::multimap<dtype, tensor_id> spare_;
    std::vector<graph_tensor> added_;
    std::vector<written_operator> operators_;
    std::map<operand, state_kind> states_;
    std::vector<operand> resources_;
};

// One node on its way into the file.
class operator_writer {
  public:
    std::vector<tensor_id> inputs, outputs;

    operator_writer(model_builder& b, const node& n)
        : inputs(n.inputs), outputs(n.outputs), builder_(&b), node_(&n) {}

    const graph_tensor& input(std::size_t i) const { return builder_->tensor(inputs[i]); }
    const graph_tensor& output() const { return builder_->tensor(outputs[0]); }
    bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != no_tensor; }
    flatbuffer::writer& out() { return builder_->out; }

    // One more input.
    void constant(const char* what, kompakt::constant c,
                  std::optional<quantization> q = std::nullopt) {
        inputs.push_back(builder_->constant(node_->name + "/" + what, std::move(c), std::move(q)));
    }
    void constant(const char* what, shape s, const std::vector<std::int32_t>& values) {
        constant(what, make_constant(std::move(s), values));
    }
    void constant(const char* what, const std::vector<std::int32_t>& values) {
        constant(what, {dim(static_cast<std::int64_t>(values.size()))}, values);
    }
    // [n, 2]: pads before and after each axis.
    void pairs(const char* what, const std::vector<std::int32_t>& first,
               const std::vector<std::int32_t>& second) {
        std::vector<std::int32_t> all;
        for (std::size_t i = 0; i < first.size(); ++i) {
            all.push_back(first[i]), all.push_back(second[i]);
        }
        constant(what, {dim(static_cast<std::int64_t>(first.size())), dim(2)}, all);
    }
    void add(builtin code, int version, options_type type = options_type::none,
             const flatbuffer::fields& options = {}) {
        builder_->add_operator(code, version, inputs, outputs, type, options, intermediates_);
    }
    result<std::int32_t> block(const ops::block& b) { return builder_->write_block(*b); }
    status variable_input(std::size_t i) {
        return builder_->use_state(inputs[i], model_builder::state_kind::variable);
    }
    status resource_input(std::size_t i) {
        return builder_->use_state(inputs[i], model_builder::state_kind::resource);
    }
    // A tensor without elements, whose scale an operator reads.
    void intermediate(const char* what, dtype type, quantization q) {
        graph_tensor t;
        t.name = node_->name + "/" + what;
        t.type = type;
        t.shape = {dim(0)};
        t.quantization = std::move(q);
        intermediates_.push_back(builder_->add_tensor(std::move(t)));
    }
    // The version by the type of the first input, which is what most operators need.
    int version(int f32, int i8, int i16) const {
        return input(0).type == dtype::i8 ? i8 : input(0).type == dtype::i16 ? i16 : f32;
    }

    static std::int8_t number(activation a) {
        switch (a) {
        case activation::none:
            return 0;
        case activation::relu:
            return 1;
        case activation::relu6:
            return 3;
        case activation::relu_n1_to_1:
            return 2;
        }
        return 0;
    }

    enum class fill { zero, lowest, nothing };
    // SAME or VALID where they mean the window's pads; else an operator that pads before, and
    // VALID.
    result<padding> place(const ops::window_attributes& w, std::int64_t kernel_h,
                          std::int64_t kernel_w, fill with) {
        if (w.pad_top == 0 && w.pad_bottom == 0 && w.pad_left == 0 && w.pad_right == 0) {
            return padding::valid;
        }
        const shape& in = input(0).shape;
        ops::window_attributes same = w;
        same.pad_same(in[1].value(), in[2].value(), kernel_h, kernel_w);
        if (same.pad_top == w.pad_top && same.pad_bottom == w.pad_bottom &&
            same.pad_left == w.pad_left && same.pad_right == w.pad_right) {
            return padding::same;
        }
        if (with == fill::nothing) {
            return fail(errc::unsupported, "padding ", w.pad_top, ", ", w.pad_bottom, ", ",
                        w.pad_left, ", ", w.pad_right,
                        " is neither SAME nor VALID, and padding before would change the result");
        }
        graph_tensor padded;
        padded.name = node_->name + "/padded";
        padded.type = input(0).type;
        padded.quantization = input(0).quantization;
        padded.shape = {in[0], dim(in[1].value() + w.pad_top + w.pad_bottom),
                        dim(in[2].value() + w.pad_left + w.pad_right), in[3]};
        if (padded.type == dtype::i8 && !padded.quantization && with == fill::zero) {
            return fail(errc::unsupported, "int8 input without a scale");
        }
        operator_writer pad(*builder_, *node_);
        pad.inputs = {inputs[0]};
        pad.constant("paddings", {dim(4), dim(2)},
                     {0, 0, w.pad_top, w.pad_bottom, w.pad_left, w.pad_right, 0, 0});
        const int version = pad.version(1, 2, 3);
        const bool zero = with == fill::zero;
        if (!zero) {
            kompakt::constant low;
            if (padded.type == dtype::f32) {
                low = make_constant<float>({}, {-std::numeric_limits<float>::infinity()});
            } else if (padded.type == dtype::i8) {
                low = make_constant<std::int8_t>({}, {INT8_MIN});
            } else if (padded.type == dtype::i16) {
                low = make_constant<std::int16_t>({}, {INT16_MIN});
            } else {
                return fail(errc::unsupported, "padding of ", name_of(padded.type));
            }
            pad.constant("lowest", std::move(low), padded.quantization);
        }
        pad.outputs = {builder_->add_tensor(std::move(padded))};
        inputs[0] = pad.outputs[0];
        pad.add(zero ? builtin::pad : builtin::pad_v2, version,
                zero ? options_type::pad : options_type::pad_v2);
        return padding::valid;
    }
    // The option of int16 inputs without a bias whose sums are of 32 bits; 0 says nothing.
    std::int8_t bias_type(bool int32_sums) const {
        const bool says = int32_sums && input(0).type == dtype::i16 && !has_input(2);
        return says ? number_of(dtype::i32) : std::int8_t{0};
    }
    // Input and weights of the kinds that have a version of their own.
    bool weights(dtype in, dtype w) const { return input(0).type == in && input(1).type == w; }
    bool per_channel_weights() const {
        return input(1).quantization && !input(1).quantization->per_tensor();
    }

  private:
    model_builder* builder_;
    const node* node_;
    std::vector<tensor_id> intermediates_;
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
