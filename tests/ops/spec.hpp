// Op specs: for every graph operator a list of cases and a dull reference. One list (all_specs.hpp)
// drives the correctness tests on all ports and the benchmark.
//
// To add an operator, write tests/ops/OP_spec.hpp with a function that returns an `op_spec`, and
// name it in all_specs.hpp. A case is a graph of one node: attributes, shapes, constants,
// quantization. The reference computes the output from the graph and the inputs, in double and
// int64, written from the operator's description and never optimised.
#pragma once

#include <kompakt/plan/plan.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace kompakt_test {

using kompakt::dtype;
using kompakt::graph;
using kompakt::quantization;
using kompakt::tensor_id;

// The elements of a tensor as numbers that both int32 and float fit in.
struct values {
    std::vector<std::int64_t> dims;
    std::vector<double> data;

    double& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
        return data[index(a, b, c, d)];
    }
    double at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
        return data[index(a, b, c, d)];
    }

  private:
    std::size_t index(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
        return static_cast<std::size_t>(((a * dims[1] + b) * dims[2] + c) * dims[3] + d);
    }
};

struct op_case {
    std::string name;
    kompakt::graph g;   // one node, inferred
    bool bench = false; // a layer of a real network: worth timing
    // The output of the node that is looked at: the graph's only one.
    std::size_t output = 0;
    // By input of the graph: what random values are between, where not all of the type are wanted.
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> random_between;
};

// What a reference sees.
struct op_arguments {
    const graph* g = nullptr;
    std::vector<values> inputs; // of the node, constants included; empty where absent
    std::size_t which = 0;      // of the node's outputs

    template <class Op>
    const Op& op() const {
        return *g->node_at(g->order()[0]).op->as<Op>();
    }
    const kompakt::graph_tensor& tensor(std::size_t input) const {
        return g->tensor(g->node_at(g->order()[0]).inputs[input]);
    }
    const kompakt::graph_tensor& output() const {
        return g->tensor(g->node_at(g->order()[0]).outputs[which]);
    }
    bool has(std::size_t input) const {
        return input < inputs.size() && !inputs[input].data.empty();
    }
    bool integer() const { return output().type != dtype::f32; }
};

struct op_spec {
    std::string op;
    std::vector<op_case> cases;
    // Fills `out.data`; dims are set.
    std::function<void(const op_arguments&, values& out)> reference;
};

// Random numbers that are the same everywhere (distributions of the standard library are not).
class dice {
  public:
    explicit dice(std::uint32_t seed) : engine_(seed) {}
    std::int64_t between(std::int64_t lo, std::int64_t hi) {
        return lo + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(hi - lo + 1));
    }
    float real(float lo, float hi) {
        return lo + (hi - lo) * static_cast<float>(engine_() % 65536) / 65535.0f;
    }

  private:
    std::mt19937 engine_;
};

// How the inputs of a run are filled.
enum class filling { lowest, highest, zero_point, random_extremes, random };
inline constexpr filling all_fillings[] = {filling::lowest, filling::highest, filling::zero_point,
                                           filling::random_extremes, filling::random};

inline double fill_one(filling how, const kompakt::graph_tensor& t, dice& d) {
    double lo = -3.0, hi = 3.0, zero = 0.0;
    switch (t.type) {
    case dtype::i8:
        lo = -128, hi = 127;
        break;
    case dtype::u8:
        lo = 0, hi = 255;
        break;
    case dtype::i16:
        lo = -32768, hi = 32767;
        break;
    case dtype::i32:
        lo = -2147483648.0, hi = 2147483647.0;
        break;
    case dtype::boolean:
        lo = 0, hi = 1;
        break;
    case dtype::u16:
        lo = 0, hi = 65535;
        break;
    case dtype::u32:
        lo = 0, hi = 4294967295.0;
        break;
    case dtype::i64: // what a double holds
        lo = -9007199254740992.0, hi = 9007199254740992.0;
        break;
    default:
        break;
    }
    if (t.quantization) zero = t.quantization->zero_point();
    switch (how) {
    case filling::lowest:
        return lo;
    case filling::highest:
        return hi;
    case filling::zero_point:
        return zero;
    case filling::random_extremes:
        return d.between(0, 1) == 0 ? lo : hi;
    case filling::random:
        break;
    }
    if (kompakt::is_float(t.type)) return static_cast<double>(d.real(-1.0f, 1.0f));
    return static_cast<double>(
        d.between(static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)));
}

