// Planned models to files, by the ending of the name: what emit and quantize share.
#pragma once

#include "model.hpp"

#include <kompakt/emit/header.hpp>

namespace tool {

// The ending of `path`, which must be one of `allowed`.
result<std::string> output_format(const std::string& path, const std::vector<std::string>& allowed);

struct output_options {
    kompakt::plan_options plan;
    kompakt::emit_options emit;
    std::string name; // of the namespace
};

// --name, --port, --optimize, --keep-inputs, --include; refused where the format has no use
// for them.
const std::vector<option>& output_option_list();
status read_output_options(const arguments& given, const std::string& format,
                           const std::string& path, output_options& out);

// The content of a .hpp or .kpk; says in the answer what will have been written.
result<std::vector<std::byte>> planned_file(const model& m, const std::string& format,
                                            const std::string& path, const output_options& options,
                                            answer& a);

} // namespace tool
