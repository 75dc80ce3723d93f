#include <kompakt/graph/ops/batch_norm.hpp>
#include <kompakt/io/tflite/model_reader.hpp>
#include <kompakt/io/tflite/model_writer.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>

#include <doctest/doctest.h>
#include <functional>
#include <io/run_model.hpp>
#include <memory>
#include <support/data.hpp>

namespace fb = kompakt::flatbuffer;
namespace tf = kompakt::tflite;
namespace ops = kompakt::ops;
using kompakt::dtype;
using kompakt::graph;
using kompakt_test::file_bytes;
using kompakt_test::read_file;

namespace {

const char* const model_files[] = {"ad01_fp32/ad01_fp32.tflite",
                                   "ad01_int8/ad01_int8.tflite",
                                   "hello_world_float/hello_world_float.tflite",
                                   "hello_world_int8/hello_world_int8.tflite",
                                   "kws_fp32/kws_ref_model_float32_ORIGINAL_hybrid.tflite",
                                   "kws_fp32/kws_ref_model_float32_dequant.tflite",
                                   "kws_int8/kws_ref_model.tflite",
                                   "micro_speech/micro_speech_quantized.tflite",
                                   "person_detect/person_detect.tflite",
                                   "resnet8_fp32/pretrainedResnet.tflite",
                                   "resnet8_int8/pretrainedResnet_quant.tflite",
                                   "vww_int8/vww_96_int8.tflite"};

// Everything that a graph says, as text.
class printer : public kompakt::attribute_visitor {
  public:
    std::string out;

    void operator()(const char* name, std::int32_t& v) override { add(name, std::to_string(v)); }
    void operator()(const char* name, float& v) override { add(name, std::to_string(v)); }
    void operator()(const char* name, bool& v) override { add(name, v ? "true" : "false"); }
    void operator()(const char* name, kompakt::activation& v) override {
        add(name, kompakt::name_of(v));
    }
    void operator()(const char* name, std::vector<std::int32_t>& v) override {
        std::string s;
        for (auto x : v) s += std::to_string(x) + ' ';
        add(name, s);
    }
    void operator()(const char* name, kompakt::shape& v) override { add(name, text_of(v)); }

  private:
    void add(const char* name, const std::string& value) {
        out += std::string(" ") + name + "=" + value;
    }
};

std::string text_of_graph(graph g) {
    printer p;
    const auto ids = [&](const std::vector<kompakt::tensor_id>& all) {
        for (auto t : all) p.out += ' ' + (t == kompakt::no_tensor ? "-" : std::to_string(t));
    };
    p.out += g.name + "\nin";
    ids(g.inputs);
    p.out += "\nout";
    ids(g.outputs);
    for (kompakt::tensor_id i = 0; i < g.tensor_count(); ++i) {
        const auto& t = g.tensor(i);
        p.out += "\n" + std::to_string(i) + " " + t.name + " " + name_of(t.type) + text_of(t.shape);
        if (t.quantization) {
            p.out += " bits " + std::to_string(t.quantization->bits) + " axis " +
                     std::to_string(t.quantization->axis);
            for (float s : t.quantization->scales) p.out += " " + std::to_string(s * 1e6f);
            for (auto z : t.quantization->zero_points) p.out += " " + std::to_string(z);
        }
        if (t.value) {
            p.out += std::string(" ") + name_of(t.value->coding.kind) + " crc " +
                     std::to_string(kompakt::crc32(t.value->bytes()));
        }
    }
    for (auto n : g.order()) {
        auto& x = g.node_at(n);
        p.out += "\n" + g.node_text(n);
        ids(x.inputs);
        p.out += " ->";
        ids(x.outputs);
        x.op->visit(p);
    }
    return p.out;
}

// From a heap block of exactly this size, so that the address sanitizer sees a byte too many.
kompakt::result<graph> read(const file_bytes& f, std::size_t size = SIZE_MAX) {
    size = std::min(size, f.size());
    const std::unique_ptr<std::byte[]> copy(new std::byte[size]);
    std::copy_n(f.data(), size, copy.get());
    return kompakt::read_tflite({copy.get(), size});
}

file_bytes write(const graph& g) {
    auto w = kompakt::write_tflite(g);
    REQUIRE_MESSAGE(w.ok(), std::string(w.error().message()));
    return std::move(*w);
}

// Reads; plans and runs what is a model and small. For broken files: that it does not crash.
bool survives(const file_bytes& f, std::size_t size = SIZE_MAX) {
    auto g = read(f, size);
    if (!g.ok()) return g.error().message()[0] != '\0';
    auto b = kompakt::bind(*g, {{"batch", 1}});
    if (!b.ok() || kompakt::macs(*b) > 1000000) return true;
    auto p = kompakt::plan(*b);
    if (!p.ok() || p->arena_bytes > 1 << 20) return true;
    kompakt_test::runner r(std::move(*p));
    if (!r.bound.ok()) return false;
    r.session.run();
    return true;
}

void break_everywhere(const file_bytes& f, std::size_t flips, std::size_t cuts) {
    const std::size_t bits = f.size() * 8;
    const std::size_t step = std::max(bits / flips, std::size_t{1});
    file_bytes broken = f;
    int failures = 0;
    // An odd stride meets all bit numbers.
    for (std::size_t at = 0; at < bits; at += step | 1) {
        broken[at / 8] ^= std::byte(1u << at % 8);
        failures += !survives(broken);
        broken[at / 8] = f[at / 8];
    }
    for (std::size_t size = 0; size < f.size(); size += std::max(f.size() / cuts, std::size_t{1})) {
        failures += !survives(f, size);
    }
    CHECK(failures == 0);
}

kompakt::quantization per_tensor(float scale, std::int32_t zero_point) {
    return kompakt::quantization::per_tensor_affine(scale, zero_point);
}

struct graph_maker {
    graph g;

