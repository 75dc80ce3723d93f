// The operators of TensorFlow Lite that the graph knows: one entry each in `operators` below, with
// a function that reads it and one that writes it. A new operator is one entry.
//
// No parameter is skipped: each is kept in the graph, or must have the value that changes nothing,
// or the operator is refused.
#pragma once

#include <kompakt/format/flatbuffer_reader.hpp>
#include <kompakt/format/flatbuffer_writer.hpp>
#include <kompakt/graph/graph.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/average_pool2d.hpp>
#include <kompakt/graph/ops/concatenation.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/depthwise_conv2d.hpp>
#include <kompakt/graph/ops/dequantize.hpp>
#include <kompakt/graph/ops/fully_connected.hpp>
#include <kompakt/graph/ops/logistic.hpp>
#include <kompakt/graph/ops/max_pool2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/graph/ops/mul.hpp>
#include <kompakt/graph/ops/pad.hpp>
#include <kompakt/graph/ops/quantize.hpp>
#include <kompakt/graph/ops/relu.hpp>
#include <kompakt/graph/ops/reshape.hpp>
#include <kompakt/graph/ops/softmax.hpp>
#include <kompakt/graph/ops/sub.hpp>
#include <kompakt/graph/ops/transpose.hpp>
#include <kompakt/io/tflite/schema.hpp>

#include <algorithm>
#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// ---- Reading

// The options of one operator. A field that is there and that nobody asked for is an error, so that
// a parameter of a newer schema cannot be lost.
class options_reader {
  public:
    options_reader() = default;
    explicit options_reader(flatbuffer::table_ref table) : table_(table) {}

    template <class T>
    T scalar(std::uint16_t id, T otherwise) {
        see(id);
        return table_ ? table_.scalar<T>(id, otherwise) : otherwise;
    }
    template <class T>
    flatbuffer::vector_ref<T> vector(std::uint16_t id) {
        see(id);
        return table_ ? table_.vector<T>(id) : flatbuffer::vector_ref<T>();
    }
    bool has(std::uint16_t id) const { return table_ && table_.has(id); }
    status check() const {
        for (std::size_t id = 0; table_ && id < table_.field_count(); ++id) {
            if (table_.has(id) && (id >= 64 || (seen_ >> id & 1) == 0)) {
                return fail(errc::unsupported, "option number ", id, " is not known");
            }
        }
        return {};
    }

  private:
    void see(std::uint16_t id) { seen_ |= std::uint64_t{1} << id; }

    flatbuffer::table_ref table_;
    std::uint64_t seen_ = 0;
};

// One operator on its way into the graph. Its inputs have types and shapes already.
class operator_reader {
  public:
    options_reader options;
    std::vector<tensor_id> inputs, outputs;
    std::unique_ptr<op> made;

    explicit operator_reader(const graph& g) : graph_(&g) {}

    bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != no_tensor; }
    const graph_tensor& input(std::size_t i) const { return graph_->tensor(inputs[i]); }
    const graph_tensor& output(std::size_t i) const { return graph_->tensor(outputs[i]); }

    template <class Op>
    status make(Op attributes) {
        made = std::make_unique<Op>(std::move(attributes));
        return {};
    }
    status expect_inputs(std::size_t least, std::size_t most) const {
        if (inputs.size() < least || inputs.size() > most || outputs.size() != 1) {
            return fail(errc::bad_file, "has ", inputs.size(), " inputs and ", outputs.size(),
                        " outputs, needed ", least, " to ", most, " and 1");
        }
        for (std::size_t i = 0; i < least; ++i) {
            if (!has_input(i)) return fail(errc::bad_file, "input ", i, " is missing");
        }
        return {};
    }
    // A constant of integers that becomes an attribute.
    result<std::vector<std::int32_t>> integers(std::size_t i, const char* what) const {
        const graph_tensor& t = input(i);
        if (!t.value) {
            return fail(errc::unsupported, what, " (tensor ", t.name, ") is not constant");
        }
        // Far above any rank; many operators may share one long constant.
        const auto count = element_count(t.shape);
        if (!count.ok() || *count > 64) {
            return fail(errc::limit, what, " (tensor ", t.name, ") ", text_of(t.shape),
                        ", needed at most 64 numbers");
        }
        std::vector<std::int32_t> out;
        const auto take = [&](const auto& values) {
            for (const auto v : values) {
                if (static_cast<std::int64_t>(v) < INT32_MIN ||
                    static_cast<std::int64_t>(v) > INT32_MAX) {
                    return false;
                }
                out.push_back(static_cast<std::int32_t>(v));
            }
            return true;
        };
        if (t.type == dtype::i32) {
            take(t.value->values<std::int32_t>());
        } else if (t.type == dtype::i16) {
            take(t.value->values<std::int16_t>());
        } else if (t.type != dtype::i64) {
            return fail(errc::unsupported, what, " (tensor ", t.name, ") is ", name_of(t.type),
                        ", needed int32");
        } else if (!take(t.value->values<std::int64_t>())) {
            return fail(errc::bad_file, what, " (tensor ", t.name, ") does not fit int32");
        }
        return out;
    }
    result<activation> fused(std::uint16_t id) {
        const auto n = options.scalar<std::int8_t>(id, 0);
        switch (n) {
        case 0:
            return activation::none;
        case 1:
            return activation::relu;
        case 2:
            return activation::relu_n1_to_1;
        case 3:
            return activation::relu6;
        case 4:
        case 5:
            return fail(errc::unsupported, "fused activation ", activation_names[n]);
        default:
            return fail(errc::bad_file, "fused activation ", n);
        }
    }
    // SAME and VALID become four explicit pads.
    status pads(std::uint16_t id, std::int64_t kernel_h, std::int64_t kernel_w,
                ops::window_attributes& w) {
        const auto p = options.scalar<padding>(id, padding::same);
        if (w.stride_h < 1 || w.stride_w < 1 || w.dilation_h < 1 || w.dilation_w < 1) {
            return fail(errc::bad_file, "stride ", w.stride_h, "x", w.stride_w, ", dilation ",
                        w.dilation_h, "x", w.dilation_w, ", needed 1 or more");
        }
        if (p == padding::valid) return {};
        if (p != padding::same) {
            return fail(errc::bad_file, "padding ", static_cast<int>(p), ", needed 0 or 1");
        }
        const shape& in = input(0).shape;
        if (in.size() != 4) {
            return fail(errc::bad_file, "input ", text_of(in), ", needed four dimensions");
        }
        if (!in[1].known() || !in[2].known()) {
            return fail(errc::unsupported, "SAME padding of ", text_of(in),
                        ", needed a known height and width");
        }
        w.pad_same(in[1].value(), in[2].value(), kernel_h, kernel_w);
        return {};
    }
    // Rows and columns of a filter.
    status kernel(std::size_t i, std::int64_t& h, std::int64_t& w) const {
        const shape& s = input(i).shape;
        if (s.size() != 4 || !is_known(s)) {
            return fail(errc::bad_file, "filter ", text_of(s), ", needed four numbers");
        }
        h = s[1].value(), w = s[2].value();
        return {};
    }
    // The accumulators of int16 models without a bias; a bias says it by its own type.
    status bias_type(std::uint16_t id) {
        const auto n = options.scalar<std::int8_t>(id, 0);
        const bool said = has_input(2) && number_of(input(2).type) == n;
        if (n == 0 || said || (n == number_of(dtype::i32) && input(0).type == dtype::i8)) return {};
        return fail(errc::unsupported, "bias type ", n, " without such a bias");
    }

  private:
    const graph* graph_;
};

