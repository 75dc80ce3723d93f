#include <kompakt/format/flatbuffer_reader.hpp>
#include <kompakt/format/flatbuffer_writer.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <vector>

namespace fb = kompakt::flatbuffer;
using file = std::vector<std::byte>;

namespace {

enum class colour : std::uint8_t { red, green };

// Fields: 0 int32, 1 int8 (default 7), 2 bool, 3 double, 4 string, 5 vector<float>, 6 vector of
// tables, 7 vector of strings, 8/9 union, 10 bytes at 16, 11 uint64, 12 vector<int64>, 13 colour.
file sample() {
    fb::writer out;
    const fb::offset name = out.string("the name");
    const fb::offset floats = out.vector<float>({1.0f, -2.5f, 3.25f});
    std::vector<fb::offset> tables;
    for (int i = 0; i < 3; ++i)
        tables.push_back(out.table(fb::fields().scalar<std::int32_t>(0, i)));
    const fb::offset children = out.vector(tables);
    const fb::offset texts = out.strings(std::vector<std::string>{"", "b", "four"});
    const fb::offset chosen = out.table(fb::fields().scalar<std::int16_t>(2, -5));
    const std::array<std::byte, 5> raw = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                          std::byte{255}};
    const fb::offset data = out.bytes(raw, 16);
    const fb::offset longs = out.vector<std::int64_t>({INT64_MIN, 5});
    const fb::offset root = out.table(fb::fields()
                                          .scalar<std::int32_t>(0, -123456, 0)
                                          .scalar<std::int8_t>(1, 7, 7)
                                          .scalar<bool>(2, true)
                                          .scalar<double>(3, 0.1)
                                          .reference(4, name)
                                          .reference(5, floats)
                                          .reference(6, children)
                                          .reference(7, texts)
                                          .variant(8, 2, chosen)
                                          .reference(10, data)
                                          .scalar<std::uint64_t>(11, UINT64_MAX)
                                          .reference(12, longs)
                                          .scalar<colour>(13, colour::green));
    auto result = out.finish(root, "TEST");
    REQUIRE(result.ok());
    return std::move(result).value();
}

// Opens everything that the sample has, in a heap block of exactly the file's size, so that the
// address sanitizer sees a byte too many.
kompakt::status walk_sample(const file& f, std::uint64_t* sum = nullptr) {
    const std::unique_ptr<std::byte[]> copy(new std::byte[f.size()]);
    if (!f.empty()) std::memcpy(copy.get(), f.data(), f.size());
    fb::reader in(kompakt::bytes_view(copy.get(), f.size()));
    std::uint64_t total = 0;
    const fb::table_ref root = in.root("TEST");
    total += static_cast<std::uint64_t>(root.scalar<std::int32_t>(0));
    total += static_cast<std::uint64_t>(root.scalar<std::int8_t>(1, 7));
    total += root.scalar<bool>(2) ? 1 : 0;
    total += root.scalar<double>(3) > 0 ? 1 : 0;
    for (const char c : root.string(4)) total += static_cast<unsigned char>(c);
    for (const float x : root.vector<float>(5)) total += x > 0 ? 1 : 0;
    for (const fb::table_ref t : root.tables(6)) total += t.scalar<std::uint32_t>(0);
    for (const std::string_view s : root.strings(7)) total += s.size();
    total += static_cast<std::uint64_t>(root.variant(8).value.scalar<std::int16_t>(2));
    for (const std::uint8_t b : root.vector<std::uint8_t>(10).copy()) total += b;
    total += root.scalar<std::uint64_t>(11);
    for (const std::int64_t x : root.vector<std::int64_t>(12))
        total += static_cast<std::uint64_t>(x);
    total += root.scalar<colour>(13) == colour::green ? 1 : 0;
    if (sum != nullptr) *sum = total;
    return in.check();
}

