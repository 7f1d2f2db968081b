/* SPDX-License-Identifier: Apache-2.0 */
/* sanitizer_runtimes.c - gcc's and clang's; see sanitizer_runtimes.h */
#include "format/sanitizer_runtimes.h"

#include "format/behind.h"

#define REFUSES   "refuses to run behind a preload"
#define CRASHES   "crashes behind a preloaded malloc"
#define OVERLOOKS "overlooks leaks of blocks that a recorder remembers"

static const struct sanitizer_runtime runtimes[] = {
    { "libasan.so", "AddressSanitizer", "address", REFUSES },
    { "libclang_rt.asan", "AddressSanitizer", "address", REFUSES },
    { "libhwasan.so", "HWAddressSanitizer", "hwaddress", REFUSES },
    { "libclang_rt.hwasan", "HWAddressSanitizer", "hwaddress", REFUSES },
    { "libtsan.so", "ThreadSanitizer", "thread", CRASHES },
    { "libclang_rt.tsan", "ThreadSanitizer", "thread", CRASHES },
    { "liblsan.so", "LeakSanitizer", "leak", OVERLOOKS },
    { "libclang_rt.lsan", "LeakSanitizer", "leak", OVERLOOKS },
};

static const struct sanitizer_runtime *find(const char *name)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
        if (behind(name, runtimes[i].library) != NULL)
            return &runtimes[i];
    }
    return NULL;
}

const struct sanitizer_runtime *sanitizer_runtime_of(const char *libraries)
{
    const struct sanitizer_runtime *found = NULL;
    const char *name = libraries;

    for (const char *at = libraries; found == NULL; at++) {
        if (*at == '/') {
            name = at + 1;
        } else if (*at == ':' || *at == ' ' || *at == '\0') {
            found = find(name);
            name = at + 1;
        }
        if (*at == '\0')
            break;
    }
    return found;
}
