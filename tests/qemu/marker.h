/* marker.h - region markers for the insn_count QEMU plugin.
 *
 * Each marker is one instruction that changes nothing and that no compiler
 * emits, so they are harmless without the plugin.  The "memory" clobber keeps
 * loads and stores from moving across; put the measured work in a function that
 * is not inlined to keep plain arithmetic inside too.
 */
#ifndef MARKER_H
#define MARKER_H

#if defined(__aarch64__)
#define MARK_BEGIN() __asm__ volatile("orr x16,x16,x16" ::: "memory")
#define MARK_END() __asm__ volatile("orr x17,x17,x17" ::: "memory")
#elif defined(__thumb__)
#define MARK_BEGIN() __asm__ volatile("mov r9,r9" ::: "memory")
#define MARK_END() __asm__ volatile("mov r10,r10" ::: "memory")
#elif defined(__arm__)
#define MARK_BEGIN() __asm__ volatile("orr r9,r9,r9" ::: "memory")
#define MARK_END() __asm__ volatile("orr r10,r10,r10" ::: "memory")
#else /* not Arm: no markers, the program still builds and runs */
#define MARK_BEGIN() __asm__ volatile("" ::: "memory")
#define MARK_END() __asm__ volatile("" ::: "memory")
#endif

#endif
