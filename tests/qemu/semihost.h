/* semihost.h - the Arm semihosting calls that the harness uses. */
#ifndef SEMIHOST_H
#define SEMIHOST_H
#include <stddef.h>
#include <stdint.h>

#define SH_NORETURN __attribute__((noreturn))

#ifdef __cplusplus
extern "C" {
#endif

/* Raw call: operation number in r0, parameter (or parameter block) in r1. */
static inline intptr_t sh_call(intptr_t op, const void* arg) {
    register intptr_t r0 __asm__("r0") = op;
    register const void* r1 __asm__("r1") = arg;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory", "r2", "r3", "r12", "lr");
    return r0;
}

void sh_puts(const char* text);           /* to QEMU's console            */
void sh_put_u64(uint64_t value);          /* decimal, no newline          */
SH_NORETURN void sh_exit(int status);     /* ends QEMU with this status   */
int sh_open(const char* path, int mode);  /* mode 1 "rb", 5 "wb"; <0 fails */
long sh_read(int fd, void* to, size_t n); /* bytes read                   */
long sh_write(int fd, const void* from, size_t n);
long sh_size(int fd);
void sh_close(int fd);
int sh_cmdline(char* to, size_t size); /* -semihosting-config arg=...  */

#ifdef __cplusplus
}
#endif
#endif
