// read_tflite: a TensorFlow Lite model as a graph.
//
// Tensors keep their numbers, operators their order. Constants that are attributes here (paddings,
// axes, shapes) stay as constants that nothing reads. Tensors that share a buffer share its bytes.
#pragma once

#include <kompakt/graph/infer.hpp>
#include <kompakt/io/tflite/operators.hpp>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// Two more than kernels have.
inline constexpr std::size_t max_file_rank = 8;

class model_reader {
  public:
    explicit model_reader(bytes_view bytes)
        : in_(bytes, {16, (std::uint64_t{1} << 20) + 8 * std::uint64_t{bytes.size()}}),
          budget_((std::uint64_t{1} << 20) + 4 * std::uint64_t{bytes.size()}),
          file_bytes_(bytes.size()) {}

    result<graph> read() {
        const status s = read_model();
        // A broken file may show as something else later on; the first failure tells more.
        KOMPAKT_TRY(in_.check().within("tflite: "));
        KOMPAKT_TRY(s.within("tflite: "));
        return std::move(graph_);
    }

  private:
    status read_model() {
        const flatbuffer::table_ref model = in_.root(file_identifier);
        KOMPAKT_TRY(in_.check());
        const auto version = model.scalar<std::uint32_t>(model_field::version, 0);
        if (version != schema_version) {
            return fail(errc::unsupported, "schema version ", version, ", needed ", schema_version);
        }
        const auto subgraphs = model.tables(model_field::subgraphs);
        if (subgraphs.empty()) return fail(errc::bad_file, "no subgraph");
        // No operator below calls another subgraph; a signature may.
        for (const flatbuffer::table_ref signature : model.tables(model_field::signatures)) {
            const auto n = signature.scalar<std::uint32_t>(signature_field::subgraph, 0);
            KOMPAKT_TRY(in_.check());
            if (n == 0) continue;
            const auto name =
                n < subgraphs.size() ? subgraphs[n].string(subgraph_field::name) : "missing";
            return fail(errc::unsupported, "signature ", signature.string(signature_field::key),
                        " runs subgraph ", n, " (", name, "), needed subgraph 0");
        }
        codes_ = model.tables(model_field::operator_codes);
        buffers_ = model.tables(model_field::buffers);
        const flatbuffer::table_ref subgraph = subgraphs[0];
        KOMPAKT_TRY(in_.check());
        graph_.name = std::string(subgraph.string(subgraph_field::name));
        KOMPAKT_TRY(spend(graph_.name.size()));

        const auto tensors = subgraph.tables(subgraph_field::tensors);
        const auto operators = subgraph.tables(subgraph_field::operators);
        KOMPAKT_TRY(in_.check());
        // A tensor or an operator takes some hundred bytes here, and a few tens in an honest file.
        const std::uint64_t most = 1000 + file_bytes_ / 16;
        if (tensors.size() > most || operators.size() > most) {
            return fail(errc::limit, tensors.size(), " tensors and ", operators.size(),
                        " operators, needed at most ", most, " in a file of ", file_bytes_,
                        " bytes");
        }
        KOMPAKT_TRY(read_ends(subgraph, tensors.size()));
        KOMPAKT_TRY(mark_written(operators, tensors.size()));
        for (std::size_t i = 0; i < tensors.size(); ++i) KOMPAKT_TRY(read_tensor(tensors[i], i));
        KOMPAKT_TRY(in_.check());
        for (const tensor_id t : graph_.inputs) {
            const graph_tensor& x = graph_.tensor(t);
            if (!is_known(x.shape)) continue;
            const auto n = element_count(x.shape);
            if (!n.ok()) return n.error().within("tensor ", x.name, ": ");
            if (*n == 0) return fail(errc::bad_file, "input ", x.name, " is empty");
        }
        for (std::size_t i = 0; i < operators.size(); ++i) {
            KOMPAKT_TRY(read_operator(operators[i], i));
        }
        KOMPAKT_TRY(in_.check());
        // With symbols that an operator computes with, inference has to wait for `bind`.
        return waits_ ? check_structure(graph_) : infer(graph_);
    }

    // What stays in the graph is paid for, so that sharing in the file cannot multiply it.
    status spend(std::uint64_t bytes) {
        if (bytes <= budget_) {
            budget_ -= bytes;
            return {};
        }
        return fail(errc::limit, "parts of the file are used too often");
    }

