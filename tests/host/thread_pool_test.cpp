// The thread pool as an executor (also under the thread sanitizer).
#include <kompakt/host/thread_pool.hpp>

#include <atomic>
#include <doctest/doctest.h>
#include <numeric>
#include <thread>
#include <vector>

using namespace kompakt;

TEST_CASE("thread_pool: each piece once, whatever the number of threads") {
    for (std::size_t threads : {1, 2, 3, 8}) {
        thread_pool pool(threads);
        CHECK(pool.threads() == threads);
        for (std::size_t pieces : {0, 1, 2, 3, 7, 100, 1000}) {
            std::vector<int> seen(pieces, 0);
            pool.parallel_for(pieces, [&](std::size_t i) { ++seen[i]; });
            for (int n : seen) CHECK(n == 1);
        }
    }
    CHECK(thread_pool().threads() >= 1);
}

TEST_CASE("thread_pool: partial sums combined in order are the serial ones") {
    const auto sum = [](auto& executor) {
        std::vector<float> parts(64);
        executor.parallel_for(parts.size(), [&](std::size_t p) {
            for (int i = 0; i < 100; ++i) {
                parts[p] += 1.0f / static_cast<float>(1 + p * 100 + static_cast<std::size_t>(i));
            }
        });
        return std::accumulate(parts.begin(), parts.end(), 0.0f);
    };
    serial_executor serial;
    thread_pool pool(4);
    for (int round = 0; round < 20; ++round) CHECK(sum(pool) == sum(serial));
}

TEST_CASE("thread_pool: nested calls end") {
    thread_pool pool(4);
    std::atomic<int> count{0};
    pool.parallel_for(6, [&](std::size_t) {
        pool.parallel_for(
            5, [&](std::size_t) { pool.parallel_for(4, [&](std::size_t) { ++count; }); });
    });
    CHECK(count == 6 * 5 * 4);
}

TEST_CASE("thread_pool: several callers at once, and pools that die right away") {
    thread_pool pool(3);
    std::atomic<int> count{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                pool.parallel_for(10, [&](std::size_t) { ++count; });
            }
        });
    }
    for (std::thread& t : callers) t.join();
    CHECK(count == 4 * 50 * 10);
    for (int round = 0; round < 50; ++round) {
        thread_pool brief(4);
        if (round % 2 == 0) brief.parallel_for(4, [&](std::size_t) { ++count; });
    }
    CHECK(count == 4 * 50 * 10 + 25 * 4);
}

TEST_CASE("thread_pool: a constant function object") {
    thread_pool pool(2);
    std::vector<int> seen(3, 0);
    const auto f = [&](std::size_t i) { seen[i] = 1; };
    pool.parallel_for(3, f);
    CHECK(seen == std::vector<int>{1, 1, 1});
}
