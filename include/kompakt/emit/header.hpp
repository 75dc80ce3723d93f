// emit_header: an executable as one C++ header for firmware: the same tables and constants as the
// .kpk, as constexpr data in flash, and a class that calls the kernels in order. No interpreter,
// and only the kernels that the model uses are linked.
#pragma once

#include <kompakt/plan/plan.hpp>

#include <cstdio>
#include <string_view>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// Size: one instance of a kernel for all layers. Speed: an instance with constant extents for every
// layer. Balanced: such an instance for layers of one shape that do a quarter of the work or more.
enum class optimize : std::uint8_t { size, speed, balanced };

struct emit_options {
    kompakt::optimize optimize = kompakt::optimize::size;
    std::string include = "<kompakt/device.hpp>"; // or "\"kompakt_device.hpp\""
    std::string port = "kompakt::default_port";   // the tag that the calls use
    std::string title; // first comment line: which model, how it was made
    // The port that the weights were packed for, if they were.
    const kernel_table* kernels = &kernels_of<portable>();
};

namespace detail {

class header_writer {
  public:
    header_writer(const executable& x, std::string_view name, const emit_options& options,
                  std::string& out)
        : x_(x), name_(name), options_(options), out_(out) {}

    void write() {
        line("// ", printable(options_.title.empty() ? name_ : options_.title));
        line("// Made by `kompakt emit`; do not edit.");
        line("#pragma once");
        line("");
        line("#include ", options_.include);
        line("");
        line("namespace ", name_, " {");
        line("");
        line("static_assert(kompakt::executable_version == ", executable_version,
             ", \"emitted for another version of kompakt; emit it again\");");
        line("");
        line("// One buffer of this size, aligned to ", buffer_alignment,
             ", holds everything that `run` writes.");
        line("inline constexpr std::size_t arena_bytes = ", x_.header->arena_bytes, ";");
        line("");
        line("// real value = scale * (quantized value - zero_point); scale 0: not quantized");
        describe("input", x_.inputs, x_.header->input_count);
        describe("output", x_.outputs, x_.header->output_count);
        line("");
        line("namespace detail {");
        line("");
        constants();
        table("std::uint32_t", "words", x_.header->word_count, 12,
              [&](std::uint32_t i) { return std::to_string(x_.code.words[i]) + "u"; });
        table("kompakt::tensor_record", "tensors", x_.code.tensor_count, 1, [&](std::uint32_t i) {
            const tensor_record& t = x_.code.tensors[i];
            return text("{kompakt::dtype::", dtype_identifier(t.type), ", ", unsigned{t.rank},
                        ", kompakt::place::", place_identifier(t.where),
                        ", kompakt::encoding::", name_of(t.coding), ", ", t.at, "u, ", t.bytes,
                        "u, ", t.dims_at, "u}");
        });
        table("kompakt::op_record", "ops", x_.code.op_count, 1, [&](std::uint32_t i) {
            const op_record& op = x_.code.ops[i];
            return text("{", op.kernel, ", ", op.flags, ", ", op.inputs, ", ", op.outputs, ", ",
                        op.operands_at, "u, ", op.params_at, "u, ", op.scratch_at, "u, ",
                        op.scratch_bytes, "u, ", op.pack_id, "u}");
        });
        if (options_.optimize != optimize::size) {
            line("struct tables {");
            const auto reference = [&](const char* type, const char* what, std::uint32_t count) {
                line("    static constexpr const ", type, " (&", what, ")[",
                     count != 0 ? count : 1u, "] = detail::", what, ";");
            };
            reference("kompakt::tensor_record", "tensors", x_.code.tensor_count);
            reference("kompakt::op_record", "ops", x_.code.op_count);
            reference("std::uint32_t", "words", x_.header->word_count);
            line("};");
            line("");
        }
        line("} // namespace detail");
        line("");
        model();
        line("} // namespace ", name_);
    }

  private:
    template <class... Parts>
    static std::string text(const Parts&... parts) {
        std::string s;
        (append(s, parts), ...);
        return s;
    }
    template <class... Parts>
    void line(const Parts&... parts) {
        (append(out_, parts), ...);
        out_ += '\n';
    }
    static void append(std::string& s, const char* t) { s += t; }
    static void append(std::string& s, std::string_view t) { s += t; }
    static void append(std::string& s, const std::string& t) { s += t; }
    template <class Number, class = std::enable_if_t<std::is_integral_v<Number>>>
    static void append(std::string& s, Number n) {
        s += std::to_string(n);
    }

