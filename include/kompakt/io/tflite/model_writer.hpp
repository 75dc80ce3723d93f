// model_writer: what write_tflite does.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/io/tflite/operators.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

class model_writer {
  public:
    // `g` is inferred.
    explicit model_writer(const graph& g) : graph_(g) {}

    result<std::vector<std::byte>> write() {
        const auto main = write_subgraph(graph_);
        if (!main.ok()) return main.error();
        subgraphs_.insert(subgraphs_.begin(), *main);
        // Buffer 0 is empty: that of tensors without elements of their own.
        buffers_.insert(buffers_.begin(), out_.table(flatbuffer::fields()));
        const flatbuffer::offset buffers = out_.vector(buffers_);
        const flatbuffer::offset codes = out_.vector(codes_);
        const flatbuffer::offset subgraphs = out_.vector(subgraphs_);
        const flatbuffer::offset description = out_.string("written by kompakt");
        return out_.finish(
            out_.table(flatbuffer::fields()
                           .scalar<std::uint32_t>(model_field::version, schema_version)
                           .reference(model_field::operator_codes, codes)
                           .reference(model_field::subgraphs, subgraphs)
                           .reference(model_field::description, description)
                           .reference(model_field::buffers, buffers)),
            file_identifier);
    }

  private:
    // Blocks are written before what runs them; the model itself, the first subgraph, at last.
    static constexpr int max_depth = 16;
    result<std::int32_t> write_block(const graph& g) {
        const auto found = block_numbers_.find(&g);
        if (found != block_numbers_.end()) return found->second;
        if (++depth_ > max_depth)
            return fail(errc::limit, "more than ", max_depth, " nested blocks");
        const auto offset = write_subgraph(g);
        --depth_;
        if (!offset.ok()) return offset.error();
        subgraphs_.push_back(*offset);
        return block_numbers_[&g] = static_cast<std::int32_t>(subgraphs_.size());
    }

    result<flatbuffer::offset> write_subgraph(const graph& g) {
        model_builder builder(g, out_);
        builder.write_block = [this](const graph& b) { return write_block(b); };
        for (node_id n : g.order()) {
            const node& x = g.node_at(n);
            const operator_entry* entry = find_operator(*x.op);
            if (entry == nullptr) {
                return fail(errc::unsupported, "tflite: ", g.node_text(n),
                            ": TensorFlow Lite has no such operator");
            }
            operator_writer w(builder, x);
            KOMPAKT_TRY(entry->write(w, *x.op).within("tflite: ", g.node_text(n), ": "));
        }
        KOMPAKT_TRY(write_starts(builder));
        // States that are only read.
        for (tensor_id t = 0; t < g.tensor_count(); ++t) {
            if (builder.used(t) && g.tensor(t).state && builder.kind_of(t) == state_kind::none) {
                KOMPAKT_TRY(builder.use_state(t, state_kind::variable).within("tflite: "));
            }
        }
        std::vector<std::int32_t> number(builder.operands(), -1);
        std::vector<flatbuffer::offset> tensors;
        for (tensor_id t = 0; t < builder.operands(); ++t) {
            if (!builder.used(t)) continue;
            number[t] = static_cast<std::int32_t>(tensors.size());
            const graph_tensor& x = builder.tensor(t);
            auto offset = write_tensor(x, builder.kind_of(t));
            if (!offset.ok()) return offset.error().within("tflite: tensor ", x.name, ": ");
            tensors.push_back(*offset);
        }
        return subgraph(tensors, write_operators(builder.operators(), number),
                        numbers(g.inputs, number), numbers(g.outputs, number), g.name);
    }
    flatbuffer::offset subgraph(const std::vector<flatbuffer::offset>& tensors,
                                flatbuffer::offset operators,
                                const std::vector<std::int32_t>& inputs,
                                const std::vector<std::int32_t>& outputs, const std::string& name) {
        const flatbuffer::offset tensor_list = out_.vector(tensors);
        const flatbuffer::offset input_list = out_.vector(inputs);
        const flatbuffer::offset output_list = out_.vector(outputs);
        const flatbuffer::offset text = name.empty() ? flatbuffer::offset() : out_.string(name);
        return out_.table(flatbuffer::fields()
                              .reference(subgraph_field::tensors, tensor_list)
                              .reference(subgraph_field::inputs, input_list)
                              .reference(subgraph_field::outputs, output_list)
                              .reference(subgraph_field::operators, operators)
                              .reference(subgraph_field::name, text));
    }

    using state_kind = model_builder::state_kind;

