// kompakt emit: a model as a C++ header for firmware, or as a .kpk executable.
#include "files.hpp"
#include "outputs.hpp"

#include <kompakt/host/file.hpp>

namespace tool {

using namespace kompakt;

namespace {

status emit(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const auto to = given.required("-o", "FILE.hpp or FILE.kpk");
    if (!to) return to.error();
    const auto format = output_format(*to, {".hpp", ".kpk"});
    if (!format) return format.error();
    KOMPAKT_TRY(check_outputs(given, {{"-o", *to}}));
    output_options options;
    KOMPAKT_TRY(read_output_options(given, *format, *to, options));
    const auto m = load_model(path, options.plan);
    if (!m) return m.error();
    if (!m->graph && *format == ".kpk") {
        return in_file(path, fail(errc::bad_argument, "is an executable (.kpk) already"));
    }
    for (const char* planned : {"--keep-inputs", "--target"}) {
        if (!m->graph && given.has(planned)) {
            return in_file(path, fail(errc::bad_argument, "is planned already; ", planned,
                                      " needs the model that it was made from"));
        }
    }
    const auto content = planned_file(*m, *format, *to, options, a);
    if (!content) return content.error();
    return write_file_atomic(*to, *content);
}

} // namespace

command emit_command() {
    std::vector<option> options = {{"-o", "OUT", "x.hpp or x.kpk"}};
    for (const option& o : output_option_list()) options.push_back(o);
    return {
        "emit",
        "MODEL -o x.hpp|x.kpk [--name N]",
        "Writes a model as one C++ header for firmware, or as an executable (.kpk).",
        "The header holds the weights and calls the kernels in order: no interpreter, no heap.\n",
        options,
        emit};
}

} // namespace tool
