/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_held.c - what libc's heap has handed out
 *
 * By mallinfo2(), which glibc has since 2.33, or mallinfo(), whose figures are of 32
 * bits. They are asked for by name, so that whoever carries this needs neither.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ports/posix/loaded_symbols.h"
#include "tally/port.h"

/* As glibc has them, in the order of mallinfo(3). */
enum { MAPPED = 4, USED = 7, FIGURES = 10 };

struct figures {
    size_t of[FIGURES];
};

struct small_figures {
    uint32_t of[FIGURES];
};

int64_t tally_port_heap_held(void)
{
    void *found = loaded_symbols_find("mallinfo2");
    struct figures (*read)(void);
    struct small_figures (*read_small)(void);

    if (found != NULL) {
        struct figures figures;

        memcpy(&read, &found, sizeof read);
        figures = read();
        return (int64_t)(figures.of[USED] + figures.of[MAPPED]);
    }
    found = loaded_symbols_find("mallinfo");
    if (found != NULL) {
        struct small_figures figures;

        memcpy(&read_small, &found, sizeof read_small);
        figures = read_small();
        return (int64_t)figures.of[USED] + (int64_t)figures.of[MAPPED];
    }
    return 0;
}
