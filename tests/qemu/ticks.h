/* ticks.h - time from inside the firmware, as SysTick ticks.
 *
 * Under `qemu-system-arm -icount shift=0` virtual time moves 1 ns for every
 * executed instruction, so a SysTick at 25 MHz (AN385, AN386, AN500) ticks once
 * per 40 instructions and one at 32 MHz (AN547) once per 31.25.  With shift=N
 * an instruction takes 2^N ns.  ticks_calibrate() finds the ratio by running a
 * loop of known length, so nothing about the machine has to be known.  For whole
 * models shift=0 resolves 40 instructions; shift=6 resolves one but wraps sooner.
 */
#ifndef TICKS_H
#define TICKS_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
void ticks_start(void);
uint64_t ticks_now(void);
void ticks_handler(void);
/* Ticks that TICKS_CAL_INSNS instructions take.  Call after ticks_start(). */
#define TICKS_CAL_INSNS 2000000u
uint32_t ticks_calibrate(void);
static inline uint64_t ticks_to_insns(uint64_t ticks, uint32_t calibration) {
    return (ticks * TICKS_CAL_INSNS + calibration / 2) / calibration;
}
#ifdef __cplusplus
}
#endif
#endif
