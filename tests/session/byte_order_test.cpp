// Executables of machines with the other byte order: refused by name, turned round, run.
#include <kompakt/core/bytes.hpp>
#include <kompakt/graph/ops/add.hpp>
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/byte_order.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>
#include <string>
#include <support/state_graph.hpp>

using namespace kompakt;

namespace {

// int8 weights, int32 biases and multipliers, notes and names; float constants beside them.
graph two_types() {
    graph g;
    graph_tensor in;
    in.name = "x";
    in.type = dtype::i8;
    in.shape = {1, 5, 4, 3};
    in.quantization = quantization::per_tensor_affine(0.5f, 3);
    const tensor_id x = g.add_tensor(in);
    std::vector<std::int8_t> w(5 * 3 * 3 * 3);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<std::int8_t>(i * 37);
    const tensor_id f = g.add_constant("w", make_constant<std::int8_t>({5, 3, 3, 3}, w));
    g.tensor(f).quantization = quantization::per_tensor_affine(0.01f, 0);
    const tensor_id b =
        g.add_constant("b", make_constant<std::int32_t>({5}, {1, -2000, 300000, 70000, -5}));
    g.tensor(b).quantization = quantization::per_tensor_affine(0.5f * 0.01f, 0);
    graph_tensor y;
    y.name = "y";
    y.quantization = quantization::per_tensor_affine(0.7f, -5);
    const tensor_id conv = g.add_tensor(y);
    ops::conv2d c;
    c.window.pad_same(5, 4, 3, 3);
    g.add_node("conv", c, {x, f, b}, {conv});
    in.name = "real";
    in.type = dtype::f32;
    in.quantization.reset();
    const tensor_id real = g.add_tensor(in);
    const tensor_id more =
        g.add_constant("more", make_constant<float>({1, 1, 1, 3}, {0.1f, -7e20f, 3e-9f}));
    y.name = "sum";
    y.quantization.reset();
    const tensor_id sum = g.add_tensor(y);
    g.add_node("add", ops::add{}, {real, more}, {sum});
    g.inputs = {x, real};
    g.outputs = {conv, sum};
    const status s = infer(g);
    REQUIRE_MESSAGE(s.ok(), s.message());
    return g;
}

std::vector<std::byte> run(bytes_view executable) {
    session s(executable);
    REQUIRE_MESSAGE(s.check().ok(), s.check().message());
    const aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    std::vector<std::byte> all;
    for (int round = 0; round < 2; ++round) { // a state has a second round
        for (std::size_t i = 0; i < s.inputs(); ++i) {
            const bytes_span in = s.input_bytes(i);
            for (std::size_t k = 0; k < in.size(); ++k) {
                in[k] = static_cast<std::byte>((k * 13 + i * 5) & 0x3f);
            }
        }
        s.run();
        for (std::size_t i = 0; i < s.outputs(); ++i) {
            const bytes_view out = s.output_bytes(i);
            all.insert(all.end(), out.begin(), out.end());
        }
    }
    return all;
}

planned plan_of(const graph& g) {
    auto p = plan(g);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    return std::move(*p);
}

} // namespace

TEST_CASE("an executable of the other byte order is refused by name, and runs when turned round") {
    for (const planned& p : {plan_of(two_types()), plan_of(kompakt_test::state::mixed())}) {
        const bytes_view before = p.bytes();
        const aligned_buffer copy(before.size());
        const bytes_span turned(copy.data(), copy.size());
        std::copy(before.begin(), before.end(), turned.begin());
        REQUIRE(swap_byte_order(turned).ok());
        const session other(turned);
        CHECK(other.check().code() == errc::unsupported);
        CHECK(std::string(other.check().message()) ==
              (KOMPAKT_BIG_ENDIAN ? "executable: is little-endian, this machine is big-endian; "
                                    "swap_byte_order turns it round"
                                  : "executable: is big-endian, this machine is little-endian; "
                                    "swap_byte_order turns it round"));
        // Every word of the header has turned, and every section with it.
        const auto header = [](bytes_view b, std::size_t word) {
            std::uint32_t x;
            std::memcpy(&x, b.data() + 4 * word, 4);
            return x;
        };
        for (std::size_t word = 0; word < sizeof(executable_header) / 4; ++word) {
            if (word == 3) continue; // the checksum is of other bytes
            CHECK(header(turned, word) == detail::swap_bytes(header(before, word)));
        }
        REQUIRE(swap_byte_order(turned).ok());
        CHECK(std::equal(before.begin(), before.end(), turned.begin()));
        CHECK(run(turned) == run(before));
    }
}

TEST_CASE("what cannot be turned round stays as it was") {
    const planned p = plan_of(two_types());
    const bytes_view good = p.bytes();
    std::vector<std::byte> bytes(good.begin(), good.end());
    const auto refused = [](std::vector<std::byte> given, const char* why) {
        const std::vector<std::byte> before = given;
        const status s = swap_byte_order({given.data(), given.size()});
        CHECK(!s.ok());
        CHECK_MESSAGE(std::string(s.message()).find(why) != std::string::npos, s.message());
        CHECK(given == before);
    };
    const auto changed = [&](auto change, const char* why) {
        std::vector<std::byte> other = bytes;
        executable_header h;
        std::memcpy(&h, other.data(), sizeof h);
        change(h, other);
        std::memcpy(other.data(), &h, sizeof h);
        h.checksum = crc32({other.data() + 16, other.size() - 16});
        std::memcpy(other.data(), &h, sizeof h);
        refused(other, why);
    };
    using data = std::vector<std::byte>;
    refused({}, "needs at least 96 bytes, has 0");
    refused(data(bytes.begin(), bytes.begin() + 95), "has 95");
    refused(data(bytes.begin(), bytes.end() - 1), "needs ");
    refused(data(200), "no KPK1 at the start, in either byte order");
    data damaged = bytes;
    damaged.back() ^= std::byte{1};
    refused(damaged, "checksum does not match");
    changed([](executable_header& h, data&) { h.tensor_count = UINT32_MAX; }, "tensors: ");
    changed([](executable_header& h, data&) { h.op_count = UINT32_MAX; }, "ops: ");
    changed([](executable_header& h, data&) { h.words_at = h.ops_at; }, "ops and words overlap");
    changed([](executable_header& h, data&) { h.constants_at = 0; },
            "header and constants overlap");
    changed([](executable_header& h, data&) { h.notes_at += 8; }, "notes: ");
    changed([](executable_header& h, data&) { h.constant_bytes = 16; }, "beyond 16");
    changed(
        [](executable_header& h, data& all) {
            for (std::uint32_t t = 0; t < h.tensor_count; ++t) {
                tensor_record r;
                std::byte* at = all.data() + h.tensors_at + t * sizeof r;
                std::memcpy(&r, at, sizeof r);
                if (r.where == place::constant) r.coding = encoding::port;
                std::memcpy(at, &r, sizeof r);
            }
        },
        "encoding 8");
}