    // Names come from model files: comments must stay comments.
    static std::string printable(std::string_view s) {
        std::string out;
        for (char c : s.substr(0, 72)) {
            out += c >= 0x20 && c < 0x7f && c != '\\' && c != '?' ? c : '.';
        }
        return out;
    }
    static std::string float_literal(float f) {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%af", static_cast<double>(f));
        return buffer;
    }
    static const char* dtype_identifier(dtype t) noexcept {
        switch (t) {
        case dtype::none:
            return "none";
        case dtype::f32:
            return "f32";
        case dtype::f16:
            return "f16";
        case dtype::bf16:
            return "bf16";
        case dtype::i8:
            return "i8";
        case dtype::u8:
            return "u8";
        case dtype::i16:
            return "i16";
        case dtype::u16:
            return "u16";
        case dtype::i32:
            return "i32";
        case dtype::u32:
            return "u32";
        case dtype::i64:
            return "i64";
        case dtype::boolean:
            return "boolean";
        case dtype::f64:
            return "f64";
        case dtype::i4:
            return "i4";
        }
        return "none";
    }
    static const char* place_identifier(place p) noexcept {
        return p == place::arena ? "arena" : p == place::constant ? "constant" : "absent";
    }
    // The C++ element type of a tensor; bytes where C++ has none.
    static const char* element_type(dtype t) noexcept {
        switch (t) {
        case dtype::f32:
            return "float";
        case dtype::i8:
            return "std::int8_t";
        case dtype::i16:
            return "std::int16_t";
        case dtype::u16:
        case dtype::f16:
        case dtype::bf16:
            return "std::uint16_t";
        case dtype::i32:
            return "std::int32_t";
        case dtype::u32:
            return "std::uint32_t";
        case dtype::i64:
            return "std::int64_t";
        case dtype::boolean:
            return "bool";
        case dtype::f64:
            return "double";
        case dtype::none:
        case dtype::u8:
        case dtype::i4:
            break;
        }
        return "std::uint8_t";
    }
    std::string shape_of(const tensor_record& t) const {
        std::string s = "[";
        for (unsigned i = 0; i < t.rank; ++i) {
            s += (i != 0 ? ", " : "") + std::to_string(x_.code.words[t.dims_at + i]);
        }
        return s + "]";
    }

    void describe(const char* what, const std::uint32_t* tensors, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const tensor_record& t = x_.code.tensors[tensors[i]];
            const std::string suffix = i == 0 ? "" : std::to_string(i);
            const float scale = x_.notes != nullptr ? x_.notes[tensors[i]].scale : 0.0f;
            const std::int32_t zero = x_.notes != nullptr ? x_.notes[tensors[i]].zero_point : 0;
            line("// ", what, " ", i, ": ", name_of(t.type), " ", shape_of(t), " ",
                 printable(x_.name_of_tensor(tensors[i])));
            line("inline constexpr float ", what, suffix, "_scale = ", float_literal(scale), ";");
            line("inline constexpr std::int32_t ", what, suffix, "_zero_point = ", zero, ";");
        }
    }

    // Integers as decimals, floats as hexadecimal floats; big or unprintable ones as words.
    static constexpr std::uint32_t words_above = 1u << 20;
    bool as_words(const tensor_record& t) const {
        if (t.bytes > words_above) return true;
        if (t.coding == encoding::port) return t.bytes % 4 == 0;
        if (t.type != dtype::f32 && t.type != dtype::f64) return false;
        // The upper word of a double has its exponent; infinity and NaN have no literal.
        for (std::uint32_t i = 0; t.type == dtype::f64 && i < t.bytes; i += 8) {
            const auto upper = load_le<std::uint32_t>(data_of(t) + i + 4);
            if ((upper & 0x7ff00000u) == 0x7ff00000u) return true;
        }
        for (std::uint32_t i = 0; t.type == dtype::f32 && i < t.bytes; i += 4) {
            const auto bits = load_le<std::uint32_t>(data_of(t) + i);
            if ((bits & 0x7f800000u) == 0x7f800000u) return true;
        }
        return false;
    }
    const std::byte* data_of(const tensor_record& t) const {
        return x_.code.constants + std::size_t{t.at} * block_bytes;
    }

