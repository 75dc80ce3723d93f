// Walks all that a file reaches: by TFLite's schema as an importer does, and blindly, every field
// taken for everything.
#include <kompakt/format/flatbuffer_reader.hpp>

namespace fb = kompakt::flatbuffer;

namespace {

std::uint64_t sum = 0;

void take(kompakt::bytes_view bytes) {
    for (const std::byte b : bytes) sum += static_cast<std::uint64_t>(b);
}
void take(std::string_view text) {
    for (const char c : text) sum += static_cast<unsigned char>(c);
}

void walk_model(fb::reader& in) {
    const fb::table_ref model = in.root("TFL3");
    sum += model.scalar<std::uint32_t>(0);
    for (const fb::table_ref code : model.tables(1)) {
        sum += static_cast<std::uint64_t>(code.scalar<std::int32_t>(3));
        take(code.string(1));
    }
    const auto buffers = model.tables(4);
    for (const fb::table_ref graph : model.tables(2)) {
        for (const fb::table_ref tensor : graph.tables(0)) {
            take(tensor.string(3));
            for (const std::int32_t d : tensor.vector<std::int32_t>(0).copy()) {
                sum += static_cast<std::uint64_t>(d);
            }
            take(buffers[tensor.scalar<std::uint32_t>(2)].vector<std::uint8_t>(0).raw());
            const fb::table_ref quantization = tensor.table(4);
            for (const float s : quantization.vector<float>(2)) sum += s > 0 ? 1 : 0;
            for (const auto z : quantization.vector<std::int64_t>(3).aligned())
                sum += z > 0 ? 1 : 0;
        }
        for (const fb::table_ref op : graph.tables(3)) {
            take(op.vector<std::int32_t>(1).raw());
            const fb::union_ref options = op.variant(3);
            for (std::size_t id = 0; id < options.value.field_count(); ++id) {
                sum += options.value.scalar<std::uint32_t>(id);
            }
            take(op.vector<std::uint8_t>(5).raw());
        }
    }
}

void walk_blindly(fb::reader& in, const fb::table_ref& t) {
    for (std::size_t id = 0; id < t.field_count(); ++id) {
        sum += t.scalar<std::uint8_t>(id) + t.scalar<std::uint64_t>(id);
        in.clear();
        take(t.string(id));
        in.clear();
        take(t.vector<std::uint32_t>(id).raw());
        for (const std::uint16_t x : t.vector<std::uint16_t>(id)) sum += x;
        in.clear();
        const auto strings = t.strings(id);
        for (std::size_t i = 0; i < strings.size() && in.ok(); ++i) take(strings[i]);
        in.clear();
        walk_blindly(in, t.variant(id).value);
        in.clear();
        walk_blindly(in, t.table(id));
        in.clear();
        const auto tables = t.tables(id);
        for (std::size_t i = 0; i < tables.size() && in.ok(); ++i) walk_blindly(in, tables[i]);
        in.clear();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const kompakt::bytes_view bytes(reinterpret_cast<const std::byte*>(data), size);
    // Small budgets keep the runs per second up.
    {
        fb::reader in(bytes, {64, 10000 + 4 * std::uint64_t{size}});
        walk_model(in);
    }
    {
        fb::reader in(bytes, {8, 3000});
        walk_blindly(in, in.root(""));
    }
    return 0;
}
