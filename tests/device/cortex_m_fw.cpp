// The Cortex-M port's own instructions against the portable kernels; on a core without the DSP
// extension its plain C++.
#include "check.hpp"

#include <ports/cortex_m_cases.hpp>

namespace {

using cases = kompakt_test::cortex_m_cases;

alignas(cases) __attribute__((section(".noinit"))) std::byte memory[sizeof(cases)];

void run(cases& c, cases::outcome (cases::*make)() noexcept, std::uint32_t count,
         const char* name) {
    std::uint32_t ran = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        c.seed(i + 100000);
        const cases::outcome o = (c.*make)();
        ran += o == cases::same;
        if (o != cases::different && o != cases::outside) continue;
        sh_puts(name);
        sh_puts(" case ");
        sh_put_u64(i);
        sh_puts("\n");
        CHECK(o != cases::different);
        CHECK(o != cases::outside);
    }
    CHECK(ran > count / 2);
}

} // namespace

int main() {
    cases& c = *new (memory) cases;
#if KOMPAKT_DETAIL_CORTEX_M_DSP
    constexpr std::uint32_t count = 400;
#else
    constexpr std::uint32_t count = 50; // the host tests the same code
#endif
    run(c, &cases::convolution, count, "convolution");
    run(c, &cases::depthwise, count, "depthwise");
    run(c, &cases::connected, count, "fully connected");
    CHECK(c.packed > count / 5);
    CHECK(c.by_rows > count / 5);
    run(c, &cases::addition, count / 2, "addition");
    run(c, &cases::pooling, count / 2, "pooling");
    return check_failures();
}
