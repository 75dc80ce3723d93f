/* stack.c - the painted stack. */
#include "stack.h"

#include <stdint.h>

enum { MARGIN = 64 }; /* the painter's own frame, which it must not paint */
#define PAINT 0xa5c35a3cu

extern uint32_t __stack_limit[];
static uintptr_t callers_sp;

/* volatile, so that no loop becomes a call of memset with a frame in the painted part. */
__attribute__((noinline)) void stack_paint(void) {
    callers_sp = (uintptr_t)__builtin_dwarf_cfa();
    volatile uint32_t* end = (volatile uint32_t*)(callers_sp - MARGIN);
    for (volatile uint32_t* p = __stack_limit; p < end; p++) *p = PAINT;
}

size_t stack_used(void) {
    volatile uint32_t* end = (volatile uint32_t*)(callers_sp - MARGIN);
    volatile uint32_t* p = __stack_limit;
    while (p < end && *p == PAINT) p++;
    return callers_sp - (uintptr_t)p;
}
