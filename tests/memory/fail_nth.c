/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_nth.c - preloaded: one request for memory fails, the FAIL_NTH-th
 *
 * Requests are counted from the time when this library is ready, those of all
 * libraries too. How many there were is written to descriptor FAIL_REPORT at the
 * end, if that is set.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static unsigned long nth, count;
static bool is_ready;

static bool is_failing(void)
{
    if (!is_ready || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != nth)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return is_failing() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return is_failing() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return is_failing() ? NULL : __libc_realloc(block, size);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAIL_NTH");

    nth = text == NULL ? 0 : strtoul(text, NULL, 10);
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *text = getenv("FAIL_REPORT");

    if (text != NULL)
        dprintf(atoi(text), "%lu\n", count);
}
