// Where calibration samples come from: pulled one at a time, so that data may be larger than
// memory.
#pragma once

#include <kompakt/core/status.hpp>

#include <cstring>
#include <vector>

namespace kompakt {
inline namespace KOMPAKT_ABI {

// A sample is one float32 buffer for each input of the graph.
class sample_source {
  public:
    virtual ~sample_source() = default;
    // Fills the buffers, each as long as its input; false when there are no more samples. An error
    // says what is wrong with the data: a file that ends in the middle of a sample, say.
    virtual result<bool> next(const std::vector<span<float>>& inputs) = 0;
    // Back to the first sample. Quantization reads the first few again, to measure its result.
    virtual status rewind() = 0;
    // For progress; 0: not known.
    virtual std::size_t size() const { return 0; }
};

// Samples in memory, back to back, one vector for each input.
class memory_samples : public sample_source {
  public:
    explicit memory_samples(std::vector<std::vector<float>> inputs, std::size_t limit = SIZE_MAX)
        : inputs_(std::move(inputs)), limit_(limit) {}

    result<bool> next(const std::vector<span<float>>& inputs) override {
        if (inputs.size() != inputs_.size()) {
            return fail(errc::bad_argument, "samples for ", inputs_.size(), " inputs, needed ",
                        inputs.size());
        }
        std::size_t count = limit_;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::size_t length = inputs[i].size(), given = inputs_[i].size();
            if (length == 0 || given % length != 0) {
                return fail(errc::bad_data, "input ", i, ": ", given,
                            " values are no whole number of samples of ", length);
            }
            if (given / length != inputs_[0].size() / inputs[0].size()) {
                return fail(errc::bad_data, "input ", i, ": ", given / length,
                            " samples, input 0 has ", inputs_[0].size() / inputs[0].size());
            }
            count = count < given / length ? count : given / length;
        }
        if (at_ >= count || inputs.empty()) return false;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::memcpy(inputs[i].data(), inputs_[i].data() + at_ * inputs[i].size(),
                        inputs[i].size_bytes());
        }
        ++at_;
        return true;
    }
    status rewind() override {
        at_ = 0;
        return {};
    }

  private:
    std::vector<std::vector<float>> inputs_;
    std::size_t limit_;
    std::size_t at_ = 0;
};

} // namespace KOMPAKT_ABI
} // namespace kompakt
