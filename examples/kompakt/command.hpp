// What a command of the tool is: its options, its answer, and what it was given.
#pragma once

#include <kompakt/format/json.hpp>
#include <kompakt/report/text.hpp>

#include <map>
#include <string>
#include <vector>

namespace tool {

using kompakt::errc;
using kompakt::fail;
using kompakt::result;
using kompakt::status;

struct option {
    const char* name;  // with its dashes
    const char* value; // how help names the value; null: a switch
    const char* help;
    bool repeated = false;
};

class arguments {
  public:
    // Reads what stands behind the command's name. `positional`: how many words without dashes;
    // `one_or_more` for any number.
    static constexpr std::size_t one_or_more = SIZE_MAX;
    static result<arguments> parse(const std::vector<std::string>& words,
                                   const std::vector<option>& options, std::size_t positional,
                                   const char* positional_name);

    const std::string& positional(std::size_t i) const { return positional_[i]; }
    const std::vector<std::string>& positionals() const { return positional_; }
    const std::string& positional_name() const { return positional_name_; } // "MODEL"
    bool has(const char* name) const { return values_.count(name) != 0; }
    std::string value(const char* name, const std::string& otherwise = "") const;
    std::vector<std::string> all(const char* name) const;
    // `value` is how its absence is complained about: "needs -o FILE.hpp".
    result<std::string> required(const char* name, const char* value) const;
    result<std::uint64_t> number(const char* name, std::uint64_t otherwise, std::uint64_t least,
                                 std::uint64_t most) const;
    result<double> real(const char* name, double otherwise, double least, double most) const;
    // One of the words of `allowed`, the first by default.
    result<std::string> choice(const char* name, const std::vector<std::string>& allowed) const;

  private:
    std::vector<std::string> positional_;
    std::string positional_name_;
    std::map<std::string, std::vector<std::string>> values_;
};

// What a command says when it has succeeded: one of the two is printed.
struct answer {
    std::string text;
    kompakt::json::writer json{2}; // inside the object that `main` opens

    // A line made of text and numbers.
    template <class... Parts>
    void say(const Parts&... parts) {
        (append(parts), ...);
        text += '\n';
    }
    // Columns as wide as they need; cells that start with a digit stand to the right.
    void table(const std::vector<std::string>& columns,
               const std::vector<std::vector<std::string>>& rows);

  private:
    void append(const char* s) { text += s; }
    void append(const std::string& s) { text += s; }
    template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
    void append(Integer n) {
        text += n < 0 ? std::to_string(n) : kompakt::report::grouped(static_cast<std::uint64_t>(n));
    }
};

struct command {
    const char* name;
    const char* usage;   // what stands behind the name
    const char* summary; // one line
    const char* details; // paragraphs; "" for none
    std::vector<option> options;
    status (*run)(const arguments&, answer&);
};

// One in each file of that name.
command inspect_command();
command run_command();
command eval_command();
command bench_command();
command quantize_command();
command train_command();
command emit_command();
command selftest_command();
command tokenize_command();
command train_tokenizer_command();

} // namespace tool
