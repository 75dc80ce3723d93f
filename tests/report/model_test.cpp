// What inspect and reports say of a model.
#include <kompakt/graph/ops/conv2d.hpp>
#include <kompakt/graph/ops/mean.hpp>
#include <kompakt/report/model.hpp>

#include <doctest/doctest.h>
#include <support/state_graph.hpp>

using namespace kompakt;

TEST_CASE("report: attributes of an operator as text") {
    ops::conv2d conv;
    conv.window.stride_h = 2;
    conv.window.pad_left = 3;
    conv.fused = activation::relu6;
    CHECK(report::attributes_text(report::attributes_of(conv)) ==
          "stride 2x1, dilation 1x1, padding 0 0 3 0, activation relu6, int32_sums false");
    ops::mean mean;
    mean.axes = {1, 2};
    CHECK(report::attributes_text(report::attributes_of(mean)) == "axes [1, 2], keep_dims false");
    CHECK(report::attributes_text({}) == "");
    CHECK(report::attributes_text({{"pad_top", std::int64_t{1}}, {"x", 0.5}, {"x_h", true}}) ==
          "pad_top 1, x 0.5000, x_h true");
}

TEST_CASE("report: state is shown as such") {
    const graph g = kompakt_test::state::mixed();
    const auto p = plan(g, {});
    REQUIRE(p.ok());
    const auto s = report::summarize(g, *p);
    REQUIRE(s.ok());
    std::vector<std::string> names;
    for (const report::tensor_summary& t : s->tensors) {
        if (t.state) names.push_back(t.name);
    }
    CHECK(names == std::vector<std::string>{"memory", "h", "c", "sum"});
    CHECK(s->state_bytes == 2 * 60 + 2 * 5 + 2 * 5 * 2 + 10);
    json::writer w;
    w.begin_object();
    report::write_model(w, *s);
    const std::string text = w.end().take();
    CHECK(text.find("\"state_bytes\":160") != std::string::npos);
    CHECK(text.find("\"state\":true") != std::string::npos);
    CHECK(report::model_html("m", *s).find("<td>state</td>") != std::string::npos);
}