// Guesses each field to be everything, until the limits of the reader stop it.
void walk_blindly(fb::reader& in, const fb::table_ref& t, std::uint64_t& sum) {
    for (std::size_t id = 0; id < t.field_count(); ++id) {
        sum += t.scalar<std::uint8_t>(id) + t.scalar<std::uint64_t>(id) + t.string(id).size();
        in.clear();
        for (const std::uint16_t x : t.vector<std::uint16_t>(id)) sum += x;
        in.clear();
        for (const std::string_view s : t.strings(id)) sum += s.size();
        in.clear();
        walk_blindly(in, t.table(id), sum);
        in.clear();
        const auto tables = t.tables(id);
        for (std::size_t i = 0; i < tables.size() && in.ok(); ++i) walk_blindly(in, tables[i], sum);
        in.clear();
    }
}

void put(file& f, std::size_t at, std::uint32_t value) {
    kompakt::store_le(f.data() + at, value);
}

} // namespace

TEST_CASE("flatbuffer: what was written is read") {
    const file f = sample();
    CHECK(fb::has_identifier(f, "TEST"));
    CHECK_FALSE(fb::has_identifier(f, "TFL3"));
    fb::reader in(f);
    const fb::table_ref root = in.root("TEST");
    REQUIRE(root);
    CHECK(root.depth() == 1);
    CHECK(root.field_count() == 14);
    CHECK(root.scalar<std::int32_t>(0, 1) == -123456);
    CHECK_FALSE(root.has(1)); // equal to the default, so left out
    CHECK(root.scalar<std::int8_t>(1, 7) == 7);
    CHECK(root.scalar<bool>(2));
    CHECK(root.scalar<double>(3) == 0.1);
    CHECK(root.string(4) == "the name");
    const auto floats = root.vector<float>(5);
    REQUIRE(floats.size() == 3);
    CHECK(floats[1] == -2.5f);
    CHECK(floats.copy() == std::vector<float>{1.0f, -2.5f, 3.25f});
    CHECK(floats.aligned().size() == 3);
    CHECK(floats.raw().size() == 12);
    std::int32_t expected = 0;
    for (const fb::table_ref t : root.tables(6)) {
        CHECK(t.depth() == 2);
        CHECK(t.scalar<std::int32_t>(0, -1) == expected++);
    }
    CHECK(expected == 3);
    const auto texts = root.strings(7);
    REQUIRE(texts.size() == 3);
    CHECK(texts[0].empty());
    CHECK(texts[2] == "four");
    const fb::union_ref u = root.variant(8);
    CHECK(u.type == 2);
    CHECK(u.value.scalar<std::int16_t>(2) == -5);
    const auto bytes = root.vector<std::uint8_t>(10);
    CHECK(bytes.position() % 16 == 0);
    CHECK(bytes[4] == 255);
    CHECK(root.scalar<std::uint64_t>(11) == UINT64_MAX);
    CHECK(root.vector<std::int64_t>(12)[0] == INT64_MIN);
    CHECK(root.vector<std::int64_t>(12).position() % 8 == 0);
    CHECK(root.scalar<colour>(13) == colour::green);
    CHECK(in.ok());

    SUBCASE("absent things are empty and no failure") {
        CHECK_FALSE(root.has(200));
        CHECK(root.scalar<float>(200, 1.5f) == 1.5f);
        CHECK_FALSE(root.table(200));
        CHECK(root.table(200).table(1).string(2).empty());
        CHECK(root.tables(200).empty());
        CHECK(root.tables(200).begin() != root.tables(6).end());
        CHECK(root.variant(200).type == 0);
        CHECK(in.ok());
    }
    SUBCASE("an index outside is a failure, and what follows is empty") {
        CHECK(root.vector<float>(5)[3] == 0.0f);
        CHECK_FALSE(in.ok());
        CHECK(std::string(in.check().message()).find("index 3 in a vector of 3") !=
              std::string::npos);
        CHECK(root.tables(6).empty());
        CHECK_FALSE(root.variant(8).value);
        CHECK(root.scalar<std::int32_t>(0) == -123456);
        in.fail(kompakt::errc::limit, "a later failure is not kept");
        CHECK(in.check().code() == kompakt::errc::bad_file);
        in.clear();
        CHECK(root.tables(6).size() == 3);
    }
}

