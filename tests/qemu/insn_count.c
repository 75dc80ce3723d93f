/* insn_count.c - exact executed-instruction counter, a QEMU TCG plugin.
 *
 * Works with qemu-aarch64, qemu-arm and qemu-system-arm (QEMU plugin API v1,
 * QEMU 4.2 .. 8.x; Debian 12 ships 7.2).  The few API declarations needed are
 * written out below, so no QEMU header and no glib is required.
 *
 * Build:  gcc -O2 -Wall -shared -fPIC -o insn_count.so insn_count.c
 * Run:    qemu-aarch64 -cpu max -plugin ./insn_count.so,out=counts.txt ./prog
 *
 * Options (comma separated, all optional):
 *   out=FILE    write the report there (default: stderr at exit)
 *   func=on     flat profile: instructions per symbol, marked regions only when
 *               the program has markers, else the whole run
 *   mnem=on     the same, per instruction mnemonic (needs QEMU's disassembler)
 *   mem=on      also count load and store accesses, as QEMU makes them: LDM and
 *               LDRD count once per register, an MVE vector load once per lane
 *               group, so these are not instructions
 *
 * Markers.  A program marks a region with instructions that change nothing and
 * that no compiler emits:
 *               begin                 end
 *   AArch64     orr x16,x16,x16       orr x17,x17,x17
 *   A32         orr r9,r9,r9          orr r10,r10,r10
 *   Thumb       mov r9,r9             mov r10,r10       (valid on Armv6-M too)
 * (marker.h has them as macros).  Regions are numbered in order of execution,
 * and the instructions strictly between the two markers are reported.  No
 * nesting.  An interrupt handler that runs inside a region counts as part of it.
 *
 * Counting is per executed instruction, not per block, so an early exit from a
 * block does not disturb it.  A conditional instruction whose condition fails
 * counts as executed.  One MVE/Helium vector instruction counts as one, though a
 * Cortex-M55 spends two cycles on it: instructions are not cycles.
 * Counters are plain 64-bit adds: use with one vCPU / one guest thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the part of the QEMU plugin ABI, version 1, that is used here -------- */
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
    const char* target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} plugin_info;
enum { CB_NO_REGS = 0 };
enum { OP_ADD_U64 = 0 };
enum { MEM_RW = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn*, void (*)(unsigned, void*),
                                            int flags, void* user);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn*, int op, void* ptr,
                                                uint64_t imm);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn*,
                                      void (*)(unsigned, uint32_t info, uint64_t vaddr, void*),
                                      int flags, int rw, void* user);
bool qemu_plugin_mem_is_store(uint32_t info);
void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void*), void* user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb*, size_t);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn*);
char* qemu_plugin_insn_disas(const struct qemu_plugin_insn*);
const char* qemu_plugin_insn_symbol(const struct qemu_plugin_insn*);

EXPORT int qemu_plugin_version = 1;

/* ---- state --------------------------------------------------------------- */
typedef struct {
    uint64_t insns, loads, stores;
} counts;
static counts now, at_begin;

#define MAX_REGIONS 4096
static counts region[MAX_REGIONS];
static unsigned n_regions;
static bool inside;

/* A named counter: `live` runs always, `sum` holds what fell inside regions. */
typedef struct {
    char* name;
    uint64_t live, mark, sum;
} bucket;
#define TABLE 8192 /* a power of two */
typedef struct {
    bucket slot[TABLE];
    unsigned used;
} table;
static table funcs, mnems;

static bool want_func, want_mnem, want_mem, is_a64, is_bare_metal;
static const char* out_path;

/* Find or make the bucket for a name (open addressing, never rehashed, because
 * translated code keeps pointers to the counters). */
static bucket* lookup(table* t, const char* name) {
    uint32_t h = 2166136261u;
    for (const char* p = name; *p; p++) h = (h ^ (uint8_t)*p) * 16777619u;
    for (uint32_t i = h & (TABLE - 1);; i = (i + 1) & (TABLE - 1)) {
        bucket* b = &t->slot[i];
        if (!b->name) {
            static const char full[] = "(table full)";
            if (t->used >= TABLE - TABLE / 8 && name != full) return lookup(t, full);
            b->name = strdup(name);
            t->used++;
            return b;
        }
        if (!strcmp(b->name, name)) return b;
    }
}

static void mark_table(table* t, bool end) {
    for (unsigned i = 0; i < TABLE; i++) {
        bucket* b = &t->slot[i];
        if (!b->name) continue;
        if (end)
            b->sum += b->live - b->mark;
        else
            b->mark = b->live;
    }
}

/* Marker callbacks run before the marker instruction itself is counted. */
static void on_begin(unsigned cpu, void* user) {
    (void)cpu;
    (void)user;
    at_begin = now;
    at_begin.insns += 1; /* leave the begin marker out */
    if (want_func) mark_table(&funcs, false);
    if (want_mnem) mark_table(&mnems, false);
    inside = true;
}

static void on_end(unsigned cpu, void* user) {
    (void)cpu;
    (void)user;
    if (!inside) return;
    inside = false;
    if (n_regions < MAX_REGIONS) {
        counts* r = &region[n_regions];
        r->insns = now.insns - at_begin.insns;
        r->loads = now.loads - at_begin.loads;
        r->stores = now.stores - at_begin.stores;
    }
    n_regions++;
    if (want_func) mark_table(&funcs, true);
    if (want_mnem) mark_table(&mnems, true);
}

