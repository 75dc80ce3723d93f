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

TEST_CASE("status: real numbers") {
    const auto shown = [](auto x) { return text(fail(errc::io, x)); };
    CHECK(shown(0.0f) == "0");
    CHECK(shown(-0.0f) == "0");
    CHECK(shown(1.0f) == "1");
    CHECK(shown(-2.5f) == "-2.5");
    CHECK(shown(3.14159) == "3.142");
    CHECK(shown(1234.0f) == "1234");
    CHECK(shown(1000.0f) == "1000");
    CHECK(shown(9999.9f) == "1e4");
    CHECK(shown(12345.0f) == "1.234e4");
    CHECK(shown(0.5) == "0.5");
    CHECK(shown(0.00390625f) == "0.003906");
    CHECK(shown(0.0001) == "0.0001");
    CHECK(shown(0.00001) == "1e-5");
    CHECK(shown(10.01f) == "10.01");
    CHECK(shown(100.5f) == "100.5");
    CHECK(shown(std::numeric_limits<float>::max()) == "3.403e38");
    CHECK(shown(std::numeric_limits<float>::denorm_min()) == "1.401e-45");
    CHECK(shown(std::numeric_limits<double>::max()) == "infinity");
    CHECK(shown(-std::numeric_limits<double>::infinity()) == "-infinity");
    CHECK(shown(std::numeric_limits<float>::quiet_NaN()) == "NaN");
    constexpr status s = fail(errc::io, 0.25f);
    CHECK(text(s) == "0.25");
}

TEST_CASE("status: a message too long ends in dots, one that just fits does not") {
    const std::size_t most = KOMPAKT_MESSAGE_BYTES - 1;
    const auto many = [](std::size_t n, char c) { return std::string(n, c); };
    CHECK(text(fail(errc::io, many(most, 'a').c_str())) == many(most, 'a'));
    for (std::size_t extra : {1u, 2u, 1000u}) {
        CHECK(text(fail(errc::io, many(most + extra, 'a').c_str())) == many(most - 3, 'a') + "...");
    }
}

TEST_CASE("status: long names give way to the reason") {
    const std::string name = "head" + std::string(1000, 'x') + "tail";
    const std::string one = text(fail(errc::bad_file, "tensor ", name, ": needs 16 bytes, has 7"));
    CHECK(one.size() == 7 + KOMPAKT_MESSAGE_BYTES / 3 + 23);
    CHECK(one.find("tensor headxxx") == 0);
    CHECK(one.find("...") != std::string::npos);
    CHECK(one.find("xtail: needs 16 bytes, has 7") != std::string::npos);
    // What surrounds the reason, too.
    status s = fail(errc::bad_file, "tensor ", name, ": needs 16 bytes, has 7");
    for (int i = 0; i < 2; ++i) s = s.within(name, ": ");
    const std::string all = text(s);
    CHECK(all.size() <= KOMPAKT_MESSAGE_BYTES - 1);
    CHECK(all.find("head") == 0);
    CHECK(all.find(": needs 16 bytes, has 7") == all.size() - 23);
    // A reason that fills the message leaves some room for where it is.
    const std::string reason(KOMPAKT_MESSAGE_BYTES - 1, 'r');
    const std::string where = text(fail(errc::io, reason.c_str()).within("file ", name, ": "));
    CHECK(where.find("file head") == std::string::npos);
    CHECK(where.find("file ") == 0);
    CHECK(where.find("tail: rrr") == 24 - 6);
    CHECK(where.size() == KOMPAKT_MESSAGE_BYTES - 1);
    CHECK(where.substr(where.size() - 3) == "...");
    // No half characters.
    std::string umlauts;
    for (int i = 0; i < 300; ++i) umlauts += "\xc3\xa4";
    for (const char* before : {"", "a"}) {
        const std::string t = text(fail(errc::io, "r").within(before + umlauts, before + umlauts));
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < t.size(); ++i) {
            const bool lead = t[i] == '\xc3';
            CHECK(lead == (i + 1 < t.size() && t[i + 1] == '\xa4'));
            bytes += lead ? 2 : 0;
        }
        CHECK(bytes > 50);
    }
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