TEST_CASE("flatbuffer: vectors are read at any alignment") {
    const file f = sample();
    for (std::size_t shift = 0; shift < 4; ++shift) {
        file moved(shift);
        moved.insert(moved.end(), f.begin(), f.end());
        fb::reader in(kompakt::bytes_view(moved).subspan(shift));
        const auto floats = in.root("TEST").vector<float>(5);
        CHECK(floats.copy() == std::vector<float>{1.0f, -2.5f, 3.25f});
        CHECK(floats.aligned().size() == (shift == 0 ? 3u : 0u));
    }
}

TEST_CASE("flatbuffer: writing is deterministic and shares vtables") {
    CHECK(sample() == sample());
    std::size_t sizes[2];
    for (std::size_t n = 1; n <= 2; ++n) {
        fb::writer out;
        std::vector<fb::offset> tables;
        for (std::size_t i = 0; i < 100 * n; ++i) {
            tables.push_back(out.table(fb::fields().scalar<std::uint32_t>(5, 1)));
        }
        auto f = out.finish(out.table(fb::fields().reference(0, out.vector(tables))), "TEST");
        REQUIRE(f.ok());
        sizes[n - 1] = f->size();
    }
    CHECK(sizes[1] - sizes[0] == 100 * (4 + 4 + 4)); // reference, vtable offset, scalar
}

TEST_CASE("flatbuffer: what cannot be written is refused") {
    {
        fb::writer out(200);
        const std::vector<std::uint8_t> large(300);
        CHECK_FALSE(out.vector(large));
        const auto f = out.finish(out.table(fb::fields()), "TEST");
        CHECK(f.error().code() == kompakt::errc::limit);
        CHECK(out.finish(out.table(fb::fields()), "TEST").ok()); // it starts anew
    }
    {
        fb::writer out;
        const auto t = out.table(fb::fields().scalar<int>(1, 1).scalar<int>(1, 2));
        CHECK(out.finish(t, "TEST").error().code() == kompakt::errc::bad_argument);
        CHECK(out.finish({}, "TEST").error().code() == kompakt::errc::bad_argument);
        CHECK_FALSE(out.finish(out.table(fb::fields()), "TESTS").ok());
        CHECK(out.finish(out.table(fb::fields()), "").ok());
        CHECK_FALSE(out.finish(out.vector(std::vector<fb::offset>{{}}), "").ok());
        const auto wide = out.table(fb::fields().scalar<std::uint8_t>(40000, 1));
        CHECK(out.finish(wide, "").error().code() == kompakt::errc::limit);
    }
}

TEST_CASE("flatbuffer: every truncation is refused") {
    const file f = sample();
    CHECK(walk_sample(f).ok());
    for (std::size_t n = 0; n < f.size(); ++n) {
        const file cut(f.begin(), f.begin() + static_cast<std::ptrdiff_t>(n));
        // What the writer pushed first, the name, ends in a NUL that nobody reads, and padding.
        if (walk_sample(cut).ok()) CHECK(f.size() - n <= 4);
        fb::reader in(cut);
        std::uint64_t sum = 0;
        walk_blindly(in, in.root(""), sum);
    }
}