    // The subgraph that gives variables their initial values, run once; none where all start as
    // TensorFlow Lite Micro starts them: with the zero point of the first value that is assigned.
    status write_starts(model_builder& builder) {
        flatbuffer::writer& out = out_;
        const graph& g = builder.source();
        std::vector<flatbuffer::offset> tensors;
        std::vector<model_builder::written_operator> operators;
        for (const tensor_id t : builder.resources()) {
            const graph_tensor& x = g.tensor(t);
            const auto n = element_count(x.shape);
            if (!n.ok()) return n.error();
            std::int32_t zero = 0;
            for (const node_id id : g.order()) {
                const node& assigns = g.node_at(id);
                if (assigns.op->as<ops::assign_variable>() == nullptr || assigns.inputs[0] != t) {
                    continue;
                }
                const graph_tensor& value = g.tensor(assigns.inputs[1]);
                if (value.quantization) zero = value.quantization->zero_point();
                break;
            }
            if (!x.state->value && x.state->fill == static_cast<std::uint8_t>(zero)) continue;
            graph_tensor start = x;
            start.state.reset();
            start.value = x.state->value
                              ? *x.state->value
                              : make_constant_bytes(x.type, x.shape,
                                                    bytes_view(std::vector<std::byte>(
                                                        (*n * bits_of(x.type) + 7) / 8,
                                                        static_cast<std::byte>(x.state->fill))));
            start.value->shape = x.shape;
            const auto handle = write_tensor(x, state_kind::resource);
            if (!handle.ok()) return handle.error();
            const auto value = write_tensor(start, state_kind::none);
            if (!value.ok()) return value.error();
            const auto number = static_cast<std::int32_t>(tensors.size());
            tensors.insert(tensors.end(), {*handle, *value});
            model_builder::written_operator names, assigns;
            const flatbuffer::offset name = out.string(builder.resource_name(t));
            const flatbuffer::offset container = out.string("");
            names.code = builtin::var_handle;
            names.options = options_type::var_handle;
            names.table = out.table(flatbuffer::fields()
                                        .reference(var_handle_field::container, container)
                                        .reference(var_handle_field::shared_name, name));
            assigns.code = builtin::assign_variable;
            assigns.options = options_type::assign_variable;
            assigns.table = out.table(flatbuffer::fields());
            // Numbers of this subgraph's own tensors.
            names.outputs = {static_cast<tensor_id>(number)};
            assigns.inputs = {static_cast<tensor_id>(number), static_cast<tensor_id>(number + 1)};
            operators.insert(operators.end(), {names, assigns});
        }
        if (operators.empty()) return {};
        std::vector<std::int32_t> same(tensors.size());
        for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<std::int32_t>(i);
        subgraphs_.push_back(
            subgraph(tensors, write_operators(operators, same), {}, {}, "initial values"));
        builder.add_first_operator(
            builtin::call_once, options_type::call_once,
            flatbuffer::fields().scalar<std::int32_t>(
                call_once_field::subgraph, static_cast<std::int32_t>(subgraphs_.size()), 0));
        return {};
    }

    result<flatbuffer::offset> write_tensor(const graph_tensor& t, state_kind kind) {
        flatbuffer::writer& out = out_;
        if (kind == state_kind::resource) {
            const flatbuffer::offset name = out.string(t.name);
            const flatbuffer::offset shape = out.vector(std::vector<std::int32_t>());
            return out.table(flatbuffer::fields()
                                 .reference(tensor_field::shape, shape)
                                 .scalar<std::int8_t>(tensor_field::type, resource_type, 0)
                                 .reference(tensor_field::name, name)
                                 .scalar<bool>(tensor_field::has_rank, true, false));
        }
        const std::int8_t type = number_of(t.type);
        if (type < 0) return fail(errc::unsupported, "TensorFlow Lite has no ", name_of(t.type));
        std::vector<std::int32_t> dims, signature;
        for (const dim& d : t.shape) {
            if (d.known() && (d.value() < 0 || d.value() > INT32_MAX)) {
                return fail(errc::limit, "shape ", text_of(t.shape));
            }
            dims.push_back(d.known() ? static_cast<std::int32_t>(d.value()) : 1);
            signature.push_back(d.known() ? dims.back() : -1);
        }
        std::uint32_t buffer = 0;
        if (t.value) {
            const auto number = write_elements(*t.value);
            if (!number.ok()) return number.error();
            buffer = *number;
        }
        flatbuffer::offset quantization;
        if (t.quantization) {
            const auto q = write_quantization(*t.quantization);
            if (!q.ok()) return q.error();
            quantization = *q;
        }
        const flatbuffer::offset name = out.string(t.name);
        const flatbuffer::offset shape = out.vector(dims);
        const flatbuffer::offset open =
            is_known(t.shape) ? flatbuffer::offset() : out.vector(signature);
        return out.table(
            flatbuffer::fields()
                .reference(tensor_field::shape, shape)
                .scalar<std::int8_t>(tensor_field::type, type, 0)
                .scalar<std::uint32_t>(tensor_field::buffer, buffer, 0)
                .reference(tensor_field::name, name)
                .reference(tensor_field::quantization, quantization)
                .scalar<bool>(tensor_field::is_variable, kind == state_kind::variable, false)
                .reference(tensor_field::shape_signature, open)
                .scalar<bool>(tensor_field::has_rank, true, false));
    }

