#include "outputs.hpp"

#include "files.hpp"

#include <kompakt/report/model.hpp>
#include <kompakt/run/byte_order.hpp>
#include <kompakt_ports/cortex_m/ports.hpp>

namespace tool {

using namespace kompakt;

namespace {

// A C++ identifier from a file name: "kws-int8.hpp" gives kws_int8.
std::string identifier_from(const std::string& path) {
    const std::string file = file_name(path);
    std::string s;
    for (const char c : file.substr(0, file.find_last_of('.'))) {
        const bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        // Names that start with an underscore or have two in a row are the compiler's.
        if (word) s += c;
        if (!word && !s.empty() && s.back() != '_') s += '_';
    }
    if (s.empty() || (s[0] >= '0' && s[0] <= '9')) s = s.empty() ? "model" : "model_" + s;
    return kompakt::detail::is_namespace_name(s) ? s : s + "_model";
}

// Ports of microcontrollers, which this program emulates. Without kompakt::compiled their kernels
// are in this file.
struct target {
    const char *name, *tag;
    const kernel_table& (*kernels)() noexcept;
};
constexpr target targets[] = {
    {portable::name, "kompakt::portable", kernels_of<portable>},
    {cortex_m::v6m::name, "kompakt::cortex_m::v6m", kernels_of<cortex_m::v6m>},
    {cortex_m::dsp::name, "kompakt::cortex_m::dsp", kernels_of<cortex_m::dsp>},
    {cortex_m::mve::name, "kompakt::cortex_m::mve", kernels_of<cortex_m::mve>},
};

// Weights are in the order of the target's port, which the header includes.
status read_target(const std::string& name, output_options& out) {
    std::string all;
    for (const target& t : targets) {
        all += all.empty() ? "" : ", ";
        all += t.name;
        if (name != t.name) continue;
        out.plan.kernels = out.emit.kernels = &t.kernels();
        out.plan.pack = true;
        out.emit.port = t.tag;
        if (&t != targets) out.emit.port_include = "<kompakt_ports/cortex_m/ports.hpp>";
        return {};
    }
    return fail(errc::bad_argument, "--target ", name, ": unknown; there is ", all);
}

} // namespace

result<std::string> output_format(const std::string& path,
                                  const std::vector<std::string>& allowed) {
    std::string all;
    for (const std::string& ending : allowed) {
        if (path.size() > ending.size() && ends_with(path, ending)) return ending;
        all += (all.empty() ? "" : ", ") + ending;
    }
    return fail(errc::bad_argument, "-o ", path, ": the ending says the format, needs one of ",
                all);
}

const std::vector<option>& output_option_list() {
    static const std::vector<option> all = {
        {"--name", "N", ".hpp: the namespace; from the file's name by default"},
        {"--port", "P", "plan for these kernels, and .hpp: call them"},
        {"--target", "T",
         "a microcontroller's port: plan for it and store the weights in its order"},
        {"--optimize", "FORM",
         ".hpp: size (default), speed or balanced: code of its own for each layer"},
        {"--include", "H",
         ".hpp: the header of kompakt that it includes, kompakt/device.hpp by default"},
        {"--keep-inputs", nullptr, "a run leaves its inputs as they were"}};
    return all;
}

status read_output_options(const arguments& given, const std::string& format,
                           const std::string& path, output_options& out) {
    for (const char* only : {"--name", "--optimize", "--include"}) {
        if (given.has(only) && format != ".hpp") {
            return fail(errc::bad_argument, only, " is for a header, -o x.hpp, not for ", path);
        }
    }
    for (const char* planned : {"--port", "--target", "--keep-inputs"}) {
        if (given.has(planned) && format == ".tflite") {
            return fail(errc::bad_argument, planned,
                        " is for what is planned, .hpp and .kpk, not for ", path);
        }
    }
    out.plan.keep_inputs = given.has("--keep-inputs");
    if (given.has("--port")) {
        const auto kernels = chosen_port(given);
        if (!kernels) return kernels.error();
        out.plan.kernels = *kernels;
        out.emit.port = std::string("kompakt::ports_by_name::") + (*kernels)->port;
    }
    if (given.has("--target")) {
        if (given.has("--port")) {
            return fail(errc::bad_argument, "--target and --port: one of them");
        }
        KOMPAKT_TRY(read_target(given.value("--target"), out));
    }
    const auto form = given.choice("--optimize", {"size", "speed", "balanced"});
    if (!form) return form.error();
    out.emit.optimize = *form == "speed"      ? optimize::speed
                        : *form == "balanced" ? optimize::balanced
                                              : optimize::size;
    out.name = given.value("--name", identifier_from(path));
    if (format == ".hpp" && !kompakt::detail::is_namespace_name(out.name)) {
        return fail(errc::bad_argument, "--name ", out.name, ": is no C++ name for a namespace");
    }
    if (given.has("--include")) {
        const std::string include = given.value("--include");
        const bool enclosed = include[0] == '<' || include[0] == '"';
        out.emit.include = enclosed ? include : "<" + include + ">";
    }
    return {};
}

result<std::vector<std::byte>> planned_file(const model& m, const std::string& format,
                                            const std::string& path, const output_options& options,
                                            answer& a) {
    executable x;
    const status valid = validate(m.code(), x, *options.plan.kernels);
    if (!valid.ok()) return in_file(m.path, valid);
    const std::uint64_t flash = report::summarize(x).flash_bytes();
    std::vector<std::byte> content;
    if (format == ".kpk") {
        content.assign(m.code().begin(), m.code().end());
        const status turned = convert_executable({content.data(), content.size()});
        if (!turned.ok()) return in_file(m.path, turned);
        a.say("Wrote ", path, ": ", m.code().size(),
              " bytes, an executable that needs an arena of ", x.header->arena_bytes, " bytes");
        a.json.member("file", path).member("file_bytes", m.code().size());
    } else {
        std::string text;
        emit_options emit = options.emit;
        emit.title = file_name(m.path);
        KOMPAKT_TRY(emit_header(x, options.name, text, emit));
        const auto bytes = as_bytes(span<const char>(text.data(), text.size()));
        content.assign(bytes.begin(), bytes.end());
        a.say("Wrote ", path, ": class ", options.name, "::model, ", flash,
              " bytes of constants and tables in flash, an arena of ", x.header->arena_bytes,
              " bytes");
        a.json.member("file", path).member("file_bytes", text.size()).member("name", options.name);
    }
    a.json.member("flash_bytes", flash).member("arena_bytes", x.header->arena_bytes);
    return content;
}

} // namespace tool
