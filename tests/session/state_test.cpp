// State that lasts from run to run: variables, SVDF and LSTM in one model.
#include <kompakt/graph/passes/remove_dead.hpp>
#include <kompakt/graph/passes/remove_identities.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <doctest/doctest.h>
#include <string>
#include <support/state_graph.hpp>
#include <support/text.hpp>

using namespace kompakt;
using namespace kompakt_test::state;
using kompakt_test::has;

namespace {

class runner {
  public:
    explicit runner(const planned& p, int fill_byte = 0, std::size_t times = 1)
        : session_(p.bytes()), memory_(session_.arena_bytes() * times) {
        REQUIRE_MESSAGE(session_.check().ok(), session_.check().message());
        std::memset(memory_.data(), fill_byte, memory_.size());
        REQUIRE(session_.bind({memory_.data(), memory_.size()}).ok());
    }
    session& get() { return session_; }
    // Outputs of one run, one after another.
    std::vector<std::byte> run(std::uint32_t sample) {
        numbers r{sample * 977u + 5u};
        for (std::byte& b : session_.input_bytes(0)) b = static_cast<std::byte>(r.next(127));
        session_.run();
        std::vector<std::byte> all;
        for (std::size_t i = 0; i < session_.outputs(); ++i) {
            const bytes_view out = session_.output_bytes(i);
            all.insert(all.end(), out.begin(), out.end());
        }
        return all;
    }
    std::vector<std::vector<std::byte>> runs(std::uint32_t from, std::uint32_t count) {
        std::vector<std::vector<std::byte>> all;
        for (std::uint32_t k = from; k < from + count; ++k) all.push_back(run(k));
        return all;
    }

  private:
    session session_;
    aligned_buffer memory_;
};

} // namespace

TEST_CASE("state lasts from run to run, and reset makes run k equal run 1") {
    const auto p = plan(mixed());
    REQUIRE_MESSAGE(p.ok(), p.error().message());
    runner r(*p);
    CHECK(r.get().states() == 4);
    const auto first = r.runs(0, 6);
    CHECK(first[1] != runner(*p).run(1)); // state counts
    r.get().reset();
    CHECK(r.runs(0, 6) == first);
    for (std::uint32_t k = 0; k < 6; ++k) {
        r.get().reset();
        CHECK(r.run(k) == runner(*p).run(k));
    }
}

TEST_CASE(
    "states are the same wherever the arena is, whatever it held, and however it is planned") {
    const graph g = mixed();
    const auto p = plan(g);
    REQUIRE(p.ok());
    const auto first = runner(*p).runs(0, 8);
    for (const int fill_byte : {0x00, 0xaa, 0xff}) {
        CHECK(runner(*p, fill_byte).runs(0, 8) == first);
        CHECK(runner(*p, fill_byte, 10).runs(0, 8) == first);
    }
    for (int k = 0; k < 8; ++k) {
        plan_options o;
        o.in_place = (k & 1) != 0;
        o.keep_inputs = (k & 2) != 0;
        o.keep_all = (k & 4) != 0;
        const auto other = plan(g, o);
        REQUIRE(other.ok());
        CHECK(runner(*other).runs(0, 8) == first);
    }
}

TEST_CASE("one run of 2N steps equals two runs of N") {
    for (const bool time_major : {false, true}) {
        const auto sequence = [&](std::int64_t steps) {
            graph g;
            numbers r{11};
            const std::int64_t batches = 1;
            const tensor_id x = new_tensor(
                g, "x", dtype::i8, time_major ? shape{steps, batches, 7} : shape{batches, steps, 7},
                0.05f, 9);
            g.inputs = {x};
            g.outputs = {add_lstm(g, r, x, 7, 6, batches, time_major)};
            REQUIRE(infer(g).ok());
            auto p = plan(g);
            REQUIRE(p.ok());
            return std::move(*p);
        };
        const planned whole = sequence(10), half = sequence(5);
        runner a(whole), b(half);
        numbers r{3};
        for (std::byte& x : a.get().input_bytes(0)) x = static_cast<std::byte>(r.next(127));
        const std::vector<std::byte> in(a.get().input_bytes(0).begin(),
                                        a.get().input_bytes(0).end());
        a.get().run();
        std::vector<std::byte> out;
        for (std::size_t k = 0; k < 2; ++k) {
            const bytes_span to = b.get().input_bytes(0);
            std::memcpy(to.data(), in.data() + k * to.size(), to.size());
            b.get().run();
            const bytes_view y = b.get().output_bytes(0);
            out.insert(out.end(), y.begin(), y.end());
        }
        const bytes_view y = a.get().output_bytes(0);
        CHECK(out == std::vector<std::byte>(y.begin(), y.end()));
    }
}

