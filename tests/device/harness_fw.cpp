// The test harness itself: instruction markers, SysTick time, painted stack. harness_test.py
// compares what the plugin counted.
#include "check.hpp"

#include <cstdint>
#include <marker.h>
#include <stack.h>
#include <ticks.h>

namespace {

// Two instructions a turn, and the call.
__attribute__((noinline)) void spin(std::uint32_t turns) {
    __asm__ volatile(".syntax unified\n1: subs %0, %0, #1\n bne 1b" : "+l"(turns) : : "cc");
}

// Markers in the last two halfwords of a page of QEMU, where it looks at one halfword more.
__attribute__((naked, noinline)) void mark_page_end() {
    __asm__ volatile(".balign 1024\n b 1f\n .space 1018\n"
                     "1: mov r9, r9\n mov r10, r10\n bx lr");
}

__attribute__((noinline)) void use_stack() {
    volatile unsigned char local[1000];
    for (volatile unsigned char& byte : local) byte = 1;
}

// Goes to .model, as the constants of emitted headers do (harness_test.py looks there).
struct weights {
    unsigned char bytes[64];
};
constexpr weights kompakt_weights = {{1, 2, 3}};

} // namespace

int main() {
    ticks_start();
    const std::uint32_t calibration = ticks_calibrate();
    MARK_BEGIN();
    MARK_END();
    mark_page_end();
    static volatile std::uint32_t turns[2] = {10000, 1000000};
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t n = turns[i];
        const std::uint64_t start = ticks_now();
        MARK_BEGIN();
        spin(n);
        MARK_END();
        const std::uint64_t counted = ticks_to_insns(ticks_now() - start, calibration);
        CHECK(counted + 300 > 2 * n && counted < 2 * n + 300);
    }

    stack_paint();
    CHECK(stack_used() <= 64);
    use_stack();
    CHECK(stack_used() >= 1000 && stack_used() < 1100);

    const volatile unsigned char* w = kompakt_weights.bytes;
    CHECK(w[0] == 1 && w[2] == 3 && w[63] == 0);

    volatile float f = 1.5f;
    f = f * 2.0f;
    CHECK(f == 3.0f);
    return check_failures();
}
