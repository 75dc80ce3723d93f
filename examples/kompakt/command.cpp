#include "command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tool {

result<arguments> arguments::parse(const std::vector<std::string>& words,
                                   const std::vector<option>& options, std::size_t positional,
                                   const char* positional_name) {
    arguments a;
    a.positional_name_ = positional_name;
    bool only_positional = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (only_positional || word.size() < 2 || word[0] != '-') {
            a.positional_.push_back(word);
            continue;
        }
        if (word == "--") {
            only_positional = true;
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto it = std::find_if(options.begin(), options.end(),
                                     [&](const option& o) { return name == o.name; });
        if (it == options.end()) return fail(errc::bad_argument, "unknown option ", name);
        if (a.has(it->name) && !it->repeated) {
            return fail(errc::bad_argument, name, " is given twice");
        }
        std::string value;
        if (it->value == nullptr) {
            if (equals != std::string::npos) {
                return fail(errc::bad_argument, name, " takes no value");
            }
        } else if (equals != std::string::npos) {
            value = word.substr(equals + 1);
        } else if (i + 1 < words.size()) {
            value = words[++i];
        } else {
            return fail(errc::bad_argument, name, " needs a value: ", name, " ", it->value);
        }
        if (it->value != nullptr && value.empty()) {
            return fail(errc::bad_argument, name, " needs a value: ", name, " ", it->value);
        }
        a.values_[it->name].push_back(value);
    }
    if (positional == one_or_more) {
        if (a.positional_.empty()) return fail(errc::bad_argument, "needs a ", positional_name);
    } else if (a.positional_.size() != positional) {
        if (a.positional_.size() < positional) {
            return fail(errc::bad_argument, "needs a ", positional_name);
        }
        return fail(errc::bad_argument, "what is \"", a.positional_[positional], "\"? needed ",
                    positional, positional == 1 ? " file" : " files", " and options");
    }
    return a;
}

std::string arguments::value(const char* name, const std::string& otherwise) const {
    const auto it = values_.find(name);
    return it != values_.end() ? it->second[0] : otherwise;
}

std::vector<std::string> arguments::all(const char* name) const {
    const auto it = values_.find(name);
    return it != values_.end() ? it->second : std::vector<std::string>();
}

result<std::string> arguments::required(const char* name, const char* value) const {
    if (!has(name)) return fail(errc::bad_argument, "needs ", name, " ", value);
    return this->value(name);
}

result<std::uint64_t> arguments::number(const char* name, std::uint64_t otherwise,
                                        std::uint64_t least, std::uint64_t most) const {
    if (!has(name)) return otherwise;
    const std::string text = value(name);
    std::uint64_t n = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), n);
    if (r.ec != std::errc() || r.ptr != text.data() + text.size() || n < least || n > most) {
        if (most == UINT64_MAX) {
            return fail(errc::bad_argument, name, " ", text, ": needs a whole number, at least ",
                        least);
        }
        return fail(errc::bad_argument, name, " ", text, ": needs a whole number from ", least,
                    " to ", most);
    }
    return n;
}

result<double> arguments::real(const char* name, double otherwise, double least,
                               double most) const {
    if (!has(name)) return otherwise;
    const std::string text = value(name);
    char* end = nullptr;
    const double x = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !(x >= least && x <= most)) {
        return fail(errc::bad_argument, name, " ", text, ": needs a number from ",
                    kompakt::report::significant(least), " to ",
                    kompakt::report::significant(most));
    }
    return x;
}

result<std::string> arguments::choice(const char* name,
                                      const std::vector<std::string>& allowed) const {
    const std::string given = value(name, allowed[0]);
    std::string all;
    for (const std::string& word : allowed) {
        if (given == word) return given;
        all += (all.empty() ? "" : ", ") + word;
    }
    return fail(errc::bad_argument, name, " ", given, ": there is only ", all);
}

void answer::table(const std::vector<std::string>& columns,
                   const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> width(columns.size(), 0);
    std::vector<bool> right(columns.size(), !rows.empty());
    // Characters, not bytes: names may hold any UTF-8.
    const auto length = [](const std::string& s) {
        return static_cast<std::size_t>(std::count_if(s.begin(), s.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        }));
    };
    for (std::size_t c = 0; c < columns.size(); ++c) {
        width[c] = length(columns[c]);
        for (const auto& row : rows) {
            width[c] = (std::max)(width[c], length(row[c]));
            const std::string& cell = row[c];
            right[c] =
                right[c] && (cell.empty() || cell == "-" || (cell[0] >= '0' && cell[0] <= '9') ||
                             (cell[0] == '-' && cell.size() > 1));
        }
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string s;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string space(width[c] - length(cells[c]), ' ');
            if (c != 0) s += "  ";
            s += right[c] ? space + cells[c] : cells[c] + space;
        }
        s.erase(s.find_last_not_of(' ') + 1);
        text += s + '\n';
    };
    line(columns);
    for (const auto& row : rows) line(row);
}

} // namespace tool
