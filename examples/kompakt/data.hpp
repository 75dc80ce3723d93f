// Samples and labels from files: raw .bin in the tensor's own type, or .npy; or real values of
// another type, to be converted.
#pragma once

#include "model.hpp"

namespace tool {

// What the file holds: by default elements of the tensor's own type, else real values of this type.
result<std::optional<kompakt::dtype>> input_type(const arguments& a);

class samples {
  public:
    // `type` as `input_type` gives it.
    static result<samples> open(const std::string& path, const port_tensor& tensor,
                                std::optional<kompakt::dtype> type);

    std::size_t count() const noexcept { return count_; }
    const std::string& path() const noexcept { return path_; }
    // One sample as the model takes it. Fails on NaN that would have to be quantized.
    status fill(std::size_t sample, kompakt::bytes_span to) const;
    // One sample as real values. Fails on NaN and infinity.
    result<std::vector<float>> real(std::size_t sample) const;

  private:
    float value(std::size_t sample, std::size_t i) const noexcept;
    status not_a_number(std::size_t sample, std::size_t i, float x) const;

    std::string path_;
    std::vector<std::byte> file_;
    std::size_t at_ = 0; // of the elements in the file
    std::size_t count_ = 0;
    kompakt::dtype type_ = kompakt::dtype::none;
    bool convert_ = false;
    port_tensor tensor_;
};

// The inputs of a model: one file each, of the same number of samples.
result<std::vector<samples>> open_inputs(const kompakt::session& s,
                                         const std::vector<std::string>& paths,
                                         std::optional<kompakt::dtype> type);

// How many of the samples an option such as --samples asks for: all by default, no more than all.
result<std::size_t> sample_count(const arguments& given, const char* option,
                                 const std::vector<samples>& inputs);

// `count` labels: one byte or one int32 each, told apart by the size of the file, or .npy.
result<std::vector<std::int32_t>> read_labels(const std::string& path, std::size_t count);

// `count` groups of `each` float32 values, raw or .npy.
result<std::vector<float>> read_targets(const std::string& path, std::size_t count,
                                        std::size_t each);

} // namespace tool
