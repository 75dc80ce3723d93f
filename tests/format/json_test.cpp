#include <kompakt/format/json.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>

namespace json = kompakt::json;
using json::kind;

namespace {

kompakt::result<json::value> read_exactly(std::string_view text) {
    const std::unique_ptr<char[]> copy(new char[text.size()]);
    if (!text.empty()) std::memcpy(copy.get(), text.data(), text.size());
    return json::read(std::string_view(copy.get(), text.size()));
}

template <class T>
T from_bits(decltype(sizeof(int)) size, std::uint64_t bits) {
    T t;
    std::memcpy(&t, &bits, size); // the tests run on little-endian machines
    return t;
}

} // namespace

TEST_CASE("json: values") {
    const auto file = json::read(R"( {"a": [1, -2.5, true, null, "x\u00e9\ud83d\ude00\n"],
        "big": 9223372036854775807, "bigger": 9223372036854775808, "o": {"": {}}, "whole": 3e2} )");
    REQUIRE(file.ok());
    const json::value& v = *file;
    CHECK(v.is(kind::object));
    CHECK(v.size() == 5);
    CHECK(v["a"].size() == 5);
    CHECK(v["a"].at(0).as_integer() == 1);
    CHECK(v["a"].at(1).as_number() == -2.5);
    CHECK(v["a"].at(1).as_integer(9) == 9);
    CHECK(v["a"].at(2).as_boolean());
    CHECK(v["a"].at(3).is_null());
    CHECK(v["a"].at(4).as_string() == "x\xc3\xa9\xf0\x9f\x98\x80\n");
    CHECK(v["a"].at(5).is_null());
    CHECK(v["big"].as_integer() == INT64_MAX);
    CHECK(v["bigger"].is(kind::real));
    CHECK(v["bigger"].as_integer(-1) == -1);
    CHECK(v["whole"].as_integer() == 300);
    CHECK(v["o"][""].is(kind::object));
    CHECK(v["none"]["at"].at(3).as_string().empty());
    CHECK(v.find("none") == nullptr);
    CHECK(v.members()[1].key == "big");
}

TEST_CASE("json: text that is accepted") {
    for (const char* text :
         {"0", "-0", "1E5", "1e+5", "1e-5", "0.0", "\"\"", "[]", "{}", " [ ] ",
          "\xef\xbb\xbf"
          "1",
          "\"\\u0000\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "1e-400", "0e999999999999999999999",
          "0.000000000000000000001e5", "\"\x7f\"", "[[[[]]]]", "123456789012345678901234567890"}) {
        CAPTURE(text);
        CHECK(read_exactly(text).ok());
    }
    CHECK(std::string_view(json::read("\"\\u0000\"")->as_string()) == std::string_view("\0", 1));
    CHECK(json::read("1e-400")->as_number() == 0);
    CHECK(json::write(*json::read("-0")) == "-0.0");
}

TEST_CASE("json: text that is refused") {
    for (const char* text : {"",
                             " ",
                             "nul",
                             "nulL",
                             "tru",
                             "True",
                             "NaN",
                             "Infinity",
                             "-",
                             "+1",
                             "01",
                             "-01",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "0x1",
                             "1 2",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "[",
                             "]",
                             "{",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{\"a\":1 \"b\":2}",
                             "{1:2}",
                             "\"",
                             "\"\\",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\u12g4\"",
                             "\"\\ud800\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"a\nb\"",
                             "'a'",
                             "\"\xff\"",
                             "\"\xc0\x80\"",
                             "\"\xed\xa0\x80\"",
                             "\"\xf4\x90\x80\x80\"",
                             "\"\xe0\x9f\xbf\"",
                             "\"\xf0\x8f\xbf\xbf\"",
                             "\"\xc3\"",
                             "/**/1",
                             "1e999",
                             "-1e999",
                             "1000e306",
                             "{\"a\":1,\"b\":2,\"a\":3}",
                             "{\"a\":1,\"\\u0061\":1}"}) {
        CAPTURE(text);
        const auto v = read_exactly(text);
        CHECK_FALSE(v.ok());
    }
    CHECK_FALSE(json::read(std::string_view("1\0", 2)).ok());
    CHECK(json::read("1e999").error().code() == kompakt::errc::limit);
    CHECK(std::string(json::read("[1,\n2,\n x]").error().message()) ==
          "json: line 3, byte 8: needs a value, has 'x'");
    CHECK(std::string(json::read("{\"k\":1,\"k\":2}").error().message()).find("\"k\" twice") !=
          std::string::npos);
}

TEST_CASE("json: depth") {
    const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    CHECK(json::read(nested(128)).ok());
    CHECK(json::read(nested(129)).error().code() == kompakt::errc::limit);
    CHECK(json::read(std::string(10000000, '[')).error().code() == kompakt::errc::limit);
    CHECK(json::read("3", 0).ok());
    CHECK_FALSE(json::read("[]", 0).ok());
}

TEST_CASE("json: every truncation is refused, every flipped bit survived") {
    std::string text = R"({"a":[1,-2.5e-3,true,null,"x\u00e9\ud83d\ude00\n)"
                       "\xc3\xa9"
                       R"("],"b":{"c":false}})";
    REQUIRE(read_exactly(text).ok());
    for (std::size_t n = 0; n < text.size(); ++n) CHECK_FALSE(read_exactly(text.substr(0, n)).ok());
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
        const auto v = read_exactly(text);
        if (v.ok()) {
            const auto again = json::read(json::write(*v));
            REQUIRE(again.ok());
            CHECK(*again == *v);
        }
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    }
}