    kompakt::tensor_id tensor(const std::string& name, dtype t, kompakt::shape s,
                              std::optional<kompakt::quantization> q = std::nullopt) {
        kompakt::graph_tensor x;
        x.name = name;
        x.type = t;
        x.shape = std::move(s);
        x.quantization = std::move(q);
        return g.add_tensor(std::move(x));
    }
    kompakt::tensor_id weights(const std::string& name, kompakt::shape s, bool int8,
                               int axis = -1) {
        const std::size_t n = *kompakt::element_count(s);
        kompakt::tensor_id t = 0;
        if (int8) {
            std::vector<std::int8_t> v(n);
            for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::int8_t>(i * 37 % 255 - 127);
            t = g.add_constant(name, kompakt::make_constant(s, v));
            kompakt::quantization q = per_tensor(0.01f, 0);
            if (axis >= 0) {
                const auto channels =
                    static_cast<std::size_t>(s[static_cast<std::size_t>(axis)].value());
                q.axis = axis;
                q.scales.assign(channels, 0.01f);
                q.zero_points.assign(channels, 0);
                for (std::size_t i = 0; i < channels; ++i)
                    q.scales[i] += 0.001f * static_cast<float>(i);
            }
            g.tensor(t).quantization = q;
        } else {
            std::vector<float> v(n);
            for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % 101) * 0.02f - 1;
            t = g.add_constant(name, kompakt::make_constant(s, v));
        }
        return t;
    }
    // One node with one output, whose type and shape infer finds.
    template <class Op>
    kompakt::tensor_id node(Op op, std::vector<kompakt::tensor_id> in, dtype t,
                            std::optional<kompakt::quantization> q = std::nullopt) {
        const std::string name = std::string(Op::op_name) + std::to_string(g.node_count());
        const auto out = tensor(name, t, {}, std::move(q));
        g.add_node(name, std::move(op), std::move(in), {out});
        return out;
    }
};

