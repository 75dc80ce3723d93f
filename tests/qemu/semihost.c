/* semihost.c - semihosting calls, and the few newlib hooks built on them. */
#include "semihost.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_FLEN = 0x0c,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20
};
enum { STOPPED_APPLICATION_EXIT = 0x20026 };

void sh_puts(const char* text) {
    sh_call(SYS_WRITE0, text);
}

void sh_put_u64(uint64_t value) {
    char buf[21], *p = buf + 20;
    *p = 0;
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    sh_puts(p);
}

void sh_exit(int status) {
    intptr_t block[2] = {STOPPED_APPLICATION_EXIT, status};
    for (;;) sh_call(SYS_EXIT_EXTENDED, block);
}

int sh_open(const char* path, int mode) {
    intptr_t block[3] = {(intptr_t)path, mode, (intptr_t)strlen(path)};
    return (int)sh_call(SYS_OPEN, block);
}

/* READ and WRITE answer with the number of bytes NOT moved. */
long sh_read(int fd, void* to, size_t n) {
    intptr_t block[3] = {fd, (intptr_t)to, (intptr_t)n};
    return (long)n - (long)sh_call(SYS_READ, block);
}

long sh_write(int fd, const void* from, size_t n) {
    intptr_t block[3] = {fd, (intptr_t)from, (intptr_t)n};
    return (long)n - (long)sh_call(SYS_WRITE, block);
}

long sh_size(int fd) {
    intptr_t block[1] = {fd};
    return (long)sh_call(SYS_FLEN, block);
}

void sh_close(int fd) {
    intptr_t block[1] = {fd};
    sh_call(SYS_CLOSE, block);
}

int sh_cmdline(char* to, size_t size) {
    intptr_t block[2] = {(intptr_t)to, (intptr_t)size};
    return (int)sh_call(SYS_GET_CMDLINE, block);
}

/* ---- newlib: stdout and stderr only, and a heap up to the stack ----------- */
extern char __heap_start[], __heap_end[];

void* _sbrk(ptrdiff_t n) {
    static char* top = __heap_start;
    if (n > __heap_end - top) {
        errno = ENOMEM;
        return (void*)-1;
    }
    char* was = top;
    top += n;
    return was;
}

int _write(int fd, const char* from, int n) {
    (void)fd;
    char part[65];
    for (int done = 0; done < n;) {
        int k = n - done < 64 ? n - done : 64;
        memcpy(part, from + done, (size_t)k);
        part[k] = 0;
        sh_puts(part);
        done += k;
    }
    return n;
}

void* __dso_handle; /* C++ static destructors name it */
void _exit(int status) {
    sh_exit(status);
}
int _read(int fd, char* to, int n) {
    (void)fd;
    (void)to;
    (void)n;
    return 0;
}
int _close(int fd) {
    (void)fd;
    return -1;
}
int _lseek(int fd, int off, int whence) {
    (void)fd;
    (void)off;
    (void)whence;
    return 0;
}
int _isatty(int fd) {
    (void)fd;
    return 1;
}
int _fstat(int fd, struct stat* st) {
    (void)fd;
    st->st_mode = S_IFCHR;
    return 0;
}
int _kill(int pid, int sig) {
    (void)pid;
    (void)sig;
    return -1;
}
int _getpid(void) {
    return 1;
}
