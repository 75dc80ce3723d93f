// What an emitted header promises, as text (tests/emit and examples/firmware compile and run them).
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>
#include <support/control_graph.hpp>
#include <support/state_graph.hpp>
#include <support/text.hpp>

using namespace kompakt;
using kompakt_test::has;

namespace {

// Two int8 inputs, their sum, and a constant added to that: two outputs.
graph two_by_two(const std::string& name = "x", bool floats = false) {
    graph g;
    const dtype type = floats ? dtype::f32 : dtype::i8;
    const auto tensor = [&](const std::string& n, float scale, std::int32_t zero) {
        graph_tensor t;
        t.name = n;
        t.type = type;
        t.shape = {1, 4};
        if (!floats) t.quantization = quantization::per_tensor_affine(scale, zero);
        return g.add_tensor(std::move(t));
    };
    const tensor_id a = tensor(name, 0.5f, 3), b = tensor(name + "1", 0.25f, -4);
    g.inputs = {a, b};
    const tensor_id c =
        floats ? g.add_constant(name + "2", make_constant<float>({1, 4}, {1, -2, 3, 4}))
               : g.add_constant(name + "2", make_constant<std::int8_t>({1, 4}, {1, -128, 3, 127}));
    if (!floats) g.tensor(c).quantization = quantization::per_tensor_affine(0.125f, 0);
    const tensor_id sum = tensor(name + "3", 0.75f, 5), more = tensor(name + "4", 1.5f, -6);
    g.add_node(name, ops::add(), {a, b}, {sum});
    g.add_node(name, ops::add(), {sum, c}, {more});
    g.outputs = {sum, more};
    const status s = infer(g);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return g;
}

std::string emitted(const graph& g, const plan_options& options = {},
                    const emit_options& how = {}) {
    const auto p = plan(g, options);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    std::string out;
    const status s = emit_header(*p, "kws", out, how);
    REQUIRE_MESSAGE(s.ok(), std::string(s.message()));
    return out;
}

// The code without comments, as a compiler of any standard sees it: trigraphs, then spliced
// lines, then comments.
std::string code_of(std::string text) {
    for (std::size_t at; (at = text.find("?\?/")) != std::string::npos;) text.replace(at, 3, "\\");
    for (std::size_t at; (at = text.find("\\\n")) != std::string::npos;) text.erase(at, 2);
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        if (text.compare(i, 2, "//") == 0) {
            while (i < text.size() && text[i] != '\n') ++i;
        } else if (text.compare(i, 2, "/*") == 0) {
            const std::size_t end = text.find("*/", i + 2);
            i = end == std::string::npos ? text.size() : end + 2;
        } else if (text[i] == '"') {
            const std::size_t end = text.find('"', i + 1);
            REQUIRE(end != std::string::npos);
            out += text.substr(i, end + 1 - i);
            i = end + 1;
        } else {
            out += text[i++];
        }
    }
    return out;
}

} // namespace

TEST_CASE("contract: what an emitted header holds") {
    const auto p = plan(two_by_two());
    REQUIRE(p.ok());
    const std::string text = emitted(two_by_two());
    CHECK(has(text, "#pragma once\n"));
    CHECK(has(text, "#include <kompakt/device.hpp>\n"));
    CHECK(has(text, "namespace kws {\n"));
    CHECK(has(text, "} // namespace kws\n"));
    CHECK(has(text, "inline constexpr std::size_t arena_bytes = " + std::to_string(p->arena_bytes) +
                        ";\n"));
    CHECK(has(text, "class model {\n"));
    CHECK(
        has(text, "static constexpr kompakt::status check(kompakt::span<const std::byte> arena)"));
    CHECK(has(text, "explicit model(kompakt::span<std::byte> arena) noexcept"));
    CHECK(has(text, "    void run() noexcept {\n"));
    CHECK(has(text, "    void reset() noexcept {}\n"));
    CHECK(has(text, "    auto input() noexcept {\n"));
    CHECK(has(text, "    auto output() const noexcept {\n"));
    // The constants are in flash: nothing is a variable, nothing is made at the start.
    CHECK(!has(text, "static std::"));
    CHECK(!has(text, "new "));
    CHECK(has(text, "inline constexpr weights kompakt_weights = {"));
}

