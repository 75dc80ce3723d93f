// What a command writes stays apart from what it reads, and from what else it writes.
#pragma once

#include "command.hpp"

namespace tool {

struct named_output {
    std::string option; // that says where it goes
    std::string path;
};

// Refuses two outputs that are one file, and an output that is the model, the samples or the labels
// that the command was given. Any other file may be overwritten; devices and pipes are no files.
status check_outputs(const arguments& given, const std::vector<named_output>& outputs);

} // namespace tool
