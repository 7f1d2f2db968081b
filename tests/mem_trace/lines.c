/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - each operation writes one exact line
 *
 * Descriptor 1 is a pipe; its contents after each operation are compared with
 * the expected line.
 */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tally/mem_trace.h"

enum { FUNCTION_BYTES = 4096, OUTPUT = 1 };

static int lines[2];
static int failures;

/* Read the lines written since; cut out the caller, into *caller. */
static void read_lines(char *text, size_t capacity, uintptr_t *caller)
{
    ssize_t size;
    char *first, *end;

    (void)!write(lines[1], "", 1); /* so that readers never block */
    size = read(lines[0], text, capacity - 1);
    text[size < 0 ? 0 : size] = '\0';
    *caller = 0;
    first = strchr(text, ';');
    if (first == NULL)
        return;
    first++;
    *caller = (uintptr_t)strtoull(first, &end, 16);
    memmove(first, end, strlen(end) + 1);
}

/* Function that must contain the callers. */
static void (*here)(void);

static void expect(const char *what, const char *line)
{
    char text[512];
    uintptr_t caller;

    read_lines(text, sizeof text, &caller);
    if (strcmp(text, line) == 0 && caller - (uintptr_t)here < FUNCTION_BYTES)
        return;
    fprintf(stderr, "%s: expected \"%s\", found \"%s\", caller %#" PRIxPTR "\n",
            what, line, text, caller);
    failures++;
}

#define EXPECT(what, ...)                           \
    do {                                            \
        char line_[256];                            \
                                                    \
        snprintf(line_, sizeof line_, __VA_ARGS__); \
        expect(what, line_);                        \
    } while (0)

/* The calls of a program in the manual. */
static void four(void)
{
    char *block, *moved;

    here = four;
    block = malloc(50);
    EXPECT("malloc", "#m:%p;-50\n", (void *)block);
    moved = realloc(block, 90000);
    EXPECT("realloc", "#r:%p;-%p;90000\n", (void *)moved, (void *)block);
    block = calloc(25, 10);
    EXPECT("calloc", "#c:%p;-25;10\n", (void *)block);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", (void *)block);
    free(moved);
    EXPECT("free of what was moved", "#f:0x0;-%p\n", (void *)moved);
}

static void nothing(void)
{
    void *block;

    here = nothing;
    free(NULL);
    EXPECT("free(NULL)", "#f:0x0;-0x0\n");
    block = realloc(NULL, 7);
    EXPECT("realloc(NULL)", "#r:%p;-0x0;7\n", block);
    if (realloc(block, 0) != NULL)
        failures++;
    EXPECT("realloc to nothing", "#r:0x0;-%p;0\n", block);
}

static void failed(void)
{
    volatile size_t all = SIZE_MAX / 2;
    void *block;

    here = failed;
    errno = 0;
    block = malloc(all);
    EXPECT("malloc", "#m:0x0;-%zu\n", all);
    failures += block != NULL || errno != ENOMEM;
    block = calloc(all, 3);
    EXPECT("calloc", "#c:0x0;-%zu;3\n", all);
    failures += block != NULL;
    block = malloc(9);
    EXPECT("malloc", "#m:%p;-9\n", block);
    failures += realloc(block, all) != NULL;
    EXPECT("realloc", "#r:0x0;-%p;%zu\n", block, all);
    failures += reallocarray(block, all, 3) != NULL;
    EXPECT("reallocarray", "#r:0x0;-%p;%zu\n", block, SIZE_MAX);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", block);
}

static void others(void)
{
    void *block, *moved;

    here = others;
    block = aligned_alloc(64, 128);
    EXPECT("aligned_alloc", "#m:%p;-128\n", block);
    moved = reallocarray(block, 30, 1000);
    EXPECT("reallocarray", "#r:%p;-%p;30000\n", moved, block);
    free(moved);
    EXPECT("free", "#f:0x0;-%p\n", moved);
    block = memalign(4096, 11);
    EXPECT("memalign", "#m:%p;-11\n", block);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", block);
    failures += posix_memalign(&block, 256, 12) != 0;
    EXPECT("posix_memalign", "#m:%p;-12\n", block);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", block);
#ifndef TALLY_MALLOC_H
    block = valloc(13);
    EXPECT("valloc", "#m:%p;-13\n", block);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", block);
    block = pvalloc(14);
    EXPECT("pvalloc", "#m:%p;-14\n", block);
    free(block);
    EXPECT("free", "#f:0x0;-%p\n", block);
#endif
}

/* Report lines although no event was expected. */
static void silent(const char *what)
{
    char text[512];
    uintptr_t caller;

    read_lines(text, sizeof text, &caller);
    if (text[0] == '\0')
        return;
    fprintf(stderr, "%s: found \"%s\"\n", what, text);
    failures++;
}

static void without(void)
{
    mbed_mem_trace_disable();
    free(malloc(1));
    silent("disabled");
    mbed_mem_trace_enable();
    mbed_mem_trace_lock();
    free(realloc(malloc(1), 2));
    silent("locked");
    mbed_mem_trace_unlock();
    mbed_mem_trace_set_callback(NULL);
    free(calloc(1, 1));
    silent("no callback");
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
}

int main(void)
{
    int output = dup(OUTPUT);

    setvbuf(stderr, NULL, _IONBF, 0);
    if (pipe(lines) != 0 || dup2(lines[1], OUTPUT) < 0)
        return 2;
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    four();
    nothing();
    failed();
    others();
    without();
    four();
    mbed_mem_trace_set_callback(NULL);
    dup2(output, OUTPUT);
    return failures != 0;
}
