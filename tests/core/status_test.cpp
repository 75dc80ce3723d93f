#include <kompakt/core/status.hpp>

#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace kompakt;

namespace {
std::string text(const status& s) {
    return s.message();
}
} // namespace

TEST_CASE("status: ok by default, failure says why") {
    CHECK(status().ok());
    CHECK(text(status()) == "ok");
    const status s = fail(errc::bad_file, "tensor ", 7, ": needs ", 16u, " bytes, has ", -1);
    CHECK(!s);
    CHECK(s.code() == errc::bad_file);
    CHECK(text(s) == "tensor 7: needs 16 bytes, has -1");
    CHECK(text(fail(errc::limit)) == "limit");
}

TEST_CASE("status: numbers to their ends, and every kind of text") {
    CHECK(text(fail(errc::io, INT64_MIN)) == "-9223372036854775808");
    CHECK(text(fail(errc::io, UINT64_MAX)) == "18446744073709551615");
    CHECK(text(fail(errc::io, std::int8_t{-128}, ' ', std::uint8_t{255}, ' ', 0)) == "-128 255 0");
    CHECK(text(fail(errc::io, std::string("a"), std::string_view("bcd", 1), 'c', "d")) == "abcd");
}

TEST_CASE("status: within puts text before") {
    CHECK(status().within("file: ").ok());
    const status s =
        fail(errc::unsupported, "no such op").within("model.tflite: ", "layer ", 3, ": ");
    CHECK(s.code() == errc::unsupported);
    CHECK(text(s) == "model.tflite: layer 3: no such op");
    CHECK(text(fail(errc::io).within("x: ")) == "x: i/o");
}

TEST_CASE("status: a message too long loses its middle, one that just fits nothing") {
    const std::size_t most = KOMPAKT_MESSAGE_BYTES - 1, head = most / 3, tail = most - head - 3;
    CHECK(text(fail(errc::io, std::string(most, 'a'))) == std::string(most, 'a'));
    for (std::size_t extra : {1u, 2u, 1000u, 1000000u}) {
        const std::string reason = ": needs 40 bytes, has 39";
        const std::string name(most - reason.size() + extra, 'a');
        CHECK(text(fail(errc::io, name, reason)) ==
              std::string(head, 'a') + "..." + std::string(tail - reason.size(), 'a') + reason);
        CHECK(text(fail(errc::io, name.c_str(), reason)) == text(fail(errc::io, name, reason)));
        // Nor do names around it cost the reason.
        const std::string inside = text(fail(errc::io, name, reason).within("op ", name, ": "));
        CHECK(inside.size() == most);
        CHECK(inside.substr(0, 4) == "op a");
        CHECK(inside.substr(most - reason.size()) == reason);
    }
    const std::string ends = std::string(100000, 'x') + "yz";
    CHECK(text(fail(errc::io, 'w', ends)).substr(0, 2) == "wx");
    CHECK(text(fail(errc::io, 'w', ends)).substr(most - 3) == "xyz");
}

TEST_CASE("status: numbers with a fraction") {
    CHECK(text(fail(errc::io, 0.5f, ' ', -0.00390625f, ' ', 3.0f, ' ', 0.0f)) ==
          "0.5 -0.00390625 3 0");
    CHECK(text(fail(errc::io, 123456.0f, ' ', 100000.0f, ' ', 999999.9f, ' ', 1.5e20f)) ==
          "123456 100000 1e6 1.5e20");
    CHECK(text(fail(errc::io, 0.00001f, ' ', 1e-6f, ' ', -2.5e-30)) == "0.00001 1e-6 -2.5e-30");
    const float most = (std::numeric_limits<float>::max)();
    CHECK(text(fail(errc::io, most * 2, ' ', -most * 2, ' ', most * 2 - most * 2)) ==
          "inf -inf nan");
    CHECK(text(fail(errc::io, most, ' ', std::numeric_limits<float>::denorm_min())).find("e38 ") !=
          std::string::npos);
}

TEST_CASE("status: hostile names stay one line of printable text") {
    CHECK(text(fail(errc::bad_file, "a\nb\x1b[31m\t\x7f")) == "a?b?[31m??");
    CHECK(text(fail(errc::bad_file, std::string_view("x\0y", 3))) == "x?y");
    CHECK(text(fail(errc::bad_file, "\xc3\xa9")) == "\xc3\xa9"); // UTF-8 passes
}

TEST_CASE("status: works in constant expressions") {
    constexpr status s = fail(errc::bad_arena, "needs ", 16);
    static_assert(!s.ok() && s.code() == errc::bad_arena);
    CHECK(text(s) == "needs 16");
}

TEST_CASE("errc: every code has a name") {
    for (int i = 0; i <= static_cast<int>(errc::io); ++i) {
        CHECK(std::strcmp(name_of(static_cast<errc>(i)), "unknown") != 0);
    }
    CHECK(std::string(name_of(static_cast<errc>(200))) == "unknown");
}

namespace {
result<int> half(int n) {
    if (n % 2 != 0) return fail(errc::bad_argument, n, " is odd");
    return n / 2;
}
status quarter(int n, int& out) {
    auto h = half(n);
    if (!h) return h.error();
    auto q = half(*h);
    if (!q) return q.error();
    out = *q;
    return {};
}
status all_even(span<const int> numbers) {
    for (int n : numbers) {
        int unused = 0;
        KOMPAKT_TRY(quarter(n, unused));
    }
    return {};
}
} // namespace

TEST_CASE("result: a value or a status") {
    CHECK(half(4).value() == 2);
    CHECK(text(half(5).error()) == "5 is odd");
    const int good[] = {4, 8};
    const int bad[] = {4, 6, 5};
    CHECK(all_even(good).ok());
    CHECK(text(all_even(bad)) == "3 is odd");
}

TEST_CASE("result: copies, moves and assigns what it holds, once") {
    const auto alive = std::make_shared<int>(1);
    {
        result<std::shared_ptr<int>> a = alive;
        CHECK(alive.use_count() == 2);
        result<std::shared_ptr<int>> b = a;
        CHECK(alive.use_count() == 3);
        result<std::shared_ptr<int>> c = std::move(b);
        CHECK(alive.use_count() == 3);
        c = result<std::shared_ptr<int>>(fail(errc::io));
        CHECK(!c);
        CHECK(alive.use_count() == 2);
        c = a;
        c = static_cast<const result<std::shared_ptr<int>>&>(c);
        CHECK(alive.use_count() == 3);
    }
    CHECK(alive.use_count() == 1);

    result<std::unique_ptr<int>> owner = std::make_unique<int>(7);
    CHECK(**owner == 7);
    const std::unique_ptr<int> taken = *std::move(owner);
    CHECK(*taken == 7);
    CHECK(result<std::vector<int>>(std::vector<int>{1, 2})->size() == 2);
}
