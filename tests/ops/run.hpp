// Ways to run a case: planned and through a session, as a user would, or laid out by hand with
// guard zones around every buffer.
#pragma once

#include "awkward_port.hpp"
#include "spec.hpp"

#include <kompakt/run/session.hpp>

namespace kompakt_test {

inline dtype output_type(const op_case& c) {
    return c.g.tensor(c.g.outputs[0]).type;
}

// A case that is ready to run on a port, with its inputs; also what the benchmark times.
class planned_case {
  public:
    planned_case(const op_case& c, const kompakt::kernel_table& port, bool pack = true,
                 kompakt::plan_options options = {})
        : case_(&c) {
        options.kernels = &port;
        auto p = kompakt::plan(c.g, options);
        if (!p.ok()) {
            error_ = p.error().message();
            return;
        }
        plan_ = std::move(*p);
        session_ = std::make_unique<kompakt::session>(plan_.bytes(), port);
        if (!session_->check().ok()) {
            error_ = session_->check().message();
            return;
        }
        arena_ = kompakt::aligned_buffer(session_->arena_bytes());
        packed_ = kompakt::aligned_buffer(pack ? session_->pack_bytes() : 0);
        const auto bound =
            session_->bind({arena_.data(), arena_.size()}, {packed_.data(), packed_.size()});
        if (!bound.ok()) error_ = bound.message();
    }

    const std::string& error() const { return error_; }
    kompakt::session& session() { return *session_; }
    void set_inputs(const expectation& e) {
        for (std::size_t i = 0; i < e.inputs.size(); ++i) {
            std::memcpy(session_->input_bytes(i).data(), e.inputs[i].data(), e.inputs[i].size());
        }
    }
    // Runs once. Empty, or what is wrong.
    std::string verify(const expectation& e) {
        if (!error_.empty()) return error_;
        set_inputs(e);
        session_->reset();
        session_->run();
        return compare(output_type(*case_), e.output, session_->output_bytes(0));
    }

  private:
    const op_case* case_;
    std::string error_;
    kompakt::planned plan_;
    std::unique_ptr<kompakt::session> session_;
    kompakt::aligned_buffer arena_, packed_;
};

// The kernel ops of a case, each tensor and each scratch of exactly the reported bytes between
// guard zones; optionally the output over the input as far as the op's rule allows.
class guarded_run {
  public:
    enum class layout { apart, overlapping };

    guarded_run(const op_case& c, const kompakt::kernel_table& port, layout how, bool pack = true)
        : case_(&c), port_(&port) {
        auto lowered = kompakt::lower(c.g);
        if (!lowered.ok()) {
            error_ = lowered.error().message();
            return;
        }
        program_ = std::move(*lowered);
        tables_ = std::make_unique<kompakt::detail::program_builder>(program_);
        code_ = tables_->code();
        for (std::size_t i = 0; i < tables_->ops.size(); ++i) {
            const kompakt::call call(code_, tables_->ops[i], nullptr);
            const auto s = entry(i).check(call);
            if (!s.ok()) error_ = s.message();
        }
        if (!error_.empty() || !place(how)) return;
        arena_ = kompakt::aligned_buffer(owned_.size());
        for (std::size_t i = 0; i < tables_->ops.size(); ++i) {
            packed_.emplace_back();
            const kompakt::kernel_entry& k = entry(i);
            const kompakt::call call(code_, tables_->ops[i], nullptr);
            if (k.pack_bytes == nullptr || !pack) continue;
            const std::size_t bytes = k.pack_bytes(call);
            if (bytes == 0) continue;
            packed_.back() = kompakt::aligned_buffer(bytes + 2 * guard);
            std::memset(packed_.back().data(), fill, bytes + 2 * guard);
            k.pack(call, packed_.back().data() + guard);
            for (std::size_t b = 0; b < guard; ++b) {
                if (packed_.back().data()[b] != std::byte{fill} ||
                    packed_.back().data()[guard + bytes + b] != std::byte{fill}) {
                    error_ = "packing writes outside its buffer";
                }
            }
        }
    }

    // Whether the op has a rule for overlapping at all; meaningful for layout::overlapping.
    bool possible() const { return possible_; }

