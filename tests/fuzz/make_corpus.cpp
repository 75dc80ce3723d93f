// Writes tests/fuzz/corpus: small files for the fuzzers to start from and for
// tests/io/corpus_test.cpp. Not part of any build; run by hand when a format changes, and the
// changes looked at:
//
//     g++ -std=c++17 -Iinclude -Iports tests/fuzz/make_corpus.cpp -o /tmp/make_corpus
//     /tmp/make_corpus tests/fuzz/corpus
//
// ok_* must be accepted, bad_* refused with the message in corpus_test.cpp. What a fuzzer found may
// be added to the folders by hand under such a name.
#include <kompakt/kompakt.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>

namespace fb = kompakt::flatbuffer;
using namespace kompakt;
using file = std::vector<std::byte>;

namespace {

std::string folder;

void fatal(const std::string& text) {
    std::fprintf(stderr, "make_corpus: %s\n", text.c_str());
    std::exit(1);
}
template <class T>
T need(result<T> r, const std::string& what) {
    if (!r.ok()) fatal(what + ": " + r.error().message());
    return std::move(*r);
}
void put(const std::string& name, bytes_view bytes) {
    if (bytes.size() >= 2048) fatal(name + " has " + std::to_string(bytes.size()) + " bytes");
    const std::string path = folder + "/" + name;
    std::FILE* f = std::fopen(path.c_str(), "wb");
    const bool written =
        f != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), f) == bytes.size();
    if (f == nullptr || std::fclose(f) != 0 || !written) fatal("cannot write " + path);
}
void put(const std::string& name, std::string_view text) {
    put(name, bytes_view(reinterpret_cast<const std::byte*>(text.data()), text.size()));
}

// --- Graphs

class maker {
  public:
    graph g;
    bool int8;

    explicit maker(bool i8) : int8(i8) {}

    std::optional<quantization> scale(float s = 0.05f, std::int32_t zero = 3) const {
        if (!int8) return std::nullopt;
        return quantization::per_tensor_affine(s, zero);
    }
    tensor_id tensor(const std::string& name, dtype t, shape s, std::optional<quantization> q) {
        graph_tensor x;
        x.name = name;
        x.type = t;
        x.shape = std::move(s);
        x.quantization = std::move(q);
        return g.add_tensor(std::move(x));
    }
    tensor_id input(shape s) {
        const tensor_id t = tensor("in" + std::to_string(g.inputs.size()),
                                   int8 ? dtype::i8 : dtype::f32, std::move(s), scale());
        g.inputs.push_back(t);
        return t;
    }
    tensor_id weights(shape s, int axis = -1) {
        const std::size_t n = *element_count(s);
        const std::string name = "w" + std::to_string(g.tensor_count());
        if (!int8) {
            std::vector<float> v(n);
            for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % 101) * 0.02f - 1;
            return g.add_constant(name, make_constant(s, v));
        }
        std::vector<std::int8_t> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::int8_t>(i * 37 % 255 - 127);
        const tensor_id t = g.add_constant(name, make_constant(s, v));
        quantization q = quantization::per_tensor_affine(0.01f, 0);
        if (axis >= 0) {
            const auto channels =
                static_cast<std::size_t>(s[static_cast<std::size_t>(axis)].value());
            q.axis = axis;
            q.zero_points.assign(channels, 0);
            q.scales.clear();
            for (std::size_t i = 0; i < channels; ++i) {
                q.scales.push_back(0.01f + 0.001f * static_cast<float>(i));
            }
        }
        g.tensor(t).quantization = std::move(q);
        return t;
    }
    tensor_id bias(std::int64_t n) {
        if (!int8) return weights({n});
        std::vector<std::int32_t> v(static_cast<std::size_t>(n), -7);
        return g.add_constant("bias", make_constant<std::int32_t>({n}, v));
    }
    template <class Op>
    tensor_id node(Op op, std::vector<tensor_id> in, std::optional<quantization> q,
                   std::optional<dtype> type = std::nullopt) {
        const std::string name = std::string(Op::op_name) + std::to_string(g.node_count());
        const tensor_id out = tensor(name,
                                     type   ? *type
                                     : int8 ? dtype::i8
                                            : dtype::f32,
                                     {}, std::move(q));
        g.add_node(name, std::move(op), std::move(in), {out});
        return out;
    }
    graph finish(std::vector<tensor_id> outputs) {
        g.outputs = std::move(outputs);
        const status s = infer(g);
        if (!s.ok()) fatal(s.message());
        return std::move(g);
    }
};

struct named_graph {
    std::string name;
    graph g;
};