// All operators that can be written, in a chain of int8 or float32.
graph sample(bool int8, kompakt::dim batch = 1) {
    graph_maker m;
    const dtype t = int8 ? dtype::i8 : dtype::f32;
    const auto q = [&](float scale = 0.05f, std::int32_t zero = 3) {
        return int8 ? std::optional<kompakt::quantization>(per_tensor(scale, zero)) : std::nullopt;
    };
    m.g.name = "sample";
    auto x = m.tensor("in", dtype::f32, {batch, 9, 8, 3});
    m.g.inputs = {x};
    if (int8) x = m.node(ops::quantize(), {x}, t, q());
    ops::conv2d conv;
    conv.fused = kompakt::activation::relu6;
    conv.window.stride_h = 2;
    conv.window.pad_same(9, 8, 3, 3);
    x = m.node(conv, {x, m.weights("w0", {4, 3, 3, 3}, int8, 0)}, t, q());
    ops::conv2d symmetric; // neither SAME nor VALID
    symmetric.window.stride_w = 2;
    symmetric.window.pad_left = symmetric.window.pad_right = 1;
    const auto bias =
        int8 ? m.g.add_constant("b", kompakt::make_constant<std::int32_t>({4}, {1, -2, 3, 4}))
             : m.weights("b", {4}, false);
    x = m.node(symmetric, {x, m.weights("w1", {4, 1, 3, 4}, int8), bias}, t, q());
    ops::depthwise_conv2d depthwise;
    depthwise.window.dilation_h = 2;
    depthwise.window.pad_same(5, 4, 2, 2);
    x = m.node(depthwise, {x, m.weights("w2", {1, 2, 2, 8}, int8, 3)}, t, q());
    ops::max_pool2d max;
    max.kernel_h = max.kernel_w = 2;
    max.window.pad_top = 1;
    x = m.node(max, {x}, t, q());
    ops::average_pool2d average;
    average.kernel_h = average.kernel_w = 3;
    average.window.pad_same(5, 3, 3, 3);
    x = m.node(average, {x}, t, q());
    auto y = m.node(ops::relu(), {x}, t, q());
    ops::relu six;
    six.kind = ops::relu_kind::relu6;
    y = m.node(six, {y}, t, q());
    y = m.node(ops::add(), {x, y}, t, q(0.1f));
    y = m.node(ops::mul(), {x, y}, t, q(0.1f));
    y = m.node(ops::sub(), {y, x}, t, q());
    ops::concatenation joined;
    joined.axis = -1;
    x = m.node(joined, {x, y}, t, q());
    ops::pad padded;
    padded.before = {0, 1, 0, 0}, padded.after = {0, 0, 2, 0};
    x = m.node(padded, {x}, t, q());
    padded.value = 0.25f;
    x = m.node(padded, {x}, t, q());
    ops::transpose turned;
    turned.perm = {0, 2, 1, 3};
    x = m.node(turned, {x}, t, q());
    ops::mean mean;
    mean.axes = {1, 2};
    x = m.node(mean, {x}, t, q());
    ops::reshape flat;
    flat.target = {kompakt::dim(-1), kompakt::dim(16)};
    x = m.node(flat, {x}, t, q());
    ops::fully_connected dense;
    x = m.node(dense, {x, m.weights("w3", {5, 16}, int8, int8 ? 0 : -1), kompakt::no_tensor}, t,
               q());
    const auto logits = m.node(ops::logistic(), {x}, t, q(1.0f / 256, -128));
    ops::softmax soft;
    soft.beta = 0.5f;
    x = m.node(soft, {x}, t, q(1.0f / 256, -128));
    if (int8) x = m.node(ops::dequantize(), {x}, dtype::f32);
    m.g.outputs = {x, logits};
    const auto s = kompakt::infer(m.g);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return std::move(m.g);
}

std::vector<file_bytes> outputs_of(const graph& g) {
    auto p = kompakt::plan(g);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    kompakt_test::runner r(std::move(*p));
    REQUIRE_MESSAGE(r.bound.ok(), std::string(r.bound.message()));
    auto in = r.session.input<float>(0);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 29 % 83) * 0.1f - 4;
    r.session.run();
    std::vector<file_bytes> all;
    for (std::size_t i = 0; i < r.session.outputs(); ++i) {
        const auto bytes = r.session.output_bytes(i);
        all.emplace_back(bytes.begin(), bytes.end());
    }
    return all;
}