inline status read_conv_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::conv2d c;
    c.window.stride_h = r.options.scalar<std::int32_t>(conv_field::stride_h, 0);
    c.window.stride_w = r.options.scalar<std::int32_t>(conv_field::stride_w, 0);
    c.window.dilation_h = r.options.scalar<std::int32_t>(conv_field::dilation_h, 1);
    c.window.dilation_w = r.options.scalar<std::int32_t>(conv_field::dilation_w, 1);
    std::int64_t h = 0, w = 0;
    KOMPAKT_TRY(r.kernel(1, h, w));
    KOMPAKT_TRY(r.pads(conv_field::padding, h, w, c.window));
    KOMPAKT_TRY(r.bias_type(conv_field::bias_type));
    const auto fused = r.fused(conv_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

inline status read_depthwise_conv_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::depthwise_conv2d c;
    c.window.stride_h = r.options.scalar<std::int32_t>(depthwise_field::stride_h, 0);
    c.window.stride_w = r.options.scalar<std::int32_t>(depthwise_field::stride_w, 0);
    c.window.dilation_h = r.options.scalar<std::int32_t>(depthwise_field::dilation_h, 1);
    c.window.dilation_w = r.options.scalar<std::int32_t>(depthwise_field::dilation_w, 1);
    std::int64_t h = 0, w = 0;
    KOMPAKT_TRY(r.kernel(1, h, w));
    KOMPAKT_TRY(r.pads(depthwise_field::padding, h, w, c.window));
    // The multiplier follows from the shapes; the field may be missing (0) but not lie.
    const auto multiplier = r.options.scalar<std::int32_t>(depthwise_field::multiplier, 0);
    const shape &in = r.input(0).shape, &filter = r.input(1).shape;
    if (in.size() != 4 || !in[3].known()) {
        return fail(errc::bad_file, "input ", text_of(in), ", needed four dimensions");
    }
    if (multiplier != 0 && multiplier * in[3].value() != filter[3].value()) {
        return fail(errc::bad_file, "depth multiplier ", multiplier, " of ", in[3].value(),
                    " channels does not fit the filter ", text_of(filter));
    }
    const auto fused = r.fused(depthwise_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

template <class Op>
status read_pool_2d(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    Op p;
    p.window.stride_h = r.options.scalar<std::int32_t>(pool_field::stride_h, 0);
    p.window.stride_w = r.options.scalar<std::int32_t>(pool_field::stride_w, 0);
    p.kernel_h = r.options.scalar<std::int32_t>(pool_field::kernel_h, 0);
    p.kernel_w = r.options.scalar<std::int32_t>(pool_field::kernel_w, 0);
    KOMPAKT_TRY(r.pads(pool_field::padding, p.kernel_h, p.kernel_w, p.window));
    const auto fused = r.fused(pool_field::activation);
    if (!fused.ok()) return fused.error();
    p.fused = *fused;
    return r.make(std::move(p));
}

inline status read_fully_connected(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::fully_connected f;
    const auto format = r.options.scalar<std::int8_t>(fully_connected_field::weights_format, 0);
    if (format != 0) return fail(errc::unsupported, "weights format ", format, ", needed 0");
    f.keep_num_dims = r.options.scalar<bool>(fully_connected_field::keep_num_dims, false);
    // How float activations become int8 beside int8 weights: here they stay float.
    r.options.scalar<bool>(fully_connected_field::asymmetric_inputs, false);
    KOMPAKT_TRY(r.bias_type(fully_connected_field::bias_type));
    const auto fused = r.fused(fully_connected_field::activation);
    if (!fused.ok()) return fused.error();
    f.fused = *fused;
    return r.make(std::move(f));
}

template <class Op>
status read_arithmetic(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    Op o;
    if constexpr (!std::is_same_v<Op, ops::mul>) {
        // A hint for int16 that TensorFlow Lite Micro, the norm, never looks at.
        r.options.scalar<bool>(arithmetic_field::power_of_two_scale, true);
    }
    const auto fused = r.fused(arithmetic_field::activation);
    if (!fused.ok()) return fused.error();
    o.fused = *fused;
    return r.make(std::move(o));
}

inline status read_softmax(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::softmax s;
    s.beta = r.options.scalar<float>(softmax_field::beta, 0.0f);
    return r.make(std::move(s));
}

inline status read_concatenation(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, SIZE_MAX));
    ops::concatenation c;
    c.axis = r.options.scalar<std::int32_t>(concatenation_field::axis, 0);
    const auto fused = r.fused(concatenation_field::activation);
    if (!fused.ok()) return fused.error();
    c.fused = *fused;
    return r.make(std::move(c));
}

// Operators that have inputs only.
template <class Op>
status read_plain(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    return r.make(Op());
}

template <ops::relu_kind Kind>
status read_relu(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    ops::relu o;
    o.kind = Kind;
    return r.make(std::move(o));
}

inline status read_mean(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::mean m;
    m.keep_dims = r.options.scalar<bool>(reducer_field::keep_dims, false);
    auto axes = r.integers(1, "axes");
    if (!axes.ok()) return axes.error();
    m.axes = std::move(*axes);
    r.inputs.resize(1);
    return r.make(std::move(m));
}

inline status read_transpose(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::transpose t;
    auto perm = r.integers(1, "permutation");
    if (!perm.ok()) return perm.error();
    t.perm = std::move(*perm);
    r.inputs.resize(1);
    return r.make(std::move(t));
}