// One graph for each operator, and nets of several.
std::vector<named_graph> graphs(bool int8) {
    std::vector<named_graph> all;
    const auto add = [&](const char* name, const std::function<std::vector<tensor_id>(maker&)>& f) {
        maker m(int8);
        std::vector<tensor_id> out = f(m);
        all.push_back({std::string(name) + (int8 ? "_int8" : "_float"), m.finish(std::move(out))});
    };
    using ids = std::vector<tensor_id>;
    const auto same = [](int c) {
        ops::conv2d op;
        op.fused = activation::relu6;
        op.window.stride_h = 2;
        op.window.pad_same(5, 4, 3, 3);
        return std::pair<ops::conv2d, shape>{op, {c, 3, 3, 2}};
    };
    add("conv_2d", [&](maker& m) {
        const tensor_id x = m.input({1, 5, 4, 2});
        const auto [op, w] = same(3);
        const tensor_id filter = m.weights(w, 0);
        return ids{m.node(op, {x, filter, m.bias(3)}, m.scale())};
    });
    add("depthwise_conv_2d", [&](maker& m) {
        const tensor_id x = m.input({1, 5, 4, 2});
        ops::depthwise_conv2d op;
        op.window.dilation_w = 2;
        return ids{m.node(op, {x, m.weights({1, 2, 2, 4}, 3)}, m.scale())};
    });
    add("fully_connected", [&](maker& m) {
        const tensor_id x = m.input({2, 4});
        const tensor_id w = m.weights({3, 4});
        return ids{m.node(ops::fully_connected(), {x, w, m.bias(3)}, m.scale())};
    });
    add("average_pool_2d", [&](maker& m) {
        ops::average_pool2d op;
        op.kernel_h = 2, op.kernel_w = 3;
        op.window.pad_same(5, 4, 2, 3);
        return ids{m.node(op, {m.input({1, 5, 4, 2})}, m.scale())};
    });
    add("max_pool_2d", [&](maker& m) {
        ops::max_pool2d op;
        op.kernel_h = op.kernel_w = 2;
        op.window.stride_h = op.window.stride_w = 2;
        return ids{m.node(op, {m.input({1, 5, 4, 2})}, m.scale())};
    });
    add("mean", [&](maker& m) {
        ops::mean op;
        op.axes = {1, 2};
        return ids{m.node(op, {m.input({1, 3, 4, 2})}, m.scale())};
    });
    add("add", [&](maker& m) {
        const tensor_id x = m.input({1, 3, 4});
        return ids{m.node(ops::add(), {x, m.input({4})}, m.scale(0.1f))};
    });
    add("sub", [&](maker& m) {
        const tensor_id x = m.input({2, 3});
        return ids{m.node(ops::sub(), {x, m.weights({1, 3})}, m.scale(0.1f))};
    });
    add("mul", [&](maker& m) {
        const tensor_id x = m.input({2, 3});
        return ids{m.node(ops::mul(), {x, x}, m.scale(0.1f))};
    });
    add("softmax", [&](maker& m) {
        return ids{m.node(ops::softmax(), {m.input({2, 5})}, m.scale(1.0f / 256, -128))};
    });
    add("logistic", [&](maker& m) {
        return ids{m.node(ops::logistic(), {m.input({7})}, m.scale(1.0f / 256, -128))};
    });
    add("log_softmax", [&](maker& m) {
        return ids{m.node(ops::log_softmax(), {m.input({2, 5})}, m.scale(1.0f / 16, 127))};
    });
    add("leaky_relu", [&](maker& m) {
        ops::leaky_relu op;
        op.alpha = 0.1f;
        return ids{m.node(op, {m.input({7})}, m.scale())};
    });
    add("relu", [&](maker& m) { return ids{m.node(ops::relu(), {m.input({7})}, m.scale())}; });
    add("pad", [&](maker& m) {
        ops::pad op;
        op.before = {0, 1, 0, 2}, op.after = {0, 0, 3, 0};
        return ids{m.node(op, {m.input({1, 2, 3, 2})}, m.scale())};
    });
    add("concatenation", [&](maker& m) {
        ops::concatenation op;
        op.axis = 1;
        const tensor_id x = m.input({1, 2, 3});
        return ids{m.node(op, {x, m.input({1, 1, 3})}, m.scale())};
    });
    add("reshape", [&](maker& m) {
        ops::reshape op;
        op.target = {dim(3), dim(-1)};
        return ids{m.node(op, {m.input({1, 2, 6})}, m.scale())};
    });
    add("transpose", [&](maker& m) {
        ops::transpose op;
        op.perm = {0, 2, 3, 1};
        return ids{m.node(op, {m.input({1, 2, 3, 4})}, m.scale())};
    });
    add("slices", [&](maker& m) {
        const tensor_id x = m.input({1, 4, 6});
        ops::strided_slice part;
        part.begin = {0, -1, 1}, part.end = {1, 0, 6}, part.strides = {1, -2, 2};
        part.shrink_axis_mask = 1, part.end_mask = 2;
        const tensor_id y = m.node(part, {x}, m.scale());
        ops::slice rest;
        rest.begin = {0, 1}, rest.size = {-1, 2};
        ops::pack pack;
        const tensor_id z = m.node(rest, {y}, m.scale());
        return ids{m.node(pack, {z, z}, m.scale())};
    });
    add("gather", [&](maker& m) {
        const tensor_id x = m.input({2, 4, 3});
        const tensor_id at =
            m.g.add_constant("indices", make_constant<std::int32_t>({2, 2}, {3, 0, -1, 9}));
        ops::gather op;
        op.axis = 1, op.batch_dims = 1;
        return ids{m.node(op, {x, at}, m.scale())};
    });
    add("resize", [&](maker& m) {
        ops::resize_bilinear b;
        b.size.height = 5, b.size.width = 3;
        const tensor_id x = m.node(b, {m.input({1, 2, 4, 2})}, m.scale());
        ops::resize_nearest_neighbor n;
        n.size.height = 2, n.size.width = 7;
        const tensor_id y = m.node(n, {x}, m.scale());
        ops::mirror_pad p;
        p.before = {0, 1, 2, 0}, p.after = {0, 0, 1, 1};
        return ids{m.node(p, {y}, m.scale())};
    });
    add("blocks", [&](maker& m) {
        ops::space_to_batch_nd s;
        s.block = {2, 2}, s.before = {0, 1}, s.after = {1, 0};
        const tensor_id x = m.node(s, {m.input({1, 3, 3, 4})}, m.scale());
        ops::depth_to_space d;
        d.block = 2;
        return ids{m.node(d, {x}, m.scale())};
    });
    add("quantize", [&](maker& m) {
        if (m.int8) return ids{m.node(ops::quantize(), {m.input({6})}, m.scale(0.1f, -9))};
        return ids{m.node(ops::quantize(), {m.input({6})},
                          quantization::per_tensor_affine(0.1f, -9), dtype::i8)};
    });
    add("residual", [&](maker& m) {
        const tensor_id x = m.input({1, 5, 4, 2});
        ops::conv2d op;
        op.fused = activation::relu;
        op.window.pad_same(5, 4, 3, 3);
        const tensor_id y = m.node(op, {x, m.weights({2, 3, 3, 2}, 0)}, m.scale());
        return ids{m.node(ops::add(), {x, y}, m.scale(0.1f))};
    });
    add("branches", [&](maker& m) {
        const tensor_id x = m.input({1, 5, 4, 2});
        const auto [op, w] = same(2);
        const tensor_id a = m.node(op, {x, m.weights(w)}, m.scale());
        const tensor_id b = m.node(op, {x, m.weights(w, 0)}, m.scale());
        ops::concatenation joined;
        joined.axis = -1;
        return ids{m.node(joined, {a, b}, m.scale())};
    });
    add("two_outputs", [&](maker& m) {
        const tensor_id x = m.input({1, 6}), y = m.input({1, 6});
        const tensor_id sum = m.node(ops::add(), {x, y}, m.scale(0.1f));
        return ids{sum, m.node(ops::relu(), {sum}, m.scale(0.1f))};
    });
    add("symbolic_batch", [&](maker& m) {
        const tensor_id x = m.input({dim::named("batch"), 4});
        const tensor_id y = m.node(ops::fully_connected(), {x, m.weights({3, 4})}, m.scale());
        return ids{m.node(ops::softmax(), {y}, m.scale(1.0f / 256, -128))};
    });
    if (int8) {
        add("dequantize", [&](maker& m) {
            return ids{m.node(ops::dequantize(), {m.input({6})}, std::nullopt, dtype::f32)};
        });
        add("weights_int4", [&](maker& m) {
            const tensor_id x = m.input({1, 3});
            constant c{
                dtype::i4,
                {2, 3},
                {},
                std::make_shared<file>(file{std::byte{0x8f}, std::byte{7}, std::byte{0x21}})};
            c.coding.kind = encoding::packed;
            c.coding.bits = 4;
            const tensor_id w = m.g.add_constant("w", c);
            m.g.tensor(w).quantization = quantization::per_tensor_affine(0.5f, 0, 4);
            return ids{m.node(ops::fully_connected(), {x, w}, m.scale())};
        });
    } else {
        add("hybrid", [&](maker& m) {
            const tensor_id x = m.input({1, 4});
            m.int8 = true;
            const tensor_id w = m.weights({3, 4});
            m.int8 = false;
            return ids{m.node(ops::fully_connected(), {x, w}, std::nullopt)};
        });
    }
    return all;
}

