// kompakt run: a model over samples from files, outputs to files.
#include "data.hpp"
#include "files.hpp"

#include <kompakt/core/byte_order.hpp>
#include <kompakt/host/file.hpp>
#include <kompakt/report/progress.hpp>

#include <chrono>
#include <filesystem>
#include <map>

namespace tool {

using namespace kompakt;

namespace {

std::string upper_case(const char* s) {
    std::string out = s;
    for (char& c : out) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return out;
}

// Every tensor of the model file that the last run wrote, as tNN.bin, and tensors.json.
struct layer_files {
    std::vector<std::string> names;
    std::vector<std::vector<std::byte>> contents;

    void take(const session& s, std::uint32_t file_tensors) {
        const executable& x = s.code();
        std::map<std::uint32_t, std::uint32_t> by_source;
        for (std::uint32_t t = 0; t < x.code.tensor_count; ++t) {
            if (x.code.tensors[t].where == place::arena && x.notes[t].source < file_tensors) {
                by_source.emplace(x.notes[t].source, t);
            }
        }
        std::string list = "[\n";
        for (const auto& [source, t] : by_source) {
            const port_tensor p = tensor_of(x, t);
            const std::string name = "t" + std::to_string(source) + ".bin";
            const bytes_view bytes = s.tensor_bytes(t);
            names.push_back(name);
            contents.emplace_back(bytes.begin(), bytes.end());
            convert_little_endian({contents.back().data(), bytes.size()}, p.type);
            json::writer w;
            w.begin_object().member("index", source).member("name", p.name);
            w.member("dtype", upper_case(name_of(p.type))).key("shape").begin_array();
            for (std::int32_t d : p.dims) w.value(d);
            w.end()
                .member("scale", p.scale)
                .member("zero_point", p.zero_point)
                .member("file", name);
            list += (list.size() > 2 ? ",\n" : "") + w.end().take();
        }
        list += "\n]\n";
        names.push_back("tensors.json");
        const auto text = as_bytes(span<const char>(list.data(), list.size()));
        contents.emplace_back(text.begin(), text.end());
    }
};

status run(const arguments& given, answer& a) {
    const std::string path = given.positional(0);
    const bool dump = given.has("--dump-layers");
    if (!given.has("--output") && !dump) {
        return fail(errc::bad_argument, "needs --output PREFIX or --dump-layers DIR");
    }
    const std::filesystem::path folder = given.value("--dump-layers");
    if (dump) {
        std::error_code error;
        const auto there = std::filesystem::status(folder, error);
        if (std::filesystem::exists(there) && !std::filesystem::is_directory(there)) {
            return in_file(folder.string(), fail(errc::io, "is not a folder"));
        }
    }
    const auto kernels = chosen_port(given);
    if (!kernels) return kernels.error();
    const auto type = input_type(given);
    if (!type) return type.error();

    plan_options options;
    options.kernels = *kernels;
    options.keep_all = dump;
    const auto m = load_model(path, options);
    if (!m) return m.error();
    const auto e = engine::make(*m, **kernels);
    if (!e) return e.error();
    session& s = (*e)->session;
    if (dump && (s.code().header->flags & executable_keeps_all) == 0) {
        return in_file(path,
                       fail(errc::unsupported, "was planned to reuse memory; --dump-layers needs "
                                               "the model that it was made from"));
    }
    if (dump && s.code().notes == nullptr) {
        return in_file(path, fail(errc::unsupported, "has no names and numbers of tensors, which "
                                                     "--dump-layers needs"));
    }
    const auto inputs = open_inputs(s, given.all("--input"), *type);
    if (!inputs) return inputs.error();
    const auto wanted = sample_count(given, "--samples", *inputs);
    if (!wanted) return wanted.error();
    KOMPAKT_TRY((*e)->allocate());
    const std::size_t count = *wanted;

    std::vector<std::vector<std::byte>> outputs(s.outputs());
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        outputs[o].reserve(count * s.output_bytes(o).size());
    }
    layer_files layers;
    report::progress progress("running", count);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t n = 0; n < count; ++n) {
        if (n != 0 && given.has("--reset-each")) s.reset();
        for (std::size_t i = 0; i < inputs->size(); ++i) {
            KOMPAKT_TRY((*inputs)[i].fill(n, s.input_bytes(i)));
        }
        s.run();
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const bytes_view bytes = s.output_bytes(o);
            outputs[o].insert(outputs[o].end(), bytes.begin(), bytes.end());
            convert_little_endian(
                {outputs[o].data() + outputs[o].size() - bytes.size(), bytes.size()},
                s.record(s.output_tensor(o)).type);
        }
        if (n == 0 && dump) layers.take(s, m->file_tensors);
        progress.step();
    }
    progress.finish();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    // Everything is computed; only now is anything written.
    std::vector<file_to_write> files;
    std::vector<named_output> targets;
    const std::string prefix = given.value("--output");
    for (std::size_t o = 0; o < outputs.size() && given.has("--output"); ++o) {
        files.push_back({prefix + std::to_string(o) + ".bin", outputs[o]});
        targets.push_back({"--output", files.back().path});
    }
    for (std::size_t i = 0; i < layers.names.size(); ++i) {
        files.push_back({(folder / layers.names[i]).string(), layers.contents[i]});
        targets.push_back({"--dump-layers", files.back().path});
    }
    KOMPAKT_TRY(check_outputs(given, targets));
    bool made = false;
    if (dump) {
        std::error_code error;
        made = std::filesystem::create_directory(folder, error);
        if (error)
            return in_file(folder.string(), fail(errc::io, "cannot create: ", error.message()));
    }
    const status written = write_files_atomic(files);
    if (!written.ok()) {
        std::error_code ignored;
        if (made) std::filesystem::remove(folder, ignored); // only if it is empty
        return written;
    }

    a.say("Ran ", count, count == 1 ? " sample" : " samples", " through ", path, " on ", s.port(),
          " in ", report::significant(seconds), " s.");
    a.json.member("model", path).member("port", s.port()).member("samples", count);
    a.json.member("seconds", seconds).key("outputs").begin_array();
    for (std::size_t o = 0; o < outputs.size() && given.has("--output"); ++o) {
        const port_tensor t = output_of(s, o);
        a.say("Wrote ", files[o].path, ": ", outputs[o].size(), " bytes, ", t.text(), " a sample",
              t.scale != 0 ? ", real value " + report::significant(static_cast<double>(t.scale)) +
                                 " * (q - " + std::to_string(t.zero_point) + ")"
                           : "");
        a.json.begin_object().member("file", files[o].path).member("bytes", outputs[o].size());
        a.json.member("name", t.name).member("dtype", name_of(t.type)).key("shape").begin_array();
        for (std::int32_t d : t.dims) a.json.value(d);
        a.json.end().member("scale", t.scale).member("zero_point", t.zero_point).end();
    }
    a.json.end();
    if (dump) {
        a.say("Wrote ", layers.names.size() - 1, " tensors of sample 0 and tensors.json to ",
              folder.string());
        a.json.member("layers", folder.string()).member("layer_files", layers.names.size() - 1);
    }
    return {};
}

} // namespace

command run_command() {
    return {
        "run",
        "MODEL --input F [--input F2 ...] --output PREFIX",
        "Runs a model over samples and writes its outputs to PREFIX0.bin, PREFIX1.bin, ...",
        "Inputs are raw little-endian samples one after another, in the input's own type, or "
        ".npy.\n"
        "Outputs are raw in the output's own type. They are written when all is done, or not at\n"
        "all. State of a model persists from sample to sample.\n",
        {{"--input", "F", "samples; one for each input, in their order", true},
         {"--output", "PREFIX", "where the outputs go"},
         {"--input-type", "TYPE",
          "the files hold real values: float32, uint8, int8, int16; quantized as the input is"},
         {"--samples", "N", "only the first N"},
         {"--port", "P", "kernels to use: one of those that selftest shows"},
         {"--reset-each", nullptr, "state starts anew with each sample"},
         {"--dump-layers", "DIR", "every tensor of sample 0 that is not constant, as tNN.bin"}},
        run};
}

} // namespace tool
