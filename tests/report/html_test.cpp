// Reports: text for people, the page, progress.
#include <kompakt/report/html.hpp>
#include <kompakt/report/progress.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>

using namespace kompakt;

namespace {
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}
} // namespace

TEST_CASE("report: numbers") {
    CHECK(report::grouped(0) == "0");
    CHECK(report::grouped(999) == "999");
    CHECK(report::grouped(1000) == "1,000");
    CHECK(report::grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
    CHECK(report::fixed(1.25, 1) == "1.3");
    CHECK(report::fixed(-1.25, 1) == "-1.3");
    CHECK(report::fixed(-0.01, 1) == "0.0");
    CHECK(report::fixed(2, 3) == "2.000");
    CHECK(report::fixed(0.05, 2) == "0.05");
    CHECK(report::fixed(std::nan(""), 2) == "nan");
    CHECK(report::fixed(-std::numeric_limits<double>::infinity(), 2) == "-inf");
    CHECK(report::significant(0) == "0");
    CHECK(report::significant(0.584702909) == "0.5847");
    CHECK(report::significant(12345.6) == "12346");
    CHECK(report::significant(-3.14159) == "-3.142");
    CHECK(report::significant(1.5e-7) == "1.500e-7");
    CHECK(report::significant(2e12) == "2.000e12");
}

TEST_CASE("report: names are short and never cut inside a character") {
    CHECK(report::short_name("a/b;c/d") == "a/b");
    CHECK(report::short_name(std::string(50, 'x'), 10) == "...xxxxxxx");
    std::string umlauts;
    for (int i = 0; i < 30; ++i) umlauts += "\xc3\xa4";
    for (std::size_t most = 6; most < 20; ++most) {
        const std::string s = report::short_name(umlauts, most);
        CHECK(s.size() <= most);
        CHECK(s.substr(0, 5) == "...\xc3\xa4");
    }
    CHECK(report::short_name("a\nb\tc\xff") == "a?b?c?");
    CHECK(report::short_name(std::string(50, '\n'), 10) == "...???????");
}

TEST_CASE("report: whatever a name holds stays text") {
    CHECK(report::escape("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#39;");
    CHECK(report::escape("\xc3\xa4") == "\xc3\xa4");
    CHECK(report::escape("a\xff\xc3") == "a??");
    CHECK(report::escape(std::string_view("\0\x1b", 2)) == "??");
    CHECK(report::escape("\xe2\x82\xac\xf0\x9f\x98\x80") == "\xe2\x82\xac\xf0\x9f\x98\x80");

    report::html_page page("<title>");
    page.section("<s>").paragraph("<p1>").table({"<c>"}, {{"<r>"}});
    page.bars("<b>", {{"<l>", 1, "<t>"}}).figures({{"<f>", "<v>"}});
    page.memory_map("<m>", {{"<x>", 0, 16, 0, 3, false}}, 16, 16);
    page.histogram("<h>", -1, 1, {1, 2}, -0.5, 1);
    const std::string text = page.take();
    for (const char* bad : {"<title><", "<s>", "<p1>", "<c>", "<r>", "<l>", "<t>", "<f>", "<v>",
                            "<m>", "<x>", "<h>"}) {
        CHECK(text.find(bad) == std::string::npos);
    }
    CHECK(text.find("<script") == std::string::npos);
    CHECK(text.find("http") == std::string::npos);
    for (const char* tag : {"svg", "table", "figure", "div", "rect", "text", "body", "html"}) {
        const std::string closing = std::string("</") + tag + ">";
        const std::size_t alone = std::string(tag) == "rect" ? count(text, "/>") : 0;
        CHECK(count(text, std::string("<") + tag + " ") +
                  count(text, std::string("<") + tag + ">") <=
              count(text, closing) + alone);
    }
}

TEST_CASE("report: the same calls give the same page, empty charts are no trouble") {
    const auto make = [] {
        report::html_page page("x");
        page.table({}, {}).table({"a"}, {}).bars("none", {}).figures({});
        page.bars("nan", {{"a", std::nan(""), ""}, {"b", -2, ""}, {"c", 3, ""}});
        page.memory_map("none", {}, 0, 0).histogram("none", 0, 0, {}, 0, 0);
        return page.take();
    };
    CHECK(make() == make());
    CHECK(make().find("NaN") == std::string::npos);
    CHECK(make().find("width=\"-") == std::string::npos);
}

TEST_CASE("report: progress") {
    report::progress p("running", 1000, nullptr);
    CHECK(p.text(0) == "running 0 of 1,000 (0 %)");
    p.step(250);
    CHECK(p.text(2) == "running 250 of 1,000 (25 %), 125/s, 6 s left");
    p.step(750);
    CHECK(p.text(4) == "running 1,000 of 1,000 (100 %), 250/s");
    report::progress unknown("reading", 0, nullptr);
    unknown.step(3);
    CHECK(unknown.text(2) == "reading 3, 1.5/s");
    CHECK(report::duration_text(59.9) == "59 s");
    CHECK(report::duration_text(61) == "1:01");
    CHECK(report::duration_text(3723) == "1:02:03");
    CHECK(report::duration_text(-1) == "0 s");

    // Not a terminal: short work leaves no line.
    std::FILE* f = std::tmpfile();
    REQUIRE(f != nullptr);
    {
        report::progress quiet("x", 3, f);
        for (int i = 0; i < 3; ++i) quiet.step();
    }
    CHECK(std::ftell(f) == 0);
    std::fclose(f);
}
