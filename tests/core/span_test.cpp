#include <kompakt/core/span.hpp>

#include <array>
#include <doctest/doctest.h>
#include <string>
#include <type_traits>
#include <vector>

using kompakt::span;

TEST_CASE("span: what it can be made of") {
    int array[3] = {1, 2, 3};
    std::vector<int> vector{4, 5};
    const std::array<int, 1> constant{{6}};
    CHECK(span<int>(array).size() == 3);
    CHECK(span<int>(vector).data() == vector.data());
    CHECK(span<const int>(vector)[1] == 5);
    CHECK(span<const int>(constant).front() == 6);
    CHECK(span<const char>(std::string("text")).size() == 4);
    CHECK(span<const int>(span<int>(array)).back() == 3);

    // Neither drops const nor reinterprets a derived or a narrower element.
    static_assert(!std::is_constructible_v<span<int>, const std::vector<int>&>);
    static_assert(!std::is_constructible_v<span<int>, span<const int>>);
    static_assert(!std::is_constructible_v<span<int>, std::vector<short>&>);
    static_assert(!std::is_constructible_v<span<int>, int>);
}

TEST_CASE("span: parts and bytes") {
    static constexpr int array[4] = {1, 2, 3, 4};
    constexpr span<const int> s(array, 4);
    static_assert(s.subspan(1, 2)[1] == 3);
    CHECK(s.first(0).empty());
    CHECK(s.subspan(4).empty());
    CHECK(s.size_bytes() == 4 * sizeof(int));
    int sum = 0;
    for (int i : s) sum += i;
    CHECK(sum == 10);

    CHECK(span<int>().empty());
    CHECK(span<int>().data() == nullptr);
    CHECK(kompakt::as_bytes(s).size() == 4 * sizeof(int));
    int value = 0;
    kompakt::as_writable_bytes(span<int>(&value, 1))[0] = std::byte{1};
    CHECK(value != 0);
}