// A model of one ADD (tensors 0: input, 1: constant, 2: output, [1, 4] float32) whose parts
// can be made wrong.
struct tiny {
    std::string identifier = "TFL3";
    std::uint32_t version = 3;
    std::int8_t narrow_code = 0;
    std::int32_t code = 0, op_version = 1;
    std::string custom;
    std::uint32_t code_index = 0;
    std::vector<std::int32_t> dims = {1, 4}, constant_dims = {1, 4}, output_dims = {1, 4},
                              signature;
    std::int8_t type = 0;
    std::uint32_t buffer = 1;
    std::size_t buffer_bytes = 16;
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;
    std::vector<std::int32_t> op_inputs = {0, 1}, op_outputs = {2}, inputs = {0}, outputs = {2};
    std::uint8_t options_type = 11;
    fb::fields options, operator_extra, constant_extra, buffer_extra;
    int operators = 1, signature_subgraph = -1;
    std::size_t more_tensors = 0;

    file_bytes make() const {
        fb::writer w;
        const auto data = w.bytes(file_bytes(buffer_bytes), 16);
        fb::fields b = buffer_extra;
        const std::vector<fb::offset> buffers = {w.table({}), w.table(b.reference(0, data))};
        const auto name = custom.empty() ? fb::offset() : w.string(custom);
        const auto op_code = w.table(fb::fields()
                                         .scalar<std::int8_t>(0, narrow_code, 0)
                                         .reference(1, name)
                                         .scalar<std::int32_t>(2, op_version, 1)
                                         .scalar<std::int32_t>(3, code, 0));
        const auto quantization = w.table(
            fb::fields().reference(2, w.vector(scales)).reference(3, w.vector(zero_points)));
        const auto tensor = [&](fb::fields f, const std::vector<std::int32_t>& d, std::uint32_t buf,
                                bool open) {
            const auto shape = w.vector(d);
            if (open && !signature.empty()) f.reference(7, w.vector(signature));
            return w.table(f.reference(0, shape)
                               .scalar<std::int8_t>(1, type, 0)
                               .scalar<std::uint32_t>(2, buf, 0)
                               .reference(4, quantization));
        };
        std::vector<fb::offset> tensors = {tensor({}, dims, 0, true),
                                           tensor(constant_extra, constant_dims, buffer, false),
                                           tensor({}, output_dims, 0, false)};
        for (std::size_t i = 0; i < more_tensors; ++i) {
            tensors.push_back(tensor({}, constant_dims, buffer, false));
        }
        std::vector<fb::offset> all;
        for (int i = 0; i < operators; ++i) {
            fb::fields f = operator_extra;
            const auto in = w.vector(op_inputs), out = w.vector(op_outputs);
            const auto o = options_type != 0 ? w.table(options) : fb::offset();
            all.push_back(w.table(f.scalar<std::uint32_t>(0, code_index, 0)
                                      .reference(1, in)
                                      .reference(2, out)
                                      .variant(3, options_type, o)));
        }
        const auto list = w.vector(tensors);
        const auto in = w.vector(inputs), out = w.vector(outputs);
        const auto subgraph =
            w.table(fb::fields().reference(0, list).reference(1, in).reference(2, out).reference(
                3, w.vector(all)));
        fb::offset signatures;
        if (signature_subgraph >= 0) {
            const auto key = w.string("serve");
            signatures = w.vector({w.table(fb::fields().reference(2, key).scalar<std::uint32_t>(
                4, static_cast<std::uint32_t>(signature_subgraph), 0))});
        }
        auto file = w.finish(w.table(fb::fields()
                                         .scalar<std::uint32_t>(0, version, 0)
                                         .reference(1, w.vector({op_code}))
                                         .reference(2, w.vector({subgraph}))
                                         .reference(4, w.vector(buffers))
                                         .reference(7, signatures)),
                             identifier);
        REQUIRE_MESSAGE(file.ok(), std::string(file.error().message()));
        return std::move(*file);
    }
};

// What is said of a tiny model after a change.
std::string message_of(const std::function<void(tiny&)>& change) {
    tiny t;
    change(t);
    const file_bytes f = t.make();
    CHECK(survives(f));
    const auto g = read(f);
    return g.ok() ? "read" : g.error().message();
}

} // namespace

