// Where tests find the models and goldens that are not part of the project, and how much to run.
//
//     const std::string path = test_data("oracles/kws/expected.bin");
//     if (path.empty()) return;          // says that it skips
#pragma once

#include <cstddef>
#include <string>

namespace kompakt_test {

// The path of a file below the folder of test data; empty, with a message, if there is no such
// folder. A folder without the file is a failure, not a skip.
std::string test_data(const std::string& name);

// KOMPAKT_TEST_SAMPLES, or `otherwise` (emulated targets set few).
std::size_t test_samples(std::size_t otherwise);

// Whether this is a long run (tests/full).
bool test_full();

} // namespace kompakt_test
