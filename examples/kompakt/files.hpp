// Names of files. What a command writes stays apart from what it reads, and from what else it
// writes.
#pragma once

#include "command.hpp"

#include <string_view>

namespace tool {

inline bool ends_with(const std::string& name, std::string_view end) {
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
}

struct named_output {
    std::string option; // that says where it goes
    std::string path;
};

// Refuses two outputs that are one file, and an output that is the model, the samples or the labels
// that the command was given. Any other file may be overwritten; devices and pipes are no files.
status check_outputs(const arguments& given, const std::vector<named_output>& outputs);

} // namespace tool
