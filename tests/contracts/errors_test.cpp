// Errors: one line that says what and where; nothing is thrown; stripped of text on request
// (stripped_test.cpp).
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

namespace {

bool contains(const status& s, const char* part) {
    return std::string(s.message()).find(part) != std::string::npos;
}
bool one_line(const status& s) {
    const std::string text = s.message();
    if (text.empty() || text.size() >= KOMPAKT_MESSAGE_BYTES || text.back() == '.') return false;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
    }
    return true;
}

// y = x + w, [1, 4] float32.
graph sum(const char* name) {
    graph g;
    graph_tensor x, y;
    x.name = name;
    x.type = dtype::f32;
    x.shape = {1, 4};
    y.name = "y";
    g.inputs = {g.add_tensor(x)};
    const tensor_id w = g.add_constant("w", make_constant<float>({1, 4}, {1, 2, 3, 4}));
    g.outputs = {g.add_tensor(y)};
    g.add_node("sum", ops::add(), {g.inputs[0], w}, {g.outputs[0]});
    REQUIRE(infer(g).ok());
    return g;
}

} // namespace

TEST_CASE("contract: an error names the operator, the tensor, what was needed and given") {
    graph g = sum("x");
    g.tensor(1).value = make_constant<float>({1, 4}, {1, 2, 3});
    const status bytes = infer(g);
    CHECK(bytes.code() == errc::bad_file);
    CHECK(contains(bytes, "tensor w: [1, 4] float32 needs 16 bytes, has 12"));

    g = sum("x");
    g.tensor(0).shape = {1, 5};
    const status shapes = infer(g);
    CHECK(contains(shapes, "node 0 add (sum): "));
    CHECK(contains(shapes, "[1, 5] and [1, 4]"));

    g = sum("x");
    g.tensor(0).quantization = quantization::per_tensor_affine(-1.0f, 0);
    CHECK(contains(infer(g), "tensor x: scale 0"));

    g = sum("x");
    g.tensor(0).type = dtype::i16;
    g.tensor(2).type = dtype::i16;
    const auto p = plan(g);
    REQUIRE(!p.ok());
    CHECK(contains(p.error(), "node 0 add (sum): "));
    for (const status& s : {bytes, shapes, p.error()}) CHECK(one_line(s));
}

TEST_CASE("contract: a name in a message cannot end the line or outgrow it") {
    const std::string longest(5000, 'n');
    for (const char* name :
         {"two\nlines", "\x1b[2Jcleared", "tab\there", "\r\n", longest.c_str()}) {
        graph g = sum(name);
        g.tensor(0).quantization = quantization::per_tensor_affine(0.0f, 0);
        const status s = infer(g);
        CHECK(!s.ok());
        const std::string text = s.message();
        CHECK(text.size() < KOMPAKT_MESSAGE_BYTES);
        for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
    }
    CHECK(contains(fail(errc::io, longest), "..."));
}

TEST_CASE("contract: a code for each kind of failure") {
    CHECK(read_tflite({}).error().code() == errc::bad_file);
    CHECK(session(bytes_view()).check().code() == errc::bad_file);
    CHECK(kompakt::bind(sum("x"), {}).ok());
    const auto p = plan(sum("x"));
    REQUIRE(p.ok());
    session s(p->bytes());
    CHECK(s.bind({nullptr, s.arena_bytes()}).code() == errc::bad_arena);
    std::string out;
    CHECK(emit_header(*p, "not a name", out).code() == errc::bad_argument);
    CHECK(out.empty());
    CHECK(kompakt::read_file("/nowhere/at/all", 100).error().code() == errc::io);
}

TEST_CASE("contract: failures pass on, and successes keep their value") {
    const auto twice = [](result<int> r) -> result<int> {
        if (!r.ok()) return r.error().within("twice: ");
        return 2 * *r;
    };
    CHECK(*twice(21) == 42);
    const auto failed = twice(fail(errc::limit, "too many: ", 7));
    CHECK(!failed.ok());
    CHECK(failed.error().code() == errc::limit);
    CHECK(std::string(failed.error().message()) == "twice: too many: 7");
    CHECK(status().ok());
    CHECK(status().within("nothing").ok());
}