    std::string verify(const expectation& e) {
        if (!error_.empty()) return error_;
        std::memset(arena_.data(), fill, arena_.size());
        for (std::size_t i = 0; i < e.inputs.size(); ++i) {
            std::memcpy(memory(program_.inputs[i]), e.inputs[i].data(), e.inputs[i].size());
        }
        for (const kompakt::lowered_state& s : program_.states) {
            std::memset(memory(s.tensor), s.fill, tables_->tensors[s.tensor].bytes);
        }
        const std::vector<std::byte> constants = tables_->constants;
        for (std::size_t i = 0; i < tables_->ops.size(); ++i) {
            const std::byte* packed = packed_[i].size() != 0 ? packed_[i].data() + guard : nullptr;
            entry(i).run(kompakt::call(code_, tables_->ops[i], arena_.data(), packed));
        }
        for (std::size_t b = 0; b < owned_.size(); ++b) {
            if (!owned_[b] && arena_.data()[b] != std::byte{fill}) {
                return "writes outside its buffers, at byte " + std::to_string(b);
            }
        }
        if (constants != tables_->constants) return "writes to its constants";
        for (std::size_t i = 0; i < e.inputs.size() && !overlaps_; ++i) {
            if (std::memcmp(memory(program_.inputs[i]), e.inputs[i].data(), e.inputs[i].size()) !=
                0) {
                return "writes to its input";
            }
        }
        const std::uint32_t out = program_.outputs[0];
        return compare(output_type(*case_), e.output, {memory(out), tables_->tensors[out].bytes});
    }

  private:
    static constexpr std::size_t guard = 64;
    static constexpr int fill = 0xa5;

    const kompakt::kernel_entry& entry(std::size_t i) const {
        return *port_->find(tables_->ops[i].kernel);
    }
    std::byte* memory(std::uint32_t t) const {
        return arena_.data() + std::size_t{tables_->tensors[t].at} * kompakt::block_bytes;
    }
    std::size_t reserve(std::size_t bytes) {
        const std::size_t at = owned_.size() + guard;
        owned_.resize(at, false);
        owned_.resize(at + bytes, true);
        owned_.resize(kompakt::round_up(owned_.size() + guard, kompakt::block_bytes), false);
        return at;
    }
    bool place(layout how) {
        std::vector<bool> placed(program_.tensors.size(), false);
        if (how == layout::overlapping) {
            const kompakt::lowered_op& op = program_.ops[0];
            if (program_.ops.size() != 1 || op.overlaps.empty()) return false;
            const kompakt::overlap& o = op.overlaps[0];
            const auto distance = kompakt::overlap_distance(program_, op, o);
            if (!distance) return false;
            const std::uint32_t in = op.inputs[o.input], out = op.outputs[0];
            const std::size_t in_bytes = tables_->tensors[in].bytes;
            const std::size_t out_bytes = tables_->tensors[out].bytes;
            const auto d = static_cast<std::size_t>(*distance);
            const std::size_t at = reserve((std::max)(out_bytes, d + in_bytes));
            for (std::size_t b = out_bytes; b < d; ++b) owned_[at + b] = false;
            set(out, at);
            set(in, at + d);
            placed[in] = placed[out] = true;
            if (o.how == kompakt::overlap::kind::rows) tables_->ops[0].flags = kompakt::op_by_rows;
            overlaps_ = true;
        }
        for (std::uint32_t t = 0; t < program_.tensors.size(); ++t) {
            const kompakt::place where = program_.tensors[t].where;
            if ((where == kompakt::place::arena || where == kompakt::place::state) && !placed[t]) {
                set(t, reserve(tables_->tensors[t].bytes));
            }
        }
        for (kompakt::op_record& op : tables_->ops) {
            const std::size_t bytes =
                port_->find(op.kernel)->scratch_bytes(kompakt::call(code_, op, nullptr));
            op.scratch_at = static_cast<std::uint32_t>(reserve(bytes) / kompakt::block_bytes);
            op.scratch_bytes = static_cast<std::uint32_t>(bytes);
        }
        possible_ = true;
        return true;
    }
    void set(std::uint32_t t, std::size_t at) {
        tables_->tensors[t].at = static_cast<std::uint32_t>(at / kompakt::block_bytes);
    }

    const op_case* case_;
    const kompakt::kernel_table* port_;
    std::string error_;
    bool possible_ = false, overlaps_ = false;
    kompakt::lowered_program program_;
    std::unique_ptr<kompakt::detail::program_builder> tables_;
    kompakt::program code_; // calls refer to it
    kompakt::aligned_buffer arena_;
    std::vector<kompakt::aligned_buffer> packed_;
    std::vector<bool> owned_; // by byte of the arena
};

} // namespace kompakt_test