    status ids(const flatbuffer::vector_ref<std::int32_t>& from, std::size_t tensors, bool optional,
               const char* what, std::vector<tensor_id>& to) {
        KOMPAKT_TRY(in_.check());
        KOMPAKT_TRY(spend(4 * std::uint64_t{from.size()}));
        to.clear();
        for (std::size_t i = 0; i < from.size(); ++i) {
            const std::int32_t t = from[i];
            if (optional && t == -1) {
                to.push_back(no_tensor);
            } else if (t < 0 || static_cast<std::size_t>(t) >= tensors) {
                return fail(errc::bad_file, what, " ", i, " is tensor ", t, " of ", tensors);
            } else {
                to.push_back(static_cast<tensor_id>(t));
            }
        }
        return {};
    }

    status read_ends(const flatbuffer::table_ref& subgraph, std::size_t tensors) {
        KOMPAKT_TRY(ids(subgraph.vector<std::int32_t>(subgraph_field::inputs), tensors, false,
                        "input", graph_.inputs));
        KOMPAKT_TRY(ids(subgraph.vector<std::int32_t>(subgraph_field::outputs), tensors, false,
                        "output", graph_.outputs));
        if (graph_.outputs.empty()) return fail(errc::bad_file, "the model has no output");
        return {};
    }

