#include <kompakt/core/tensor.hpp>

#include <doctest/doctest.h>
#include <type_traits>

using namespace kompakt;

TEST_CASE("extents: static, dynamic, mixed") {
    constexpr extents<2, 3, 4> fixed;
    static_assert(fixed.all_static() && fixed.rank() == 3 && fixed.size() == 24);
    static_assert(fixed.get<1>() == 3 && fixed[2] == 4);

    const dynamic_extents<3> free(2, 3, 4);
    CHECK(!free.all_static());
    CHECK(free.get<0>() == 2);
    CHECK(free[2] == 4);
    CHECK(free.size() == 24);

    const extents<dynamic_extent, 3, dynamic_extent> mixed(2, 3, 4);
    CHECK(mixed.get<0>() == 2);
    CHECK(mixed.get<1>() == 3);
    CHECK(mixed.get<2>() == 4);
    for (std::size_t i = 0; i < 3; ++i) CHECK(mixed[i] == free[i]);

    const std::int32_t dims[] = {5, 3, 7};
    const auto from = decltype(mixed)::from(dims);
    CHECK(from.get<0>() == 5);
    CHECK(from.get<2>() == 7);
}

TEST_CASE("extents: rank 0 is a scalar, and sizes beyond 32 bits are exact") {
    CHECK(extents<>().size() == 1);
    CHECK(extents<>::rank() == 0);
    CHECK(dynamic_extents<2>(3, 0).size() == 0);
    if constexpr (sizeof(std::size_t) == 8) {
        CHECK(dynamic_extents<2>(65536, 65536).size() == std::size_t{1} << 32);
    }
    static_assert(std::is_same_v<dynamic_extents<2>, extents<dynamic_extent, dynamic_extent>>);
}

TEST_CASE("tensor: only what varies takes room") {
    static_assert(std::is_empty_v<extents<1, 49, 10, 1>>);
    static_assert(sizeof(extents<dynamic_extent, 3>) == 4);
    static_assert(sizeof(tensor<float, extents<1, 49, 10, 1>>) == sizeof(void*));
    static_assert(sizeof(dynamic_tensor<float, 4>) == sizeof(void*) + 16);
    static_assert(std::is_trivially_copyable_v<dynamic_tensor<float, 4>>);
}

TEST_CASE("tensor: views") {
    float data[6] = {};
    const tensor<float, extents<2, 3>> fixed(data);
    CHECK(fixed.data() == data);
    CHECK(fixed.dim<1>() == 3);
    CHECK(fixed.dim(0) == 2);
    CHECK(fixed.size() == 6);
    const dynamic_tensor<float, 2> free(data, dynamic_extents<2>(2, 3));
    const dynamic_tensor<const float, 2> constant = free;
    CHECK(constant.data() == data);
    CHECK(constant.dim<0>() == 2);
    CHECK(constant.rank() == 2);
    CHECK(dynamic_tensor<float, 2>().data() == nullptr);
    static_assert(
        !std::is_constructible_v<dynamic_tensor<float, 2>, dynamic_tensor<const float, 2>>);
}