    result<flatbuffer::offset> write_quantization(const quantization& q) {
        if (q.scheme != scheme::affine || q.group != 0) {
            return fail(errc::unsupported, "quantization that is not affine, per tensor or per "
                                           "channel, has no form in TensorFlow Lite");
        }
        const flatbuffer::offset scales = out_.vector(q.scales);
        const flatbuffer::offset zero_points =
            out_.vector(std::vector<std::int64_t>(q.zero_points.begin(), q.zero_points.end()));
        return out_.table(
            flatbuffer::fields()
                .reference(quantization_field::scale, scales)
                .reference(quantization_field::zero_point, zero_points)
                .scalar<std::int32_t>(quantization_field::axis, q.per_tensor() ? 0 : q.axis, 0));
    }

    // Equal elements are stored once.
    result<std::uint32_t> write_elements(const constant& c) {
        const bool int4 =
            c.coding.kind == encoding::packed && c.coding.bits == 4 && c.type == dtype::i4;
        if (c.coding.kind != encoding::dense && !int4) {
            return fail(errc::unsupported, "TensorFlow Lite cannot hold the encoding ",
                        name_of(c.coding.kind), " of ", c.coding.bits, " bits; decode it first");
        }
        const auto n = element_count(c.shape);
        if (!n.ok()) return n.error();
        const std::size_t needed = (*n * bits_of(c.type) + 7) / 8;
        if (needed != c.bytes().size()) {
            return fail(errc::bad_data, "needs ", needed, " bytes, has ", c.bytes().size());
        }
        const std::string_view key(reinterpret_cast<const char*>(c.bytes().data()),
                                   c.bytes().size());
        const auto [it, fresh] =
            stored_.try_emplace(key, static_cast<std::uint32_t>(buffers_.size() + 1));
        if (fresh) {
            kept_.push_back(c);
            const flatbuffer::offset data = out_.bytes(c.bytes(), 16);
            buffers_.push_back(
                out_.table(flatbuffer::fields().reference(buffer_field::data, data)));
        }
        return it->second;
    }

    flatbuffer::offset
    write_operators(const std::vector<model_builder::written_operator>& operators,
                    const std::vector<std::int32_t>& number) {
        flatbuffer::writer& out = out_;
        std::vector<flatbuffer::offset> all;
        for (const model_builder::written_operator& o : operators) {
            const auto [it, fresh] = code_numbers_.try_emplace(
                {o.code, o.version}, static_cast<std::uint32_t>(codes_.size()));
            if (fresh) {
                const auto code = static_cast<std::int32_t>(o.code);
                codes_.push_back(
                    out.table(flatbuffer::fields()
                                  .scalar<std::int8_t>(
                                      operator_code_field::deprecated_code,
                                      static_cast<std::int8_t>((std::min)(code, last_old_code)), 0)
                                  .scalar<std::int32_t>(operator_code_field::version, o.version, 1)
                                  .scalar<std::int32_t>(operator_code_field::code, code, 0)));
            }
            const flatbuffer::offset inputs = out.vector(numbers(o.inputs, number));
            const flatbuffer::offset outputs = out.vector(numbers(o.outputs, number));
            const flatbuffer::offset intermediates =
                o.intermediates.empty() ? flatbuffer::offset()
                                        : out.vector(numbers(o.intermediates, number));
            all.push_back(
                out.table(flatbuffer::fields()
                              .scalar<std::uint32_t>(operator_field::code_index, it->second, 0)
                              .reference(operator_field::inputs, inputs)
                              .reference(operator_field::outputs, outputs)
                              .variant(operator_field::options_type,
                                       static_cast<std::uint8_t>(o.options), o.table)
                              .reference(operator_field::intermediates, intermediates)));
        }
        return out.vector(all);
    }

    static std::vector<std::int32_t> numbers(const std::vector<tensor_id>& all,
                                             const std::vector<std::int32_t>& number) {
        std::vector<std::int32_t> out;
        for (tensor_id t : all) out.push_back(t == no_tensor ? -1 : number[t]);
        return out;
    }

    const graph& graph_;
    flatbuffer::writer out_;
    std::vector<flatbuffer::offset> buffers_, codes_, subgraphs_; // subgraphs from number 1 on
    std::map<const graph*, std::int32_t> block_numbers_;
    int depth_ = 0;
    std::map<std::pair<builtin, int>, std::uint32_t> code_numbers_;
    std::vector<constant> kept_;                       // the payloads that `stored_` refers to
    std::map<std::string_view, std::uint32_t> stored_; // numbers of buffers
};

} // namespace tflite

} // namespace KOMPAKT_ABI
} // namespace kompakt
