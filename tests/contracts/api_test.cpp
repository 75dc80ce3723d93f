// The lines that docs/contracts.md promises, as they stand there, around a small network.
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

namespace {

// A pointwise convolution, relu, and a softmax over four classes, as a .tflite file.
std::vector<std::byte> small_model() {
    graph g;
    graph_tensor x;
    x.name = "x";
    x.type = dtype::f32;
    x.shape = {dim::named("batch"), 2, 2, 3};
    g.inputs = {g.add_tensor(x)};
    const tensor_id w = g.add_constant(
        "w",
        make_constant<float>({4, 1, 1, 3}, {1, -1, 0.5f, 0.25f, 2, -2, 1, 1, 1, 0, 0.5f, -0.5f}));
    const tensor_id b = g.add_constant("b", make_constant<float>({4}, {0, 0.5f, -0.5f, 1}));
    graph_tensor y, z;
    y.name = "y";
    z.name = "z";
    const tensor_id conv = g.add_tensor(y), out = g.add_tensor(z);
    ops::conv2d c;
    c.fused = activation::relu;
    g.add_node("conv", c, {g.inputs[0], w, b}, {conv});
    g.add_node("softmax", ops::softmax(), {conv}, {out});
    g.outputs = {out};
    REQUIRE(infer(g).ok());
    auto file = write_tflite(g);
    REQUIRE(file.ok());
    return *file;
}

} // namespace

TEST_CASE("contract: API") {
    const std::vector<std::byte> bytes = small_model();
    std::vector<float> data(12 * 8);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = 0.125f * static_cast<float>(i % 31) - 1.5f;
    memory_samples calibration({data});
    std::string out;

    auto g = kompakt::read_tflite(bytes);
    REQUIRE(g.ok());
    auto q = kompakt::quantize(*g, calibration, {});
    REQUIRE(q.ok());
    auto x = kompakt::plan(*q, {});
    REQUIRE(x.ok());
    kompakt::session s(x->bytes());
    REQUIRE(s.check().ok());
    aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    const auto in = s.input<std::int8_t>(0);
    quantize_values(span<const float>(data.data(), 12), s.input_quantizer(0), in);
    s.run();
    REQUIRE(kompakt::emit_header(*x, "kws", out).ok());
    CHECK(out.find("namespace kws {") != std::string::npos);
    CHECK(out.find("inline constexpr std::size_t arena_bytes = " +
                   std::to_string(s.arena_bytes())) != std::string::npos);

    // int8 says nearly what float32 says.
    auto f = kompakt::plan(*g, {});
    REQUIRE(f.ok());
    kompakt::session reference(f->bytes());
    aligned_buffer float_arena(reference.arena_bytes());
    REQUIRE(reference.bind({float_arena.data(), float_arena.size()}).ok());
    std::copy(data.begin(), data.begin() + 12, reference.input<float>(0).begin());
    reference.run();
    for (std::size_t i = 0; i < 16; ++i) {
        const float real = s.output_quantizer(0).dequantize(s.output<std::int8_t>(0)[i]);
        CHECK(real == doctest::Approx(reference.output<float>(0)[i]).epsilon(0.05));
    }
}

TEST_CASE("contract: constants") {
    // {dtype, shape, coding, payload}, two int4 to a byte, the first in the low bits.
    constant c{dtype::i4,
               {3},
               {},
               std::make_shared<std::vector<std::byte>>(
                   std::vector<std::byte>{std::byte{0xf7}, std::byte{0x08}})};
    c.coding.kind = encoding::packed;
    c.coding.bits = 4;
    const auto dense = decode(c);
    REQUIRE(dense.ok());
    CHECK(dense->values<std::int8_t>() == std::vector<std::int8_t>{7, -1, -8});

    // What has no decoder yet is refused by name, never guessed.
    for (const encoding e : {encoding::codebook, encoding::bitmask, encoding::n_of_m,
                             encoding::csr_delta, encoding::block, encoding::huffman}) {
        c.coding.kind = e;
        const auto refused = decode(c);
        REQUIRE(!refused.ok());
        CHECK(std::string(refused.error().message()).find(name_of(e)) != std::string::npos);
    }

    quantization q;
    q.scheme = scheme::affine;
    q.bits = 8;
    q.axis = 0;
    q.group = 0;
    q.scales = {1.0f, 2.0f};
    q.zero_points = {0, 0};
    CHECK(!q.per_tensor());
}

TEST_CASE("contract: shapes") {
    const auto g = read_tflite(small_model());
    REQUIRE(g.ok());
    CHECK(g->tensor(g->inputs[0]).shape[0].symbol() == "batch");
    const auto bound = kompakt::bind(*g, {{"batch", 32}});
    REQUIRE(bound.ok());
    CHECK(bound->tensor(bound->outputs[0]).shape == shape{32, 2, 2, 4});
    CHECK(plan(*bound).ok());
    CHECK(!kompakt::bind(*g, {{"batch", 0}}).ok());
}
