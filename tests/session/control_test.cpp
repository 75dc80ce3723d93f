// Conditions and loops: as graphs, planned in every way, and as TensorFlow Lite files.
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/plan/constant_folding.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>
#include <string>
#include <support/control_graph.hpp>
#include <support/text.hpp>

using namespace kompakt;
using namespace kompakt_test::control;
using kompakt_test::has;

namespace {

void check_runs(const graph& g, const plan_options& options, int fill_byte = 0,
                std::size_t times = 1) {
    const auto p = plan(g, options);
    REQUIRE_MESSAGE(p.ok(), p.error().message());
    session s(p->bytes());
    REQUIRE_MESSAGE(s.check().ok(), s.check().message());
    aligned_buffer arena(s.arena_bytes() * times);
    std::memset(arena.data(), fill_byte, arena.size());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    for (unsigned bits = 0; bits < 8; ++bits) {
        const bool f[3] = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
        for (std::size_t i = 0; i < 3; ++i) s.input_bytes(i)[0] = std::byte{f[i]};
        for (std::size_t i = 0; i < 6; ++i) {
            s.input<float>(3)[i] = static_cast<float>(i) - 2.5f;
        }
        s.run();
        for (std::size_t i = 0; i < 6; ++i) {
            const looped_result r = looped_reference(f, static_cast<float>(i) - 2.5f);
            CAPTURE(bits);
            CHECK(s.output<float>(0)[i] == r.sum);
            CHECK(s.output<float>(1)[i] == r.same);
            CHECK(s.output<float>(2)[i] == static_cast<float>(i) - 2.5f);
        }
    }
}

std::string refusal(const graph& g) {
    graph copy = g;
    const status s = infer(copy);
    return s.ok() ? std::string() : s.message();
}

} // namespace

TEST_CASE("conditions and loops give what they should, however they are planned") {
    const graph g = looped();
    for (int k = 0; k < 8; ++k) {
        plan_options o;
        o.in_place = (k & 1) != 0;
        o.keep_inputs = (k & 2) != 0;
        o.keep_all = (k & 4) != 0;
        check_runs(g, o);
    }
    for (const int fill_byte : {0x00, 0xaa, 0xff}) check_runs(g, {}, fill_byte, 10);
}

TEST_CASE("conditions and loops survive being written and read") {
    const auto bytes = write_tflite(looped());
    REQUIRE_MESSAGE(bytes.ok(), bytes.error().message());
    const auto back = read_tflite({bytes->data(), bytes->size()});
    REQUIRE_MESSAGE(back.ok(), back.error().message());
    check_runs(*back, {});
    const auto again = write_tflite(*back);
    REQUIRE(again.ok());
    CHECK(*again == *bytes);
}

TEST_CASE("nobody runs a loop ahead of time") {
    // A loop over constants that would never end.
    graph g;
    {
        block_builder b;
        const tensor_id f = b.input("f", dtype::boolean, {1});
        const graph same = b.finish({f});
        ops::while_op op;
        op.condition = op.body = shared(same);
        block_builder m;
        const tensor_id yes = m.g.add_constant(
            "true", make_constant_bytes(dtype::boolean, {1},
                                        bytes_view(std::vector<std::byte>(1, std::byte{1}))));
        const tensor_id out = m.node(op, {yes});
        ops::reshape r;
        r.target = {1, 1};
        g = m.finish({m.node(r, {out})});
    }
    REQUIRE(passes::fold_constants(g).ok());
    CHECK(g.order().size() == 2);
}

TEST_CASE("blocks that do not fit are refused") {
    const auto with = [](auto&& change) {
        block_builder b;
        const tensor_id f = b.input("f", dtype::boolean, {1});
        const tensor_id x = b.input("x", dtype::f32, {2, 3});
        std::vector<tensor_id> in = {f, x};
        ops::if_op op = choice();
        change(b, op, in);
        b.g.add_node("", op, in, {b.value("o", dtype::none, {}), b.value("p", dtype::none, {})});
        b.g.outputs = {b.g.node_at(0).outputs[0]};
        return refusal(b.g);
    };
    CHECK(with([](auto&, auto&, auto&) {}) == "");
    CHECK(has(with([](auto&, auto& op, auto&) { op.else_block = nullptr; }), "missing"));
    CHECK(has(with([](auto& b, auto&, auto& in) { in[0] = b.g.inputs[1]; }),
              "condition float32 [2, 3], needed one bool"));
    CHECK(has(with([](auto& b, auto&, auto& in) {
                  b.g.tensor(in[1]).shape = {3, 2};
              }),
              "then: input 0 is float32 [2, 3], given float32 [3, 2]"));
    CHECK(has(with([](auto&, auto&, auto& in) { in.pop_back(); }), "takes 1 values, given 0"));
    CHECK(has(with([](auto&, auto& op, auto&) {
                  graph g = *op.else_block;
                  g.outputs.pop_back();
                  op.else_block = shared(g);
              }),
              "blocks give 2 and 1 values"));
    CHECK(has(with([](auto&, auto& op, auto&) {
                  graph g = *op.else_block;
                  graph_tensor t;
                  t.name = "kept";
                  t.type = dtype::f32;
                  t.shape = {1};
                  t.state = state_start();
                  g.add_tensor(t);
                  op.else_block = shared(g);
              }),
              "else: state kept inside of a block"));
}

TEST_CASE("changed jumps under a right checksum are refused or harmless") {
    const auto p = plan(looped());
    REQUIRE(p.ok());
    const bytes_view good = p->bytes();
    const auto& header = *reinterpret_cast<const executable_header*>(good.data());
    aligned_buffer copy(good.size());
    std::size_t accepted = 0, refused = 0;
    for (std::size_t at = 0; at + 4 <= header.constants_at; at += 4) {
        const auto old = load_le<std::uint32_t>(good.data() + at);
        for (const std::uint32_t value :
             {old + 1, old - 1, old ^ 0x80000000u, 0u, 0xffffffffu, old ^ 0x10000u}) {
            std::memcpy(copy.data(), good.data(), good.size());
            store_le(copy.data() + at, value);
            auto& h = *reinterpret_cast<executable_header*>(copy.data());
            h.checksum = crc32(bytes_view(copy.data(), copy.size()).subspan(16));
            session s({copy.data(), copy.size()});
            if (!s.check().ok()) {
                ++refused;
                continue;
            }
            ++accepted;
            if (s.arena_bytes() > 1 << 20) continue;
            aligned_buffer arena(s.arena_bytes());
            REQUIRE(s.bind({arena.data(), arena.size()}).ok());
            // It may loop for ever: a bounded number of steps in its place.
            std::uint32_t i = 0;
            for (int steps = 0; steps < 200 && i < s.code().code.op_count; ++steps) i = s.step(i);
        }
    }
    CHECK(refused > accepted);
}