/* One callback for both kinds: QEMU 7.2 filters the inline form by kind wrongly
 * (a load runs the store counter, a store runs both). */
static void on_access(unsigned cpu, uint32_t info, uint64_t vaddr, void* user) {
    (void)cpu;
    (void)vaddr;
    (void)user;
    if (qemu_plugin_mem_is_store(info))
        now.stores++;
    else
        now.loads++;
}

/* 1: begin marker, 2: end marker, 0: neither. */
static int marker_of(const struct qemu_plugin_insn* insn) {
    uint32_t w = 0;
    size_t size = qemu_plugin_insn_size(insn);
    memcpy(&w, qemu_plugin_insn_data(insn), size < 4 ? size : 4);
    if (is_a64) return w == 0xaa100210u ? 1 : w == 0xaa110231u ? 2 : 0;
    /* At the end of a page QEMU looks at the next halfword, too, and gives four bytes for two. */
    if (is_bare_metal) w &= 0xffffu;
    if (is_bare_metal || size == 2) return w == 0x46c9u ? 1 : w == 0x46d2u ? 2 : 0; /* Thumb */
    return w == 0xe1899009u ? 1 : w == 0xe18aa00au ? 2 : 0;        /* A32 */
}

static void on_translate(plugin_id id, struct qemu_plugin_tb* tb) {
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
        int m = marker_of(insn);
        if (m)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, m == 1 ? on_begin : on_end, CB_NO_REGS,
                                                   NULL);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, OP_ADD_U64, &now.insns, 1);
        if (want_mem) qemu_plugin_register_vcpu_mem_cb(insn, on_access, CB_NO_REGS, MEM_RW, NULL);
        if (want_func) {
            const char* s = qemu_plugin_insn_symbol(insn);
            bucket* b = lookup(&funcs, s && *s ? s : "(no symbol)");
            qemu_plugin_register_vcpu_insn_exec_inline(insn, OP_ADD_U64, &b->live, 1);
        }
        if (want_mnem) {
            char* d = qemu_plugin_insn_disas(insn);
            if (d) d[strcspn(d, " \t")] = 0;
            bucket* b = lookup(&mnems, d && *d ? d : "(none)");
            free(d);
            qemu_plugin_register_vcpu_insn_exec_inline(insn, OP_ADD_U64, &b->live, 1);
        }
    }
}

static int by_sum(const void* a, const void* b) {
    uint64_t x = (*(bucket*const*)a)->sum, y = (*(bucket*const*)b)->sum;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_table(FILE* f, const char* what, table* t) {
    static bucket* order[TABLE];
    unsigned n = 0;
    for (unsigned i = 0; i < TABLE; i++) {
        bucket* b = &t->slot[i];
        if (!b->name) continue;
        if (!n_regions) b->sum = b->live;
        if (b->sum) order[n++] = b;
    }
    qsort(order, n, sizeof order[0], by_sum);
    for (unsigned i = 0; i < n; i++)
        fprintf(f, "%s %llu %s\n", what, (unsigned long long)order[i]->sum, order[i]->name);
}

static void on_exit_report(plugin_id id, void* user) {
    (void)id;
    (void)user;
    FILE* f = out_path ? fopen(out_path, "w") : stderr;
    if (!f) f = stderr;
    fprintf(f, "total %llu", (unsigned long long)now.insns);
    if (want_mem)
        fprintf(f, " loads %llu stores %llu", (unsigned long long)now.loads,
                (unsigned long long)now.stores);
    fputc('\n', f);
    for (unsigned i = 0; i < n_regions && i < MAX_REGIONS; i++) {
        fprintf(f, "region %u %llu", i, (unsigned long long)region[i].insns);
        if (want_mem)
            fprintf(f, " loads %llu stores %llu", (unsigned long long)region[i].loads,
                    (unsigned long long)region[i].stores);
        fputc('\n', f);
    }
    if (inside) fprintf(f, "warning: region %u never ended\n", n_regions);
    if (n_regions > MAX_REGIONS)
        fprintf(f, "warning: %u regions, %u kept\n", n_regions, MAX_REGIONS);
    if (want_func) print_table(f, "func", &funcs);
    if (want_mnem) print_table(f, "mnem", &mnems);
    if (f == stderr)
        fflush(f);
    else
        fclose(f);
}

EXPORT int qemu_plugin_install(plugin_id id, const plugin_info* info, int argc, char** argv) {
    is_a64 = !strcmp(info->target_name, "aarch64");
    is_bare_metal = info->system_emulation; /* our machines: Cortex-M, which have Thumb only */
    for (int i = 0; i < argc; i++) {
        const char* v = strchr(argv[i], '=');
        size_t len = v ? (size_t)(v - argv[i]) : strlen(argv[i]);
        v = v ? v + 1 : "on";
        bool on = !strcmp(v, "on") || !strcmp(v, "true") || !strcmp(v, "1");
        if (len == 3 && !strncmp(argv[i], "out", 3))
            out_path = strdup(v);
        else if (len == 4 && !strncmp(argv[i], "func", 4))
            want_func = on;
        else if (len == 4 && !strncmp(argv[i], "mnem", 4))
            want_mnem = on;
        else if (len == 3 && !strncmp(argv[i], "mem", 3))
            want_mem = on;
        else {
            fprintf(stderr, "insn_count: unknown option %s\n", argv[i]);
            return -1;
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
    qemu_plugin_register_atexit_cb(id, on_exit_report, NULL);
    return 0;
}
