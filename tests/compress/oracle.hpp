// Reads the oracle vectors: cases of named inputs and outputs, tensors as {shape, data}.
#pragma once

#include <kompakt/format/json.hpp>

#include <cmath>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <support/data.hpp>
#include <vector>

namespace kompakt_test {

using kompakt::json::value;

// Null, with a message, where there is no test data.
inline value read_oracle(const std::string& topic) {
    const std::string path = test_data("oracles/" + topic + ".json");
    if (path.empty()) return {};
    std::FILE* f = std::fopen(path.c_str(), "rb");
    REQUIRE(f != nullptr);
    std::string text;
    char part[65536];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) != 0;) text.append(part, n);
    std::fclose(f);
    auto parsed = kompakt::json::read(text);
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().message());
    return std::move(*parsed);
}

template <class T = float>
std::vector<T> numbers(const value& v) {
    std::vector<T> out;
    const value& data = v.find("data") != nullptr ? v["data"] : v;
    for (const value& x : data.items()) out.push_back(static_cast<T>(x.as_number()));
    return out;
}
inline std::size_t extent(const value& tensor, std::size_t axis) {
    return static_cast<std::size_t>(tensor["shape"].at(axis).as_integer());
}

// |a - b| <= atol + rtol * |b|
inline bool near(double a, double b, double rtol, double atol = 0.0) {
    return std::fabs(a - b) <= atol + rtol * std::fabs(b);
}

} // namespace kompakt_test
