// Core has no state of its own, so nothing in it may need a lock (run under the thread sanitizer).
#include <kompakt/core/executor.hpp>
#include <kompakt/core/random.hpp>
#include <kompakt/core/status.hpp>

#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

using namespace kompakt;

TEST_CASE("threads: the same object read from several") {
    const philox p(3, 4);
    const status failed = fail(errc::limit, "shared");
    std::vector<std::uint32_t> sums(4);
    std::vector<std::thread> threads;
    for (std::uint32_t& sum : sums) {
        threads.emplace_back([&p, &failed, &sum] {
            for (std::uint64_t e = 0; e < 1000; ++e) sum += p.bits(0, e);
            sum += static_cast<std::uint32_t>(std::string(failed.within("x: ").message()).size());
        });
    }
    for (std::thread& t : threads) t.join();
    for (std::uint32_t sum : sums) CHECK(sum == sums[0]);
}

TEST_CASE("serial_executor: each piece once, in order") {
    std::vector<std::size_t> seen;
    serial_executor().parallel_for(3, [&](std::size_t i) { seen.push_back(i); });
    CHECK(seen == std::vector<std::size_t>{0, 1, 2});
    serial_executor().parallel_for(0, [&](std::size_t) { CHECK(false); });
}
