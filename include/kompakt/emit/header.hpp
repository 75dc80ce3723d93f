// emit_header: an executable as one C++ header for firmware: the same tables and constants as the
// .kpk, as constexpr data in flash, and a class that calls the kernels in order. No interpreter,
// and only the kernels that the model uses are linked.
#pragma once

#include <kompakt/emit/choose_instances.hpp>
#include <kompakt/emit/identifier.hpp>
#include <kompakt/emit/literals.hpp>
#include <kompakt/plan/planned.hpp>
#include <kompakt/run/executable.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

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
        if (!options_.port_include.empty()) {
            // The single header has its ports inside.
            line("#if __has_include(", options_.port_include, ")");
            line("#include ", options_.port_include);
            line("#endif");
        }
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

    const std::byte* data_of(const tensor_record& t) const {
        return x_.code.constants + std::size_t{t.at} * block_bytes;
    }

    // One struct, each array aligned to a block, so that `at` of the records is an offset in it.
    void constants() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < x_.code.tensor_count; ++i) {
            // Empty are those that packed weights hold as well.
            const tensor_record& t = x_.code.tensors[i];
            if (t.where == place::constant && t.bytes != 0) order.push_back(i);
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
        bool ordered = false; // words that hold smaller or larger numbers
        for (std::uint32_t i : order) {
            const tensor_record& t = x_.code.tensors[i];
            const bool words = as_words(t, data_of(t));
            ordered = ordered || (words && (t.coding == encoding::port || type_size(t.type) != 4));
            const char* type = words                      ? "std::uint32_t"
                               : t.type == dtype::boolean ? "std::uint8_t" // any byte is kept
                                                          : element_type(t.type);
            const std::size_t size = words ? 4 : type_size(t.type);
            line("    alignas(", block_bytes, ") ", type, " t", i, "[", (t.bytes + size - 1) / size,
                 "]; // ", shape_of(t), " ", printable(x_.name_of_tensor(i)));
        }
        line("};");
        if (ordered) {
            line("static_assert(KOMPAKT_BIG_ENDIAN == ", KOMPAKT_BIG_ENDIAN,
                 ", \"weights as words: emit them where the byte order is the same\");");
        }
        line("inline constexpr weights kompakt_weights = {");
        if (order.empty()) line("    0");
        for (std::uint32_t i : order) {
            const tensor_record& t = x_.code.tensors[i];
            out_ += "    {";
            const bool words = as_words(t, data_of(t));
            const std::size_t size = words ? 4 : type_size(t.type);
            const std::size_t count = (t.bytes + size - 1) / size;
            std::size_t column = 5;
            for (std::size_t k = 0; k < count; ++k) {
                const std::string value = literal(t, data_of(t), words, k);
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

    bool stateful() const { return x_.header->state_count != 0; }
    void reset() {
        if (!stateful()) {
            line("    // State back to what it is at the start; this model has none.");
            line("    void reset() noexcept {}");
            return;
        }
        line("    // State back to what it is at the start.");
        line("    void reset() noexcept {");
        for (std::uint32_t i = 0; i < x_.header->state_count; ++i) {
            const state_record s = x_.state(i);
            const tensor_record& t = x_.code.tensors[s.tensor];
            const std::size_t at = std::size_t{t.at} * block_bytes;
            if (s.initial == no_initial) {
                line("        std::memset(arena_ + ", at, ", ", s.fill, ", ", t.bytes, "); // ",
                     printable(x_.name_of_tensor(s.tensor)));
            } else {
                line("        std::memcpy(arena_ + ", at, ", constants() + ",
                     std::size_t{x_.code.tensors[s.initial].at} * block_bytes, ", ", t.bytes,
                     "); // ", printable(x_.name_of_tensor(s.tensor)));
            }
        }
        line("    }");
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
        if (stateful()) {
            line("    // The arena belongs to the model: its state lasts from run to run, until "
                 "`reset`.");
        } else {
            line("    // The arena belongs to the model while it runs; models may share one in "
                 "turn.");
        }
        line(
            "    explicit model(kompakt::span<std::byte> arena) noexcept : arena_(arena.data()) {");
        line("        KOMPAKT_ASSERT(check({arena.data(), arena.size()}).ok(), \"", name_,
             ": arena\");");
        if (stateful()) line("        reset();");
        line("    }");
        line("");
        line("    // Fill before every `run`", (x_.header->flags & executable_keeps_inputs) != 0
                                                   ? "."
                                                   : ", which may overwrite them.");
        accessor("input", x_.inputs, x_.header->input_count, "");
        accessor("output", x_.outputs, x_.header->output_count, "const ");
        line("");
        reset();
        line("");
        line("    void run() noexcept {");
        line("        [[maybe_unused]] constexpr ", options_.port, " port{};");
        line("        [[maybe_unused]] const kompakt::program code{detail::tensors, detail::ops, "
             "detail::words, "
             "constants(),");
        line("                                    ", x_.code.tensor_count, ", ", x_.code.op_count,
             "};");
        std::vector<bool> targets(x_.code.op_count + std::size_t{1}, false);
        for (std::uint32_t i = 0; i < x_.code.op_count; ++i) {
            const op_record& op = x_.code.ops[i];
            if (is_jump(op.kernel)) targets[x_.code.words[op.params_at]] = true;
        }
        for (std::uint32_t i = 0; i < x_.code.op_count; ++i) {
            const op_record& op = x_.code.ops[i];
            if (targets[i]) line("    op_", i, ":");
            if (is_jump(op.kernel)) {
                const std::string go = text("goto op_", x_.code.words[op.params_at], ";");
                if (op.inputs == 0) {
                    line("        ", go);
                } else {
                    line("        if (kompakt::jump_unless::taken(kompakt::call(code, "
                         "detail::ops[",
                         i, "], arena_))) ", go);
                }
                continue;
            }
            std::string type = constant_extents(x_.code, i, options_.optimize)
                                   ? text("kompakt::static_call<detail::tables, ", i, ">")
                                   : "kompakt::call";
            if (op.pack_id != 0) type = "kompakt::packed_call<" + type + ">";
            line("        kompakt::", kernels_of<portable>().find(op.kernel)->name, "::run(port, ",
                 type, "(code, detail::ops[", i, "], arena_", packed(op), "));");
        }
        if (targets[x_.code.op_count]) line("    op_", x_.code.op_count, ":;");
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

// Each constant becomes an array of its own, so they must not share bytes partly.
inline status check_constants_apart(const executable& x) {
    std::map<std::uint64_t, std::uint64_t> ends; // by start
    for (std::uint32_t i = 0; i < x.code.tensor_count; ++i) {
        const tensor_record& t = x.code.tensors[i];
        if (t.where != place::constant || t.bytes == 0) continue;
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
KOMPAKT_ONCE status emit_header(const executable& x, std::string_view name, std::string& out,
                                const emit_options& options = {});

#if defined(KOMPAKT_DEFINITIONS)
KOMPAKT_ONCE status emit_header(const executable& x, std::string_view name, std::string& out,
                                const emit_options& options) {
    if (!detail::is_namespace_name(name)) {
        return fail(errc::bad_argument, "emit: ", name, " cannot be the name of a C++ namespace");
    }
    if (!detail::is_include(options.include)) {
        return fail(errc::bad_argument, "emit: ", options.include,
                    " cannot be included: needed <file> or \"file\"");
    }
    if (!options.port_include.empty() && !detail::is_include(options.port_include)) {
        return fail(errc::bad_argument, "emit: ", options.port_include,
                    " cannot be included: needed <file> or \"file\"");
    }
    if (x.header == nullptr) return fail(errc::bad_argument, "emit: no executable");
    KOMPAKT_TRY(detail::check_constants_apart(x));
    detail::header_writer(x, name, options, out).write();
    return {};
}
#endif

inline status emit_header(const planned& p, std::string_view name, std::string& out,
                          const emit_options& options = {}) {
    executable x;
    KOMPAKT_TRY(validate(p.bytes(), x, *options.kernels));
    return emit_header(x, name, out, options);
}

} // namespace KOMPAKT_ABI
} // namespace kompakt