const graph& find(const std::vector<named_graph>& all, const std::string& name) {
    for (const named_graph& g : all) {
        if (g.name == name) return g.g;
    }
    fatal("no graph " + name);
    std::abort();
}

// --- Broken .tflite files: a field of a written file is found by the schema's numbers and changed

class tflite_file {
  public:
    file bytes;

    explicit tflite_file(file f) : bytes(std::move(f)) {}

    template <class T>
    T get(std::size_t at) const {
        if (at + sizeof(T) > bytes.size()) fatal("a field outside the file");
        return load_le<T>(bytes.data() + at);
    }
    template <class T>
    void set(std::size_t at, T value) {
        if (at + sizeof(T) > bytes.size()) fatal("a field outside the file");
        store_le(bytes.data() + at, value);
    }
    std::size_t root() const { return get<std::uint32_t>(0); }
    std::size_t field(std::size_t table, unsigned id) const {
        const std::size_t vtable = table - static_cast<std::size_t>(get<std::int32_t>(table));
        if (4 + 2 * id >= get<std::uint16_t>(vtable)) fatal("a field that is not there");
        const auto offset = get<std::uint16_t>(vtable + 4 + 2 * id);
        if (offset == 0) fatal("a field that is not there: " + std::to_string(id));
        return table + offset;
    }
    std::size_t follow(std::size_t at) const { return at + get<std::uint32_t>(at); }
    // Of a vector: the place of its length, and of an element.
    std::size_t vector(std::size_t table, unsigned id) const { return follow(field(table, id)); }
    std::size_t element(std::size_t table, unsigned id, std::size_t i, std::size_t size = 4) const {
        return vector(table, id) + 4 + i * size;
    }
    std::size_t table_of(std::size_t table, unsigned id, std::size_t i) const {
        return follow(element(table, id, i));
    }
    std::size_t subgraph() const { return table_of(root(), 2, 0); }
    std::size_t tensor(std::size_t i) const { return table_of(subgraph(), 0, i); }
    std::size_t op(std::size_t i) const { return table_of(subgraph(), 3, i); }
    std::size_t code(std::size_t i) const { return table_of(root(), 1, i); }
    std::size_t options(std::size_t i) const { return vector(op(i), 4); }
    std::size_t quantization_of(std::size_t i) const { return vector(tensor(i), 4); }
    // The place of a tensor's elements.
    std::size_t data(std::size_t i) const {
        return element(table_of(root(), 4, get<std::uint32_t>(field(tensor(i), 2))), 0, 0);
    }
};