inline void store_value(dtype type, std::byte* to, double v) {
    switch (type) {
    case dtype::i8:
        kompakt::store_le(to, static_cast<std::int8_t>(v));
        break;
    case dtype::u8:
        kompakt::store_le(to, static_cast<std::uint8_t>(v));
        break;
    case dtype::i16:
        kompakt::store_le(to, static_cast<std::int16_t>(v));
        break;
    case dtype::i32:
        kompakt::store_le(to, static_cast<std::int32_t>(v));
        break;
    case dtype::boolean:
        kompakt::store_le(to, static_cast<std::uint8_t>(v));
        break;
    case dtype::f16: { // of numbers between 2^-14 and 65504, cut
        int exponent = 0;
        const double m = std::frexp(std::fabs(v), &exponent);
        const auto bits = v == 0 ? 0
                                 : (v < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                                       (static_cast<int>(m * 2048) & 1023);
        kompakt::store_le(to, static_cast<std::uint16_t>(bits));
        break;
    }
    case dtype::u16:
        kompakt::store_le(to, static_cast<std::uint16_t>(v));
        break;
    case dtype::u32:
        kompakt::store_le(to, static_cast<std::uint32_t>(v));
        break;
    case dtype::i64:
        kompakt::store_le(to, static_cast<std::int64_t>(v));
        break;
    default:
        kompakt::store_le(to, static_cast<float>(v));
        break;
    }
}
inline double load_value(dtype type, const std::byte* from) {
    switch (type) {
    case dtype::i8:
        return kompakt::load_le<std::int8_t>(from);
    case dtype::u8:
        return kompakt::load_le<std::uint8_t>(from);
    case dtype::i16:
        return kompakt::load_le<std::int16_t>(from);
    case dtype::i32:
        return kompakt::load_le<std::int32_t>(from);
    case dtype::boolean:
        return kompakt::load_le<std::uint8_t>(from);
    case dtype::f16: {
        const int bits = kompakt::load_le<std::uint16_t>(from), exponent = bits >> 10 & 31;
        const double m = exponent == 0 ? bits & 1023 : (bits & 1023) + 1024;
        return std::ldexp((bits & 0x8000) != 0 ? -m : m, (exponent == 0 ? 1 : exponent) - 25);
    }
    case dtype::u16:
        return kompakt::load_le<std::uint16_t>(from);
    case dtype::u32:
        return kompakt::load_le<std::uint32_t>(from);
    case dtype::i64:
        return static_cast<double>(kompakt::load_le<std::int64_t>(from));
    default:
        return static_cast<double>(kompakt::load_le<float>(from));
    }
}
inline values read_values(dtype type, const kompakt::shape& shape, kompakt::bytes_view bytes) {
    values v;
    std::size_t n = 1;
    for (const kompakt::dim& d : shape) {
        v.dims.push_back(d.value());
        n *= static_cast<std::size_t>(d.value());
    }
    const std::size_t size = kompakt::bits_of(type) / 8;
    for (std::size_t i = 0; i < n; ++i) v.data.push_back(load_value(type, bytes.data() + i * size));
    return v;
}

// One run's inputs (bytes, by graph input) and the output that the reference gives for them.
struct expectation {
    std::vector<std::vector<std::byte>> inputs;
    values output;
};

inline expectation expect(const op_spec& spec, const op_case& c, filling how,
                          std::uint32_t seed = 1) {
    expectation e;
    dice d(seed);
    op_arguments a;
    a.g = &c.g;
    a.which = c.output;
    for (tensor_id t : c.g.inputs) {
        const kompakt::graph_tensor& x = c.g.tensor(t);
        const std::size_t size = kompakt::bits_of(x.type) / 8;
        std::vector<std::byte> bytes(*kompakt::element_count(x.shape) * size);
        const auto between = c.random_between.find(e.inputs.size());
        for (std::size_t i = 0; i < bytes.size(); i += size) {
            const bool within = how == filling::random && between != c.random_between.end();
            store_value(x.type, bytes.data() + i,
                        within ? static_cast<double>(
                                     d.between(between->second.first, between->second.second))
                               : fill_one(how, x, d));
        }
        e.inputs.push_back(std::move(bytes));
    }
    const kompakt::node& n = c.g.node_at(c.g.order()[0]);
    for (tensor_id t : n.inputs) {
        if (t == kompakt::no_tensor) {
            a.inputs.emplace_back();
            continue;
        }
        const kompakt::graph_tensor& x = c.g.tensor(t);
        kompakt::bytes_view bytes;
        dtype type = x.type;
        kompakt::constant dense; // of a packed constant
        if (x.value) {
            dense = *kompakt::decode(*x.value);
            type = dense.type;
            bytes = dense.bytes();
        }
        std::vector<std::byte> start;
        if (x.state) {
            start.assign(*kompakt::element_count(x.shape) * kompakt::bits_of(x.type) / 8,
                         static_cast<std::byte>(x.state->fill));
            bytes = start;
        }
        for (std::size_t i = 0; i < c.g.inputs.size(); ++i) {
            if (c.g.inputs[i] == t) bytes = e.inputs[i];
        }
        a.inputs.push_back(read_values(type, x.shape, bytes));
    }
    const kompakt::graph_tensor& out = c.g.tensor(n.outputs[c.output]);
    for (const kompakt::dim& d2 : out.shape) e.output.dims.push_back(d2.value());
    e.output.data.assign(*kompakt::element_count(out.shape), 0.0);
    spec.reference(a, e.output);
    return e;
}

// Empty, or where the bytes differ from the reference: int8 bit for bit, float32 within a
// tolerance.
inline std::string compare(dtype type, const values& expected, kompakt::bytes_view given) {
    const std::size_t size = kompakt::bits_of(type) / 8;
    if (given.size() != expected.data.size() * size) return "wrong number of elements";
    for (std::size_t i = 0; i < expected.data.size(); ++i) {
        const double x = load_value(type, given.data() + i * size), e = expected.data[i];
        if (std::isnan(e) ? std::isnan(x) : x == e) continue; // infinity, too
        const double tolerance = type == dtype::f32 ? 1e-5 + 1e-4 * std::fabs(e) : 0.0;
        if (!(std::fabs(x - e) <= tolerance)) {
            return "element " + std::to_string(i) + ": " + std::to_string(x) + ", expected " +
                   std::to_string(e);
        }
    }
    return {};
}

// Makes the graph of a case.
class case_builder {
  public:
    explicit case_builder(std::string name) { case_.name = std::move(name); }

    tensor_id input(dtype type, kompakt::shape shape, std::optional<quantization> q = {}) {
        const tensor_id t = tensor("input", type, std::move(shape), std::move(q));
        case_.g.inputs.push_back(t);
        return t;
    }
    // Of the last input: what random values are between.
    void between(std::int64_t lo, std::int64_t hi) {
        case_.random_between[case_.g.inputs.size() - 1] = {lo, hi};
    }
    template <class T>
    tensor_id constant(const char* name, kompakt::shape shape, const std::vector<T>& v,
                       std::optional<quantization> q = {}) {
        const tensor_id t = case_.g.add_constant(name, kompakt::make_constant(std::move(shape), v));
        case_.g.tensor(t).quantization = std::move(q);
        return t;
    }
    // int4, two to a byte, the first in the low bits.
    tensor_id packed(const char* name, kompakt::shape shape, const std::vector<std::int8_t>& v,
                     quantization q) {
        kompakt::constant c{dtype::i4, std::move(shape), {}, {}};
        c.coding.kind = kompakt::encoding::packed;
        c.coding.bits = 4;
        auto bytes = std::make_shared<std::vector<std::byte>>((v.size() + 1) / 2);
        for (std::size_t i = 0; i < v.size(); ++i) {
            (*bytes)[i / 2] |= static_cast<std::byte>((v[i] & 15) << (i % 2 * 4));
        }
        c.payload = std::move(bytes);
        const tensor_id t = case_.g.add_constant(name, std::move(c));
        case_.g.tensor(t).quantization = std::move(q);
        return t;
    }
    // Starts as `fill` bytes.
    tensor_id state(dtype type, kompakt::shape shape, std::optional<quantization> q = {},
                    std::uint8_t fill = 0) {
        const tensor_id t = tensor("state", type, std::move(shape), std::move(q));
        case_.g.tensor(t).state = kompakt::state_start{fill, std::nullopt};
        return t;
    }
    tensor_id constant_bytes(const char* name, dtype type, kompakt::shape shape,
                             kompakt::bytes_view bytes, std::optional<quantization> q = {}) {
        const tensor_id t =
            case_.g.add_constant(name, kompakt::make_constant_bytes(type, std::move(shape), bytes));
        case_.g.tensor(t).quantization = std::move(q);
        return t;
    }
    // `out_type` where the operator leaves the output's type open.
    template <class Op>
    op_case finish(Op op, std::vector<tensor_id> inputs, std::optional<quantization> q = {},
                   bool bench = false, dtype out_type = dtype::none) {
        return finish_one_of(1, 0, std::move(op), std::move(inputs), std::move(q), bench, out_type);
    }
    // A node with several outputs, of which number `which` is looked at.
    template <class Op>
    op_case finish_one_of(std::size_t outputs, std::size_t which, Op op,
                          std::vector<tensor_id> inputs, std::optional<quantization> q = {},
                          bool bench = false, dtype out_type = dtype::none) {
        std::vector<tensor_id> out;
        for (std::size_t i = 0; i < outputs; ++i) {
            out.push_back(tensor("output", out_type, {}, q));
        }
        case_.g.outputs.push_back(out[which]);
        case_.g.add_node("", std::move(op), std::move(inputs), std::move(out));
        case_.bench = bench;
        case_.output = which;
        const kompakt::status s = kompakt::infer(case_.g);
        if (!s.ok()) case_.name += std::string(": INFER FAILS: ") + s.message();
        return std::move(case_);
    }

  private:
    tensor_id tensor(const char* name, dtype type, kompakt::shape shape,
                     std::optional<quantization> q) {
        kompakt::graph_tensor t;
        t.name = name;
        t.type = type;
        t.shape = std::move(shape);
        t.quantization = std::move(q);
        return case_.g.add_tensor(std::move(t));
    }
    op_case case_;
};

} // namespace kompakt_test