TEST_CASE("a value that was read stays as it was when the variable changes") {
    graph g = mixed();
    const auto p = plan(g);
    REQUIRE(p.ok());
    runner r(*p);
    const std::vector<std::byte> one = r.run(0), two = r.run(1);
    // The old value of a run is the new one of the run before.
    CHECK(std::vector<std::byte>(two.begin(), two.begin() + 10) ==
          std::vector<std::byte>(one.begin() + 10, one.end()));
    const bytes_view start = g.tensor(g.node_at(3).inputs[0]).state->value->bytes();
    CHECK(std::equal(start.begin(), start.end(), one.begin()));
}

TEST_CASE("passes keep what updates state") {
    graph g = mixed();
    g.outputs = {g.outputs[0]};
    const auto before = runner(*plan(g)).runs(0, 4);
    REQUIRE(passes::remove_identities(g).ok());
    REQUIRE(passes::remove_dead(g).ok());
    REQUIRE(infer(g).ok());
    CHECK(g.order().size() == 6);
    CHECK(runner(*plan(g)).runs(0, 4) == before);
}

TEST_CASE("graphs whose states make no sense are refused") {
    const auto refusal = [](auto&& change) {
        graph g = mixed();
        change(g);
        const status s = infer(g);
        return s.ok() ? std::string() : std::string(s.message());
    };
    const auto named = [](graph& g, const char* name) -> graph_tensor& {
        for (tensor_id t = 0; t < g.tensor_count(); ++t) {
            if (g.tensor(t).name == name) return g.tensor(t);
        }
        return g.tensor(0);
    };
    CHECK(
        has(refusal([&](graph& g) { named(g, "memory").state.reset(); }), "before it is written"));
    CHECK(has(refusal([&](graph& g) { named(g, "x").state = state_start(); }),
              "also an input or a constant"));
    CHECK(has(refusal([&](graph& g) { named(g, "fresh").state = state_start(); }), "fresh"));
    CHECK(has(refusal([&](graph& g) { named(g, "sum").state->value->type = dtype::u8; }),
              "starts as uint8"));
    CHECK(has(refusal([&](graph& g) {
                  named(g, "sum").shape = {2, 1, dim::named("n")};
              }),
              "needed a type and numbers"));
    CHECK(has(refusal([&](graph& g) { named(g, "sum").shape = {2, 0, 5}; }), "empty"));
}

TEST_CASE("changed state records under a right checksum are refused or harmless") {
    const auto p = plan(mixed());
    REQUIRE(p.ok());
    const bytes_view good = p->bytes();
    const auto& header = *reinterpret_cast<const executable_header*>(good.data());
    CHECK(header.state_count == 4);
    aligned_buffer copy(good.size());
    std::size_t accepted = 0, refused = 0;
    for (std::size_t at = 0; at + 4 <= header.constants_at; at += 4) {
        const auto old = load_le<std::uint32_t>(good.data() + at);
        for (const std::uint32_t value : {old + 1, old - 1, old ^ 0x80000000u, 0u, 0xffffffffu,
                                          old ^ 0x10000u, old ^ 0x20000u, old + 0x100u}) {
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
            s.reset();
            s.run();
        }
    }
    CHECK(refused > accepted);
}
