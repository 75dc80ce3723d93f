/* stack.h - how deep a call goes: paint the free stack, call, look for the deepest change.
 *
 *     stack_paint();
 *     run();
 *     size_t bytes = stack_used();
 */
#ifndef STACK_H
#define STACK_H
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Paints from just below the caller's stack pointer down to the end of the stack. */
void stack_paint(void);
/* Bytes below the stack pointer of stack_paint's caller that were used since; at least the 64 that
 * stack_paint leaves for itself. */
size_t stack_used(void);
#ifdef __cplusplus
}
#endif
#endif