    // One struct, each array aligned to a block, so that `at` of the records is an offset in it.
    void constants() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < x_.code.tensor_count; ++i) {
            if (x_.code.tensors[i].where == place::constant) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t l, std::uint32_t r) {
            return x_.code.tensors[l].at < x_.code.tensors[r].at;
        });
        order.erase(std::unique(order.begin(), order.end(),
                                [&](std::uint32_t l, std::uint32_t r) {
                                    return x_.code.tensors[l].at == x_.code.tensors[r].at;
                                }),
                    order.end());
        line("// Weights, biases, multipliers and shifts; `kompakt_weights` names their section.");
        line("struct weights {");
        if (order.empty()) line("    char none;");
        for (std::uint32_t i : order) {
            const tensor_record& t = x_.code.tensors[i];
            const char* type = as_words(t)                ? "std::uint32_t"
                               : t.type == dtype::boolean ? "std::uint8_t" // any byte is kept
                                                          : element_type(t.type);
            const std::size_t size = as_words(t) ? 4 : type_size(t.type);
            line("    alignas(", block_bytes, ") ", type, " t", i, "[", (t.bytes + size - 1) / size,
                 "]; // ", shape_of(t), " ", printable(x_.name_of_tensor(i)));
        }
        line("};");
        line("inline constexpr weights kompakt_weights = {");
        if (order.empty()) line("    0");
        for (std::uint32_t i : order) {
            const tensor_record& t = x_.code.tensors[i];
            out_ += "    {";
            const std::size_t size = as_words(t) ? 4 : type_size(t.type);
            const std::size_t count = (t.bytes + size - 1) / size;
            std::size_t column = 5;
            for (std::size_t k = 0; k < count; ++k) {
                const std::string value = literal(t, k);
                if (column + value.size() + 1 > 100) {
                    out_ += "\n     ";
                    column = 5;
                }
                out_ += value;
                if (k + 1 < count) out_ += ',';
                column += value.size() + 1;
            }
            line("},");
        }
        line("};");
        for (std::uint32_t i : order) {
            line("static_assert(offsetof(weights, t", i,
                 ") == ", std::size_t{x_.code.tensors[i].at} * block_bytes, ");");
        }
        line("");
    }
    static std::size_t type_size(dtype t) noexcept {
        const unsigned bits = bits_of(t);
        return bits < 8 ? 1 : bits / 8;
    }
    std::string literal(const tensor_record& t, std::size_t k) const {
        const std::byte* p = data_of(t);
        if (as_words(t)) {
            // The tail of an odd number of bytes lies in the padding of the block.
            char buffer[16];
            std::uint32_t w = 0;
            for (std::size_t b = 0; b < 4 && k * 4 + b < t.bytes; ++b) {
                w |= static_cast<std::uint32_t>(p[k * 4 + b]) << 8 * b;
            }
            std::snprintf(buffer, sizeof buffer, "0x%xu", static_cast<unsigned>(w));
            return buffer;
        }
        switch (t.type) {
        case dtype::f32:
            return float_literal(load_le<float>(p + k * 4));
        case dtype::i8:
            return std::to_string(load_le<std::int8_t>(p + k));
        case dtype::i16:
            return std::to_string(load_le<std::int16_t>(p + k * 2));
        case dtype::i32: {
            const auto v = load_le<std::int32_t>(p + k * 4);
            return v == INT32_MIN ? "-2147483647 - 1" : std::to_string(v);
        }
        case dtype::i64: {
            const auto v = load_le<std::int64_t>(p + k * 8);
            return v == INT64_MIN ? "-9223372036854775807 - 1" : std::to_string(v);
        }
        case dtype::u16:
        case dtype::f16:
        case dtype::bf16:
            return std::to_string(load_le<std::uint16_t>(p + k * 2));
        case dtype::u32:
            return std::to_string(load_le<std::uint32_t>(p + k * 4)) + "u";
        case dtype::f64: {
            char buffer[48];
            std::snprintf(buffer, sizeof buffer, "%a", load_le<double>(p + k * 8));
            return buffer;
        }
        case dtype::none:
        case dtype::boolean:
        case dtype::u8:
        case dtype::i4:
            break;
        }
        return std::to_string(static_cast<unsigned>(p[k]));
    }

    template <class F>
    void table(const char* type, const char* table_name, std::uint32_t count, std::uint32_t columns,
               F&& entry) {
        if (count == 0) { // arrays are not empty
            line("inline constexpr ", type, " ", table_name, "[1] = {};");
            line("");
            return;
        }
        line("inline constexpr ", type, " ", table_name, "[] = {");
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i % columns == 0) out_ += "    ";
            out_ += entry(i);
            out_ += i % columns + 1 == columns || i + 1 == count ? ",\n" : ", ";
        }
        line("};");
        line("");
    }

    void accessor(const char* what, const std::uint32_t* tensors, std::uint32_t count,
                  const char* constness) {
        line("    template <std::size_t Index = 0>");
        line("    auto ", what, "() ", constness[0] != '\0' ? "const " : "", "noexcept {");
        line("        static_assert(Index < ", count, ", \"the model has ", count, " ", what,
             "(s)\");");
        for (std::uint32_t i = 0; i < count; ++i) {
            const tensor_record& t = x_.code.tensors[tensors[i]];
            const std::size_t elements = t.bytes / type_size(t.type);
            const bool constant = t.where == place::constant;
            line("        if constexpr (Index == ", i, ") {");
            line("            return kompakt::span<", constness, element_type(t.type),
                 ">(reinterpret_cast<", constness, element_type(t.type), "*>(",
                 constant ? "constants()" : "arena_", " + ", std::size_t{t.at} * block_bytes, "), ",
                 elements, ");");
            line("        }");
        }
        line("    }");
    }

    // Multiply-accumulates of an op with weights, elements of the others.
    std::uint64_t work_of(std::uint32_t i) const {
        const op_record& op = x_.code.ops[i];
        const auto elements = [&](const tensor_record& t) {
            std::uint64_t n = 1;
            for (unsigned d = 0; d < t.rank; ++d) n *= x_.code.words[t.dims_at + d];
            return n;
        };
        const tensor_record& out = x_.code.tensors[x_.code.words[op.operands_at + op.inputs]];
        const std::uint64_t outputs = elements(out);
        if (op.inputs <= packed_input) return outputs;
        const tensor_record& w = x_.code.tensors[x_.code.words[op.operands_at + packed_input]];
        if (w.where != place::constant || out.rank == 0) return outputs;
        return outputs * elements(w) / x_.code.words[out.dims_at + out.rank - 1u];
    }
    // Layers of equal shapes share one instance of the kernel.
    bool same_shapes(std::uint32_t a, std::uint32_t b) const {
        const op_record &l = x_.code.ops[a], &r = x_.code.ops[b];
        if (l.kernel != r.kernel || l.flags != r.flags || l.inputs != r.inputs ||
            l.outputs != r.outputs) {
            return false;
        }
        // Equal shapes are stored once, so equal positions say it.
        for (std::uint32_t i = 0; i < std::uint32_t{l.inputs} + l.outputs; ++i) {
            if (x_.code.tensors[x_.code.words[l.operands_at + i]].dims_at !=
                x_.code.tensors[x_.code.words[r.operands_at + i]].dims_at) {
                return false;
            }
        }
        return true;
    }
    bool constant_extents(std::uint32_t i) const {
        if (options_.optimize == optimize::size) return false;
        if (options_.optimize == optimize::speed) return true;
        std::uint64_t total = 0, alike = 0;
        for (std::uint32_t k = 0; k < x_.code.op_count; ++k) {
            total += work_of(k);
            if (same_shapes(i, k)) alike += work_of(k);
        }
        return alike * 4 >= total;
    }

    // Weights in the port's order are an argument of the call.
    std::string packed(const op_record& op) const {
        if (op.pack_id == 0) return {};
        const std::uint32_t t = x_.code.words[op.operands_at + packed_input];
        return text(", constants() + ", std::size_t{x_.code.tensors[t].at} * block_bytes);
    }

    void model() {
        line("class model {");
        line("  public:");
        line("    // What is wrong with an arena, before anything is written to it.");
        line("    static constexpr kompakt::status check(kompakt::span<const std::byte> arena) "
             "noexcept {");
        line("        return kompakt::check_buffer(\"arena\", arena.data(), arena.size(), "
             "arena_bytes);");
        line("    }");
        line("    // The arena belongs to the model while it runs; models may share one in turn.");
        line(
            "    explicit model(kompakt::span<std::byte> arena) noexcept : arena_(arena.data()) {");
        line("        KOMPAKT_ASSERT(check({arena.data(), arena.size()}).ok(), \"", name_,
             ": arena\");");
        line("    }");
        line("");
        line("    // Fill before every `run`", (x_.header->flags & executable_keeps_inputs) != 0
                                                   ? "."
                                                   : ", which may overwrite them.");
        accessor("input", x_.inputs, x_.header->input_count, "");
        accessor("output", x_.outputs, x_.header->output_count, "const ");
        line("");
        line("    // State back to what it is at the start; this model has none.");
        line("    void reset() noexcept {}");
        line("");
        line("    void run() noexcept {");
        line("        [[maybe_unused]] constexpr ", options_.port, " port{};");
        line("        [[maybe_unused]] const kompakt::program code{detail::tensors, detail::ops, "
             "detail::words, "
             "constants(),");
        line("                                    ", x_.code.tensor_count, ", ", x_.code.op_count,
             "};");
        for (std::uint32_t i = 0; i < x_.code.op_count; ++i) {
            const op_record& op = x_.code.ops[i];
            const std::string type =
                constant_extents(i) ? text("static_call<detail::tables, ", i, ">") : "call";
            line("        kompakt::", kernels_of<portable>().find(op.kernel)->name,
                 "::run(port, kompakt::", type, "(code, detail::ops[", i, "], arena_", packed(op),
                 "));");
        }
        line("    }");
        line("");
        line("  private:");
        line("    static const std::byte* constants() noexcept {");
        line("        return reinterpret_cast<const std::byte*>(&detail::kompakt_weights);");
        line("    }");
        line("");
        line("    std::byte* arena_;");
        line("};");
        line("");
    }

    const executable& x_;
    std::string_view name_;
    const emit_options& options_;
    std::string& out_;
};