void broken_tflite(const std::vector<named_graph>& integers,
                   const std::vector<named_graph>& floats) {
    const auto from = [&](const graph& g, const std::string& name,
                          const std::function<void(tflite_file&)>& change) {
        tflite_file f(need(write_tflite(g), name));
        change(f);
        put("tflite/bad_" + name + ".tflite", f.bytes);
    };
    const graph& residual = find(integers, "residual_int8"); // in0, w1, conv, add
    const auto with = [&](const std::string& name,
                          const std::function<void(tflite_file&)>& change) {
        from(residual, name, change);
    };
    const auto cut = [&](const std::string& name,
                         const std::function<std::size_t(tflite_file&)>& at) {
        with("cut_" + name, [&](tflite_file& f) { f.bytes.resize(at(f)); });
    };
    cut("at_0", [](tflite_file&) { return std::size_t{0}; });
    cut("at_7", [](tflite_file&) { return std::size_t{7}; });
    cut("before_model", [](tflite_file& f) { return f.root(); });
    cut("before_subgraphs", [](tflite_file& f) { return f.vector(f.root(), 2); });
    cut("in_subgraph", [](tflite_file& f) { return f.subgraph() + 4; });
    cut("before_tensors", [](tflite_file& f) { return f.vector(f.subgraph(), 0); });
    cut("in_tensor", [](tflite_file& f) { return f.tensor(1) + 6; });
    cut("before_operators", [](tflite_file& f) { return f.vector(f.subgraph(), 3); });
    cut("in_weights", [](tflite_file& f) { return f.data(1) + 20; });
    cut("half", [](tflite_file& f) { return f.bytes.size() / 2; });

    with("identifier", [](tflite_file& f) { f.set<std::uint32_t>(4, 0x324c4654); });
    with("version", [](tflite_file& f) { f.set<std::uint32_t>(f.field(f.root(), 0), 4); });
    with("root_beyond", [](tflite_file& f) { f.set<std::uint32_t>(0, 0x7ffffff0); });
    with("root_zero", [](tflite_file& f) { f.set<std::uint32_t>(0, 0); });
    with("vtable_beyond", [](tflite_file& f) { f.set<std::int32_t>(f.root(), -0x7ffffff0); });
    with("vtable_size", [](tflite_file& f) {
        const std::size_t t = f.root();
        f.set<std::uint16_t>(t - static_cast<std::size_t>(f.get<std::int32_t>(t)), 0xfff0);
    });
    // An offset that wraps around to the root: a cycle, if offsets were added in 32 bits.
    with("cycle_subgraph", [](tflite_file& f) {
        const std::size_t at = f.element(f.root(), 2, 0);
        f.set(at, static_cast<std::uint32_t>(f.root() - at));
    });
    with("cycle_tensors", [](tflite_file& f) {
        const std::size_t at = f.field(f.subgraph(), 0);
        f.set(at, static_cast<std::uint32_t>(f.vector(f.root(), 2) - at));
    });
    with("offset_zero", [](tflite_file& f) { f.set<std::uint32_t>(f.field(f.subgraph(), 0), 0); });
    with("vector_length",
         [](tflite_file& f) { f.set<std::uint32_t>(f.vector(f.subgraph(), 0), 0xffffffffu); });
    with("name_length",
         [](tflite_file& f) { f.set<std::uint32_t>(f.vector(f.tensor(0), 3), 0x7fffffffu); });

    with("dimension_huge",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.tensor(0), 0, 1), INT32_MAX); });
    with("dimensions_overflow", [](tflite_file& f) {
        for (std::size_t i = 0; i < 4; ++i) {
            f.set<std::int32_t>(f.element(f.tensor(0), 0, i), 1 << 16);
        }
    });
    with("weight_dimensions_overflow", [](tflite_file& f) {
        for (std::size_t i = 0; i < 4; ++i) {
            f.set<std::int32_t>(f.element(f.tensor(1), 0, i), 1 << 16);
        }
    });
    with("dimension_negative",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.tensor(0), 0, 1), -5); });
    with("dimension_zero",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.tensor(0), 0, 1), 0); });
    with("output_shape",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.tensor(3), 0, 2), 5); });
    with("filter_transposed", [](tflite_file& f) {
        f.set<std::int32_t>(f.element(f.tensor(1), 0, 1), 2);
        f.set<std::int32_t>(f.element(f.tensor(1), 0, 3), 3);
    });
    with("buffer_beyond",
         [](tflite_file& f) { f.set<std::uint32_t>(f.field(f.tensor(1), 2), 99); });
    with("buffer_short", [](tflite_file& f) { f.set<std::uint32_t>(f.data(1) - 4, 35); });
    with("type_unknown", [](tflite_file& f) { f.set<std::int8_t>(f.field(f.tensor(0), 1), 99); });
    with("type_string", [](tflite_file& f) { f.set<std::int8_t>(f.field(f.tensor(0), 1), 5); });

    const auto scale = [&](const std::string& name, float value) {
        with("scale_" + name,
             [&](tflite_file& f) { f.set(f.element(f.quantization_of(0), 2, 0), value); });
    };
    scale("nan", std::numeric_limits<float>::quiet_NaN());
    scale("infinite", std::numeric_limits<float>::infinity());
    scale("zero", 0.0f);
    scale("negative", -0.05f);
    with("channel_scale_zero",
         [](tflite_file& f) { f.set(f.element(f.quantization_of(1), 2, 1), 0.0f); });
    with("channel_scales_short",
         [](tflite_file& f) { f.set<std::uint32_t>(f.vector(f.quantization_of(1), 2), 1); });
    with("zero_point_range", [](tflite_file& f) {
        f.set<std::int64_t>(f.element(f.quantization_of(0), 3, 0, 8), 128);
    });
    with("zero_point_wide", [](tflite_file& f) {
        f.set<std::int64_t>(f.element(f.quantization_of(0), 3, 0, 8), std::int64_t{1} << 40);
    });
    from(find(integers, "depthwise_conv_2d_int8"), "quantized_axis",
         [](tflite_file& f) { f.set<std::int32_t>(f.field(f.quantization_of(1), 6), 9); });

    with("operator_code", [](tflite_file& f) { f.set<std::uint32_t>(f.field(f.op(1), 0), 9); });
    with("operator_unknown", [](tflite_file& f) {
        f.set<std::int32_t>(f.field(f.code(0), 3), 16);
        f.set<std::int8_t>(f.field(f.code(0), 0), 16);
    });
    with("operator_version",
         [](tflite_file& f) { f.set<std::int32_t>(f.field(f.code(0), 2), 99); });
    with("operator_input",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.op(0), 1, 0), 99); });
    with("operator_output",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.op(0), 2, 0), 99); });
    with("operator_reads_itself",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.op(0), 1, 0), 2); });
    with("operator_writes_input",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.op(0), 2, 0), 0); });
    with("operator_options", [](tflite_file& f) { f.set<std::uint8_t>(f.field(f.op(0), 3), 77); });
    with("graph_input",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.subgraph(), 1, 0), -2); });
    with("graph_output",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.subgraph(), 2, 0), 4); });
    with("no_output", [](tflite_file& f) { f.set<std::uint32_t>(f.vector(f.subgraph(), 2), 0); });
    with("stride_zero", [](tflite_file& f) { f.set<std::int32_t>(f.field(f.options(0), 1), 0); });
    with("stride_negative",
         [](tflite_file& f) { f.set<std::int32_t>(f.field(f.options(0), 2), -1); });
    with("activation", [](tflite_file& f) { f.set<std::int8_t>(f.field(f.options(0), 3), 77); });

    from(find(floats, "pad_float"), "pad_negative",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2) + 8, -1); });
    from(find(floats, "pad_float"), "pad_huge",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2) + 8, INT32_MAX); });
    from(find(floats, "transpose_float"), "permutation_twice",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2) + 4, 0); });
    from(find(floats, "transpose_float"), "permutation_beyond",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2) + 4, 7); });
    from(find(floats, "reshape_float"), "reshape_misfit",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2), 5); });
    from(find(floats, "mean_float"), "mean_axis",
         [](tflite_file& f) { f.set<std::int32_t>(f.data(2), 4); });
    from(find(floats, "concatenation_float"), "concatenation_axis",
         [](tflite_file& f) { f.set<std::int32_t>(f.field(f.options(0), 0), 3); });
    from(find(floats, "add_float"), "broadcast",
         [](tflite_file& f) { f.set<std::int32_t>(f.element(f.tensor(1), 0, 0), 5); });
    from(find(floats, "softmax_float"), "softmax_beta", [](tflite_file& f) {
        f.set(f.field(f.options(0), 0), std::numeric_limits<float>::quiet_NaN());
    });
    from(find(floats, "average_pool_2d_float"), "pool_window",
         [](tflite_file& f) { f.set<std::int32_t>(f.field(f.options(0), 4), 0); });
    from(find(integers, "weights_int4_int8"), "int4_short",
         [](tflite_file& f) { f.set<std::uint32_t>(f.data(1) - 4, 2); });
}

