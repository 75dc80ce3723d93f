// Checks for firmware, without stdio or heap: `int main() { CHECK(...); return check_failures(); }`
#pragma once

#include <semihost.h>

inline int& check_failures() {
    static int failures = 0;
    return failures;
}

inline void check(bool ok, const char* text, const char* file, int line) {
    if (ok) return;
    if (check_failures() < 250) ++check_failures(); // fits an exit status
    sh_puts(file);
    sh_puts(":");
    sh_put_u64(static_cast<uint64_t>(line));
    sh_puts(": failed: ");
    sh_puts(text);
    sh_puts("\n");
}

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
