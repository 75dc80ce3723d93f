// inference: the inputs and outputs of a node, as an importer and `infer` see them.
#pragma once

#include <kompakt/graph/graph_tensor.hpp>

#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

class inference {
  public:
    inference(std::vector<const graph_tensor*> inputs, std::vector<graph_tensor*> outputs)
        : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

    std::size_t inputs() const noexcept { return inputs_.size(); }
    std::size_t outputs() const noexcept { return outputs_.size(); }
    bool has_input(std::size_t i) const noexcept {
        return i < inputs_.size() && inputs_[i] != nullptr;
    }
    const graph_tensor& input(std::size_t i) const noexcept { return *inputs_[i]; }
    const shape& input_shape(std::size_t i) const noexcept { return inputs_[i]->shape; }
    const graph_tensor& output(std::size_t i) const noexcept { return *outputs_[i]; }

    // The number of inputs that must be there, and outputs; further inputs are optional.
    status expect(std::size_t least, std::size_t most, std::size_t outputs) const noexcept {
        if (inputs_.size() < least || inputs_.size() > most || outputs_.size() != outputs) {
            return fail(errc::bad_file, "has ", inputs_.size(), " inputs and ", outputs_.size(),
                        " outputs, needed ", least, " to ", most, " and ", outputs);
        }
        for (std::size_t i = 0; i < least; ++i) {
            if (inputs_[i] == nullptr) return fail(errc::bad_file, "input ", i, " is missing");
        }
        return {};
    }
    status expect_rank(std::size_t i, std::size_t rank) const {
        if (inputs_[i]->shape.size() == rank) return {};
        return fail(errc::unsupported, "input ", i, ": needed rank ", rank, ", given ",
                    text_of(inputs_[i]->shape));
    }
    void set_output(std::size_t i, dtype type, kompakt::shape s) {
        outputs_[i]->type = type;
        outputs_[i]->shape = std::move(s);
    }

  private:
    std::vector<const graph_tensor*> inputs_;
    std::vector<graph_tensor*> outputs_;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