TEST_CASE("json: writing") {
    json::writer out;
    out.begin_object().member("i", -3).member("u", UINT64_MAX).member("f", 0.1f).member("d", 0.1);
    out.member("t", true)
        .member("n", nullptr)
        .key("a")
        .begin_array()
        .value("q\"\\\x01\b\v\x1f/")
        .end();
    out.key("e").begin_array().end().key("o").begin_object().end().member("s", std::string("\xff"
                                                                                           "a"));
    out.member("nan", std::numeric_limits<double>::quiet_NaN());
    out.member("inf", -std::numeric_limits<float>::infinity()).end();
    const std::string text = out.take();
    CHECK(text == "{\"i\":-3,\"u\":18446744073709551615,\"f\":0.1,\"d\":0.1,\"t\":true,\"n\":null,"
                  "\"a\":[\"q\\\"\\\\\\u0001\\b\\u000b\\u001f/\"],\"e\":[],\"o\":{},"
                  "\"s\":\"\xef\xbf\xbd"
                  "a\",\"nan\":null,\"inf\":null}");
    CHECK(json::read(text).ok());
    CHECK(out.take().empty());

    json::value v;
    v.add("list", json::value::array{1, 2.0, "x"});
    v.add("flag", false);
    CHECK(json::write(v) == "{\"list\":[1,2.0,\"x\"],\"flag\":false}");
    CHECK(json::write(v, 2) ==
          "{\n  \"list\": [\n    1,\n    2.0,\n    \"x\"\n  ],\n  \"flag\": false\n}");
    CHECK(*json::read(json::write(v, 3)) == v);
}

TEST_CASE("json: numbers survive the way there and back") {
    const auto text = [](auto x) { return json::writer().value(x).take(); };
    CHECK(text(1.0) == "1.0");
    CHECK(text(100000.0) == "100000.0");
    CHECK(text(123.25) == "123.25");
    CHECK(text(1e16) == "10000000000000000.0");
    CHECK(text(1e17) == "1e+17");
    CHECK(text(0.00001) == "0.00001");
    CHECK(text(0.0000015) == "1.5e-6");
    CHECK(text(5e-324) == "5e-324");
    CHECK(text(1.7976931348623157e308) == "1.7976931348623157e+308");
    CHECK(text(16777216.0f) == "16777216.0");
    CHECK(text(-0.0f) == "-0.0");

    std::uint64_t state = 1;
    for (int i = 0; i < 20000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto d = from_bits<double>(8, state);
        const auto f = from_bits<float>(4, state >> 32);
        if (json::detail::is_finite(d)) {
            CHECK(json::read(text(d))->as_number() == d);
            CHECK(json::detail::read_double_by_locale(text(d)) == d);
            const auto a = json::detail::shortest(d), b = json::detail::shortest_by_trial(d);
            CHECK(std::string(a.digits) == std::string(b.digits));
            CHECK(a.exponent == b.exponent);
        }
        if (json::detail::is_finite(f)) {
            CHECK(static_cast<float>(json::read(text(f))->as_number()) == f);
            std::string trial;
            json::detail::append_decimal(trial, json::detail::shortest_by_trial(f));
            CHECK(trial == text(f));
        }
    }
}