// --- Broken .kpk files

struct kpk_file {
    aligned_buffer bytes;
    std::size_t size;

    explicit kpk_file(const planned& p) : bytes(p.storage.size()), size(p.storage.size()) {
        std::memcpy(bytes.data(), p.storage.data(), size);
    }
    executable_header& header() { return *reinterpret_cast<executable_header*>(bytes.data()); }
    tensor_record& tensor(std::uint32_t i) {
        return reinterpret_cast<tensor_record*>(bytes.data() + header().tensors_at)[i];
    }
    op_record& op(std::uint32_t i) {
        return reinterpret_cast<op_record*>(bytes.data() + header().ops_at)[i];
    }
    std::uint32_t& word(std::uint32_t i) {
        return reinterpret_cast<std::uint32_t*>(bytes.data() + header().words_at)[i];
    }
    tensor_record& operand(std::uint32_t o, std::uint32_t i) {
        return tensor(word(op(o).operands_at + i));
    }
    tensor_note& note(std::uint32_t i) {
        return reinterpret_cast<tensor_note*>(bytes.data() + header().notes_at)[i];
    }
};

void broken_kpk(const std::vector<named_graph>& integers) {
    plan_options apart;
    apart.in_place = false;
    const planned conv = need(plan(find(integers, "conv_2d_int8"), apart), "conv");
    const planned rows = need(plan([] {
                                  maker m(true);
                                  ops::conv2d op;
                                  op.window.pad_same(20, 6, 3, 3);
                                  tensor_id x = m.input({1, 20, 6, 4});
                                  for (int i = 0; i < 2; ++i) {
                                      x = m.node(op, {x, m.weights({4, 3, 3, 4})}, m.scale());
                                  }
                                  return m.finish({x});
                              }()),
                              "rows");
    put("kpk/ok_by_rows_int8.kpk", rows.bytes());
    const auto from = [&](const planned& p, const std::string& name,
                          const std::function<void(kpk_file&)>& change, bool sum = true) {
        kpk_file f(p);
        change(f);
        const bytes_view view(f.bytes.data(), f.size);
        if (sum) f.header().checksum = crc32(view.subspan(16));
        put("kpk/bad_" + name + ".kpk", view);
    };
    const auto with = [&](const std::string& name, const std::function<void(kpk_file&)>& change) {
        from(conv, name, change);
    };
    // Cut at the start of each section: with the old size, and with a size and checksum that fit.
    const std::pair<const char*, std::uint32_t executable_header::*> sections[] = {
        {"tensors", &executable_header::tensors_at},
        {"ops", &executable_header::ops_at},
        {"words", &executable_header::words_at},
        {"notes", &executable_header::notes_at},
        {"names", &executable_header::names_at},
        {"constants", &executable_header::constants_at}};
    for (const auto& [name, at] : sections) {
        from(
            conv, std::string("cut_at_") + name,
            [&, field = at](kpk_file& f) { f.size = f.header().*field; }, false);
        with(std::string("short_at_") + name, [&, field = at](kpk_file& f) {
            f.size = f.header().*field;
            f.header().file_bytes = static_cast<std::uint32_t>(f.size);
        });
    }
    from(
        conv, "cut_in_header", [](kpk_file& f) { f.size = 90; }, false);
    from(
        conv, "cut_at_0", [](kpk_file& f) { f.size = 0; }, false);
    with("magic", [](kpk_file& f) { f.header().magic = 0x324b504b; });
    with("version", [](kpk_file& f) { f.header().version = 2; });
    with("file_bytes", [](kpk_file& f) { f.header().file_bytes += 16; });
    from(
        conv, "checksum", [](kpk_file& f) { f.header().checksum ^= 1; }, false);
    with("section_misaligned", [](kpk_file& f) { f.header().words_at += 4; });
    with("section_beyond", [](kpk_file& f) { f.header().constants_at = 0xfffffff0u; });
    with("tensor_count", [](kpk_file& f) { f.header().tensor_count = 0x10000000u; });
    with("word_count", [](kpk_file& f) { f.header().word_count = 0x40000001u; });
    with("arena_odd", [](kpk_file& f) { f.header().arena_bytes += 1; });
    with("arena_small", [](kpk_file& f) { f.header().arena_bytes = 16; });
    with("inputs_beyond", [](kpk_file& f) { f.header().inputs_at = f.header().word_count; });
    with("input_number", [](kpk_file& f) { f.word(f.header().inputs_at) = 99; });
    with("input_constant",
         [](kpk_file& f) { f.word(f.header().inputs_at) = f.word(f.op(0).operands_at + 1); });
    with("names_open", [](kpk_file& f) { f.header().name_bytes -= 1; });
    with("name_beyond", [](kpk_file& f) { f.note(1).name_at = f.header().name_bytes; });

    with("dtype", [](kpk_file& f) { f.operand(0, 0).type = static_cast<dtype>(99); });
    with("place", [](kpk_file& f) { f.operand(0, 0).where = static_cast<place>(7); });
    with("encoding", [](kpk_file& f) { f.operand(0, 1).coding = encoding::huffman; });
    with("encoding_port", [](kpk_file& f) { f.operand(0, 1).coding = encoding::port; });
    with("rank", [](kpk_file& f) { f.operand(0, 0).rank = 7; });
    with("dimensions_at", [](kpk_file& f) { f.operand(0, 0).dims_at = 0xfffffffeu; });
    with("dimension_zero", [](kpk_file& f) { f.word(f.operand(0, 0).dims_at) = 0; });
    with("dimension_negative", [](kpk_file& f) { f.word(f.operand(0, 0).dims_at) = 0xffffffffu; });
    with("dimensions_overflow", [](kpk_file& f) {
        for (unsigned i = 0; i < 4; ++i) f.word(f.operand(0, 0).dims_at + i) = 1u << 16;
    });
    with("tensor_bytes", [](kpk_file& f) { f.operand(0, 0).bytes -= 1; });
    with("tensor_beyond_arena", [](kpk_file& f) { f.operand(0, 0).at = 0x0fffffffu; });
    with("tensor_beyond_constants",
         [](kpk_file& f) { f.operand(0, 1).at = f.header().constant_bytes / 16; });

    with("kernel", [](kpk_file& f) { f.op(0).kernel = 999; });
    with("kernel_of_floats", [](kpk_file& f) { f.op(0).kernel += 1; });
    with("operand_count", [](kpk_file& f) { f.op(0).inputs = 0xffff; });
    with("operand_missing", [](kpk_file& f) { f.op(0).inputs = 0; });
    with("no_output", [](kpk_file& f) { f.op(0).outputs = 0; });
    with("operands_at", [](kpk_file& f) { f.op(0).operands_at = 0xfffffff0u; });
    with("operand_number", [](kpk_file& f) { f.word(f.op(0).operands_at + 1) = 99; });
    with("writes_constant", [](kpk_file& f) {
        f.word(f.op(0).operands_at + f.op(0).inputs) = f.word(f.op(0).operands_at + 1);
    });
    with("params_at", [](kpk_file& f) { f.op(0).params_at = f.header().word_count; });
    with("flags", [](kpk_file& f) { f.op(0).flags = 2; });
    with("pack_id", [](kpk_file& f) { f.op(0).pack_id = 0x12345678; });
    with("stride_zero", [](kpk_file& f) { f.word(f.op(0).params_at) = 0; });
    with("output_overlaps_input",
         [](kpk_file& f) { f.operand(0, f.op(0).inputs).at = f.operand(0, 0).at; });
    // Multipliers come before the last input, shifts last: one beyond int32.
    with("shift", [](kpk_file& f) {
        const tensor_record& t = f.operand(0, f.op(0).inputs - 1u);
        f.bytes.data()[f.header().constants_at + t.at * 16] = std::byte{99};
    });
    from(rows, "scratch_beyond", [](kpk_file& f) { f.op(0).scratch_at = 0x0fffffffu; });
    from(rows, "scratch_overlaps", [](kpk_file& f) { f.op(0).scratch_at = f.operand(0, 0).at; });
    from(rows, "scratch_short", [](kpk_file& f) { f.op(0).scratch_bytes = 1; });
    from(rows, "rows_unmarked", [](kpk_file& f) { f.op(0).flags = 0; });
    from(need(plan(find(integers, "fully_connected_int8"), apart), "dense"), "rows_of_dense",
         [](kpk_file& f) { f.op(0).flags = op_by_rows; });
}