    // Which tensors inputs and operators write: the others are constants.
    status mark_written(const flatbuffer::vector_ref<flatbuffer::table_ref>& operators,
                        std::size_t tensors) {
        given_.assign(tensors, false);
        written_.assign(tensors, false);
        for (const tensor_id t : graph_.inputs) given_[t] = written_[t] = true;
        is_output_.assign(tensors, false);
        for (const tensor_id t : graph_.outputs) is_output_[t] = true;
        std::vector<tensor_id> outputs;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const auto from = operators[i].vector<std::int32_t>(operator_field::outputs);
            KOMPAKT_TRY(ids(from, tensors, true, "output", outputs).within("operator ", i, ": "));
            for (const tensor_id t : outputs) {
                if (t != no_tensor) written_[t] = true;
            }
        }
        return in_.check();
    }

    status read_tensor(const flatbuffer::table_ref& from, std::size_t number) {
        KOMPAKT_TRY(in_.check());
        graph_tensor t;
        t.name = std::string(from.string(tensor_field::name));
        if (t.name.empty()) t.name = "tensor" + std::to_string(number);
        KOMPAKT_TRY(spend(t.name.size()));
        KOMPAKT_TRY(fill_tensor(from, number, t).within("tensor ", t.name, ": "));
        KOMPAKT_TRY(check_quantization(t));
        graph_.add_tensor(std::move(t));
        return in_.check();
    }

    status fill_tensor(const flatbuffer::table_ref& from, std::size_t number, graph_tensor& t) {
        const auto type = from.scalar<std::int8_t>(tensor_field::type, 0);
        if (type < 0 || static_cast<std::size_t>(type) >= tensor_type_count) {
            return fail(errc::bad_file, "type ", type);
        }
        const tensor_type& known = tensor_types[static_cast<std::size_t>(type)];
        t.type = known.type;
        if (t.type == dtype::none) {
            return fail(errc::unsupported, "type ", known.name, " is not supported");
        }
        if (from.scalar<bool>(tensor_field::is_variable, false)) {
            return fail(errc::unsupported, "variables are not supported");
        }
        if (from.table(tensor_field::sparsity)) {
            return fail(errc::unsupported, "sparse tensors are not supported");
        }
        if (!from.tables(tensor_field::variants).empty()) {
            return fail(errc::unsupported, "tensors of tensors are not supported");
        }
        if (from.scalar<std::uint32_t>(tensor_field::external_buffer, 0) != 0) {
            return fail(errc::unsupported, "its elements are in another file");
        }
        KOMPAKT_TRY(read_shape(from, number, t));
        KOMPAKT_TRY(read_quantization(from.table(tensor_field::quantization), t));
        return read_elements(from.scalar<std::uint32_t>(tensor_field::buffer, 0), number, t);
    }

    status read_shape(const flatbuffer::table_ref& from, std::size_t number, graph_tensor& t) {
        const auto dims = from.vector<std::int32_t>(tensor_field::shape);
        const auto signature = from.vector<std::int32_t>(tensor_field::shape_signature);
        if (dims.size() > max_file_rank) {
            return fail(errc::unsupported, "rank ", dims.size(), ", needed at most ",
                        max_file_rank);
        }
        if (!signature.empty() && signature.size() != dims.size()) {
            return fail(errc::bad_file, dims.size(), " dimensions, but ", signature.size(),
                        " in the signature");
        }
        stated_.push_back({from.has(tensor_field::shape), {}});
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const std::int32_t d = dims[i];
            const std::int32_t s = signature.empty() ? d : signature[i];
            if (d < -1 || (s != -1 && s != d)) {
                return fail(errc::bad_file, "dimension ", i, " is ", d, ", and ", s,
                            " in the signature");
            }
            stated_.back().dims.push_back(s);
            if (s != -1) {
                t.shape.push_back(dim(s));
            } else if (i == 0) {
                t.shape.push_back(dim::named("batch"));
            } else if (given_[number]) {
                t.shape.push_back(dim::named("dim" + std::to_string(++symbols_)));
            } else {
                // Follows from the inputs.
                t.shape.push_back(
                    dim::named("tensor" + std::to_string(number) + "_dim" + std::to_string(i)));
            }
        }
        return {};
    }

    status read_quantization(const flatbuffer::table_ref& from, graph_tensor& t) {
        if (!from) return {};
        if (from.scalar<std::uint8_t>(quantization_field::details_type, 0) != 0) {
            return fail(errc::unsupported, "quantization by blocks or of a custom kind");
        }
        const auto scales = from.vector<float>(quantization_field::scale);
        const auto zero_points = from.vector<std::int64_t>(quantization_field::zero_point);
        // Ranges without scales, and scales of real numbers, are notes of the converter.
        if (scales.empty() || is_float(t.type)) return {};
        if (zero_points.size() > 1 && zero_points.size() != scales.size()) {
            return fail(errc::bad_file, scales.size(), " scales and ", zero_points.size(),
                        " zero points");
        }
        KOMPAKT_TRY(spend(8 * std::uint64_t{scales.size()}));
        quantization q;
        q.bits = static_cast<int>(bits_of(t.type));
        q.scales = scales.copy();
        for (std::size_t i = 0; i < scales.size(); ++i) {
            const std::int64_t z = zero_points.empty()       ? 0
                                   : zero_points.size() == 1 ? zero_points[0]
                                                             : zero_points[i];
            if (z < INT32_MIN || z > INT32_MAX) {
                return fail(errc::bad_file, "zero point ", z, " outside int32");
            }
            q.zero_points.push_back(static_cast<std::int32_t>(z));
        }
        // A bias has one axis, whatever some converters say.
        if (scales.size() > 1) {
            const auto axis = from.scalar<std::int32_t>(quantization_field::axis, 0);
            q.axis = t.shape.size() == 1 ? 0 : axis;
        }
        t.quantization = std::move(q);
        return {};
    }

    status read_elements(std::uint32_t buffer, std::size_t number, graph_tensor& t) {
        if (buffer >= buffers_.size()) {
            // Older files without any constant have no buffers at all.
            if (buffer == 0) return {};
            return fail(errc::bad_file, "buffer ", buffer, " of ", buffers_.size());
        }
        const auto [it, fresh] = opened_.try_emplace(buffer);
        if (fresh) {
            const flatbuffer::table_ref from = buffers_[buffer];
            if (from.scalar<std::uint64_t>(buffer_field::offset, 0) > 1 ||
                from.scalar<std::uint64_t>(buffer_field::size, 0) > 1) {
                return fail(errc::unsupported, "buffer ", buffer,
                            " lies behind the FlatBuffer: not supported");
            }
            it->second = from.vector<std::uint8_t>(buffer_field::data);
            KOMPAKT_TRY(in_.check());
        }
        const flatbuffer::vector_ref<std::uint8_t>& data = it->second;
        if (data.empty()) {
            // Nothing to write it, no elements: an empty constant.
            const bool empty = std::find(t.shape.begin(), t.shape.end(), dim(0)) != t.shape.end();
            if (!written_[number] && empty) t.value = constant{t.type, t.shape, {}, nullptr};
            return {};
        }
        const auto n = element_count(t.shape);
        if (!n.ok()) return n.error();
        const std::uint64_t needed = (std::uint64_t{*n} * bits_of(t.type) + 7) / 8;
        if (needed != data.size()) {
            return fail(errc::bad_file, text_of(t.shape), " ", name_of(t.type), " needs ", needed,
                        " bytes, buffer ", buffer, " has ", data.size());
        }
        auto& payload = payloads_[data.position()];
        if (payload == nullptr || payload->size() != data.size()) {
            KOMPAKT_TRY(spend(data.size()));
            const bytes_view raw = data.raw();
            payload = std::make_shared<std::vector<std::byte>>(raw.begin(), raw.end());
        }
        t.value = constant{t.type, t.shape, {}, payload};
        if (t.type == dtype::i4) {
            t.value->coding.kind = encoding::packed;
            t.value->coding.bits = 4;
        }
        return {};
    }

    // What messages call an operator, found whether or not it is supported.
    status read_code(const flatbuffer::table_ref& from, builtin& code, std::string& name,
                     std::int32_t& version) {
        const auto number = from.scalar<std::uint32_t>(operator_field::code_index, 0);
        if (number >= codes_.size()) {
            return fail(errc::bad_file, "operator code ", number, " of ", codes_.size());
        }
        const flatbuffer::table_ref entry = codes_[number];
        KOMPAKT_TRY(in_.check());
        // Files older than the wide field have the narrow one only.
        const std::int32_t narrow =
            entry.scalar<std::int8_t>(operator_code_field::deprecated_code, 0);
        const auto wide = entry.scalar<std::int32_t>(operator_code_field::code, 0);
        const std::int32_t n = (std::max)(narrow, wide);
        version = entry.scalar<std::int32_t>(operator_code_field::version, 1);
        code = static_cast<builtin>(n);
        if (n < 0 || n >= builtin_count) {
            return fail(errc::unsupported, "builtin operator ", n, " is not supported");
        }
        name = builtin_names[n];
        if (code == builtin::custom) {
            name += " " + std::string(entry.string(operator_code_field::custom_code).substr(0, 60));
        }
        return in_.check();
    }

    status read_operator(const flatbuffer::table_ref& from, std::size_t number) {
        KOMPAKT_TRY(in_.check());
        builtin code{};
        std::string name;
        std::int32_t version = 0;
        KOMPAKT_TRY(read_code(from, code, name, version).within("operator ", number, ": "));
        const operator_entry* entry = find_operator(code);
        if (entry == nullptr) {
            return fail(errc::unsupported, "operator ", number, " ", name, " is not supported");
        }
        if (version > entry->last_version) {
            return fail(errc::unsupported, "operator ", number, " ", name, ": version ", version,
                        ", needed at most ", entry->last_version);
        }
        return read_known(from, *entry).within("operator ", number, " ", name, ": ");
    }

    status read_known(const flatbuffer::table_ref& from, const operator_entry& entry) {
        if (!from.vector<std::uint8_t>(operator_field::custom_options).empty() ||
            from.scalar<std::uint64_t>(operator_field::large_options_size, 0) != 0) {
            return fail(errc::unsupported, "custom options of a builtin operator");
        }
        if (from.scalar<std::uint8_t>(operator_field::options2_type, 0) != 0) {
            return fail(errc::unsupported, "options of the second kind");
        }
        if (!from.vector<std::int32_t>(operator_field::intermediates).empty()) {
            return fail(errc::unsupported, "intermediate tensors");
        }
        for (const std::uint8_t m : from.vector<std::uint8_t>(operator_field::mutating_inputs)) {
            if (m != 0) return fail(errc::unsupported, "an input that is written");
        }
        operator_reader r(graph_);
        const std::size_t tensors = graph_.tensor_count();
        KOMPAKT_TRY(ids(from.vector<std::int32_t>(operator_field::inputs), tensors, true, "input",
                        r.inputs));
        KOMPAKT_TRY(ids(from.vector<std::int32_t>(operator_field::outputs), tensors, false,
                        "output", r.outputs));
        if (r.outputs.empty()) return fail(errc::bad_file, "has no output");
        const flatbuffer::union_ref options = from.variant(operator_field::options_type);
        KOMPAKT_TRY(in_.check());
        // Some converters give every operator a table of options.
        if (options.type != 0 && entry.options != options_type::none &&
            options.type != static_cast<std::uint8_t>(entry.options)) {
            return fail(errc::bad_file, "options of type ", options.type, ", needed ",
                        static_cast<int>(entry.options));
        }
        r.options = options_reader(options.value);
        KOMPAKT_TRY(entry.read(r));
        KOMPAKT_TRY(in_.check());
        KOMPAKT_TRY(r.options.check());

        node n;
        n.name = graph_.tensor(r.outputs[0]).name;
        KOMPAKT_TRY(spend(n.name.size()));
        n.op = std::move(r.made);
        n.inputs = std::move(r.inputs);
        n.outputs = std::move(r.outputs);
        return infer_node(graph_.insert_node(graph_.order().size(), std::move(n)));
    }

    // Infers the outputs and compares them with what the file says of them.
    status infer_node(node_id id) {
        const std::vector<tensor_id> outputs = graph_.node_at(id).outputs;
        std::vector<graph_tensor> stated;
        for (const tensor_id t : outputs) {
            stated.emplace_back();
            stated.back().type = graph_.tensor(t).type;
            stated.back().shape = graph_.tensor(t).shape;
        }
        inference c = graph_.infer_context(id);
        const status s = graph_.node_at(id).op->infer(c);
        if (!s.ok() && s.code() == errc::bad_argument && reads_symbols(id)) {
            waits_ = true;
            return {};
        }
        KOMPAKT_TRY(s);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const graph_tensor& x = graph_.tensor(outputs[i]);
            const stated_shape& file = stated_[outputs[i]];
            bool equal = x.type == stated[i].type;
            if (file.given || !file.dims.empty()) {
                equal = equal && x.shape.size() == file.dims.size();
                for (std::size_t k = 0; equal && k < file.dims.size(); ++k) {
                    equal = file.dims[k] == -1 || !x.shape[k].known() ||
                            x.shape[k].value() == file.dims[k];
                }
            }
            if (!equal) {
                return fail(errc::bad_file, "output ", x.name, " is ", name_of(stated[i].type), " ",
                            text_of(stated[i].shape), " in the file, needed ", name_of(x.type), " ",
                            text_of(x.shape));
            }
            const auto count = is_known(x.shape) ? element_count(x.shape) : result<std::size_t>(1);
            if (!count.ok()) return count.error();
            if (*count == 0) return fail(errc::bad_file, "output ", x.name, " is empty");
        }
        fold_node(id);
        return {};
    }
    // Shapes that the file computes become constants, which later operators may need as such. An
    // output of the model keeps its node, since a session writes outputs.
    void fold_node(node_id id) {
        const std::vector<tensor_id> outputs = graph_.node_at(id).outputs;
        for (const tensor_id t : outputs) {
            const auto n = element_count(graph_.tensor(t).shape);
            if (is_output_[t] || !n.ok() || *n > 64) return;
        }
        std::vector<constant> values = graph_.node_at(id).op->fold(graph_.infer_context(id));
        if (values.empty()) return;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            graph_.tensor(outputs[i]).value = std::move(values[i]);
        }
        graph_.remove_node(id);
    }
    bool reads_symbols(node_id id) const {
        for (const tensor_id t : graph_.node_at(id).inputs) {
            if (t != no_tensor && !is_known(graph_.tensor(t).shape)) return true;
        }
        return false;
    }

    struct stated_shape {
        bool given = false;
        std::vector<std::int32_t> dims; // -1: open
    };

    flatbuffer::reader in_;
    std::uint64_t budget_;
    std::uint64_t file_bytes_;
    graph graph_;
    flatbuffer::vector_ref<flatbuffer::table_ref> codes_, buffers_;
    std::map<std::uint32_t, flatbuffer::vector_ref<std::uint8_t>> opened_; // buffers, by number
    std::map<std::uint64_t, std::shared_ptr<const std::vector<std::byte>>> payloads_; // by place
    std::vector<bool> given_, written_, is_output_;
    std::vector<stated_shape> stated_;
    int symbols_ = 0;
    bool waits_ = false;
};

} // namespace tflite

// A .tflite file with one subgraph in use. Errors name the operator (by number and name) or the
// tensor. Dimensions that the file leaves open become symbols: "batch" for the first of an input,
// else "dim1", "dim2", … in the order of the file.
inline result<graph> read_tflite(bytes_view bytes) {
    return tflite::model_reader(bytes).read();
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