TEST_CASE("contract: scales and zero points, further ones numbered") {
    const std::string text = emitted(two_by_two());
    for (const char* line : {"inline constexpr float input_scale = 0x1p-1f;",
                             "inline constexpr std::int32_t input_zero_point = 3;",
                             "inline constexpr float input1_scale = 0x1p-2f;",
                             "inline constexpr std::int32_t input1_zero_point = -4;",
                             "inline constexpr float output_scale = 0x1.8p-1f;",
                             "inline constexpr std::int32_t output_zero_point = 5;",
                             "inline constexpr float output1_scale = 0x1.8p+0f;",
                             "inline constexpr std::int32_t output1_zero_point = -6;"}) {
        CHECK_MESSAGE(has(text, line), line);
    }
    CHECK(has(text, "static_assert(Index < 2, \"the model has 2 input(s)\");"));
    CHECK(has(text, "static_assert(Index < 2, \"the model has 2 output(s)\");"));
    CHECK(has(text, "if constexpr (Index == 1) {"));
    CHECK(has(text, "kompakt::span<std::int8_t>("));
    CHECK(has(text, "kompakt::span<const std::int8_t>("));

    // A float32 model has the same names.
    const std::string floats = emitted(two_by_two("x", true));
    CHECK(has(floats, "inline constexpr float input_scale = 0x0p+0f;"));
    CHECK(has(floats, "inline constexpr std::int32_t output1_zero_point = 0;"));
    CHECK(has(floats, "kompakt::span<float>("));
}

TEST_CASE("contract: the same plan gives the same header") {
    CHECK(emitted(two_by_two()) == emitted(two_by_two()));
    for (const optimize how : {optimize::size, optimize::speed, optimize::balanced}) {
        emit_options o;
        o.optimize = how;
        const std::string text = emitted(two_by_two(), {}, o);
        CHECK(has(text, "static_call<") == (how != optimize::size));
    }
}

TEST_CASE("contract: names from a file stay inside their comments") {
    const std::string plain = code_of(emitted(two_by_two("plain")));
    for (const std::string name :
         {"*/ int evil; /*", "\n#error evil\n//", "\r#error evil", "evil ?\?/", "evil \\",
          "evil?\?/\n", "\"evil", "'evil", "/* evil", "// evil", "R\"(evil",
          "\xe2\x80\xa8#error evil", "\x85 evil", "%s%n", "\x01\x7f\xff"}) {
        CAPTURE(name);
        const std::string text = emitted(two_by_two(name));
        CHECK(code_of(text) == plain);
        for (const char c : text) {
            const bool printable = c == '\n' || (c >= 0x20 && c < 0x7f);
            REQUIRE(printable);
        }
        emit_options o;
        o.title = name;
        CHECK(code_of(emitted(two_by_two(), {}, o)) == plain);
    }
    const std::string many = emitted(two_by_two(std::string(100000, 'n')));
    CHECK(many.size() < 20000);
    CHECK(code_of(many) == plain);
}

TEST_CASE("contract: what is not an identifier is no namespace") {
    const auto p = plan(two_by_two());
    REQUIRE(p.ok());
    for (const char* name : {"", "1a", "a b", "a-b", "a::b", "a;", "\xc3\xa4", "a\n"}) {
        std::string out;
        const status s = emit_header(*p, name, out);
        CHECK(s.code() == errc::bad_argument);
        CHECK(out.empty());
    }
}

TEST_CASE("contract: only what an include directive can name is included") {
    const auto p = plan(two_by_two());
    REQUIRE(p.ok());
    for (const char* include :
         {"", "<", "<>", "a.hpp", "<a.hpp", "<a>b>", "\"a\"\"", "<a\n#error>"}) {
        std::string out;
        emit_options o;
        o.include = include;
        CHECK(emit_header(*p, "m", out, o).code() == errc::bad_argument);
        CHECK(out.empty());
    }
}

TEST_CASE("contract: a header without names has numbers all the same") {
    plan_options stripped;
    stripped.names = false;
    const std::string text = emitted(two_by_two("secret"), stripped);
    CHECK(!has(text, "secret"));
    CHECK(has(text, "arena_bytes"));
    CHECK(has(text, "input1_scale"));
}

TEST_CASE("a model with state starts it in the constructor and in reset") {
    const std::string text = code_of(emitted(kompakt_test::state::mixed()));
    CHECK(has(text, "        reset();\n"));
    CHECK(has(text, "std::memset(arena_ + "));
    CHECK(has(text, "std::memcpy(arena_ + "));
    CHECK(has(text, "kompakt::place::state"));
    CHECK(has(code_of(emitted(two_by_two())), "void reset() noexcept {}"));
}

TEST_CASE("conditions and loops become jumps") {
    for (const optimize how : {optimize::size, optimize::speed}) {
        emit_options o;
        o.optimize = how;
        const std::string text = code_of(emitted(kompakt_test::control::looped(), {}, o));
        CHECK(has(text, "if (kompakt::jump_unless::taken("));
        CHECK(has(text, "    op_6:\n"));
        CHECK(has(text, "        goto op_6;\n"));
    }
}