TEST_CASE("flatbuffer: every flipped bit is survived") {
    file f = sample();
    for (std::size_t bit = 0; bit < 8 * f.size(); ++bit) {
        f[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        std::uint64_t sum = 0;
        if (!walk_sample(f, &sum).ok()) CHECK(walk_sample(f).message()[0] != '\0');
        fb::reader in(f, {8, 200000});
        walk_blindly(in, in.root(""), sum);
        f[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    }
    CHECK(walk_sample(f).ok());
}

TEST_CASE("flatbuffer: hostile lengths and offsets") {
    const file f = sample();
    fb::reader good(f);
    const auto floats_at = static_cast<std::size_t>(good.root("TEST").vector<float>(5).position());
    const auto tables_at = static_cast<std::size_t>(good.root("TEST").tables(6).position());
    for (const std::uint32_t n : {4u, 0x40000000u, 0x40000001u, 0x7fffffffu, 0x80000000u, ~0u}) {
        file bad = f;
        put(bad, floats_at - 4, n);
        if (n != 4) CHECK(walk_sample(bad).code() == kompakt::errc::bad_file);
        bad = f;
        put(bad, tables_at - 4, n);
        CHECK(walk_sample(bad).code() == kompakt::errc::bad_file);
        bad = f;
        put(bad, tables_at, n);
        if (n != 4) CHECK(walk_sample(bad).code() == kompakt::errc::bad_file);
        bad = f;
        put(bad, 0, n);
        CHECK_FALSE(walk_sample(bad).ok());
        bad = f;
        put(bad, good.root("").position(), n); // the offset of the vtable
        CHECK_FALSE(walk_sample(bad).ok());
    }
    file zero = f;
    put(zero, tables_at, 0);
    CHECK(std::string(walk_sample(zero).message()).find("an offset is zero") != std::string::npos);
    put(zero, 0, 0);
    CHECK_FALSE(walk_sample(zero).ok());
}

TEST_CASE("flatbuffer: cycles and shared references end") {
    // A table at 16 with one vector of references, all to the table itself; the vtable is at 8.
    const std::uint32_t count = 1000;
    file f(28 + 4 * count);
    put(f, 0, 16);
    kompakt::store_le<std::uint16_t>(f.data() + 8, 6);
    kompakt::store_le<std::uint16_t>(f.data() + 10, 8);
    kompakt::store_le<std::uint16_t>(f.data() + 12, 4);
    put(f, 16, 8);
    put(f, 20, 4);
    put(f, 24, count);
    // Offsets only point forward, so a cycle needs one that wraps; it is refused as too large.
    for (std::uint32_t i = 0; i < count; ++i) put(f, 28 + 4 * i, 0u - (12 + 4 * i));
    {
        fb::reader in(f);
        CHECK_FALSE(in.root("").tables(0)[0]);
        CHECK(in.check().code() == kompakt::errc::bad_file);
    }
    // Levels of tables, each with 50 references to the next: 50^8 paths.
    fb::writer out;
    fb::offset next = out.table(fb::fields());
    for (int level = 0; level < 8; ++level) {
        next = out.table(fb::fields().reference(0, out.vector(std::vector<fb::offset>(50, next))));
    }
    const auto bomb = out.finish(next, "");
    REQUIRE(bomb.ok());
    struct walker {
        static void walk(const fb::table_ref& t) {
            for (const fb::table_ref child : t.tables(0)) walk(child);
        }
    };
    fb::reader in(*bomb);
    walker::walk(in.root(""));
    CHECK(in.check().code() == kompakt::errc::limit);

    // A chain deeper than the limit.
    next = out.table(fb::fields());
    for (int level = 0; level < 70; ++level) next = out.table(fb::fields().reference(0, next));
    const auto chain = out.finish(next, "");
    REQUIRE(chain.ok());
    fb::reader deep(*chain);
    std::uint32_t depth = 0;
    for (fb::table_ref t = deep.root(""); t; t = t.table(0)) depth = t.depth();
    CHECK(depth == 64);
    CHECK(deep.check().code() == kompakt::errc::limit);
}

TEST_CASE("flatbuffer: a real TFLite model") {
    const char* folder = std::getenv("KOMPAKT_TEST_DATA");
    if (folder == nullptr) {
        MESSAGE("skipped: KOMPAKT_TEST_DATA is not set");
        return;
    }
    const std::string path =
        std::string(folder) + "/data/tflite/hello_world_int8/hello_world_int8.tflite";
    std::FILE* opened = std::fopen(path.c_str(), "rb");
    REQUIRE(opened != nullptr);
    file f(1 << 20);
    f.resize(std::fread(f.data(), 1, f.size(), opened));
    std::fclose(opened);

    fb::reader in(f);
    const fb::table_ref model = in.root("TFL3");
    CHECK(model.scalar<std::uint32_t>(0) == 3);
    std::size_t named = 0;
    for (const fb::table_ref graph : model.tables(2)) {
        for (const fb::table_ref tensor : graph.tables(0))
            named += tensor.string(3).empty() ? 0 : 1;
    }
    CHECK(named > 0);
    CHECK_MESSAGE(in.ok(), in.check().message());
}
