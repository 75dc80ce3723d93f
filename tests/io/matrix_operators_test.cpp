// Convolutions, matrix products and poolings of all types, written as TensorFlow Lite models and
// read back: the same attributes, the same results.
#include <kompakt/io/tflite/writer.hpp>

#include <doctest/doctest.h>
#include <io/run_model.hpp>
#include <ops/average_pool2d_spec.hpp>
#include <ops/batch_matmul_spec.hpp>
#include <ops/conv2d_spec.hpp>
#include <ops/depthwise_conv2d_spec.hpp>
#include <ops/fully_connected_spec.hpp>
#include <ops/l2_pool2d_spec.hpp>
#include <ops/max_pool2d_spec.hpp>
#include <ops/transpose_conv2d_spec.hpp>

using namespace kompakt_test;

namespace {

struct attribute_printer final : kompakt::attribute_visitor {
    std::string out;
    void add(const char* name, const std::string& v) { out += std::string(name) + "=" + v + " "; }
    void operator()(const char* name, std::int32_t& v) override { add(name, std::to_string(v)); }
    void operator()(const char* name, float& v) override { add(name, std::to_string(v)); }
    void operator()(const char* name, bool& v) override { add(name, v ? "true" : "false"); }
    void operator()(const char* name, kompakt::activation& v) override { add(name, name_of(v)); }
    void operator()(const char*, std::vector<std::int32_t>&) override {}
    void operator()(const char*, kompakt::shape&) override {}
};
std::string attributes_of(const graph& g) {
    graph copy = g;
    attribute_printer p;
    copy.node_at(copy.order().back()).op->visit(p);
    return p.out;
}

file_bytes output_of(const graph& g, const expectation& e) {
    auto p = kompakt::plan(g);
    REQUIRE_MESSAGE(p.ok(), std::string(p.error().message()));
    runner r(std::move(*p));
    REQUIRE(r.bound.ok());
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        std::copy(e.inputs[i].begin(), e.inputs[i].end(), r.session.input_bytes(i).data());
    }
    r.session.run();
    const auto out = r.session.output_bytes(0);
    return {out.begin(), out.end()};
}

} // namespace

TEST_CASE("tflite: convolutions, matrix products and pools are written and read back") {
    std::size_t written = 0;
    for (const op_spec& spec :
         {conv2d_spec(), depthwise_conv2d_spec(), fully_connected_spec(), transpose_conv2d_spec(),
          batch_matmul_spec(), average_pool2d_spec(), max_pool2d_spec(), l2_pool2d_spec()}) {
        for (op_case c : spec.cases) {
            if (c.name.find("sweep") != std::string::npos) continue;
            CAPTURE(spec.op);
            CAPTURE(c.name);
            const auto bytes = kompakt::write_tflite(c.g);
            if (!bytes.ok()) {
                // Padding that the format cannot say.
                CHECK(std::string(bytes.error().message()).find("neither SAME nor VALID") !=
                      std::string::npos);
                continue;
            }
            ++written;
            const auto back = kompakt::read_tflite({bytes->data(), bytes->size()});
            REQUIRE_MESSAGE(back.ok(), std::string(back.error().message()));
            if (back->order().size() == 1) CHECK(attributes_of(*back) == attributes_of(c.g));
            const expectation e = expect(spec, c, filling::random, 11);
            CHECK((output_of(*back, e) == output_of(c.g, e)));
        }
    }
    CHECK(written > 500);
}

TEST_CASE("tflite: int16 without a bias says how wide its sums are") {
    layer l;
    l.c = 4, l.out = 3, l.bias = false;
    for (const bool narrow : {false, true}) {
        l.int32_sums = narrow;
        for (const graph& g :
             {conv2d_case(l, dtype::i16).g, fully_connected_case(l, dtype::i16, {2, 4}).g}) {
            const auto bytes = kompakt::write_tflite(g);
            REQUIRE(bytes.ok());
            const auto back = kompakt::read_tflite({bytes->data(), bytes->size()});
            REQUIRE_MESSAGE(back.ok(), std::string(back.error().message()));
            CHECK(attributes_of(*back) == attributes_of(g));
            CHECK(attributes_of(g).find(narrow ? "int32_sums=true" : "int32_sums=false") !=
                  std::string::npos);
        }
    }
}
