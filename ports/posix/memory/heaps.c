/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaps.c - libc's arenas as heaps for the profiler
 *
 * glibc lists its arenas only by malloc_info(), in XML without addresses, so
 * the address of a byte here identifies each arena. glibc inserts a new arena
 * second in the list, so arenas after the first are numbered from the end.
 * Blocks allocated by mmap form one more region, without unused bytes.
 */
#define _GNU_SOURCE
#include "ports/posix/memory/heaps.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_LIMIT = 1024, TAG_CAPACITY = 128, BUFFER = 4096 };

struct arena {
    size_t system, unused;
};

/* State of parsing malloc_info's output. */
static struct arena arenas[ARENA_LIMIT];
static size_t arena_count;
static bool is_in_arena;
static size_t mapped;
static char tag[TAG_CAPACITY];
static size_t tag_length;

char tally_libc_arena[ARENA_LIMIT]; /* in order of creation */
char tally_libc_mapped; /* all blocks that are mappings of their own */

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static size_t size_in_tag(void)
{
    const char *size = strstr(tag, "size=\"");

    return size == NULL ? 0 : strtoull(size + 6, NULL, 10);
}

static void end_tag(void)
{
    struct arena *arena = &arenas[arena_count];

    tag[tag_length] = '\0';
    tag_length = 0;
    if (begins_with(tag, "heap ")) {
        is_in_arena = arena_count < ARENA_LIMIT;
        if (is_in_arena)
            *arena = (struct arena){ 0 };
    } else if (begins_with(tag, "/heap")) {
        arena_count += is_in_arena;
        is_in_arena = false;
    } else if (is_in_arena && (begins_with(tag, "total type=\"fast\"") ||
                               begins_with(tag, "total type=\"rest\""))) {
        arena->unused += size_in_tag();
    } else if (is_in_arena && begins_with(tag, "system type=\"current\"")) {
        arena->system = size_in_tag();
    } else if (begins_with(tag, "total type=\"mmap\"")) {
        mapped = size_in_tag();
    }
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    (void)cookie;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '<')
            tag_length = 0;
        else if (bytes[i] == '>')
            end_tag();
        else if (tag_length < sizeof tag - 1)
            tag[tag_length++] = bytes[i];
    }
    return (ssize_t)size;
}

/* Created once, since a stream is a block of the program's heap. */
static FILE *open_stream(void)
{
    static char buffer[BUFFER];
    static FILE *stream;

    if (stream == NULL) {
        stream =
            fopencookie(NULL, "w", (cookie_io_functions_t){ .write = take });
        if (stream != NULL)
            setvbuf(stream, buffer, _IOFBF, sizeof buffer);
    }
    return stream;
}

static void tell_of(tally_port_region_fn tell, void *context, const char *place,
                    const char *name, size_t system, size_t unused)
{
    const struct tally_port_region heap = {
        .address = (uintptr_t)place,
        .used = system - unused,
        .unused = unused,
        .name = name,
        .kind = ZPL_HEAP,
    };

    tell(context, &heap);
}

void heaps_each_region(tally_port_region_fn tell, void *context)
{
    int saved = errno;
    FILE *stream = open_stream();

    arena_count = 0;
    mapped = 0;
    is_in_arena = false;
    if (stream == NULL || malloc_info(0, stream) != 0 || fflush(stream) != 0) {
        errno = saved;
        return;
    }
    for (size_t i = 0; i < arena_count; i++) {
        size_t number = i == 0 ? 0 : arena_count - i;
        char name[32];

        snprintf(name, sizeof name, "libc arena %zu", number);
        tell_of(tell, context, &tally_libc_arena[number], name,
                arenas[i].system,
                arenas[i].unused < arenas[i].system ? arenas[i].unused
                                                    : arenas[i].system);
    }
    if (mapped > 0)
        tell_of(tell, context, &tally_libc_mapped, "libc mmap", mapped, 0);
    errno = saved;
}
