#include <kompakt/core/dtype.hpp>

#include <doctest/doctest.h>
#include <set>
#include <string>

using namespace kompakt;

TEST_CASE("dtype: numbers of the file format never change") {
    CHECK(static_cast<int>(dtype::none) == 0);
    CHECK(static_cast<int>(dtype::f32) == 1);
    CHECK(static_cast<int>(dtype::f16) == 2);
    CHECK(static_cast<int>(dtype::bf16) == 3);
    CHECK(static_cast<int>(dtype::i8) == 4);
    CHECK(static_cast<int>(dtype::u8) == 5);
    CHECK(static_cast<int>(dtype::i16) == 6);
    CHECK(static_cast<int>(dtype::u16) == 7);
    CHECK(static_cast<int>(dtype::i32) == 8);
    CHECK(static_cast<int>(dtype::u32) == 9);
    CHECK(static_cast<int>(dtype::i64) == 10);
    CHECK(static_cast<int>(dtype::boolean) == 11);
    CHECK(static_cast<int>(dtype::f64) == 12);
    CHECK(static_cast<int>(dtype::i4) == 13);
    CHECK(static_cast<int>(dtype::u64) == 14);
}

TEST_CASE("dtype: each has a name and a width") {
    std::set<std::string> names;
    for (unsigned i = 0; i < dtype_count; ++i) {
        const auto t = static_cast<dtype>(i);
        CHECK(names.insert(name_of(t)).second);
        CHECK((bits_of(t) == 0) == (t == dtype::none));
    }
    CHECK(names.count("unknown") == 0);
    CHECK(std::string(name_of(static_cast<dtype>(dtype_count))) == "unknown");
    CHECK(bits_of(static_cast<dtype>(255)) == 0);
    CHECK(bits_of(dtype::i4) == 4);
}

TEST_CASE("dtype: of C++ types") {
    static_assert(dtype_of<float> == dtype::f32 && bits_of(dtype_of<float>) == 8 * sizeof(float));
    static_assert(dtype_of<const std::int8_t> == dtype::i8);
    static_assert(dtype_of<bool> == dtype::boolean);
    static_assert(dtype_of<char*> == dtype::none);
    CHECK(is_float(dtype::bf16));
    CHECK(!is_float(dtype::i4));
}