TEST_CASE("tflite: every model is read, and written as an equal graph") {
    for (const char* model : model_files) {
        const std::string path = kompakt_test::test_data(std::string("data/tflite/") + model);
        if (path.empty()) return;
        const std::string name = model;
        CAPTURE(name);
        const auto g = read(read_file(path));
        REQUIRE_MESSAGE(g.ok(), std::string(g.error().message()));
        const file_bytes written = write(*g);
        const auto again = read(written);
        REQUIRE_MESSAGE(again.ok(), std::string(again.error().message()));
        CHECK(text_of_graph(*again) == text_of_graph(*g));
        CHECK((write(*again) == written));
    }
}

TEST_CASE("tflite: all operators are written and read back") {
    for (const bool int8 : {false, true}) {
        CAPTURE(int8);
        const graph g = sample(int8);
        const file_bytes f = write(g);
        CHECK((write(g) == f));
        const auto back = read(f);
        REQUIRE_MESSAGE(back.ok(), std::string(back.error().message()));
        // The pads that TensorFlow Lite cannot say became operators: two nodes more.
        CHECK(back->order().size() == g.order().size() + 2);
        CHECK((outputs_of(*back) == outputs_of(g)));
        const auto again = read(write(*back));
        REQUIRE_MESSAGE(again.ok(), std::string(again.error().message()));
        CHECK(text_of_graph(*again) == text_of_graph(*back));
        CHECK((write(*again) == write(*back)));
    }
}

TEST_CASE("tflite: open dimensions are symbols") {
    const graph g = sample(false, kompakt::dim::named("batch"));
    auto back = read(write(g));
    REQUIRE_MESSAGE(back.ok(), std::string(back.error().message()));
    CHECK(back->tensor(back->inputs[0]).shape[0] == kompakt::dim::named("batch"));
    CHECK(back->tensor(back->outputs[0]).shape[0] == kompakt::dim::named("batch"));
    auto bound = kompakt::bind(*back, {{"batch", 2}});
    REQUIRE_MESSAGE(bound.ok(), std::string(bound.error().message()));
    CHECK(bound->tensor(bound->outputs[0]).shape[0] == kompakt::dim(2));

    CHECK(message_of([](tiny& t) { t.dims = {1, 4}, t.signature = {-1, 4}; }) == "read");
    CHECK(message_of([](tiny& t) {
              t.dims = {0, 4}, t.signature = {-1, 4};
          }).find("dimension 0 is 0, needed at least 1") != std::string::npos);
    // Made for a batch of two, though converted for any.
    tiny two;
    two.dims = two.output_dims = {2, 4}, two.signature = {-1, 4};
    const auto pair = read(two.make());
    REQUIRE_MESSAGE(pair.ok(), std::string(pair.error().message()));
    CHECK(pair->tensor(pair->inputs[0]).shape == kompakt::shape{2, 4});
    CHECK(pair->tensor(pair->outputs[0]).shape == kompakt::shape{2, 4});
    tiny t;
    t.signature = {1, -1}, t.dims = {1, 1};
    const auto named = read(t.make());
    REQUIRE_MESSAGE(named.ok(), std::string(named.error().message()));
    CHECK(text_of(named->tensor(0).shape) == "[1, dim1]");
    CHECK(message_of([](tiny& x) { x.signature = {-1}; }).find("1 in the signature") !=
          std::string::npos);
    CHECK(message_of([](tiny& x) {
              x.signature = {3, 4};
          }).find("in the signature") != std::string::npos);
}

TEST_CASE("tflite: a file as other runtimes want it") {
    const file_bytes f = write(sample(true));
    fb::reader in(kompakt::bytes_view(f.data(), f.size()));
    const fb::table_ref model = in.root("TFL3");
    CHECK(model.scalar<std::uint32_t>(0) == 3);
    const auto buffers = model.tables(4);
    REQUIRE(buffers.size() > 1);
    CHECK(!buffers[0].has(0));
    for (const fb::table_ref b : buffers) {
        if (b.has(0)) CHECK(b.vector<std::uint8_t>(0).position() % 16 == 0);
    }
    for (const fb::table_ref code : model.tables(1)) {
        CHECK(code.scalar<std::int8_t>(0) == code.scalar<std::int32_t>(3));
        if (code.scalar<std::int32_t>(3) == 3) CHECK(code.scalar<std::int32_t>(2, 1) == 3);
    }
    for (const fb::table_ref t : model.tables(2)[0].tables(0)) {
        const fb::table_ref q = t.table(4);
        if (t.string(3) == "w2") {
            CHECK(q.scalar<std::int32_t>(6) == 3);
            CHECK(q.vector<float>(2).size() == 8);
            CHECK(q.vector<std::int64_t>(3).size() == 8);
        }
    }
    CHECK(in.check().ok());
}

