// Models with state as TensorFlow Lite files.
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/io/tflite/writer.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <support/state_graph.hpp>
#include <support/text.hpp>

using namespace kompakt;
using namespace kompakt_test::state;
using kompakt_test::has;

namespace {

std::vector<std::byte> written(const graph& g) {
    auto bytes = write_tflite(g);
    REQUIRE_MESSAGE(bytes.ok(), bytes.error().message());
    return std::move(*bytes);
}

std::vector<std::byte> run(const graph& g, std::uint32_t samples, bool reset_each) {
    const auto p = plan(g);
    REQUIRE_MESSAGE(p.ok(), p.error().message());
    session s(p->bytes());
    REQUIRE(s.check().ok());
    aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    std::vector<std::byte> all;
    for (std::uint32_t k = 0; k < samples; ++k) {
        if (reset_each) s.reset();
        numbers r{k * 977u + 5u};
        for (std::byte& b : s.input_bytes(0)) b = static_cast<std::byte>(r.next(127));
        s.run();
        for (std::size_t i = 0; i < s.outputs(); ++i) {
            const bytes_view out = s.output_bytes(i);
            all.insert(all.end(), out.begin(), out.end());
        }
    }
    return all;
}

graph read_back(const std::vector<std::byte>& bytes) {
    auto g = read_tflite({bytes.data(), bytes.size()});
    REQUIRE_MESSAGE(g.ok(), g.error().message());
    return std::move(*g);
}

std::string refusal(const graph& g) {
    const auto bytes = write_tflite(g);
    return bytes.ok() ? std::string() : std::string(bytes.error().message());
}

graph_tensor& named(graph& g, const char* name) {
    for (tensor_id t = 0; t < g.tensor_count(); ++t) {
        if (g.tensor(t).name == name) return g.tensor(t);
    }
    FAIL("no tensor " << name);
    return g.tensor(0);
}

} // namespace

TEST_CASE("models with state survive being written and read") {
    const graph g = mixed();
    const std::vector<std::byte> bytes = written(g);
    // For an oracle: the model, as a file.
    if (const char* path = std::getenv("KOMPAKT_TEST_STATE_FILE")) {
        std::FILE* f = std::fopen(path, "wb");
        REQUIRE(f != nullptr);
        std::fwrite(bytes.data(), 1, bytes.size(), f);
        std::fclose(f);
    }
    const graph back = read_back(bytes);
    CHECK(written(back) == bytes);
    CHECK(run(back, 8, false) == run(g, 8, false));
    CHECK(run(back, 8, true) == run(g, 8, true));
    CHECK(back.order().size() == g.order().size());
}

TEST_CASE("a variable without an initial value starts as its zero point") {
    graph g = mixed();
    // What assign gives it: zero point -2.
    named(g, "sum").state = state_start{0xfe, std::nullopt};
    const std::vector<std::byte> bytes = written(g);
    const graph back = read_back(bytes);
    CHECK(run(back, 3, false) == run(g, 3, false));
    graph other = g;
    named(other, "sum").state->fill = 0x11; // needs a subgraph of its own
    const std::vector<std::byte> longer = written(other);
    CHECK(longer.size() > bytes.size());
    CHECK(run(read_back(longer), 3, false) == run(other, 3, false));
    CHECK(run(other, 3, false) != run(g, 3, false));
}

TEST_CASE("states that the format cannot hold are refused by name") {
    graph g = mixed();
    named(g, "h").state->fill = 5;
    CHECK(has(refusal(g), "state h of a layer starts with other values"));
    g = mixed();
    named(g, "c").state->value = make_constant<std::int16_t>({2, 5}, std::vector<std::int16_t>(10));
    CHECK(has(refusal(g), "state c of a layer starts with other values"));
    g = mixed();
    graph_tensor t = named(g, "memory");
    t.state.reset();
    t.name = "seen";
    const tensor_id seen = g.add_tensor(t);
    g.add_node("look", ops::read_variable{}, {g.node_at(0).inputs[4]}, {seen});
    g.outputs.push_back(seen);
    CHECK(has(refusal(g), "state memory is used by layers and as a variable"));
}