inline status read_pad(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 3));
    ops::pad p;
    auto pads = r.integers(1, "paddings");
    if (!pads.ok()) return pads.error();
    const shape& s = r.input(1).shape;
    if (s.size() != 2 || s[1] != dim(2)) {
        return fail(errc::bad_file, "paddings ", text_of(s), ", needed [rank, 2]");
    }
    for (std::size_t i = 0; i + 1 < pads->size(); i += 2) {
        p.before.push_back((*pads)[i]);
        p.after.push_back((*pads)[i + 1]);
    }
    // In the numbers of the output.
    if (r.has_input(2)) {
        const graph_tensor &v = r.input(2), &out = r.output(0);
        if (!v.value || v.value->coding.kind != encoding::dense) {
            return fail(errc::unsupported, "value (tensor ", v.name, ") is not constant");
        }
        const auto n = element_count(v.shape);
        if (!n.ok()) return n.error();
        if (*n != 1 || v.type != out.type ||
            (v.quantization && v.quantization != out.quantization)) {
            return fail(errc::unsupported, "value (tensor ", v.name,
                        "): needed one element of the output's type and scale");
        }
        std::uint32_t raw[2] = {}, bits[2] = {};
        const bytes_view bytes = v.value->bytes();
        std::int64_t q = 0;
        switch (v.type) {
        case dtype::f32:
            p.value = load_le<float>(bytes.data());
            break;
        case dtype::i8:
            q = load_le<std::int8_t>(bytes.data());
            break;
        case dtype::u8:
            q = load_le<std::uint8_t>(bytes.data());
            break;
        case dtype::i16:
            q = load_le<std::int16_t>(bytes.data());
            break;
        case dtype::i32:
            q = load_le<std::int32_t>(bytes.data());
            break;
        case dtype::i64:
            q = load_le<std::int64_t>(bytes.data());
            break;
        default:
            return fail(errc::unsupported, "value is ", name_of(v.type));
        }
        if (v.type != dtype::f32) {
            const float scale = out.quantization ? out.quantization->scale() : 1.0f;
            const std::int32_t zero = out.quantization ? out.quantization->zero_point() : 0;
            p.value = static_cast<float>(static_cast<double>(scale) *
                                         (static_cast<double>(q) - static_cast<double>(zero)));
            raw[0] = static_cast<std::uint32_t>(q);
            raw[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(q) >> 32);
            KOMPAKT_TRY(ops::element_bits(out, p.value, bits));
            if (bits[0] != raw[0] || bits[1] != raw[1]) {
                return fail(errc::unsupported, "value ", q, " does not survive float32");
            }
        }
    }
    r.inputs.resize(1);
    return r.make(std::move(p));
}

inline status read_reshape(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 2));
    ops::reshape s;
    const auto stated = r.options.vector<std::int32_t>(reshape_field::shape);
    // The input decides, as in TensorFlow Lite; the option is what older files have.
    if (r.has_input(1)) {
        const auto target = r.integers(1, "shape");
        if (!target.ok()) return target.error();
        for (std::int32_t d : *target) s.target.push_back(dim(d));
    } else if (r.options.has(reshape_field::shape)) {
        for (std::int32_t d : stated) s.target.push_back(dim(d));
        if (s.target == shape{dim(0)}) s.target.clear(); // old files' way to say scalar
    } else {
        return fail(errc::bad_file, "has no shape");
    }
    r.inputs.resize(1);
    return r.make(std::move(s));
}

// squeeze and expand_dims are reshapes to a shape that follows from the input's.
inline status read_squeeze(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(1, 1));
    const shape& in = r.input(0).shape;
    const auto rank = static_cast<std::int64_t>(in.size());
    std::vector<bool> drop(in.size(), false);
    const auto axes = r.options.vector<std::int32_t>(squeeze_field::axes);
    for (std::int32_t axis : axes) {
        const auto at = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
        if (axis < -rank || axis >= rank || in[at] != dim(1)) {
            return fail(errc::bad_file, "axis ", axis, " of ", text_of(in), " is not a one");
        }
        drop[at] = true;
    }
    ops::reshape s;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!(axes.empty() ? in[i] == dim(1) : drop[i])) s.target.push_back(in[i]);
    }
    return r.make(std::move(s));
}

