#include "model.hpp"

#include <kompakt/host/file.hpp>
#include <kompakt/io/tflite/reader.hpp>
#include <kompakt/report/model.hpp>
#include <kompakt/run/byte_order.hpp>

#include <cstring>

namespace tool {

using namespace kompakt;

namespace {

// More than any model that the formats can hold.
constexpr std::uint64_t model_limit = std::uint64_t{2} << 30;

bool has_text(bytes_view bytes, std::size_t at, const char* text) {
    return bytes.size() >= at + 4 && std::memcmp(bytes.data() + at, text, 4) == 0;
}

result<graph> graph_from(const std::string& path, bytes_view bytes) {
    if (has_text(bytes, 0, "KPK1")) {
        return in_file(path,
                       fail(errc::unsupported, "is an executable (.kpk); this needs the model "
                                               "that it was made from"));
    }
    if (!has_text(bytes, 4, "TFL3")) {
        return in_file(path, fail(errc::bad_file, "is no model that this program reads: neither "
                                                  "TFL3 (TensorFlow Lite) at byte 4 nor KPK1"));
    }
    auto g = read_tflite(bytes);
    if (!g.ok()) return in_file(path, g.error());
    return g;
}

} // namespace

std::string file_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

status in_file(const std::string& path, const status& s) {
    // What is wrong with a file is not wrong with the command line.
    const errc code = s.code() == errc::bad_argument ? errc::bad_data : s.code();
    return fail(code, s.message()).within(kompakt::detail::shown_path(path).c_str(), ": ");
}

result<graph> load_graph(const std::string& path) {
    const auto bytes = read_file(path, model_limit);
    if (!bytes.ok()) return bytes.error();
    return graph_from(path, *bytes);
}

result<model> plan_model(const std::string& path, graph g, const plan_options& options) {
    model m;
    m.path = path;
    m.format = "TensorFlow Lite";
    m.file_tensors = static_cast<std::uint32_t>(g.tensor_count());
    // A dimension without a number is the batch in practice.
    std::map<std::string, std::int64_t> ones;
    for (tensor_id t : g.inputs) {
        for (const dim& d : g.tensor(t).shape) {
            if (!d.known()) ones[d.symbol()] = 1;
        }
    }
    if (!ones.empty()) {
        auto bound = kompakt::bind(g, ones);
        if (!bound.ok()) return in_file(path, bound.error());
        g = std::move(*bound);
    }
    auto p = plan(g, options);
    if (!p.ok()) return in_file(path, p.error());
    m.plan = std::move(*p);
    m.graph = std::move(g);
    return m;
}

result<model> load_model(const std::string& path, const plan_options& options) {
    auto bytes = read_file_aligned(path, model_limit);
    if (!bytes.ok()) return bytes.error();
    const bytes_view view(bytes->data(), bytes->size());
    if (has_text(view, 0, "KPK1")) {
        model m;
        m.path = path;
        m.format = "kompakt executable";
        m.file_bytes = view.size();
        m.file_tensors = UINT32_MAX; // not said; the sources are all there is
        const status turned = convert_executable({bytes->data(), bytes->size()});
        if (!turned.ok()) return in_file(path, turned);
        m.stored = std::move(*bytes);
        executable x;
        const status s = validate(m.code(), x, *options.kernels);
        if (!s.ok()) return in_file(path, s);
        return m;
    }
    auto g = graph_from(path, view);
    if (!g.ok()) return g.error();
    auto m = plan_model(path, std::move(*g), options);
    if (m.ok()) m->file_bytes = view.size();
    return m;
}

std::string available_port_names() {
    std::string all;
    const port_list ports = available_ports();
    for (std::size_t i = 0; i < ports.size; ++i) {
        all += std::string(i != 0 ? ", " : "") + ports.tables[i]->port;
    }
    return all;
}

result<const kernel_table*> chosen_port(const arguments& a) {
    if (!a.has("--port")) return &default_kernels();
    const kernel_table* found = available_ports().find(a.value("--port"));
    if (found == nullptr) {
        return fail(errc::bad_argument, "--port ", a.value("--port"),
                    ": not in this program or not on this machine; there is ",
                    available_port_names());
    }
    return found;
}

result<std::unique_ptr<engine>> engine::make(const model& m, const kernel_table& kernels) {
    std::unique_ptr<engine> e(new engine(m, kernels));
    if (!e->session.check().ok()) return in_file(m.path, e->session.check());
    e->path_ = m.path;
    return e;
}

status engine::allocate() {
    arena_ = aligned_buffer(session.arena_bytes());
    packed_ = aligned_buffer(session.pack_bytes());
    for (const auto& [buffer, bytes] :
         {std::pair(&arena_, session.arena_bytes()), std::pair(&packed_, session.pack_bytes())}) {
        if (buffer->size() != bytes) {
            return in_file(path_, fail(errc::limit, "not enough memory for ", bytes, " bytes of ",
                                       buffer == &arena_ ? "arena" : "packed weights"));
        }
    }
    const status s = session.bind({arena_.data(), arena_.size()}, {packed_.data(), packed_.size()});
    return s.ok() ? s : in_file(path_, s);
}

std::string port_tensor::text() const {
    return (name.empty() ? "" : report::short_name(name) + ": ") + name_of(type) + " " +
           report::text_of(dims);
}

port_tensor tensor_of(const executable& x, std::uint32_t number) {
    const tensor_record& r = x.code.tensors[number];
    port_tensor t;
    t.type = r.type;
    t.bytes = r.bytes;
    t.elements = 1;
    for (unsigned k = 0; k < r.rank; ++k) {
        t.dims.push_back(static_cast<std::int32_t>(x.code.words[r.dims_at + k]));
        t.elements *= static_cast<std::size_t>(t.dims.back());
    }
    if (x.notes != nullptr) {
        t.name = x.name_of_tensor(number);
        t.scale = x.notes[number].scale;
        t.zero_point = x.notes[number].zero_point;
    }
    return t;
}
port_tensor input_of(const session& s, std::size_t i) {
    return tensor_of(s.code(), s.input_tensor(i));
}
port_tensor output_of(const session& s, std::size_t i) {
    return tensor_of(s.code(), s.output_tensor(i));
}

template <class T>
static T native(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::vector<float> real_values(const port_tensor& t, bytes_view bytes) {
    std::vector<float> out(t.elements);
    const float scale = t.scale != 0 ? t.scale : 1.0f;
    const std::int32_t zero = t.scale != 0 ? t.zero_point : 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::byte* at = bytes.data() + i * (bits_of(t.type) / 8);
        switch (t.type) {
        case dtype::f32:
            out[i] = native<float>(at);
            break;
        case dtype::i8:
            out[i] = scale * static_cast<float>(native<std::int8_t>(at) - zero);
            break;
        case dtype::u8:
            out[i] = scale * static_cast<float>(native<std::uint8_t>(at) - zero);
            break;
        case dtype::i16:
            out[i] = scale * static_cast<float>(native<std::int16_t>(at) - zero);
            break;
        case dtype::i32:
            out[i] = scale * static_cast<float>(native<std::int32_t>(at));
            break;
        default:
            out[i] = 0;
            break;
        }
    }
    return out;
}

} // namespace tool
