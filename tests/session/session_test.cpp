// Sessions: buffers of the caller, messages, repeatability, inputs kept.
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>
#include <string>
#include <support/text.hpp>

using namespace kompakt;
using kompakt_test::has;

namespace {

// Three convolutions of which each can lie over its input.
graph chain() {
    graph g;
    graph_tensor in;
    in.name = "x";
    in.type = dtype::i8;
    in.shape = {1, 9, 7, 4};
    in.quantization = quantization::per_tensor_affine(0.5f, 3);
    tensor_id last = g.add_tensor(in);
    g.inputs = {last};
    for (int layer = 0; layer < 3; ++layer) {
        std::vector<std::int8_t> w(4 * 9 * 4);
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = static_cast<std::int8_t>(i * 37 + static_cast<std::size_t>(layer) * 11);
        }
        const tensor_id f = g.add_constant("w", make_constant<std::int8_t>({4, 3, 3, 4}, w));
        g.tensor(f).quantization = quantization::per_tensor_affine(0.01f, 0);
        graph_tensor out;
        out.name = "y" + std::to_string(layer);
        out.quantization = quantization::per_tensor_affine(0.7f, -5);
        const tensor_id o = g.add_tensor(out);
        ops::conv2d c;
        c.window.pad_same(9, 7, 3, 3);
        g.add_node("conv", c, {last, f, no_tensor}, {o});
        last = o;
    }
    g.outputs = {last};
    REQUIRE(infer(g).ok());
    return g;
}

void fill(session& s) {
    const auto in = s.input<std::int8_t>(0);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int8_t>(i * 13);
}

std::vector<std::int8_t> run_once(const planned& p) {
    session s(p.bytes());
    REQUIRE(s.check().ok());
    aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    fill(s);
    s.run();
    const auto out = s.output<std::int8_t>(0);
    return {out.begin(), out.end()};
}

} // namespace

TEST_CASE("the memory plan does not change results") {
    const graph g = chain();
    const auto in_place = plan(g), apart = plan(g, [] {
                                       plan_options o;
                                       o.in_place = false;
                                       return o;
                                   }());
    plan_options all;
    all.keep_all = true;
    const auto kept = plan(g, all);
    REQUIRE(in_place.ok());
    REQUIRE(apart.ok());
    REQUIRE(kept.ok());
    CHECK(in_place->arena_bytes < apart->arena_bytes);
    CHECK(apart->arena_bytes < kept->arena_bytes);
    CHECK(run_once(*in_place) == run_once(*apart));
    CHECK(run_once(*in_place) == run_once(*kept));
}

TEST_CASE("an arena that is null, misaligned or a byte too small is named") {
    const auto p = plan(chain());
    session s(p->bytes());
    aligned_buffer arena(s.arena_bytes() + 16);
    status e = s.bind({nullptr, s.arena_bytes()});
    CHECK(e.code() == errc::bad_arena);
    CHECK(has(e.message(), "null"));
    e = s.bind({arena.data() + 4, s.arena_bytes()});
    CHECK(has(e.message(), "multiple of 16"));
    e = s.bind({arena.data(), s.arena_bytes() - 1});
    CHECK(has(e.message(), std::to_string(s.arena_bytes()).c_str()));
    CHECK(has(e.message(), std::to_string(s.arena_bytes() - 1).c_str()));
    CHECK(s.bind({arena.data(), s.arena_bytes()}).ok());
}

TEST_CASE("nothing outside the arena is written, whatever it held before") {
    const auto p = plan(chain());
    std::vector<std::int8_t> first;
    for (const int fill_byte : {0x00, 0xaa, 0xff}) {
        session s(p->bytes());
        const std::size_t guard = 64, size = s.arena_bytes();
        aligned_buffer memory(size * 10 + 2 * guard);
        std::memset(memory.data(), fill_byte, memory.size());
        REQUIRE(s.bind({memory.data() + guard, size * 10}).ok());
        fill(s);
        s.run();
        for (std::size_t i = 0; i < memory.size(); ++i) {
            if (i >= guard && i < guard + size) continue;
            REQUIRE(static_cast<int>(memory.data()[i]) == fill_byte);
        }
        const auto out = s.output<std::int8_t>(0);
        const std::vector<std::int8_t> now(out.begin(), out.end());
        if (first.empty()) first = now;
        CHECK(now == first);
    }
}

TEST_CASE("inputs survive a run exactly when asked for") {
    const graph g = chain();
    for (const bool keep : {true, false}) {
        plan_options o;
        o.keep_inputs = keep;
        const auto p = plan(g, o);
        session s(p->bytes());
        aligned_buffer arena(s.arena_bytes());
        REQUIRE(s.bind({arena.data(), arena.size()}).ok());
        fill(s);
        s.run();
        bool same = true;
        const auto in = s.input<std::int8_t>(0);
        for (std::size_t i = 0; i < in.size(); ++i) {
            same = same && in[i] == static_cast<std::int8_t>(i * 13);
        }
        CHECK(same == keep);
        CHECK((s.code().header->flags & executable_keeps_inputs) == (keep ? 1u : 0u));
    }
}

TEST_CASE("damaged executables are refused with one line") {
    const auto p = plan(chain());
    const bytes_view good = p->bytes();
    executable x;
    CHECK(validate(good, x).ok());
    aligned_buffer copy(good.size());
    // Any single changed byte is found by the checksum or before it.
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::memcpy(copy.data(), good.data(), good.size());
        copy.data()[i] = static_cast<std::byte>(static_cast<unsigned>(copy.data()[i]) ^ 0x10u);
        const status e = validate({copy.data(), copy.size()}, x);
        REQUIRE(!e.ok());
        REQUIRE(!has(e.message(), "\n"));
    }
    for (std::size_t n = 0; n < good.size(); ++n) {
        REQUIRE(!validate(good.first(n), x).ok());
    }
    CHECK(has(validate({good.data() + 1, good.size() - 1}, x).message(), "multiple of 16"));
}

TEST_CASE("changed fields under a right checksum never get past the validator unsafely") {
    const auto p = plan(chain());
    const bytes_view good = p->bytes();
    const auto& header = *reinterpret_cast<const executable_header*>(good.data());
    aligned_buffer copy(good.size());
    std::size_t accepted = 0, refused = 0;
    // Every word before the constants, to several values; what is accepted is run under the
    // sanitizers.
    for (std::size_t at = 0; at + 4 <= header.constants_at; at += 4) {
        const auto old = load_le<std::uint32_t>(good.data() + at);
        for (const std::uint32_t value : {old + 1, old - 1, old ^ 0x80000000u, 0u, 0xffffffffu,
                                          old << 8, old + 0x10000u, old * 2}) {
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
            s.run();
        }
    }
    CHECK(refused > accepted);
}
