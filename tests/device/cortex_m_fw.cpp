// The Cortex-M ports' own instructions against the portable kernels; on a core without the DSP
// extension also its plain C++.
#include "check.hpp"

#include <ports/cortex_m_cases.hpp>

namespace {

template <class Cases>
void run(Cases& c, typename Cases::outcome (Cases::*make)() noexcept, std::uint32_t count,
         const char* name) {
    std::uint32_t ran = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        c.seed(i + 100000);
        const typename Cases::outcome o = (c.*make)();
        ran += o == Cases::same;
        if (o != Cases::different && o != Cases::outside) continue;
        sh_puts(name);
        sh_puts(" case ");
        sh_put_u64(i);
        sh_puts("\n");
        CHECK(o != Cases::different);
        CHECK(o != Cases::outside);
    }
    CHECK(ran > count / 2);
}

template <class Cases>
void run_all(std::byte* memory, std::uint32_t count) {
    Cases& c = *new (memory) Cases;
    run(c, &Cases::convolution, count, "convolution");
    run(c, &Cases::depthwise, count, "depthwise");
    run(c, &Cases::connected, count, "fully connected");
    CHECK(c.packed > count / 5);
    CHECK(c.by_rows > count / 5);
    run(c, &Cases::addition, count / 2, "addition");
    run(c, &Cases::pooling, count / 2, "pooling");
}

using kompakt_test::cortex_m_cases;
using kompakt_test::mve_cases;
using kompakt_test::v6m_cases;

static_assert(sizeof(cortex_m_cases) == sizeof(mve_cases) &&
                  sizeof(cortex_m_cases) == sizeof(v6m_cases),
              "one memory for all");
alignas(16) __attribute__((section(".noinit"))) std::byte memory[sizeof(cortex_m_cases)];

} // namespace

int main() {
#if KOMPAKT_DETAIL_CORTEX_M_DSP
    constexpr std::uint32_t count = 400;
#else
    constexpr std::uint32_t count = 50; // the host tests the same code
#endif
    run_all<v6m_cases>(memory, 200);
    run_all<cortex_m_cases>(memory, count);
#if KOMPAKT_DETAIL_CORTEX_M_MVE
    run_all<mve_cases>(memory, count);
#endif
    return check_failures();
}
