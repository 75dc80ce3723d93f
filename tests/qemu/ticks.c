/* ticks.c - a 64-bit count of SysTick ticks. */
#include "ticks.h"

#define REG32(a) (*(volatile uint32_t*)(a))
#define SYST_CSR REG32(0xe000e010)
#define SYST_RVR REG32(0xe000e014)
#define SYST_CVR REG32(0xe000e018)
#define FULL 0x1000000u /* SysTick counts 24 bits down */

static volatile uint32_t wraps;

void ticks_handler(void) {
    wraps++;
}

void ticks_start(void) {
    SYST_CSR = 0;
    SYST_RVR = FULL - 1;
    SYST_CVR = 0;
    wraps = 0;
    SYST_CSR = 7; /* core clock, interrupt, enable */
    while (SYST_CVR == 0) {
    } /* until the first reload */
}

/* Read twice around the wrap count: a wrap between the reads is seen. */
uint64_t ticks_now(void) {
    uint32_t before, after, left;
    do {
        before = wraps;
        left = SYST_CVR;
        after = wraps;
    } while (before != after);
    return (uint64_t)after * FULL + (FULL - 1 - left);
}

/* The loop is exactly two instructions a turn. */
static __attribute__((noinline)) void spin(uint32_t turns) {
#if __ARM_ARCH_ISA_THUMB == 1
    __asm__ volatile(".syntax unified\n1: subs %0, %0, #1\n bne 1b" : "+l"(turns) : : "cc");
#else
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(turns) : : "cc");
#endif
}

/* Two lengths, so that the cost of reading the timer drops out. */
uint32_t ticks_calibrate(void) {
    enum { SHORT = 1000, LONG = SHORT + TICKS_CAL_INSNS / 2 };
    uint64_t t0 = ticks_now();
    spin(SHORT);
    uint64_t t1 = ticks_now();
    spin(LONG);
    uint64_t t2 = ticks_now();
    return (uint32_t)((t2 - t1) - (t1 - t0));
}
