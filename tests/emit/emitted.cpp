// One emitted model on the host: reads samples, writes outputs. emitted.py compiles it per model.
#include KOMPAKT_MODEL_HEADER

#include <cstdio>

namespace app = KOMPAKT_MODEL;

alignas(16) static std::byte arena[app::arena_bytes + 32];

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    // check() says what the constructor would assert.
    using view = kompakt::span<const std::byte>;
    if (app::model::check(view()).ok() ||
        app::model::check(view(arena, app::arena_bytes - 1)).ok() ||
        app::model::check(view(arena + 1, app::arena_bytes)).ok()) {
        return 3;
    }
    for (std::size_t i = app::arena_bytes; i < sizeof arena; ++i) arena[i] = std::byte{0x5a};
    app::model model(kompakt::span<std::byte>(arena, app::arena_bytes));
    std::FILE* in = std::fopen(argv[1], "rb");
    std::FILE* out = std::fopen(argv[2], "wb");
    if (in == nullptr || out == nullptr) return 4;
    for (;;) {
        const auto input = model.input();
        if (std::fread(input.data(), 1, input.size_bytes(), in) != input.size_bytes()) break;
        model.run();
        const auto output = model.output();
        if (std::fwrite(output.data(), 1, output.size_bytes(), out) != output.size_bytes())
            return 5;
    }
    for (std::size_t i = app::arena_bytes; i < sizeof arena; ++i) {
        if (arena[i] != std::byte{0x5a}) return 6;
    }
    std::fclose(in);
    return std::fclose(out) == 0 ? 0 : 7;
}
