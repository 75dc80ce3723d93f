/* startup.c - reset, vector table and fault reporting for Cortex-M under QEMU.
 *
 * One file for Armv6-M, Armv7-M, Armv7E-M and Armv8.1-M Mainline.  main()'s
 * return value becomes QEMU's exit status; a fault ends QEMU with status 250.
 */
#include "semihost.h"
#include "ticks.h"

extern uint32_t __stack_top[], __data_load[], __data_start[], __data_end[];
extern uint32_t __bss_start[], __bss_end[];
extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
extern int main(void);

#define REG32(a) (*(volatile uint32_t*)(a))
#define CPACR REG32(0xe000ed88) /* coprocessor access: FPU and MVE */
#define CCR REG32(0xe000ed14)
#define CFSR REG32(0xe000ed28)
#define HFSR REG32(0xe000ed2c)
#define BFAR REG32(0xe000ed38)

SH_NORETURN void reset_handler(void);
SH_NORETURN void reset_handler(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    CPACR |= 0xfu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
#if __ARM_ARCH >= 8
    CCR |= 1u << 19; /* branch cache: low-overhead loops on M55 */
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    const uint32_t* from = __data_load;
    for (uint32_t* to = __data_start; to < __data_end;) *to++ = *from++;
    for (uint32_t* to = __bss_start; to < __bss_end;) *to++ = 0;
    for (void (**init)(void) = __init_array_start; init < __init_array_end;) (*init++)();
    sh_exit(main());
}

static SH_NORETURN void fault(void) {
    sh_puts("fault: CFSR ");
    sh_put_u64(CFSR);
    sh_puts(" HFSR ");
    sh_put_u64(HFSR);
    sh_puts(" BFAR ");
    sh_put_u64(BFAR);
    sh_puts("\n");
    sh_exit(250);
}

static void unexpected(void) {
    fault();
}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))__stack_top,
    (void (*)(void))reset_handler,
    unexpected,
    unexpected,
    unexpected,
    unexpected,
    unexpected,
    unexpected, /* NMI, faults */
    0,
    0,
    0,
    unexpected,
    unexpected,
    0,
    unexpected,    /* SVC .. PendSV */
    ticks_handler, /* SysTick */
};
