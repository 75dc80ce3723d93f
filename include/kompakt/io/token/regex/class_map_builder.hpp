// Sets of code points -> disjoint classes, and the bytes that class_map_view reads.
#pragma once

#include <kompakt/core/bytes.hpp>
#include <kompakt/core/config.hpp>
#include <kompakt/core/status.hpp>
#include <kompakt/io/token/regex/code_point_set.hpp>
#include <kompakt/token/unicode/class_map.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {
namespace token {

// All code points, in runs of one class each.
struct code_point_classes {
    struct run {
        char32_t first; // to the next run's
        std::uint16_t number;
    };
    std::vector<run> runs;
    std::size_t count = 0;
    std::vector<std::vector<bool>> members; // [set][class]: whether the set has the class
};

// The coarsest classes of which every set is a union.
inline code_point_classes partition(const std::vector<code_point_set>& sets) {
    std::vector<char32_t> cuts = {0};
    for (const code_point_set& s : sets) {
        for (const code_point_set::range& r : s.ranges()) {
            cuts.push_back(r.first);
            if (r.last + 1 < code_point_set::end) cuts.push_back(r.last + 1);
        }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    // Split the classes by one set after the other.
    std::vector<std::uint32_t> number(cuts.size(), 0);
    std::uint32_t count = 1;
    for (const code_point_set& s : sets) {
        std::vector<std::uint32_t> inside(count, ~std::uint32_t{0});
        std::vector<bool> outside(count, false);
        std::vector<std::size_t> in;
        std::size_t cut = 0;
        for (const code_point_set::range& r : s.ranges()) {
            for (; cuts[cut] != r.first; ++cut) outside[number[cut]] = true;
            for (; cut < cuts.size() && cuts[cut] <= r.last; ++cut) in.push_back(cut);
        }
        for (; cut < cuts.size(); ++cut) outside[number[cut]] = true;
        for (const std::size_t i : in) {
            const std::uint32_t old = number[i];
            if (!outside[old]) continue; // the class is inside as a whole
            if (inside[old] == ~std::uint32_t{0}) inside[old] = count++;
            number[i] = inside[old];
        }
    }
    code_point_classes out;
    out.count = count;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        if (!out.runs.empty() && out.runs.back().number == number[i]) continue;
        out.runs.push_back({cuts[i], static_cast<std::uint16_t>(std::min(number[i], 0xffffu))});
    }
    out.members.resize(sets.size(), std::vector<bool>(count, false));
    for (std::size_t s = 0; s < sets.size(); ++s) {
        std::size_t cut = 0;
        for (const code_point_set::range& r : sets[s].ranges()) {
            while (cuts[cut] != r.first) ++cut;
            for (; cut < cuts.size() && cuts[cut] <= r.last; ++cut) {
                out.members[s][number[cut]] = true;
            }
        }
    }
    return out;
}

// Appends the bytes of a class map. `runs` begin at 0; numbers are below 255.
inline status append_class_map(const std::vector<code_point_classes::run>& runs,
                               std::size_t classes, std::vector<std::byte>& out) {
    if (classes == 0 || classes > 255) {
        return fail(errc::limit, "class map: ", classes, " classes, the limit is 255");
    }
    std::map<std::string, std::uint16_t> leaf_numbers, middle_numbers;
    std::vector<std::string> leaves, middles;
    const auto number_of = [](std::map<std::string, std::uint16_t>& numbers,
                              std::vector<std::string>& list, const std::string& block) {
        const auto found = numbers.emplace(block, static_cast<std::uint16_t>(list.size()));
        if (found.second) list.push_back(block);
        return found.first->second;
    };
    std::vector<std::uint16_t> flat(classes, 0xffff); // leaves of one class only
    std::string leaf(64, '\0'), middle;
    std::uint16_t top[class_map_view::top_entries];
    std::size_t run = 0;
    const auto behind = [&](std::size_t i) {
        return i + 1 < runs.size() ? runs[i + 1].first : code_point_set::end;
    };
    for (char32_t block = 0; block < code_point_set::end; block += 64) {
        while (behind(run) <= block) ++run;
        std::uint16_t number;
        if (behind(run) >= block + 64 && flat[runs[run].number] != 0xffff) {
            number = flat[runs[run].number];
        } else {
            const bool is_flat = behind(run) >= block + 64;
            for (char32_t i = 0; i < 64; ++i) {
                while (behind(run) <= block + i) ++run;
                leaf[i] = static_cast<char>(runs[run].number);
            }
            number = number_of(leaf_numbers, leaves, leaf);
            if (is_flat) flat[runs[run].number] = number;
        }
        middle += static_cast<char>(number & 0xff);
        middle += static_cast<char>(number >> 8);
        if (middle.size() == 128) {
            top[block >> 12] = number_of(middle_numbers, middles, middle);
            middle.clear();
        }
    }
    const auto put = [&out](unsigned value) {
        out.push_back(static_cast<std::byte>(value & 0xff));
    };
    put(static_cast<unsigned>(middles.size()));
    put(static_cast<unsigned>(middles.size() >> 8));
    put(static_cast<unsigned>(leaves.size()));
    put(static_cast<unsigned>(leaves.size() >> 8));
    put(static_cast<unsigned>(classes));
    for (int i = 0; i < 3; ++i) put(0);
    for (const std::uint16_t t : top) put(t);
    for (const std::uint16_t t : top) put(t >> 8);
    for (const std::string& m : middles) {
        for (const char c : m) put(static_cast<unsigned char>(c));
    }
    for (const std::string& l : leaves) {
        if (classes > 16) {
            for (const char c : l) put(static_cast<unsigned char>(c));
        } else {
            for (std::size_t i = 0; i < 64; i += 2) {
                put(static_cast<unsigned>(l[i]) | static_cast<unsigned>(l[i + 1]) << 4);
            }
        }
    }
    return {};
}

// Class i + 1 for what is in sets[i] and in no earlier set, 0 for the rest.
inline result<std::vector<std::byte>> build_class_map(const std::vector<code_point_set>& sets) {
    const code_point_classes parts = partition(sets);
    std::vector<code_point_classes::run> runs;
    for (const code_point_classes::run& r : parts.runs) {
        std::uint16_t number = 0;
        for (std::size_t s = sets.size(); s-- != 0;) {
            if (parts.members[s][r.number]) number = static_cast<std::uint16_t>(s + 1);
        }
        if (runs.empty() || runs.back().number != number) runs.push_back({r.first, number});
    }
    std::vector<std::byte> out;
    KOMPAKT_TRY(append_class_map(runs, sets.size() + 1, out));
    return out;
}

} // namespace token
} // namespace KOMPAKT_ABI
} // namespace kompakt