TEST_CASE("tflite: int4 weights stay packed") {
    graph_maker m;
    m.g.inputs = {m.tensor("in", dtype::i8, {1, 3}, per_tensor(0.1f, 0))};
    const auto w = m.g.add_constant(
        "w", {dtype::i4,
              {1, 3},
              {},
              std::make_shared<file_bytes>(file_bytes{std::byte(0x8f), std::byte(7)})});
    m.g.tensor(w).value->coding.kind = kompakt::encoding::packed;
    m.g.tensor(w).value->coding.bits = 4;
    m.g.tensor(w).quantization = per_tensor(0.5f, 0);
    m.g.tensor(w).quantization->bits = 4;
    m.g.outputs = {
        m.node(ops::fully_connected(), {m.g.inputs[0], w}, dtype::i8, per_tensor(0.1f, 0))};
    REQUIRE(kompakt::infer(m.g).ok());
    const auto back = read(write(m.g));
    REQUIRE_MESSAGE(back.ok(), std::string(back.error().message()));
    CHECK(text_of_graph(*back) == text_of_graph(m.g));
    CHECK(kompakt::decode(*back->tensor(1).value)->values<std::int8_t>() ==
          std::vector<std::int8_t>{-1, -8, 7});
}

TEST_CASE("tflite: what the format cannot hold is an error by name") {
    const auto error = [](const graph& g) {
        const auto w = kompakt::write_tflite(g);
        return std::string(w.ok() ? "written" : w.error().message());
    };
    {
        graph_maker m;
        m.g.inputs = {m.tensor("in", dtype::f32, {1, 4})};
        const auto c = [&](const char* n) { return m.weights(n, {4}, false); };
        m.g.outputs = {m.node(ops::batch_norm(),
                              {m.g.inputs[0], c("gamma"), c("beta"), c("mean"), c("variance")},
                              dtype::f32)};
        CHECK(error(m.g) ==
              "tflite: node 0 batch_norm (batch_norm0): TensorFlow Lite has no such operator");
    }
    {
        graph g = sample(false);
        g.tensor(1).value->coding.kind = kompakt::encoding::bitmask;
        CHECK(error(g).find("tensor w0: TensorFlow Lite cannot hold the encoding bitmask") !=
              std::string::npos);
    }
    {
        graph g = sample(true);
        g.tensor(2).quantization->group = 8;
        CHECK(error(g).find("tensor w0: quantization that is not affine") != std::string::npos);
    }
    {
        graph_maker m;
        m.g.inputs = {m.tensor("in", dtype::f32, {1, 4, 4, 1})};
        ops::average_pool2d p;
        p.kernel_h = p.kernel_w = 2;
        p.window.pad_top = 1;
        m.g.outputs = {m.node(p, {m.g.inputs[0]}, dtype::f32)};
        CHECK(error(m.g).find("average_pool_2d (average_pool_2d0): padding 1, 0, 0, 0") !=
              std::string::npos);
    }
}

TEST_CASE("tflite: old and new fields of operator codes") {
    CHECK(message_of([](tiny&) {}) == "read");
    CHECK(message_of([](tiny& t) { t.narrow_code = 18, t.options_type = 21; }) == "read");
    CHECK(message_of([](tiny& t) { t.code = 18, t.options_type = 21; }) == "read");
    CHECK(message_of([](tiny& t) {
              t.narrow_code = 127, t.code = 152, t.options_type = 0, t.op_inputs = {0};
          }) == "read");
}

