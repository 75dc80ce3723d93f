#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <support/data.hpp>

namespace kompakt_test {
namespace {
std::string setting(const char* name, const char* otherwise) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}
} // namespace

std::string test_data(const std::string& name) {
    const std::string folder = setting("KOMPAKT_TEST_DATA", KOMPAKT_TEST_DATA_DEFAULT);
    if (folder.empty()) {
        MESSAGE("skipped: needs " << name << " in the folder KOMPAKT_TEST_DATA, which is not set");
        return {};
    }
    const std::string path = folder + "/" + name;
    std::FILE* f = std::fopen(path.c_str(), "rb");
    REQUIRE_MESSAGE(f != nullptr, path << " is missing");
    std::fclose(f);
    return path;
}

std::size_t test_samples(std::size_t otherwise) {
    const std::string n = setting("KOMPAKT_TEST_SAMPLES", "");
    return n.empty() ? otherwise : std::strtoul(n.c_str(), nullptr, 10);
}

bool test_full() {
    return setting("KOMPAKT_TEST_FULL", "0") == "1";
}

} // namespace kompakt_test
