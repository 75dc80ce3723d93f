// model_reader: what read_tflite does.
//
// Tensors keep their numbers, operators their order. Constants that are attributes here (paddings,
// axes, shapes) stay as constants that nothing reads. Tensors that share a buffer share its bytes.
#pragma once

#include <kompakt/format/flexbuffer.hpp>
#include <kompakt/graph/infer.hpp>
#include <kompakt/io/tflite/operators.hpp>

#include <set>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

// Two more than kernels have.
inline constexpr std::size_t max_file_rank = 8;

// What is known of the subgraph that is being read.
struct subgraph_scope {
    struct stated_shape {
        bool given = false;
        std::vector<std::int32_t> dims; // -1: open
    };

    // A resource variable: operators reach it through tensors that VAR_HANDLE fills and that have
    // no value here. The first of them becomes the state.
    struct variable {
        std::size_t handle = 0;      // the state's number
        std::size_t like = SIZE_MAX; // the tensor that has its type and shape …
        bool assigned = false;       // … of an operator that writes it
        std::uint32_t start_in = 0;  // subgraph that holds the initial value, 0: none
        std::size_t start = 0;       // number of the tensor there
    };

    graph graph_;
    std::vector<bool> given_, written_, is_output_;
    std::vector<bool> only_names_; // operators that are no nodes
    std::vector<variable> variables_;
    std::map<std::size_t, std::size_t> variable_of_; // by number of the handle's tensor
    std::vector<stated_shape> stated_;
    int symbols_ = 0;
    bool waits_ = false;
};

