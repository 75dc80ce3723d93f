// operator_reader: one operator of a TensorFlow Lite file on its way into the graph.
//
// No parameter is skipped: each is kept in the graph, or must have the value that changes nothing,
// or the operator is refused.
#pragma once

#include <kompakt/format/flatbuffer_reader.hpp>
#include <kompakt/graph/graph.hpp>
#include <kompakt/graph/ops/block.hpp>
#include <kompakt/graph/ops/shared.hpp>
#include <kompakt/io/tflite/schema.hpp>

#include <functional>
#include <map>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace tflite {

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
    std::map<std::string, std::int64_t> custom; // options of a custom operator
    // States that the operator keeps and the file does not name; they become further inputs.
    std::vector<graph_tensor> states;
    // Another subgraph by its number.
    std::function<result<ops::block>(std::int32_t)> block;

    explicit operator_reader(const graph& g) : graph_(&g) {}

    bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != no_tensor; }
    const graph_tensor& input(std::size_t i) const { return graph_->tensor(inputs[i]); }
    const graph_tensor& output(std::size_t i) const { return graph_->tensor(outputs[i]); }

    // A custom option that must be there.
    status custom_option(const char* name, std::int32_t& value) const {
        const auto found = custom.find(name);
        if (found == custom.end()) return fail(errc::bad_file, "option ", name, " is missing");
        if (found->second < INT32_MIN || found->second > INT32_MAX) {
            return fail(errc::bad_file, "option ", name, " does not fit int32");
        }
        value = static_cast<std::int32_t>(found->second);
        return {};
    }
    template <class Op>
    status make(Op attributes) {
        made = std::make_unique<Op>(std::move(attributes));
        return {};
    }
    status expect_inputs(std::size_t least, std::size_t most) const {
        return expect_operands(least, most, 1);
    }
    status expect_operands(std::size_t least, std::size_t most, std::size_t results) const {
        if (inputs.size() < least || inputs.size() > most || outputs.size() != results) {
            return fail(errc::bad_file, "has ", inputs.size(), " inputs and ", outputs.size(),
                        " outputs, needed ", least, " to ", most, " and ", results);
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
    // One number of a constant.
    result<std::int32_t> integer(std::size_t i, const char* what) const {
        const auto all = integers(i, what);
        if (!all.ok()) return all.error();
        if (all->size() != 1) {
            return fail(errc::bad_file, what, " (tensor ", input(i).name, "): ", all->size(),
                        " numbers, needed one");
        }
        return (*all)[0];
    }
    // A constant of pairs, [n, 2], that becomes two attributes.
    status pairs(std::size_t i, const char* what, std::vector<std::int32_t>& first,
                 std::vector<std::int32_t>& second) const {
        const auto all = integers(i, what);
        if (!all.ok()) return all.error();
        const shape& s = input(i).shape;
        if (s.size() != 2 || s[1] != dim(2)) {
            return fail(errc::bad_file, what, " ", text_of(s), ", needed [n, 2]");
        }
        for (std::size_t k = 0; k + 1 < all->size(); k += 2) {
            first.push_back((*all)[k]);
            second.push_back((*all)[k + 1]);
        }
        return {};
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
            return fail(errc::unsupported, "fused activation ", activation_names[n],
                        ", needed NONE, RELU, RELU_N1_TO_1 or RELU6");
        default:
            return fail(errc::bad_file, "fused activation ", n,
                        ", needed 0 (NONE) to 5 (SIGN_BIT)");
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
    // Whether sums of int16 inputs are of 32 bits: without a bias the option says it, a bias says
    // it by its own type, whatever the option (TensorFlow Lite Micro). Inputs are in the graph's
    // order.
    result<bool> int32_sums(std::uint16_t id) {
        const auto n = options.scalar<std::int8_t>(id, 0);
        const bool sums = n == number_of(dtype::i32) || n == number_of(dtype::i64);
        if (input(0).type == dtype::i16 && (n == 0 || sums)) {
            return !has_input(2) && n == number_of(dtype::i32);
        }
        const bool said = has_input(2) && number_of(input(2).type) == n;
        if (n == 0 || said || (n == number_of(dtype::i32) && input(0).type == dtype::i8)) {
            return false;
        }
        return fail(errc::unsupported, "bias type ", n, " without such a bias");
    }

  private:
    const graph* graph_;
};

} // namespace tflite
} // namespace KOMPAKT_ABI
} // namespace kompakt
