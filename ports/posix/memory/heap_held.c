/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_held.c - live bytes of the program's allocator, as counted by itself
 *
 * jemalloc and tcmalloc report bytes. glibc has mallinfo2() since 2.33, before
 * that mallinfo() with 32-bit figures. The functions are looked up by name, so
 * that programs need not link them.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ports/posix/loaded_files.h"
#include "tally/port.h"

/* Indices of glibc's figures, in the order of mallinfo(3). */
enum { ARENAS = 0, MAPPED = 4, USED = 7, FIGURES = 10 };

struct figures {
    size_t of[FIGURES];
};

struct small_figures {
    uint32_t of[FIGURES];
};

static int64_t held_by_jemalloc(void *found)
{
    int (*control)(const char *name, void *old, size_t *old_size, void *now,
                   size_t now_size);
    uint64_t epoch = 1;
    size_t bytes = 0, size = sizeof bytes;

    memcpy(&control, &found, sizeof control);
    control("epoch", NULL, NULL, &epoch, sizeof epoch); /* refresh the
                                                           figures */
    control("stats.allocated", &bytes, &size, NULL, 0);
    return (int64_t)bytes;
}

static int64_t held_by_tcmalloc(void *found)
{
    int (*read)(const char *property, size_t *value);
    size_t bytes = 0;

    memcpy(&read, &found, sizeof read);
    read("generic.current_allocated_bytes", &bytes);
    return (int64_t)bytes;
}

static struct figures read_figures(void *found)
{
    struct figures (*read)(void);

    memcpy(&read, &found, sizeof read);
    return read();
}

static int64_t held_by_glibc(void *found)
{
    struct figures figures = read_figures(found);

    return (int64_t)(figures.of[USED] + figures.of[MAPPED]);
}

static int64_t held_by_old_glibc(void *found)
{
    struct small_figures (*read)(void);
    struct small_figures figures;

    memcpy(&read, &found, sizeof read);
    figures = read();
    return (int64_t)figures.of[USED] + (int64_t)figures.of[MAPPED];
}

int64_t tally_port_heap_held(void)
{
    static const struct {
        const char *name;
        int64_t (*read)(void *found);
    } ways[] = {
        { "mallctl", held_by_jemalloc },
        { "MallocExtension_GetNumericProperty", held_by_tcmalloc },
        { "mallinfo2", held_by_glibc },
        { "mallinfo", held_by_old_glibc },
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        void *found = loaded_symbols_find(ways[i].name);

        if (found != NULL)
            return ways[i].read(found);
    }
    return 0;
}

int64_t tally_port_heap_reserved(void)
{
    void *found = loaded_symbols_find("mallinfo2");
    struct figures figures;

    if (found == NULL)
        return 0;
    figures = read_figures(found);
    return (int64_t)(figures.of[ARENAS] + figures.of[MAPPED]);
}
