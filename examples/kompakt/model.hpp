// A model file ready to run, whatever its format.
#pragma once

#include "command.hpp"

#include <kompakt/plan/plan.hpp>
#include <kompakt/run/session.hpp>

#include <cmath>
#include <memory>

namespace tool {

struct model {
    std::string path;
    std::string format; // for people
    std::uint64_t file_bytes = 0;
    std::optional<kompakt::graph> graph; // none for an executable
    kompakt::planned plan;               // of the graph
    kompakt::aligned_buffer stored;      // an executable as read
    std::uint32_t file_tensors = 0;      // tensors of the model file, whose numbers `source` gives

    kompakt::bytes_view code() const noexcept {
        return graph ? plan.bytes() : kompakt::bytes_view(stored.data(), stored.size());
    }
};

// The graph in a model file. Messages start with the path.
result<kompakt::graph> load_graph(const std::string& path);
// An executable is taken as it is; `options` are for graphs.
result<model> load_model(const std::string& path, const kompakt::plan_options& options);
// Plans a graph that was made from the file `path`, with 1 for dimensions that have no number.
result<model> plan_model(const std::string& path, kompakt::graph g,
                         const kompakt::plan_options& options);

// The port named by --port, or the preferred one.
result<const kompakt::kernel_table*> chosen_port(const arguments& a);
std::string available_port_names();

// Without folders.
std::string file_name(const std::string& path);
// A message with the file that it concerns in front.
status in_file(const std::string& path, const status& s);

// A session with its buffers.
class engine {
  public:
    static result<std::unique_ptr<engine>> make(const model& m,
                                                const kompakt::kernel_table& kernels);
    // Arena and packed weights: after everything that may be wrong with the data is known.
    status allocate();
    kompakt::session session;

  private:
    engine(const model& m, const kompakt::kernel_table& kernels) : session(m.code(), kernels) {}
    std::string path_;
    kompakt::aligned_buffer arena_, packed_;
};

// An input or output, with what is needed to read and to show it.
struct port_tensor {
    std::string name;
    kompakt::dtype type = kompakt::dtype::none;
    std::vector<std::int32_t> dims;
    std::size_t elements = 0, bytes = 0;
    float scale = 0; // 0: not quantized
    std::int32_t zero_point = 0;

    std::string text() const; // "input_1: int8 [1, 49, 10, 1]"
};
port_tensor tensor_of(const kompakt::executable& x, std::uint32_t number);
port_tensor input_of(const kompakt::session& s, std::size_t i);
port_tensor output_of(const kompakt::session& s, std::size_t i);

// How far floats of two ports may be apart; integers have to be the same.
inline constexpr float absolute_tolerance = 1e-5f, relative_tolerance = 1e-4f;
inline bool nearly_same(float given, float expected) {
    const float bound = absolute_tolerance + relative_tolerance * std::fabs(expected);
    return std::fabs(given - expected) <= bound;
}

// Elements as real numbers: dequantized if they are quantized.
std::vector<float> real_values(const port_tensor& t, kompakt::bytes_view bytes);

} // namespace tool