class model_reader : subgraph_scope {
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
        subgraphs_ = model.tables(model_field::subgraphs);
        const auto& subgraphs = subgraphs_;
        if (subgraphs.empty()) return fail(errc::bad_file, "no subgraph");
        // The first one is the model; operators may call others, signatures must not.
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
        KOMPAKT_TRY(in_.check());
        return read_subgraph(subgraphs[0]);
    }

    status read_subgraph(const flatbuffer::table_ref& subgraph) {
        graph_.name = std::string(subgraph.string(subgraph_field::name));
        KOMPAKT_TRY(spend(graph_.name.size()));

        const auto tensors = subgraph.tables(subgraph_field::tensors);
        const auto operators = subgraph.tables(subgraph_field::operators);
        KOMPAKT_TRY(in_.check());
        // A tensor or an operator takes some hundred bytes here, and a few tens in an honest file.
        const std::uint64_t most = 1000 + file_bytes_ / 16;
        all_tensors_ += tensors.size();
        all_operators_ += operators.size();
        if (all_tensors_ > most || all_operators_ > most) {
            return fail(errc::limit, all_tensors_, " tensors and ", all_operators_,
                        " operators, needed at most ", most, " in a file of ", file_bytes_,
                        " bytes");
        }
        KOMPAKT_TRY(read_ends(subgraph, tensors.size()));
        KOMPAKT_TRY(mark_written(operators, tensors.size()));
        KOMPAKT_TRY(find_variables(subgraphs_, operators, tensors.size()));
        for (std::size_t i = 0; i < tensors.size(); ++i) KOMPAKT_TRY(read_tensor(tensors[i], i));
        KOMPAKT_TRY(place_variables(subgraphs_));
        KOMPAKT_TRY(in_.check());
        for (const tensor_id t : graph_.inputs) {
            const graph_tensor& x = graph_.tensor(t);
            if (!is_known(x.shape)) continue;
            const auto n = element_count(x.shape);
            if (!n.ok()) return n.error().within("tensor ", x.name, ": ");
            if (*n == 0) return fail(errc::bad_file, "input ", x.name, " is empty");
        }
        for (std::size_t i = 0; i < operators.size(); ++i) {
            if (!only_names_[i]) KOMPAKT_TRY(read_operator(operators[i], i));
        }
        KOMPAKT_TRY(in_.check());
        // With symbols that an operator computes with, inference has to wait for `bind`.
        return waits_ ? check_structure(graph_) : infer(graph_);
    }

    // A subgraph that an operator runs: read once, however many operators do.
    static constexpr std::size_t max_open_blocks = 8;
    result<ops::block> read_block(std::int32_t number) {
        const auto n = static_cast<std::size_t>(number);
        if (number < 1 || n >= subgraphs_.size()) {
            return fail(errc::bad_file, "subgraph ", number, " of ", subgraphs_.size());
        }
        if (const auto found = blocks_.find(n); found != blocks_.end()) return found->second;
        if (open_blocks_.size() >= max_open_blocks || !open_blocks_.insert(n).second) {
            return fail(errc::limit, "subgraph ", number, " is inside of itself, or of ",
                        max_open_blocks, " others");
        }
        subgraph_scope outside = std::move(static_cast<subgraph_scope&>(*this));
        static_cast<subgraph_scope&>(*this) = subgraph_scope();
        status s = read_subgraph(subgraphs_[n]);
        if (s.ok()) s = check_block_scope();
        auto made = std::make_shared<graph>(std::move(graph_));
        static_cast<subgraph_scope&>(*this) = std::move(outside);
        open_blocks_.erase(n);
        KOMPAKT_TRY(s.within("subgraph ", number, ": "));
        blocks_[n] = made;
        return ops::block(std::move(made));
    }
    status check_block_scope() const {
        if (!variables_.empty()) {
            return fail(errc::unsupported, "variables inside of a condition or a loop");
        }
        for (tensor_id t = 0; t < graph_.tensor_count(); ++t) {
            const graph_tensor& x = graph_.tensor(t);
            if (x.state) {
                return fail(errc::unsupported, "variable ", x.name,
                            " inside of a condition or a loop");
            }
            if (!is_known(x.shape)) {
                return fail(errc::unsupported, "tensor ", x.name, " ", text_of(x.shape),
                            ": needed numbers inside of a condition or a loop");
            }
        }
        return {};
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

    // The name that makes two VAR_HANDLEs one variable.
    status read_handle(const flatbuffer::table_ref& op, std::string& name, std::size_t& tensor,
                       std::size_t tensors) {
        const flatbuffer::union_ref options = op.variant(operator_field::options_type);
        const auto outputs = op.vector<std::int32_t>(operator_field::outputs);
        KOMPAKT_TRY(in_.check());
        if (options.type != static_cast<std::uint8_t>(options_type::var_handle) ||
            outputs.size() != 1 || outputs[0] < 0 ||
            static_cast<std::size_t>(outputs[0]) >= tensors) {
            return fail(errc::bad_file, "needs a name and one output");
        }
        tensor = static_cast<std::size_t>(outputs[0]);
        name = std::string(options.value.string(var_handle_field::container)) + '\0' +
               std::string(options.value.string(var_handle_field::shared_name));
        KOMPAKT_TRY(spend(name.size()));
        return in_.check();
    }

    // VAR_HANDLE and CALL_ONCE say which variables there are and how they start; they are no nodes.
    status find_variables(const flatbuffer::vector_ref<flatbuffer::table_ref>& subgraphs,
                          const flatbuffer::vector_ref<flatbuffer::table_ref>& operators,
                          std::size_t tensors) {
        only_names_.assign(operators.size(), false);
        std::map<std::string, std::size_t> named;
        std::vector<std::uint32_t> starts;
        bool used = false;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            builtin code{};
            std::string name;
            std::int32_t version = 0;
            // What cannot be read is reported with its number later.
            if (!read_code(operators[i], code, name, version).ok()) continue;
            const auto inside_operator = [&](const status& s) {
                return s.within("operator ", i, " ", name, ": ");
            };
            if (code == builtin::var_handle) {
                only_names_[i] = true;
                std::string key;
                std::size_t tensor = 0;
                KOMPAKT_TRY(inside_operator(read_handle(operators[i], key, tensor, tensors)));
                const auto [it, fresh] = named.try_emplace(key, variables_.size());
                if (variable_of_.count(tensor) != 0) {
                    return inside_operator(fail(errc::bad_file, "output is another variable, too"));
                }
                if (fresh) {
                    variables_.emplace_back();
                    variables_.back().handle = tensor;
                }
                variable_of_[tensor] = it->second;
            } else if (code == builtin::call_once) {
                only_names_[i] = true;
                const flatbuffer::union_ref options =
                    operators[i].variant(operator_field::options_type);
                KOMPAKT_TRY(in_.check());
                const auto n =
                    options.value ? options.value.scalar<std::int32_t>(call_once_field::subgraph, 0)
                                  : 0;
                if (n < 1 || static_cast<std::size_t>(n) >= subgraphs.size()) {
                    return inside_operator(fail(errc::bad_file, "subgraph ", n));
                }
                if (used) {
                    return inside_operator(
                        fail(errc::unsupported, "after a variable is read or assigned"));
                }
                starts.push_back(static_cast<std::uint32_t>(n));
            } else if (code == builtin::read_variable || code == builtin::assign_variable) {
                used = true;
                const bool writes = code == builtin::assign_variable;
                const auto in = operators[i].vector<std::int32_t>(operator_field::inputs);
                const auto out = operators[i].vector<std::int32_t>(operator_field::outputs);
                KOMPAKT_TRY(in_.check());
                const std::int32_t value = writes            ? (in.size() == 2 ? in[1] : -1)
                                           : out.size() == 1 ? out[0]
                                                             : -1;
                const auto found = in.size() > 0 && in[0] >= 0
                                       ? variable_of_.find(static_cast<std::size_t>(in[0]))
                                       : variable_of_.end();
                if (value < 0 || static_cast<std::size_t>(value) >= tensors ||
                    found == variable_of_.end()) {
                    return inside_operator(fail(
                        errc::bad_file, "needs a variable that VAR_HANDLE names, and a value"));
                }
                variable& v = variables_[found->second];
                // The first that assigns says how it starts; only without one, what is read.
                if (v.like == SIZE_MAX || (writes && !v.assigned)) {
                    v.like = static_cast<std::size_t>(value);
                    v.assigned = writes;
                }
            }
            KOMPAKT_TRY(in_.check());
        }
        for (const auto* ends : {&graph_.inputs, &graph_.outputs}) {
            for (const tensor_id t : *ends) {
                if (variable_of_.count(t) != 0) {
                    return fail(errc::unsupported, "a variable as input or output of the model");
                }
            }
        }
        for (const std::uint32_t n : starts) {
            KOMPAKT_TRY(
                read_start(subgraphs[n], n, named).within("CALL_ONCE of subgraph ", n, ": "));
        }
        return in_.check();
    }

    // A subgraph that assigns constants to variables and does nothing else.
    status read_start(const flatbuffer::table_ref& subgraph, std::uint32_t number,
                      const std::map<std::string, std::size_t>& named) {
        const auto operators = subgraph.tables(subgraph_field::operators);
        const auto tensors = subgraph.tables(subgraph_field::tensors);
        KOMPAKT_TRY(in_.check());
        KOMPAKT_TRY(spend(64 * std::uint64_t{operators.size()}));
        std::map<std::size_t, std::size_t>
            handles; // SIZE_MAX: a variable that the model never uses
        for (std::size_t i = 0; i < operators.size(); ++i) {
            builtin code{};
            std::string name;
            std::int32_t version = 0;
            KOMPAKT_TRY(read_code(operators[i], code, name, version).within("operator ", i, ": "));
            if (code == builtin::var_handle) {
                std::string key;
                std::size_t tensor = 0;
                KOMPAKT_TRY(read_handle(operators[i], key, tensor, tensors.size())
                                .within("operator ", i, " ", name, ": "));
                const auto found = named.find(key);
                handles[tensor] = found == named.end() ? SIZE_MAX : found->second;
            } else if (code == builtin::assign_variable) {
                const auto in = operators[i].vector<std::int32_t>(operator_field::inputs);
                KOMPAKT_TRY(in_.check());
                const auto found = in.size() == 2 && in[0] >= 0
                                       ? handles.find(static_cast<std::size_t>(in[0]))
                                       : handles.end();
                if (found == handles.end() || in[1] < 0 ||
                    static_cast<std::size_t>(in[1]) >= tensors.size()) {
                    return fail(errc::bad_file, "operator ", i, " ", name,
                                ": needs a variable that VAR_HANDLE names, and a value");
                }
                if (found->second == SIZE_MAX) continue;
                variables_[found->second].start_in = number;
                variables_[found->second].start = static_cast<std::size_t>(in[1]);
            } else {
                return fail(errc::unsupported, "operator ", i, " ", name,
                            ", needed VAR_HANDLE and ASSIGN_VARIABLE of constants only");
            }
        }
        return {};
    }

    // Variables become states like the values that go in or out.
    status place_variables(const flatbuffer::vector_ref<flatbuffer::table_ref>& subgraphs) {
        for (const variable& v : variables_) {
            if (v.like == SIZE_MAX) continue; // nobody reads or writes it
            graph_tensor& to = graph_.tensor(static_cast<tensor_id>(v.handle));
            const graph_tensor& like = graph_.tensor(static_cast<tensor_id>(v.like));
            if (variable_of_.count(v.like) != 0) {
                return fail(errc::bad_file, "variable ", to.name, ": its value is a variable");
            }
            to.type = like.type;
            to.shape = like.shape;
            to.quantization = like.quantization;
            to.state = state_start();
            // TensorFlow Lite Micro fills with the zero point of the first value that is assigned,
            // as a byte, whatever the type.
            if (v.assigned && like.quantization) {
                to.state->fill = static_cast<std::uint8_t>(like.quantization->zero_point());
            }
            if (v.start_in == 0) continue;
            const flatbuffer::table_ref from =
                subgraphs[v.start_in].tables(subgraph_field::tensors)[v.start];
            graph_tensor start;
            const std::int8_t type = from.scalar<std::int8_t>(tensor_field::type, 0);
            start.type = type >= 0 && static_cast<std::size_t>(type) < tensor_type_count
                             ? tensor_types[static_cast<std::size_t>(type)].type
                             : dtype::none;
            start.shape = to.shape;
            KOMPAKT_TRY(in_.check());
            const auto bad = [&](const status& s) {
                return s.within("variable ", to.name, ": initial value: ");
            };
            if (start.type != to.type || from.scalar<bool>(tensor_field::is_variable, false)) {
                return bad(fail(errc::unsupported, name_of(start.type), ", needed a constant ",
                                name_of(to.type)));
            }
            KOMPAKT_TRY(bad(read_elements(from.scalar<std::uint32_t>(tensor_field::buffer, 0),
                                          SIZE_MAX, start)));
            if (!start.value || start.value->coding.kind != encoding::dense) {
                return bad(fail(errc::unsupported, "not a constant"));
            }
            to.state->value = std::move(start.value);
        }
        return {};
    }

    status read_tensor(const flatbuffer::table_ref& from, std::size_t number) {
        KOMPAKT_TRY(in_.check());
        graph_tensor t;
        t.name = std::string(from.string(tensor_field::name));
        if (t.name.empty()) t.name = "tensor" + std::to_string(number);
        KOMPAKT_TRY(spend(t.name.size()));
        if (variable_of_.count(number) != 0) {
            stated_.emplace_back();
        } else {
            KOMPAKT_TRY(fill_tensor(from, number, t).within("tensor ", t.name, ": "));
            if (t.state) KOMPAKT_TRY(check_state(t, false));
        }
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
        const auto buffer = from.scalar<std::uint32_t>(tensor_field::buffer, 0);
        if (!from.scalar<bool>(tensor_field::is_variable, false)) {
            return read_elements(buffer, number, t);
        }
        if (buffer < buffers_.size() &&
            !buffers_[buffer].vector<std::uint8_t>(buffer_field::data).empty()) {
            return fail(errc::unsupported, "a variable with elements of its own");
        }
        if (written_[number])
            return fail(errc::unsupported, "a variable that is also an input or "
                                           "the output of an operator");
        t.state = state_start();
        if (t.type == dtype::i8 && t.quantization) {
            t.state->fill = static_cast<std::uint8_t>(t.quantization->zero_point());
        }
        return {};
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
            if (d < -1 || s < -1) {
                return fail(errc::bad_file, "dimension ", i, " is ", d < -1 ? d : s,
                            ", needed at least 0, or -1 for any");
            }
            if (s != -1 && s != d) {
                return fail(errc::bad_file, "dimension ", i, " is ", d, ", needed ", s,
                            " as in the signature");
            }
            if (s == -1 && d == 0 && given_[number]) {
                return fail(errc::bad_file, "dimension ", i, " is 0, needed at least 1");
            }
            stated_.back().dims.push_back(s);
            // A batch of one stands for any; of another number the model was made for that.
            if (s != -1 || (d > 1 && given_[number])) {
                t.shape.push_back(dim(d));
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
            if (number < written_.size() && !written_[number] && empty)
                t.value = constant{t.type, t.shape, {}, nullptr};
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
        if (code == builtin::custom) {
            // `name` is CUSTOM and what the file calls it.
            const custom_entry* known = find_custom_operator(name.substr(7));
            if (known != nullptr && version == 1) {
                const operator_entry entry{code,        1,       options_type::none,
                                           known->read, nullptr, nullptr};
                return read_known(from, entry).within("operator ", number, " ", name, ": ");
            }
        }
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
        const auto custom = from.vector<std::uint8_t>(operator_field::custom_options);
        if ((entry.code != builtin::custom && !custom.empty()) ||
            from.scalar<std::uint64_t>(operator_field::large_options_size, 0) != 0) {
            return fail(errc::unsupported, "custom options of a builtin operator");
        }
        if (from.scalar<std::uint8_t>(operator_field::options2_type, 0) != 0) {
            return fail(errc::unsupported, "options of the second kind");
        }
        if (!entry.intermediates &&
            !from.vector<std::int32_t>(operator_field::intermediates).empty()) {
            return fail(errc::unsupported, "intermediate tensors");
        }
        const auto mutating = from.vector<std::uint8_t>(operator_field::mutating_inputs);
        operator_reader r(graph_);
        const std::size_t tensors = graph_.tensor_count();
        KOMPAKT_TRY(ids(from.vector<std::int32_t>(operator_field::inputs), tensors, true, "input",
                        r.inputs));
        KOMPAKT_TRY(ids(from.vector<std::int32_t>(operator_field::outputs), tensors, false,
                        "output", r.outputs));
        for (tensor_id& t : r.inputs) {
            const auto found = variable_of_.find(t);
            if (found == variable_of_.end()) continue;
            if (entry.code != builtin::read_variable && entry.code != builtin::assign_variable) {
                return fail(errc::unsupported, "a resource variable as an input");
            }
            t = static_cast<tensor_id>(variables_[found->second].handle);
        }
        for (std::size_t i = 0; i < mutating.size(); ++i) {
            if (mutating[i] != 0 && !(r.has_input(i) && r.input(i).state)) {
                return fail(errc::unsupported, "input ", i, " is written, but no variable");
            }
        }
        const flatbuffer::union_ref options = from.variant(operator_field::options_type);
        KOMPAKT_TRY(in_.check());
        // Some converters give every operator a table of options.
        if (options.type != 0 && entry.options != options_type::none &&
            options.type != static_cast<std::uint8_t>(entry.options)) {
            return fail(errc::bad_file, "options of type ", options.type, ", needed ",
                        static_cast<int>(entry.options));
        }
        r.options = options_reader(options.value);
        if (entry.code == builtin::custom && !custom.empty()) {
            auto map = read_flexbuffer_integers(custom.raw());
            if (!map.ok()) return map.error().within("custom options: ");
            r.custom = std::move(*map);
        }
        r.block = [this](std::int32_t n) { return read_block(n); };
        KOMPAKT_TRY(entry.read(r));
        for (graph_tensor& t : r.states) {
            KOMPAKT_TRY(spend(t.name.size()));
            stated_.emplace_back();
            r.inputs.push_back(graph_.add_tensor(std::move(t)));
        }
        KOMPAKT_TRY(in_.check());
        KOMPAKT_TRY(r.options.check());
        for (std::size_t i : r.made->updates()) {
            if (!(r.has_input(i) && r.input(i).state)) {
                return fail(errc::unsupported, "input ", i,
                            " of the node is updated, needed a "
                            "variable");
            }
        }
        if (r.outputs.empty() && r.made->updates().empty()) {
            return fail(errc::bad_file, "has no output");
        }

        node n;
        n.name = graph_.tensor(r.outputs.empty() ? r.inputs[0] : r.outputs[0]).name;
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

    flatbuffer::reader in_;
    std::uint64_t budget_;
    std::uint64_t file_bytes_;
    std::uint64_t all_tensors_ = 0, all_operators_ = 0;
    flatbuffer::vector_ref<flatbuffer::table_ref> subgraphs_, codes_, buffers_;
    std::map<std::size_t, ops::block> blocks_; // by number of the subgraph
    std::set<std::size_t> open_blocks_;
    std::map<std::uint32_t, flatbuffer::vector_ref<std::uint8_t>> opened_; // buffers, by number
    std::map<std::uint64_t, std::shared_ptr<const std::vector<std::byte>>> payloads_; // by place
};

} // namespace tflite

} // namespace KOMPAKT_ABI
} // namespace kompakt
