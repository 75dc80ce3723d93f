// No two buffers that live at the same time may share bytes, except as an overlap allows; over
// random programs and over chains for which the best layout is known.
#include <kompakt/core/random.hpp>
#include <kompakt/plan/memory_planner.hpp>

#include <doctest/doctest.h>

using namespace kompakt;

namespace {

// Independent of the planner's own interval logic: byte ranges against each other.
void check_layout(const std::vector<memory_buffer>& buffers,
                  const std::vector<memory_overlap>& overlaps, const memory_layout& layout) {
    REQUIRE(layout.offsets.size() == buffers.size());
    for (std::size_t a = 0; a < buffers.size(); ++a) {
        CHECK(layout.offsets[a] % 16 == 0);
        CHECK(layout.offsets[a] + buffers[a].bytes <= layout.bytes);
        for (std::size_t b = a + 1; b < buffers.size(); ++b) {
            const bool together =
                buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
            const bool apart = layout.offsets[a] + buffers[a].bytes <= layout.offsets[b] ||
                               layout.offsets[b] + buffers[b].bytes <= layout.offsets[a];
            if (!together || apart || buffers[a].bytes == 0 || buffers[b].bytes == 0) continue;
            bool allowed = false;
            for (const memory_overlap& o : overlaps) {
                const bool this_pair =
                    (o.input == a && o.output == b) || (o.input == b && o.output == a);
                allowed = allowed || (this_pair && layout.offsets[o.output] + o.distance <=
                                                       layout.offsets[o.input]);
            }
            CHECK(allowed);
        }
    }
}

} // namespace

TEST_CASE("random programs: live buffers never share bytes") {
    const philox random(7, 1);
    for (std::uint32_t round = 0; round < 300; ++round) {
        std::uint64_t draw = 0;
        const auto below = [&](std::uint32_t n) { return random.below(n, round, draw++); };
        const std::uint32_t ops = 1 + below(30);
        std::vector<memory_buffer> buffers;
        std::vector<memory_overlap> overlaps;
        // A chain with side branches and scratch, as networks are.
        std::uint32_t previous = 0;
        buffers.push_back({1 + below(5000), 0, 0});
        for (std::uint32_t i = 0; i < ops; ++i) {
            buffers[previous].last = i;
            if (below(4) == 0) buffers[previous].last = (std::min)(ops - 1, i + below(5));
            const auto next = static_cast<std::uint32_t>(buffers.size());
            buffers.push_back({1 + below(5000), i, i});
            if (below(2) == 0) buffers.push_back({below(700), i, i});
            if (below(3) != 0 && buffers[previous].last == i) {
                overlaps.push_back({previous, next, below(3) == 0 ? 0 : 16u * below(60)});
            }
            previous = next;
        }
        buffers[previous].last = ops - 1;
        const memory_layout layout = place_buffers(buffers, overlaps);
        check_layout(buffers, overlaps, layout);
        CHECK(layout.bytes >= memory_lower_bound(buffers, overlaps) - 16 * overlaps.size());
    }
}

TEST_CASE("a chain of in-place windows needs one buffer and the distances") {
    const std::vector<memory_buffer> buffers = {{16384, 0, 0}, {16384, 0, 1}, {16384, 1, 2},
                                                {16384, 2, 2}, {512, 0, 0},   {512, 1, 1},
                                                {512, 2, 2}};
    const std::vector<memory_overlap> overlaps = {{0, 1, 512}, {1, 2, 512}, {2, 3, 512}};
    const memory_layout layout = place_buffers(buffers, overlaps);
    check_layout(buffers, overlaps, layout);
    CHECK(layout.bytes == 17920);
}

TEST_CASE("without overlaps the largest pair decides") {
    const std::vector<memory_buffer> buffers = {
        {100, 0, 0}, {800, 0, 1}, {64, 1, 2}, {900, 2, 3}, {10, 3, 3}};
    const memory_layout layout = place_buffers(buffers, {});
    check_layout(buffers, {}, layout);
    CHECK(layout.bytes == 976); // 64 + 912
    CHECK(memory_lower_bound(buffers, {}) == 976);
}
