// KOMPAKT_MESSAGES 0 in one file of a program: the text is gone, the codes are the same. The
// setting is part of the name of the inline namespace, so this file and the others do not mix; what
// is compiled once (kompakt::compiled) has messages and cannot be used.
#undef KOMPAKT_COMPILED
#undef KOMPAKT_MESSAGES
#define KOMPAKT_MESSAGES 0
#include <kompakt/kompakt.hpp>

#include <doctest/doctest.h>
#include <string>

TEST_CASE("contract: without messages the code's name is the message") {
    using namespace kompakt;
    const status s = fail(errc::bad_file, "tensor ", 7, ": needs ", 16, " bytes");
    CHECK(s.code() == errc::bad_file);
    CHECK(std::string(s.message()) == "bad file");
    CHECK(std::string(s.within("model.tflite: ").message()) == "bad file");
    CHECK(std::string(status().message()) == "ok");
    CHECK(sizeof(status) == sizeof(errc));
    for (const errc e : {errc::bad_argument, errc::bad_arena, errc::bad_file, errc::bad_data,
                         errc::unsupported, errc::limit, errc::io}) {
        CHECK(std::string(fail(e, "text").message()) == name_of(e));
    }

    CHECK(std::string(read_tflite({}).error().message()) == "bad file");
    CHECK(std::string(session(bytes_view()).check().message()) == "bad file");
}

TEST_CASE("contract: without messages a model runs as ever") {
    using namespace kompakt;
    graph g;
    graph_tensor x, y;
    x.name = "x";
    x.type = dtype::f32;
    x.shape = {3};
    y.name = "y";
    g.inputs = {g.add_tensor(x)};
    g.outputs = {g.add_tensor(y)};
    g.add_node("", ops::relu(), {g.inputs[0]}, {g.outputs[0]});
    REQUIRE(infer(g).ok());
    const auto p = plan(g);
    REQUIRE(p.ok());
    session s(p->bytes());
    aligned_buffer arena(s.arena_bytes());
    REQUIRE(s.bind({arena.data(), arena.size()}).ok());
    s.input<float>(0)[1] = -1.0f;
    s.input<float>(0)[2] = 2.0f;
    s.run();
    CHECK(s.output<float>(0)[1] == 0.0f);
    CHECK(s.output<float>(0)[2] == 2.0f);
    CHECK(std::string(s.bind({nullptr, 0}).message()) == "bad arena");
}