inline status read_expand_dims(operator_reader& r) {
    KOMPAKT_TRY(r.expect_inputs(2, 2));
    ops::reshape s;
    s.target = r.input(0).shape;
    const auto rank = static_cast<std::int32_t>(s.target.size());
    const auto axis = r.integers(1, "axis");
    if (!axis.ok()) return axis.error();
    if (axis->size() != 1 || (*axis)[0] < -rank - 1 || (*axis)[0] > rank) {
        return fail(errc::bad_file, "needs one axis in a tensor of rank ", rank);
    }
    const std::int32_t at = (*axis)[0] < 0 ? (*axis)[0] + rank + 1 : (*axis)[0];
    s.target.insert(s.target.begin() + at, dim(1));
    r.inputs.resize(1);
    return r.make(std::move(s));
}

// ---- Writing

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
        std::vector<operand> inputs, outputs;
    };

    flatbuffer::writer out;

    // `g` is inferred and outlives the builder.
    explicit model_builder(const graph& g) : graph_(&g), used_(g.tensor_count(), false) {
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
    void add_operator(builtin code, int version, std::vector<operand> inputs,
                      std::vector<operand> outputs, options_type type = options_type::none,
                      const flatbuffer::fields& options = {}) {
        written_operator o;
        o.code = code;
        o.version = version;
        o.options = type;
        if (type != options_type::none) o.table = out.table(options);
        o.inputs = std::move(inputs);
        o.outputs = std::move(outputs);
        operators_.push_back(std::move(o));
    }

  private:
    const graph* graph_;
    std::vector<bool> used_;
    std::multimap<dtype, tensor_id> spare_;
    std::vector<graph_tensor> added_;
    std::vector<written_operator> operators_;
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
    void add(builtin code, int version, options_type type = options_type::none,
             const flatbuffer::fields& options = {}) {
        builder_->add_operator(code, version, inputs, outputs, type, options);
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
    // Input and weights of the kinds that have a version of their own.
    bool weights(dtype in, dtype w) const { return input(0).type == in && input(1).type == w; }
    bool per_channel_weights() const {
        return input(1).quantization && !input(1).quantization->per_tensor();
    }

  private:
    model_builder* builder_;
    const node* node_;
};

inline status write_conv_2d(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::conv2d>();
    const shape& f = w.input(1).shape;
    const bool grouped = w.input(0).shape[3] != f[3];
    const auto p = w.place(c.window, f[1].value(), f[2].value(), operator_writer::fill::zero);
    if (!p.ok()) return p.error();
    const int version = grouped                            ? 6
                        : w.weights(dtype::i16, dtype::i8) ? 4
                        : w.weights(dtype::i8, dtype::i8)  ? 3
                        : w.weights(dtype::i8, dtype::i4)  ? 7
                        : w.weights(dtype::f32, dtype::i8) ? (w.per_channel_weights() ? 5 : 2)
                                                           : 1;
    w.add(builtin::conv_2d, version, options_type::conv_2d,
          flatbuffer::fields()
              .scalar<padding>(conv_field::padding, *p, padding::same)
              .scalar<std::int32_t>(conv_field::stride_w, c.window.stride_w, 0)
              .scalar<std::int32_t>(conv_field::stride_h, c.window.stride_h, 0)
              .scalar<std::int8_t>(conv_field::activation, w.number(c.fused), 0)
              .scalar<std::int32_t>(conv_field::dilation_w, c.window.dilation_w, 1)
              .scalar<std::int32_t>(conv_field::dilation_h, c.window.dilation_h, 1));
    return {};
}

inline status write_depthwise_conv_2d(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::depthwise_conv2d>();
    const shape& f = w.input(1).shape;
    const auto multiplier = static_cast<std::int32_t>(f[3].value() / w.input(0).shape[3].value());
    const auto p = w.place(c.window, f[1].value(), f[2].value(), operator_writer::fill::zero);
    if (!p.ok()) return p.error();
    const bool dilated = c.window.dilation_h != 1 || c.window.dilation_w != 1;
    const int version = w.weights(dtype::i16, dtype::i8)   ? 5
                        : w.weights(dtype::f32, dtype::i8) ? (w.per_channel_weights() ? 6 : 4)
                        : w.weights(dtype::i8, dtype::i8)  ? 3
                        : w.weights(dtype::i8, dtype::i4)  ? 7
                        : dilated                          ? 2
                                                           : 1;
    w.add(builtin::depthwise_conv_2d, version, options_type::depthwise_conv_2d,
          flatbuffer::fields()
              .scalar<padding>(depthwise_field::padding, *p, padding::same)
              .scalar<std::int32_t>(depthwise_field::stride_w, c.window.stride_w, 0)
              .scalar<std::int32_t>(depthwise_field::stride_h, c.window.stride_h, 0)
              .scalar<std::int32_t>(depthwise_field::multiplier, multiplier, 0)
              .scalar<std::int8_t>(depthwise_field::activation, w.number(c.fused), 0)
              .scalar<std::int32_t>(depthwise_field::dilation_w, c.window.dilation_w, 1)
              .scalar<std::int32_t>(depthwise_field::dilation_h, c.window.dilation_h, 1));
    return {};
}

inline status write_pool(operator_writer& w, builtin code, const ops::window_attributes& window,
                         std::int32_t kernel_h, std::int32_t kernel_w, activation fused) {
    const auto p = w.place(window, kernel_h, kernel_w,
                           code == builtin::max_pool_2d ? operator_writer::fill::lowest
                                                        : operator_writer::fill::nothing);
    if (!p.ok()) return p.error();
    w.add(code, w.version(1, 2, 3), options_type::pool_2d,
          flatbuffer::fields()
              .scalar<padding>(pool_field::padding, *p, padding::same)
              .scalar<std::int32_t>(pool_field::stride_w, window.stride_w, 0)
              .scalar<std::int32_t>(pool_field::stride_h, window.stride_h, 0)
              .scalar<std::int32_t>(pool_field::kernel_w, kernel_w, 0)
              .scalar<std::int32_t>(pool_field::kernel_h, kernel_h, 0)
              .scalar<std::int8_t>(pool_field::activation, w.number(fused), 0));
    return {};
}

template <class Op, builtin Code>
status write_pool_2d(operator_writer& w, const op& o) {
    const Op& p = *o.as<Op>();
    return write_pool(w, Code, p.window, p.kernel_h, p.kernel_w, p.fused);
}

inline status write_fully_connected(operator_writer& w, const op& o) {
    const auto& f = *o.as<ops::fully_connected>();
    const bool hybrid = w.weights(dtype::f32, dtype::i8);
    const int version = hybrid && w.per_channel_weights()  ? 12
                        : w.weights(dtype::i16, dtype::i8) ? 7
                        : w.inputs.size() == 2             ? 6
                        : f.keep_num_dims                  ? 5
                        : w.weights(dtype::i8, dtype::i8)  ? 4
                        : w.weights(dtype::i8, dtype::i4)  ? 10
                        : hybrid                           ? 3
                                                           : 1;
    w.add(builtin::fully_connected, version, options_type::fully_connected,
          flatbuffer::fields()
              .scalar<std::int8_t>(fully_connected_field::activation, w.number(f.fused), 0)
              .scalar<bool>(fully_connected_field::keep_num_dims, f.keep_num_dims, false));
    return {};
}

template <class Op, builtin Code, options_type Type>
status write_arithmetic(operator_writer& w, const op& o) {
    // mul of version 3 and later may scale up; sub of version 3 broadcasts more than four axes.
    int version = w.version(1, 2, Code == builtin::mul ? 4 : 2);
    if (Code == builtin::mul && version == 2 && w.input(0).quantization &&
        w.input(1).quantization && w.output().quantization &&
        w.input(0).quantization->scale() * w.input(1).quantization->scale() >=
            w.output().quantization->scale()) {
        version = 3;
    }
    if (Code == builtin::sub && w.output().shape.size() > 4 &&
        w.input(0).shape != w.input(1).shape) {
        version = 3;
    }
    w.add(Code, version, Type,
          flatbuffer::fields().scalar<std::int8_t>(arithmetic_field::activation,
                                                   w.number(o.as<Op>()->fused), 0));
    return {};
}

inline status write_softmax(operator_writer& w, const op& o) {
    w.add(
        builtin::softmax, w.version(1, 2, 3), options_type::softmax,
        flatbuffer::fields().scalar<float>(softmax_field::beta, o.as<ops::softmax>()->beta, 0.0f));
    return {};
}

inline status write_concatenation(operator_writer& w, const op& o) {
    const auto& c = *o.as<ops::concatenation>();
    w.add(builtin::concatenation, w.input(0).type == dtype::u32 ? 4 : w.version(1, 2, 3),
          options_type::concatenation,
          flatbuffer::fields()
              .scalar<std::int32_t>(concatenation_field::axis, c.axis, 0)
              .scalar<std::int8_t>(concatenation_field::activation, w.number(c.fused), 0));
    return {};
}

template <builtin Code, options_type Type, int F32, int I8, int I16>
status write_plain(operator_writer& w, const op&) {
    w.add(Code, w.version(F32, I8, I16), Type);
    return {};
}

inline status write_quantize(operator_writer& w, const op&) {
    w.add(builtin::quantize, w.output().type == dtype::i16 ? 2 : 1, options_type::quantize);
    return {};
}

inline status write_mean(operator_writer& w, const op& o) {
    const auto& m = *o.as<ops::mean>();
    w.constant("axes", {dim(static_cast<std::int64_t>(m.axes.size()))}, m.axes);
    w.add(builtin::mean, w.version(1, 2, 3), options_type::reducer,
          flatbuffer::fields().scalar<bool>(reducer_field::keep_dims, m.keep_dims, false));
    return {};
}

inline status write_transpose(operator_writer& w, const op& o) {
    const auto& t = *o.as<ops::transpose>();
    const std::size_t rank = t.perm.size();
    w.constant("perm", {dim(static_cast<std::int64_t>(rank))}, t.perm);
    w.add(builtin::transpose,
          rank > 5   ? 6
          : rank > 4 ? 4
                     : w.version(1, 2, 5),
          options_type::transpose);
    return {};
}

inline status write_pad(operator_writer& w, const op& o) {
    const auto& p = *o.as<ops::pad>();
    const std::size_t rank = p.before.size();
    std::vector<std::int32_t> pads;
    for (std::size_t i = 0; i < rank; ++i) pads.push_back(p.before[i]), pads.push_back(p.after[i]);
    const int version = rank > 4 ? 4 : w.version(1, 2, 3);
    w.constant("paddings", {dim(static_cast<std::int64_t>(rank)), dim(2)}, pads);
    std::uint32_t zero[2] = {}, bits[2] = {};
    const graph_tensor& out = w.output();
    KOMPAKT_TRY(ops::element_bits(out, 0.0f, zero));
    KOMPAKT_TRY(ops::element_bits(out, p.value, bits));
    if (std::equal(zero, zero + 2, bits)) {
        w.add(builtin::pad, version, options_type::pad);
        return {};
    }
    std::byte element[8];
    store_le(element, bits[0]), store_le(element + 4, bits[1]);
    w.constant("value",
               make_constant_bytes(out.type, {}, bytes_view(element, bits_of(out.type) / 8)),
               out.quantization);
    w.add(builtin::pad_v2, version, options_type::pad_v2);
    return {};
}

inline status write_reshape(operator_writer& w, const op& o) {
    std::vector<std::int32_t> target;
    int open = 0;
    for (const dim& d : o.as<ops::reshape>()->target) {
        target.push_back(d.known() ? static_cast<std::int32_t>(d.value()) : -1);
        open += target.back() == -1;
    }
    if (open > 1) {
        return fail(errc::unsupported, "shape ", text_of(o.as<ops::reshape>()->target),
                    " has more than one open dimension; bind them first");
    }
    w.constant("shape", {dim(static_cast<std::int64_t>(target.size()))}, target);
    const flatbuffer::offset stated = w.out().vector(target);
    w.add(builtin::reshape, 1, options_type::reshape,
          flatbuffer::fields().reference(reshape_field::shape, stated));
    return {};
}

// ---- The table

struct operator_entry {
    builtin code;
    std::int32_t last_version; // what later versions mean is not known here
    options_type options;      // of its options, which may be missing
    status (*read)(operator_reader&);
    // Whether a node is written as this operator, and how. Null: another entry writes such nodes.
    bool (*holds)(const op&);
    status (*write)(operator_writer&, const op&);
};

template <class Op>
bool holds(const op& o) {
    return o.as<Op>() != nullptr;
}
template <ops::relu_kind Kind>
bool holds_relu(const op& o) {
    return o.as<ops::relu>() != nullptr && o.as<ops::relu>()->kind == Kind;
}

inline constexpr operator_entry operators[] = {
    {builtin::add, 5, options_type::add, read_arithmetic<ops::add>, holds<ops::add>,
     write_arithmetic<ops::add, builtin::add, options_type::add>},
    {builtin::average_pool_2d, 3, options_type::pool_2d, read_pool_2d<ops::average_pool2d>,
     holds<ops::average_pool2d>, write_pool_2d<ops::average_pool2d, builtin::average_pool_2d>},
    {builtin::concatenation, 4, options_type::concatenation, read_concatenation,
     holds<ops::concatenation>, write_concatenation},
    {builtin::conv_2d, 8, options_type::conv_2d, read_conv_2d, holds<ops::conv2d>, write_conv_2d},
    {builtin::depthwise_conv_2d, 7, options_type::depthwise_conv_2d, read_depthwise_conv_2d,
     holds<ops::depthwise_conv2d>, write_depthwise_conv_2d},
    {builtin::dequantize, 6, options_type::dequantize, read_plain<ops::dequantize>,
     holds<ops::dequantize>, write_plain<builtin::dequantize, options_type::dequantize, 1, 2, 3>},
    {builtin::expand_dims, 1, options_type::expand_dims, read_expand_dims, nullptr, nullptr},
    {builtin::fully_connected, 13, options_type::fully_connected, read_fully_connected,
     holds<ops::fully_connected>, write_fully_connected},
    {builtin::logistic, 3, options_type::none, read_plain<ops::logistic>, holds<ops::logistic>,
     write_plain<builtin::logistic, options_type::none, 1, 2, 3>},
    {builtin::max_pool_2d, 3, options_type::pool_2d, read_pool_2d<ops::max_pool2d>,
     holds<ops::max_pool2d>, write_pool_2d<ops::max_pool2d, builtin::max_pool_2d>},
    {builtin::mean, 3, options_type::reducer, read_mean, holds<ops::mean>, write_mean},
    {builtin::mul, 7, options_type::mul, read_arithmetic<ops::mul>, holds<ops::mul>,
     write_arithmetic<ops::mul, builtin::mul, options_type::mul>},
    {builtin::pad, 4, options_type::pad, read_pad, holds<ops::pad>, write_pad},
    {builtin::pad_v2, 4, options_type::pad_v2, read_pad, nullptr, nullptr},
    {builtin::quantize, 4, options_type::quantize, read_plain<ops::quantize>, holds<ops::quantize>,
     write_quantize},
    {builtin::relu, 3, options_type::none, read_relu<ops::relu_kind::relu>,
     holds_relu<ops::relu_kind::relu>, write_plain<builtin::relu, options_type::none, 1, 2, 3>},
    {builtin::relu6, 3, options_type::none, read_relu<ops::relu_kind::relu6>,
     holds_relu<ops::relu_kind::relu6>, write_plain<builtin::relu6, options_type::none, 1, 2, 3>},
    {builtin::relu_0_to_1, 1, options_type::none, read_relu<ops::relu_kind::relu_0_to_1>,
     holds_relu<ops::relu_kind::relu_0_to_1>,
     write_plain<builtin::relu_0_to_1, options_type::none, 1, 1, 1>},
    {builtin::relu_n1_to_1, 1, options_type::none, read_relu<ops::relu_kind::relu_n1_to_1>,
     holds_relu<ops::relu_kind::relu_n1_to_1>,
     write_plain<builtin::relu_n1_to_1, options_type::none, 1, 1, 1>},
    {builtin::reshape, 1, options_type::reshape, read_reshape, holds<ops::reshape>, write_reshape},
    {builtin::softmax, 3, options_type::softmax, read_softmax, holds<ops::softmax>, write_softmax},
    {builtin::squeeze, 2, options_type::squeeze, read_squeeze, nullptr, nullptr},
    {builtin::sub, 5, options_type::sub, read_arithmetic<ops::sub>, holds<ops::sub>,
     write_arithmetic<ops::sub, builtin::sub, options_type::sub>},
    {builtin::transpose, 6, options_type::transpose, read_transpose, holds<ops::transpose>,
     write_transpose},
};

// Null when there is none.
inline const operator_entry* find_operator(builtin code) {
    for (const operator_entry& e : operators) {
        if (e.code == code) return &e;
    }
    return nullptr;
}
inline const operator_entry* find_operator(const op& o) {
    for (const operator_entry& e : operators) {
        if (e.holds != nullptr && e.holds(o)) return &e;
    }
    return nullptr;
}

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
