// One emitted model as a firmware: no heap, no exceptions, no RTTI, no standard library at
// run time.
//
// KOMPAKT_MODEL_HEADER is what `kompakt emit MODEL -o x.hpp --name NAME` wrote, KOMPAKT_MODEL the
// NAME. Under QEMU it reads in0.bin and, if it is there, out0.bin from the current folder by
// semihosting, runs every sample, compares, and says what it used. firmware.py builds and runs it.
#include KOMPAKT_MODEL_HEADER

#include "marker.h"
#include "semihost.h"
#include "stack.h"

namespace app = KOMPAKT_MODEL;

namespace {

// The only memory that the model writes. `.noinit`: not cleared at start, not stored in flash.
alignas(16) __attribute__((section(".noinit"))) std::byte arena[app::arena_bytes];

// Not inlined, so that the markers bound exactly one inference.
__attribute__((noinline)) void inference(app::model& m) {
    MARK_BEGIN();
    m.run();
    MARK_END();
}

void say(const char* what, std::uint64_t value) {
    sh_puts(what);
    sh_put_u64(value);
    sh_puts("\n");
}

// How many elements differ: integers at all, floats by more than 1e-5 + 1e-4 |expected|.
template <class T>
std::size_t differences(kompakt::span<const T> out, int expected) {
    std::size_t bad = 0;
    for (const T value : out) {
        T wanted{};
        if (sh_read(expected, &wanted, sizeof wanted) != static_cast<long>(sizeof wanted)) {
            return out.size();
        }
        if constexpr (kompakt::is_float(kompakt::dtype_of<T>)) {
            const float error = value > wanted ? value - wanted : wanted - value;
            bad += !(error <= 1e-5f + 1e-4f * (wanted < 0 ? -wanted : wanted));
        } else {
            bad += value != wanted;
        }
    }
    return bad;
}

unsigned samples_wanted() {
    char text[64] = {};
    if (sh_cmdline(text, sizeof text) != 0) return 1;
    unsigned n = 0;
    for (const char* p = text; *p != '\0'; ++p) {
        n = *p >= '0' && *p <= '9' ? n * 10 + static_cast<unsigned>(*p - '0') : 0;
    }
    return n != 0 ? n : 1;
}

} // namespace

int main() {
    if (!app::model::check(arena).ok()) return 2;
    app::model m(arena);

    const int inputs = sh_open("in0.bin", 1), outputs = sh_open("out0.bin", 1);
    if (inputs < 0) return 3;
    const unsigned samples = samples_wanted();
    std::size_t bad = 0, stack = 0;
    for (unsigned i = 0; i < samples; ++i) {
        const auto in = m.input();
        if (sh_read(inputs, in.data(), in.size_bytes()) != static_cast<long>(in.size_bytes())) {
            return 4;
        }
        stack_paint();
        inference(m);
        const std::size_t used = stack_used();
        stack = used > stack ? used : stack;
        if (outputs >= 0) bad += differences(m.output(), outputs);
    }
    say("arena ", app::arena_bytes);
    say("stack ", stack);
    say("samples ", samples);
    say("different ", bad);
    return bad == 0 ? 0 : 1;
}
