#include "files.hpp"

#include <kompakt/host/file.hpp>

#include <cctype>
#include <filesystem>

namespace tool {

namespace fs = std::filesystem;

namespace {

// Whether two paths name one file, that is there (by device and inode) or that is yet to be made.
bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    const fs::file_status in_a = fs::status(a, error), in_b = fs::status(b, error);
    if (fs::exists(in_a) != fs::exists(in_b)) return false;
    if (fs::exists(in_a)) {
        return fs::is_regular_file(in_a) && fs::is_regular_file(in_b) &&
               fs::equivalent(a, b, error);
    }
    const auto normal = [&](const std::string& path) {
        return fs::weakly_canonical(fs::absolute(path, error), error).lexically_normal();
    };
    const fs::path x = normal(a), y = normal(b);
    return !x.empty() && x == y;
}

} // namespace

status check_outputs(const arguments& given, const std::vector<named_output>& outputs) {
    std::vector<named_output> read;
    std::string what = "the ";
    for (const char c : given.positional_name()) what += static_cast<char>(std::tolower(c));
    for (const std::string& path : given.positionals()) read.push_back({what, path});
    for (const char* option : {"--input", "--calibrate", "--labels"}) {
        for (const std::string& path : given.all(option)) read.push_back({option, path});
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string shown =
            outputs[i].option + " " + kompakt::detail::shown_path(outputs[i].path);
        for (const named_output& r : read) {
            if (!same_file(outputs[i].path, r.path)) continue;
            return fail(errc::bad_argument, shown, ": would overwrite what is read from it (",
                        r.option, ")");
        }
        for (std::size_t k = 0; k < i; ++k) {
            if (!same_file(outputs[i].path, outputs[k].path)) continue;
            return fail(errc::bad_argument, shown, ": is where the output of ", outputs[k].option,
                        " goes; each needs a file of its own");
        }
    }
    return {};
}

} // namespace tool
