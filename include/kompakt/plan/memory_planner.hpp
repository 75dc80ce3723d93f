// Gives every buffer of a program a place in one arena, as small as it finds.
//
// Two buffers that live at the same time must not share bytes, except where the op between them
// allows its output to lie over its dying input: `distance` bytes or more below it.
#pragma once

#include <kompakt/core/checked.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

struct memory_buffer {
    std::uint64_t bytes = 0;
    std::uint32_t first = 0, last = 0; // ops at which it lives, both included
};

// Output may start at `distance` bytes or more below the start of the input, although both live at
// the op that reads the one and writes the other.
struct memory_overlap {
    std::uint32_t input = 0, output = 0;
    std::uint64_t distance = 0;
};

struct memory_layout {
    std::vector<std::uint64_t> offsets; // one per buffer, multiples of 16
    std::uint64_t bytes = 0;
};

// The largest sum of what lives at one op, an overlapped output counted by what it adds. No layout
// can be smaller.
inline std::uint64_t memory_lower_bound(const std::vector<memory_buffer>& buffers,
                                        const std::vector<memory_overlap>& overlaps) {
    std::uint32_t end = 0;
    for (const memory_buffer& b : buffers) end = (std::max)(end, b.last + 1);
    std::vector<std::uint64_t> live(end, 0);
    for (const memory_buffer& b : buffers) {
        for (std::uint32_t t = b.first; t <= b.last; ++t) live[t] += round_up(b.bytes, 16);
    }
    std::map<std::uint32_t, std::uint64_t> saved; // by op: one input can be overlapped fully
    for (const memory_overlap& o : overlaps) {
        const std::uint64_t in = round_up(buffers[o.input].bytes, 16);
        const std::uint64_t out = round_up(buffers[o.output].bytes, 16);
        const std::uint64_t shared = (std::min)(in, out > o.distance ? out - o.distance : 0);
        std::uint64_t& s = saved[buffers[o.output].first];
        s = (std::max)(s, shared);
    }
    for (const auto& [op, bytes] : saved) live[op] -= (std::min)(live[op], bytes);
    return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

// Places the buffers one after another, each at the lowest free offset.
inline memory_layout place_in_order(const std::vector<memory_buffer>& buffers,
                                    const std::vector<memory_overlap>& overlaps,
                                    const std::vector<std::uint32_t>& order) {
    struct interval {
        std::int64_t from, to; // offsets strictly between are forbidden
    };
    memory_layout layout;
    layout.offsets.assign(buffers.size(), 0);
    std::vector<std::vector<std::uint32_t>> overlaps_of(buffers.size());
    for (std::uint32_t k = 0; k < overlaps.size(); ++k) {
        overlaps_of[overlaps[k].input].push_back(k);
        overlaps_of[overlaps[k].output].push_back(k);
    }
    std::vector<bool> placed(buffers.size(), false);
    std::vector<interval> forbidden;
    for (std::uint32_t b : order) {
        const auto size = static_cast<std::int64_t>(round_up(buffers[b].bytes, 16));
        forbidden.clear();
        for (std::uint32_t x = 0; x < buffers.size(); ++x) {
            if (!placed[x] || buffers[x].bytes == 0 || buffers[x].last < buffers[b].first ||
                buffers[b].last < buffers[x].first) {
                continue;
            }
            const auto at = static_cast<std::int64_t>(layout.offsets[x]);
            interval f{at - size, at + static_cast<std::int64_t>(round_up(buffers[x].bytes, 16))};
            for (std::uint32_t k : overlaps_of[b]) {
                const memory_overlap& o = overlaps[k];
                const auto distance = static_cast<std::int64_t>(o.distance);
                if (o.input == x && o.output == b) f.from = at - distance;
                if (o.input == b && o.output == x) f.to = at + distance;
            }
            if (f.from < f.to) forbidden.push_back(f);
        }
        std::sort(forbidden.begin(), forbidden.end(),
                  [](const interval& l, const interval& r) { return l.from < r.from; });
        std::int64_t at = 0;
        for (const interval& f : forbidden) {
            if (at > f.from && at < f.to)
                at = static_cast<std::int64_t>(round_up(static_cast<std::uint64_t>(f.to), 16));
        }
        layout.offsets[b] = static_cast<std::uint64_t>(at);
        layout.bytes = (std::max)(layout.bytes, static_cast<std::uint64_t>(at + size));
        placed[b] = true;
    }
    return layout;
}

// The best of several orders: by size, by time, by size times lifetime, from the last op backwards,
// then improved by moving what determines the height to the front.
inline memory_layout place_buffers(const std::vector<memory_buffer>& buffers,
                                   const std::vector<memory_overlap>& overlaps) {
    std::vector<std::uint32_t> order(buffers.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    memory_layout best;
    std::vector<std::uint32_t> best_order;
    const std::uint64_t bound = memory_lower_bound(buffers, overlaps);
    // One attempt is quadratic in the number of buffers: very large programs get fewer.
    std::uint64_t attempts = std::uint64_t{300000000} / (buffers.size() * buffers.size() + 1) + 1;
    const auto attempt = [&](const std::vector<std::uint32_t>& o) {
        if (!best_order.empty() && (best.bytes <= bound || attempts == 0)) return false;
        --attempts;
        memory_layout l = place_in_order(buffers, overlaps, o);
        if (best_order.empty() || l.bytes < best.bytes) {
            best = std::move(l);
            best_order = o;
            return true;
        }
        return false;
    };
    // Ties go to the larger buffer, so that scratch fills the gaps that tensors leave, then to the
    // later one, over which its input can be placed.
    const auto sorted_by = [&](auto key) {
        const auto rank = [&](std::uint32_t i) {
            return std::make_tuple(key(i), buffers[i].bytes, buffers[i].first, i);
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t l, std::uint32_t r) { return rank(l) > rank(r); });
        attempt(order);
    };
    const auto last = [&](std::uint32_t i) { return std::uint64_t{buffers[i].last}; };
    const auto first = [&](std::uint32_t i) { return std::uint64_t{buffers[i].first}; };
    sorted_by([&](std::uint32_t i) { return buffers[i].bytes; });
    sorted_by([&](std::uint32_t i) { return buffers[i].bytes * (last(i) - first(i) + 1); });
    sorted_by(last); // backwards: each input is placed above the output that may lie over it
    sorted_by(first);
    sorted_by([&](std::uint32_t i) { return UINT64_MAX - last(i); });
    sorted_by([&](std::uint32_t i) { return UINT64_MAX - first(i); });

    for (int round = 0; round < 64 && best.bytes > bound; ++round) {
        // The buffer that reaches the top goes first.
        std::vector<std::uint32_t> next = best_order;
        const auto top = std::find_if(next.begin(), next.end(), [&](std::uint32_t b) {
            return best.offsets[b] + round_up(buffers[b].bytes, 16) == best.bytes;
        });
        if (top == next.end()) break;
        std::rotate(next.begin(), top, top + 1);
        if (!attempt(next)) break;
    }
    return best;
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