TEST_CASE("tflite: broken models are refused by name") {
    const std::pair<const char*, std::function<void(tiny&)>> cases[] = {
        {"needs the identifier \"TFL3\"", [](tiny& t) { t.identifier = "TFL2"; }},
        {"schema version 2, needed 3", [](tiny& t) { t.version = 2; }},
        {"operator 0 LSTM is not supported", [](tiny& t) { t.code = 16; }},
        {"operator 0 CUSTOM Foo is not supported", [](tiny& t) { t.code = 32, t.custom = "Foo"; }},
        {"builtin operator 9999 is not supported", [](tiny& t) { t.code = 9999; }},
        {"builtin operator -7 is not supported", [](tiny& t) { t.code = t.narrow_code = -7; }},
        {"operator 0 ADD: version 99, needed at most 5", [](tiny& t) { t.op_version = 99; }},
        {"operator code 7 of 1", [](tiny& t) { t.code_index = 7; }},
        {"more than 2147483647 elements",
         [](tiny& t) {
             t.dims = t.constant_dims = t.output_dims = {65536, 65536};
         }},
        {"more than 2147483647 elements",
         [](tiny& t) {
             t.dims = t.output_dims = {65536, 65536};
         }},
        {"input tensor0 is empty",
         [](tiny& t) {
             t.dims = {0, 4};
         }},
        {"dimension 0 is -5",
         [](tiny& t) {
             t.dims = {-5, 4};
         }},
        {"rank 9, needed at most 8", [](tiny& t) { t.dims.assign(9, 1); }},
        {"ADD: input 1 is tensor 9 of 3",
         [](tiny& t) {
             t.op_inputs = {0, 9};
         }},
        {"ADD: input 1 is missing",
         [](tiny& t) {
             t.op_inputs = {0, -1};
         }},
        {"input 0 is tensor -2 of 3", [](tiny& t) { t.inputs = {-2}; }},
        {"output 0 is tensor 3 of 3", [](tiny& t) { t.outputs = {3}; }},
        {"the model has no output", [](tiny& t) { t.outputs = {}; }},
        {"has 3 inputs and 1 outputs",
         [](tiny& t) {
             t.op_inputs = {0, 1, 1};
         }},
        {"tensor tensor1: buffer 9 of 2", [](tiny& t) { t.buffer = 9; }},
        {"tensor tensor1: [1, 4] float32 needs 16 bytes, buffer 1 has 12",
         [](tiny& t) { t.buffer_bytes = 12; }},
        {"reads tensor1 before it is written", [](tiny& t) { t.buffer = 0; }},
        {"reads tensor2 before it is written",
         [](tiny& t) {
             t.op_inputs = {0, 2};
         }},
        {"writes tensor2, which has a value already", [](tiny& t) { t.operators = 2; }},
        {"graph input tensor0 is given twice",
         [](tiny& t) {
             t.inputs = {0, 0};
         }},
        {"graph input tensor1 is given twice", [](tiny& t) { t.inputs = {1}; }},
        {"type STRING is not supported", [](tiny& t) { t.type = 5; }},
        {"tensor tensor0: type 99", [](tiny& t) { t.type = 99; }},
        {"2 scales and 3 zero points",
         [](tiny& t) {
             t.type = 2, t.scales = {1, 1}, t.zero_points = {0, 0, 0};
         }},
        {"2 scales for axis 0 of [1, 4]",
         [](tiny& t) {
             t.type = 2, t.scales = {1, 1};
         }},
        {"needed a positive number", [](tiny& t) { t.type = 2, t.scales = {0}; }},
        {"needed a positive number", [](tiny& t) { t.type = 2, t.scales = {std::nanf("")}; }},
        {"zero point 300 outside int8",
         [](tiny& t) { t.type = 9, t.scales = {1}, t.zero_points = {300}, t.buffer_bytes = 4; }},
        {"zero point 4294967296 outside int32",
         [](tiny& t) { t.type = 2, t.scales = {1}, t.zero_points = {std::int64_t{1} << 32}; }},
        {"tensor tensor1: a variable with elements of its own",
         [](tiny& t) { t.constant_extra.scalar<bool>(5, true); }},
        {"tensor tensor1: its elements are in another file",
         [](tiny& t) { t.constant_extra.scalar<std::uint32_t>(10, 1); }},
        {"buffer 1 lies behind the FlatBuffer",
         [](tiny& t) { t.buffer_extra.scalar<std::uint64_t>(1, 4096); }},
        {"options of type 8, needed 11", [](tiny& t) { t.options_type = 8; }},
        {"option number 9 is not known", [](tiny& t) { t.options.scalar<std::int32_t>(9, 1); }},
        {"fused activation TANH", [](tiny& t) { t.options.scalar<std::int8_t>(0, 4); }},
        {"fused activation 77", [](tiny& t) { t.options.scalar<std::int8_t>(0, 77); }},
        {"options of the second kind",
         [](tiny& t) { t.operator_extra.scalar<std::uint8_t>(11, 1); }},
        {"custom options of a builtin operator",
         [](tiny& t) { t.operator_extra.scalar<std::uint64_t>(10, 8); }},
        {"signature serve runs subgraph 1 (missing)", [](tiny& t) { t.signature_subgraph = 1; }},
        {"ADD: output tensor2 is float32 [1, 5] in the file, needed float32 [1, 4]",
         [](tiny& t) {
             t.output_dims = {1, 5};
         }},
        {"do not broadcast",
         [](tiny& t) {
             t.dims = {1, 5};
         }},
        {"stride 0x0", [](tiny& t) { t.code = 1, t.options_type = 5, t.op_inputs = {0}; }},
        {"filter [1, 4], needed four numbers", [](tiny& t) { t.code = 3, t.options_type = 1; }},
        {"stride 0x0", [](tiny& t) { t.code = 12, t.options_type = 5, t.op_inputs = {0}; }},
        {"TRANSPOSE_CONV: filter [1, 4], needed four numbers",
         [](tiny& t) {
             t.code = 67, t.options_type = 49, t.op_inputs = {1, 1, 0};
         }},
        {"output shape (tensor tensor1) is float32, needed int32",
         [](tiny& t) {
             t.code = 67, t.options_type = 49, t.op_inputs = {1, 1, 0};
             t.dims = t.constant_dims = t.output_dims = {1, 1, 1, 4};
         }},
        {"BATCH_MATMUL: inputs [1, 4] and [1, 4] do not fit",
         [](tiny& t) { t.code = 126, t.options_type = 101; }},
        {"option number 3 is not known",
         [](tiny& t) {
             t.code = 126, t.options_type = 101, t.options.scalar<bool>(3, true);
             t.options.scalar<bool>(1, true);
         }},
        {"bias type 2 without such a bias",
         [](tiny& t) { t.code = 9, t.options_type = 8, t.options.scalar<std::int8_t>(4, 2); }},
        {"shape (tensor tensor1) is float32, needed int32",
         [](tiny& t) { t.code = 22, t.options_type = 17; }},
        {"paddings (tensor tensor0) is not constant",
         [](tiny& t) { t.code = 34, t.options_type = 22, t.op_inputs = {1, 0}; }},
        {"has no shape", [](tiny& t) { t.code = 22, t.options_type = 17, t.op_inputs = {0}; }},
    };
    for (const auto& [text, change] : cases) {
        const std::string wanted = text, message = message_of(change);
        CHECK_MESSAGE(message.find(wanted) != std::string::npos, message, " | wanted: ", wanted);
    }
}

TEST_CASE("tflite: tensors share the bytes of a shared buffer") {
    tiny t;
    t.constant_dims = {1, 25000};
    t.dims = t.output_dims = {1, 1};
    t.output_dims = {1, 25000};
    t.buffer_bytes = 100000;
    t.more_tensors = 3000;
    const auto g = read(t.make());
    REQUIRE_MESSAGE(g.ok(), std::string(g.error().message()));
    CHECK((g->tensor(1).value->payload == g->tensor(3000).value->payload));
}

TEST_CASE("tflite: broken bytes do no harm") {
    for (const bool int8 : {false, true}) {
        break_everywhere(write(sample(int8)), kompakt_test::test_full() ? SIZE_MAX : 6000, 500);
    }
    break_everywhere(tiny().make(), SIZE_MAX, 10000);
}

TEST_CASE("tflite: broken models do no harm") {
    for (const char* model : model_files) {
        const std::string path = kompakt_test::test_data(std::string("data/tflite/") + model);
        if (path.empty()) return;
        const bool whole = std::string(model).find("hello_world") == 0 || kompakt_test::test_full();
        break_everywhere(read_file(path), whole ? SIZE_MAX : 500, 200);
    }
}
