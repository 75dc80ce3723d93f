// A model with its manifest, inputs and expected outputs (data/README.md), read, planned and run.
#pragma once

#include <kompakt/core/byte_order.hpp>
#include <kompakt/format/json.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace kompakt_test {

using file_bytes = std::vector<std::byte>;

// Empty where the file cannot be read.
inline file_bytes read_file(const std::string& path) {
    file_bytes all;
    if (std::FILE* f = std::fopen(path.c_str(), "rb")) {
        std::byte part[1 << 14];
        while (const std::size_t n = std::fread(part, 1, sizeof part, f)) {
            all.insert(all.end(), part, part + n);
        }
        std::fclose(f);
    }
    return all;
}

inline kompakt::json::value read_manifest(const std::string& path) {
    const file_bytes bytes = read_file(path);
    auto v = kompakt::json::read(kompakt::bytes_view(bytes.data(), bytes.size()));
    return v.ok() ? std::move(*v) : kompakt::json::value();
}

// With one sample at a time.
inline kompakt::result<kompakt::graph> read_bound(kompakt::bytes_view bytes) {
    const auto g = kompakt::read_tflite(bytes);
    if (!g.ok()) return g.error();
    return kompakt::bind(*g, {{"batch", 1}});
}

// The first element that differs, as text; empty when there is none. Floats may differ by 1e-5 plus
// 1e-4 of the value, unless `exact`.
inline std::string difference(kompakt::dtype type, kompakt::bytes_view got,
                              kompakt::bytes_view wanted, bool exact = false) {
    if (got.size() != wanted.size()) {
        return std::to_string(got.size()) + " bytes, needed " + std::to_string(wanted.size());
    }
    const std::size_t size = kompakt::bits_of(type) / 8;
    for (std::size_t i = 0; i + size <= got.size(); i += size) {
        if (std::equal(got.data() + i, got.data() + i + size, wanted.data() + i)) continue;
        if (type == kompakt::dtype::f32) {
            const float a = kompakt::load_le<float>(got.data() + i);
            const float b = kompakt::load_le<float>(wanted.data() + i);
            if ((std::isnan(a) && std::isnan(b)) || a == b ||
                (!exact && std::fabs(a - b) <= 1e-5f + 1e-4f * std::fabs(b))) {
                continue;
            }
            return "element " + std::to_string(i / 4) + ": " + std::to_string(a) + ", needed " +
                   std::to_string(b);
        }
        return "element " + std::to_string(i / size) + ": byte " +
               std::to_string(static_cast<int>(got[i])) + ", needed " +
               std::to_string(static_cast<int>(wanted[i]));
    }
    return {};
}

// A tensor as a file has it.
inline file_bytes little_endian(const kompakt::session& s, std::uint32_t tensor) {
    const kompakt::bytes_view b = s.tensor_bytes(tensor);
    file_bytes out(b.begin(), b.end());
    kompakt::convert_little_endian({out.data(), out.size()}, s.record(tensor).type);
    return out;
}

struct runner {
    kompakt::planned plan;
    kompakt::session session;
    kompakt::aligned_buffer arena;

    runner(kompakt::planned p)
        : plan(std::move(p)), session(plan.bytes()), arena(session.arena_bytes()) {
        bound = session.bind({arena.data(), arena.size()});
    }
    kompakt::status bound;
};

// Runs samples [0, samples) of the files in `folder` and says what differs. `reset_each`: state
// starts anew with each sample.
inline std::string run_samples(runner& r, const kompakt::json::value& manifest,
                               const std::string& folder, std::size_t samples, bool exact = false,
                               bool reset_each = false) {
    if (!r.bound.ok()) return r.bound.message();
    const auto total = static_cast<std::size_t>(manifest["num_samples"].as_integer());
    samples = std::min(samples, total);
    std::vector<file_bytes> in, out;
    const auto load = [&](const char* what, const char* file, std::size_t count,
                          std::vector<file_bytes>& to) {
        const auto& list = manifest[what].items();
        if (list.size() != count) return false;
        for (const auto& x : list) to.push_back(read_file(folder + "/" + x[file].as_string()));
        return true;
    };
    if (!load("inputs", "file", r.session.inputs(), in) ||
        !load("outputs", reset_each ? "file_reset_each_sample" : "file", r.session.outputs(),
              out)) {
        return "another number of inputs or outputs";
    }
    for (std::size_t s = 0; s < samples; ++s) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const kompakt::bytes_span to = r.session.input_bytes(i);
            if (in[i].size() != to.size() * total) return "input of another size";
            std::copy_n(in[i].data() + s * to.size(), to.size(), to.data());
            kompakt::convert_little_endian(to, r.session.record(r.session.input_tensor(i)).type);
        }
        if (reset_each) r.session.reset();
        r.session.run();
        for (std::size_t i = 0; i < out.size(); ++i) {
            const file_bytes got = little_endian(r.session, r.session.output_tensor(i));
            if (out[i].size() != got.size() * total) return "output of another size";
            const std::string d = difference(r.session.record(r.session.output_tensor(i)).type,
                                             {got.data(), got.size()},
                                             {out[i].data() + s * got.size(), got.size()}, exact);
            if (!d.empty()) return "sample " + std::to_string(s) + ": " + d;
        }
    }
    return {};
}

} // namespace kompakt_test
