// One-operator models with the outputs of TensorFlow Lite Micro (data/operators/README.md), from
// the folder KOMPAKT_TEST_OPERATORS that its expand.py wrote. What the library refuses, by a
// message at load, is counted and not a failure; what it accepts must be right.
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <io/run_model.hpp>
#include <map>
#include <support/data.hpp>

using namespace kompakt_test;

TEST_CASE("operators give the outputs of TensorFlow Lite Micro") {
    const char* top = std::getenv("KOMPAKT_TEST_OPERATORS");
    if (top == nullptr || *top == '\0') {
        MESSAGE("skipped: KOMPAKT_TEST_OPERATORS is not set");
        return;
    }
    struct tally {
        int passed = 0, refused = 0, wrong = 0;
        std::string first_refusal, first_wrong;
    };
    std::map<std::string, tally> groups;
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(top)) {
        if (entry.is_directory()) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& folder : folders) {
        const std::string name = folder.filename().string();
        tally& t = groups[name.substr(0, name.rfind('_'))];
        const file_bytes bytes = read_file((folder / "model.tflite").string());
        const auto manifest = read_manifest((folder / "manifest.json").string());
        const auto refuse = [&](const kompakt::status& s) {
            if (t.refused++ == 0) t.first_refusal = s.message();
        };
        const auto g = read_bound({bytes.data(), bytes.size()});
        if (!g.ok()) {
            refuse(g.error());
            continue;
        }
        auto p = kompakt::plan(*g);
        if (!p.ok()) {
            refuse(p.error());
            continue;
        }
        runner r(std::move(*p));
        std::string d = run_samples(r, manifest, folder.string(), SIZE_MAX);
        // Models with state say what comes out when it starts anew with each sample.
        if (d.empty() && manifest["stateful"].as_boolean()) {
            r.session.reset();
            d = run_samples(r, manifest, folder.string(), SIZE_MAX, false, true);
            if (!d.empty()) d = "reset each: " + d;
        }
        if (d.empty()) {
            ++t.passed;
        } else if (t.wrong++ == 0) {
            t.first_wrong = name + " (" + manifest["case"].as_string() + "): " + d;
        }
    }
    const bool verbose = std::getenv("KOMPAKT_TEST_VERBOSE") != nullptr;
    for (const auto& group : groups) {
        const auto& name = group.first; // doctest's macros capture, which bindings cannot be
        const auto& t = group.second;
        if (verbose) {
            std::printf("%-32s %3d passed %3d refused %3d wrong  %s\n", name.c_str(), t.passed,
                        t.refused, t.wrong, t.first_refusal.c_str());
        }
        CHECK_MESSAGE(t.wrong == 0, t.first_wrong);
    }
}
