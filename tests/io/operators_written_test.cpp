// The one-operator models of operators_test.cpp, written as TensorFlow Lite files again: what was
// read must come back with the same outputs. KOMPAKT_TEST_WRITTEN names a folder that keeps the
// files, for other programs to run.
#include <kompakt/io/tflite/writer.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <io/run_model.hpp>

using namespace kompakt_test;

TEST_CASE("operators are written as they were read") {
    const char* top = std::getenv("KOMPAKT_TEST_OPERATORS");
    if (top == nullptr || *top == '\0') {
        MESSAGE("skipped: KOMPAKT_TEST_OPERATORS is not set");
        return;
    }
    const char* keep = std::getenv("KOMPAKT_TEST_WRITTEN");
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(top)) {
        if (entry.is_directory()) folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& folder : folders) {
        const std::string name = folder.filename().string();
        CAPTURE(name);
        const file_bytes bytes = read_file((folder / "model.tflite").string());
        const auto read = kompakt::read_tflite({bytes.data(), bytes.size()});
        if (!read.ok() || !kompakt::plan(*read).ok()) continue; // counted by operators_test.cpp
        const auto written = kompakt::write_tflite(*read);
        if (!written.ok()) {
            FAIL_CHECK(written.error().message());
            continue;
        }
        if (keep != nullptr) {
            const std::string path = std::string(keep) + "/" + name + ".tflite";
            if (std::FILE* f = std::fopen(path.c_str(), "wb")) {
                std::fwrite(written->data(), 1, written->size(), f);
                std::fclose(f);
            }
        }
        kompakt::aligned_buffer aligned(written->size());
        std::copy(written->begin(), written->end(), aligned.data());
        const auto again = read_bound({aligned.data(), written->size()});
        if (!again.ok()) {
            FAIL_CHECK(again.error().message());
            continue;
        }
        auto p = kompakt::plan(*again);
        if (!p.ok()) {
            FAIL_CHECK(p.error().message());
            continue;
        }
        runner r(std::move(*p));
        const auto manifest = read_manifest((folder / "manifest.json").string());
        CHECK(run_samples(r, manifest, folder.string(), 8) == "");
    }
}
