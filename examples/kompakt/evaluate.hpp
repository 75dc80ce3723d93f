// A figure for each sample, from the first output of a model: what eval and quantize share.
#pragma once

#include "data.hpp"

#include <functional>

namespace tool {

// A sample's figure from its number and the values of the first output, none of which is NaN.
using figure_of_sample =
    std::function<result<double>(std::size_t sample, const std::vector<float>& values)>;

// The first `count` samples on at most so many threads; the figures do not depend on their number.
result<std::vector<double>> evaluate(const model& m, const kompakt::kernel_table& kernels,
                                     const std::vector<samples>& inputs, std::size_t count,
                                     std::size_t threads, const figure_of_sample& figure);

// Labels are below `classes`, the first `count` of them; `why` says what the number comes from.
status check_labels(const std::string& path, const std::vector<std::int32_t>& labels,
                    std::size_t count, std::size_t classes, const std::string& why);

// How many of the first `count` samples the model gives their label: the first maximum wins.
result<std::size_t> count_right(const model& m, const kompakt::kernel_table& kernels,
                                const std::vector<samples>& inputs,
                                const std::vector<std::int32_t>& labels, std::size_t count,
                                std::size_t threads);

} // namespace tool
