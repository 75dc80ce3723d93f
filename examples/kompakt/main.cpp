// kompakt: looks at trained neural networks, runs, measures, quantizes and writes them out.
//
//     kompakt COMMAND …        kompakt --help        kompakt COMMAND --help
//
// Exit status: 0 success, 1 failure, 2 a command line that makes no sense.
#include "command.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace {

using namespace tool;

const std::vector<command>& commands() {
    static const std::vector<command> all = {
        inspect_command(),  run_command(),      eval_command(),
        bench_command(),    quantize_command(), emit_command(),
        selftest_command(), tokenize_command(), train_tokenizer_command()};
    return all;
}

std::string padded(std::string s, std::size_t width) {
    if (s.size() < width) s.append(width - s.size(), ' ');
    return s;
}

std::string help() {
    std::string s =
        "kompakt looks at trained neural networks, runs, measures, quantizes and writes "
        "them out.\n\n";
    for (const command& c : commands()) {
        s += "  kompakt " + padded(c.name, 17) + c.summary + "\n";
    }
    s +=
        "\nkompakt COMMAND --help shows a command's options. Every command takes --json: the same\n"
        "answer for machines, on standard output. Models are told apart by content: TensorFlow\n"
        "Lite (.tflite) and executables of kompakt (.kpk).\n";
    return s;
}

std::string help(const command& c) {
    std::string s = "kompakt " + std::string(c.name) + " " + c.usage + "\n\n" + c.summary + "\n";
    if (*c.details != '\0') s += "\n" + std::string(c.details);
    s += "\n";
    for (const option& o : c.options) {
        std::string name = o.name;
        if (o.value != nullptr) name += std::string(" ") + o.value;
        s += "  " + padded(name, 24) + " " + o.help + "\n";
    }
    s += "  " + padded("--json", 24) + " answer as JSON\n";
    return s;
}

int failed(const std::string& message, int exit_status) {
    std::fprintf(stderr, "kompakt: %s\n", kompakt::report::printable(message).c_str());
    return exit_status;
}

int print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        return failed("standard output: cannot write", 1);
    }
    return 0;
}

status run(const command& c, const arguments& given, answer& a) {
#if defined(__cpp_exceptions)
    try {
        return c.run(given, a);
    } catch (const std::bad_alloc&) {
        return fail(errc::limit, c.name, ": not enough memory for what the files and options ask");
    }
#else
    return c.run(given, a);
#endif
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const auto wants_help = [](const std::string& w) { return w == "--help" || w == "-h"; };
    if (!words.empty() && (wants_help(words[0]) || words[0] == "help")) return print(help());
    std::string names;
    for (const command& c : commands()) names += std::string(names.empty() ? "" : ", ") + c.name;
    if (words.empty()) return failed("needs a command: " + names, 2);
    if (words[0] == "--version") {
        return print("kompakt " + std::to_string(KOMPAKT_VERSION_MAJOR) + "." +
                     std::to_string(KOMPAKT_VERSION_MINOR) + "." +
                     std::to_string(KOMPAKT_VERSION_PATCH) + "\n");
    }
    const auto it = std::find_if(commands().begin(), commands().end(),
                                 [&](const command& c) { return words[0] == c.name; });
    if (it == commands().end()) {
        return failed("unknown command " + words[0] + "; there are " + names, 2);
    }
    const command& c = *it;
    words.erase(words.begin());
    if (std::any_of(words.begin(), words.end(), wants_help)) return print(help(c));

    std::vector<option> options = c.options;
    options.push_back({"--json", nullptr, ""});
    const bool takes_vocabulary = std::strncmp(c.usage, "VOCAB", 5) == 0;
    const bool takes_model = takes_vocabulary || std::strncmp(c.usage, "MODEL", 5) == 0;
    const bool takes_files = std::strstr(c.usage, "FILE...") != nullptr;
    const auto given = takes_files
                           ? arguments::parse(words, options, arguments::one_or_more, "FILE")
                           : arguments::parse(words, options, takes_model ? 1 : 0,
                                              takes_vocabulary ? "VOCAB" : "MODEL");
    const auto usage = [&](const status& s) {
        return failed(std::string(c.name) + ": " + s.message() + "; kompakt " + c.name +
                          " --help shows the options",
                      2);
    };
    if (!given) return usage(given.error());

    answer a;
    a.json.begin_object().member("command", c.name);
    const status s = run(c, *given, a);
    if (!s.ok()) {
        if (s.code() != errc::bad_argument) return failed(s.message(), 1);
        const std::string message = s.message(), prefix = std::string(c.name) + ": ";
        return failed(message.compare(0, prefix.size(), prefix) == 0 ? message : prefix + message,
                      2);
    }
    a.json.end();
    return print(given->has("--json") ? a.json.take() + "\n" : kompakt::report::printable(a.text));
}
