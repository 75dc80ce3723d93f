// docs/operators.md says what is verified and by what. It is made here, and compared: a spec, an
// operator of TensorFlow Lite or a vector group that it does not name is a failure.
//
//     KOMPAKT_WRITE_TABLE=1 KOMPAKT_TEST_OPERATORS=FOLDER build/host-release/tests/test_ops
//     -tc="*table*"
#include "all_specs.hpp"

#include <kompakt/host/file.hpp>
#include <kompakt/io/tflite/operators.hpp>

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <set>

using namespace kompakt;
using namespace kompakt_test;

namespace {

struct operator_row {
    std::set<std::string> vectors, specs;
    bool read = false;
};

// By TensorFlow Lite's name.
std::map<std::string, operator_row> rows() {
    std::map<std::string, operator_row> all;
    const auto name_of_entry = [](const tflite::operator_entry& e) {
        return std::string(tflite::builtin_names[static_cast<int>(e.code)]);
    };
    // Custom operators share one code; their own names are in docs/operators.md's text.
    tflite::find_operator_if([&](const tflite::operator_entry& e) {
        if (e.code != tflite::builtin::custom) all[name_of_entry(e)].read = true;
        return false;
    });
    for (const op_spec& spec : all_op_specs()) {
        for (const op_case& c : spec.cases) {
            const node& n = c.g.node_at(c.g.order()[0]);
            const tflite::operator_entry* e = tflite::find_operator(*n.op);
            if (e == nullptr || e->code == tflite::builtin::custom) continue;
            std::string types = n.inputs.empty() || n.inputs[0] == no_tensor
                                    ? name_of(c.g.tensor(n.outputs[0]).type)
                                    : name_of(c.g.tensor(n.inputs[0]).type);
            if (n.inputs.size() > 1 && n.inputs[1] != no_tensor &&
                c.g.tensor(n.inputs[1]).type == dtype::i4) {
                types += " × int4";
            }
            all[name_of_entry(*e)].specs.insert(types);
        }
    }
    return all;
}

std::string joined(const std::set<std::string>& all) {
    std::string s;
    for (const std::string& x : all) s += (s.empty() ? "" : ", ") + x;
    return s.empty() ? "–" : s;
}

std::string line_of(const std::string& name, const operator_row& r) {
    return "| " + name + " | " + joined(r.vectors) + " | " + joined(r.specs) + " |";
}

} // namespace

TEST_CASE("the table of operators is current") {
    const std::string path = std::string(KOMPAKT_TEST_CORPUS) + "/../../../docs/operators.md";
    auto all = rows();
    const char* folder = std::getenv("KOMPAKT_TEST_OPERATORS");
    if (folder != nullptr && *folder != '\0') {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string file = entry.path().filename().string();
            if (!entry.is_directory()) continue;
            // NAME_type_NN, where both may have underscores: the longest name that is known.
            const std::string group = file.substr(0, file.rfind('_'));
            for (std::size_t at = group.rfind('_'); at != std::string::npos && at != 0;
                 at = group.rfind('_', at - 1)) {
                const auto row = all.find(group.substr(0, at));
                if (row == all.end()) continue;
                row->second.vectors.insert(group.substr(at + 1));
                break;
            }
        }
    }
    const auto file = read_file(path, 1 << 20);
    REQUIRE_MESSAGE(file.ok(), file.error().message());
    const std::string text(reinterpret_cast<const char*>(file->data()), file->size());
    if (std::getenv("KOMPAKT_WRITE_TABLE") != nullptr) {
        const std::size_t first = text.find("|---|"), start = text.find('\n', first) + 1;
        const std::size_t end = text.find("\n\n", start) + 1;
        std::string table;
        for (const auto& [name, r] : all) table += line_of(name, r) + "\n";
        REQUIRE(write_file_atomic(path, text.substr(0, start) + table + text.substr(end)).ok());
        return;
    }
    for (const auto& row : all) {
        const std::string& name = row.first;
        const operator_row& r = row.second;
        CAPTURE(name);
        // Vectors are known only where they are.
        const bool whole = !r.vectors.empty();
        const std::string wanted = whole ? line_of(name, r) : "| " + joined(r.specs) + " |\n";
        const std::size_t at = text.find("| " + name + " |");
        REQUIRE(at != std::string::npos);
        const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
        CHECK(line.find(wanted) != std::string::npos);
    }
}