// Whether a namespace may have this name: an identifier, no keyword, nothing reserved, and not a
// namespace that the header itself uses.
inline bool is_namespace_name(std::string_view s) noexcept {
    constexpr std::string_view taken[] = {"alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asm",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "bool",
                                          "break",
                                          "case",
                                          "catch",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "continue",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "float",
                                          "for",
                                          "friend",
                                          "goto",
                                          "if",
                                          "inline",
                                          "int",
                                          "kompakt",
                                          "long",
                                          "main",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "noexcept",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "private",
                                          "protected",
                                          "public",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "return",
                                          "short",
                                          "signed",
                                          "sizeof",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "std",
                                          "struct",
                                          "switch",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "union",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq"};
    for (const std::string_view word : taken) {
        if (s == word) return false;
    }
    if (s.find("__") != std::string_view::npos || (s.size() > 0 && s[0] == '_')) return false;
    if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
    for (char c : s) {
        const bool word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!word) return false;
    }
    return true;
}

// Each constant becomes an array of its own, so they must not share bytes partly.
inline status check_constants_apart(const executable& x) {
    std::map<std::uint64_t, std::uint64_t> ends; // by start
    for (std::uint32_t i = 0; i < x.code.tensor_count; ++i) {
        const tensor_record& t = x.code.tensors[i];
        if (t.where != place::constant) continue;
        const auto [it, fresh] = ends.try_emplace(std::uint64_t{t.at} * block_bytes,
                                                  std::uint64_t{t.at} * block_bytes + t.bytes);
        if (!fresh && it->second != std::uint64_t{t.at} * block_bytes + t.bytes) {
            return fail(errc::unsupported, "emit: constant tensor ", i, " overlaps another");
        }
    }
    std::uint64_t last = 0;
    for (const auto& [start, end] : ends) {
        if (start < last) return fail(errc::unsupported, "emit: constants overlap");
        last = end;
    }
    return {};
}

} // namespace detail

// Appends the header to `out`. `name` becomes the namespace. `x` comes from `validate`.
inline status emit_header(const executable& x, std::string_view name, std::string& out,
                          const emit_options& options = {}) {
    if (!detail::is_namespace_name(name)) {
        return fail(errc::bad_argument, "emit: ", name, " cannot be the name of a C++ namespace");
    }
    if (x.header == nullptr) return fail(errc::bad_argument, "emit: no executable");
    KOMPAKT_TRY(detail::check_constants_apart(x));
    detail::header_writer(x, name, options, out).write();
    return {};
}

inline status emit_header(const planned& p, std::string_view name, std::string& out,
                          const emit_options& options = {}) {
    executable x;
    KOMPAKT_TRY(validate(p.bytes(), x, *options.kernels));
    return emit_header(x, name, out, options);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