// --- Seeds of the other formats

void others(const file& model) {
    put("flatbuffer/ok_model.bin", model);
    {
        fb::writer w;
        const auto name = w.string("leaf");
        const auto numbers = w.vector(std::vector<std::uint16_t>{1, 2, 3});
        const auto leaf = w.table(fb::fields().reference(0, name).reference(1, numbers));
        const auto list = w.vector(std::vector<fb::offset>{leaf, leaf});
        const auto names = w.vector(std::vector<fb::offset>{name, w.string("")});
        put("flatbuffer/ok_tables.bin", need(w.finish(w.table(fb::fields()
                                                                  .scalar<std::uint8_t>(0, 7)
                                                                  .scalar<double>(1, 0.5)
                                                                  .reference(2, list)
                                                                  .variant(3, 2, leaf)
                                                                  .reference(5, names)
                                                                  .reference(6, leaf)),
                                                      "TEST"),
                                             "flatbuffer"));
    }
    for (const std::size_t n : {std::size_t{4}, model.size() / 3, model.size() - 1}) {
        put("flatbuffer/bad_cut_" + std::to_string(n) + ".bin", bytes_view(model).first(n));
    }

    put("json/ok_all.json",
        R"({"text": "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é", "int": [0, -0, 9223372036854775807,
 -9223372036854775808, 9223372036854775808], "real": [1.5e-300, -0.0, 1E5, 0.1], "": null,
 "nested": [[[[{"a": [true, false, []]}]]], {}]})");
    put("json/ok_manifest.json",
        R"({"inputs":[{"file":"in0.bin","dtype":"INT8","shape":[1,49,10,1]}],"num_samples":10})");
    put("json/ok_number.json", "-12.5e+3");
    const std::pair<const char*, const char*> texts[] = {{"cut", R"({"a": [1, 2, {"b)"},
                                                         {"key_twice", R"({"a": 1, "a": 2})"},
                                                         {"surrogate", R"(["\ud800"])"},
                                                         {"utf8", "[\"\xc0\xaf\"]"},
                                                         {"huge_number", "[1e999]"},
                                                         {"leading_zero", "[01]"},
                                                         {"comma", "[1,]"},
                                                         {"behind", "{} {}"},
                                                         {"control", "[\"\x01\"]"}};
    for (const auto& [name, text] : texts) {
        put(std::string("json/bad_") + name + ".json", std::string_view(text));
    }
    put("json/bad_deep.json", std::string_view(std::string(1500, '[')));

    using extents = std::vector<std::int64_t>;
    const float floats[] = {1.5f, -2.0f, 0.25f, 3.0f, 4.0f, 5.0f};
    const auto bytes = [](const auto& a) {
        return bytes_view(reinterpret_cast<const std::byte*>(a), sizeof a);
    };
    const file f32 = need(npy::write(dtype::f32, extents{2, 3}, bytes(floats)), "npy");
    put("npy/ok_f32.npy", f32);
    const std::int8_t small[] = {1, -2, 3};
    put("npy/ok_i8.npy", need(npy::write(dtype::i8, extents{3}, bytes(small)), "npy"));
    const std::int64_t one[] = {7};
    put("npy/ok_scalar.npy", need(npy::write(dtype::i64, extents{}, bytes(one)), "npy"));
    put("npy/ok_empty.npy", need(npy::write(dtype::u16, extents{0, 4}, {}), "npy"));
    const auto header = [&](const char* name, std::string_view old, std::string_view now) {
        std::string text(reinterpret_cast<const char*>(f32.data()), f32.size());
        const std::size_t at = text.find(old);
        if (at == std::string::npos) fatal("npy header without " + std::string(old));
        text.replace(at, old.size(), now);
        put(std::string("npy/bad_") + name + ".npy", std::string_view(text));
    };
    header("magic", "NUMPY", "NUMPX");
    header("version", std::string_view("\x01\x00", 2), std::string_view("\x09\x00", 2));
    header("big_endian", "<f4", ">f4");
    header("fortran", "False", "True ");
    header("type", "<f4", "<c8");
    header("shape", "(2, 3)", "(2, 4)");
    header("shape_overflow", "(2, 3), }                  ", "(4294967296, 4294967296), }");
    header("negative", "(2, 3)", "(-2,3)");
    put("npy/bad_cut.npy", bytes_view(f32).first(60));
    put("npy/bad_cut_data.npy", bytes_view(f32).first(f32.size() - 3));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) fatal("needs the folder of the corpus");
    folder = argv[1];
    for (const char* sub : {"tflite", "kpk", "flatbuffer", "json", "npy"}) {
        std::filesystem::create_directories(folder + "/" + sub);
    }
    const auto integers = graphs(true), floats = graphs(false);
    for (const auto* all : {&integers, &floats}) {
        for (const named_graph& x : *all) {
            put("tflite/ok_" + x.name + ".tflite", need(write_tflite(x.g), x.name));
            plan_options o;
            o.names = x.name != "add_int8"; // as firmware has it, once
            put("kpk/ok_" + x.name + ".kpk", need(plan(x.g, o), x.name).bytes());
        }
    }
    broken_tflite(integers, floats);
    broken_kpk(integers);
    others(need(write_tflite(find(floats, "branches_float")), "branches"));
}
