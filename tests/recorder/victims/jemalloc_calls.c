/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jemalloc_calls.c - jemalloc's own functions beside malloc; either frees all
 * blocks
 *
 * With an argument the program reports that it runs, and starts at a byte.
 */
#include <dlfcn.h>
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdint.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 1000 };

typedef void *mallocx_fn(size_t size, int flags);

/* A table of functions as under BIND_NOW: bound before the program runs. */
static mallocx_fn *const table[] = { mallocx };

static void *blocks[BLOCKS];

static void *with_flags(size_t size, int flags)
{
    return mallocx(size, flags);
}

static void *by_table(size_t size)
{
    return table[0](size, 0);
}

static void *by_dlsym(size_t size)
{
    void *symbol = dlsym(RTLD_DEFAULT, "mallocx");
    mallocx_fn *function;

    memcpy(&function, &symbol, sizeof function);
    return function(size, 0);
}

static void *moved(void *block, size_t size)
{
    return rallocx(block, size, MALLOCX_ZERO);
}

static size_t in_place(void *block, size_t size, size_t extra)
{
    return xallocx(block, size, extra, 0);
}

static void *plain(size_t size)
{
    return malloc(size);
}

/* Keep 500 of 1,000 blocks: free() takes mallocx's, sdallocx() takes
   malloc's. */
static void mix(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i % 2 == 0 ? with_flags(8, 0) : plain(24);
        REQUIRE(blocks[i] != NULL);
        memset(blocks[i], i, 8);
    }
    for (int i = 0; i < BLOCKS; i += 4) {
        free(blocks[i]);
        sdallocx(blocks[i + 1], 24, 0);
    }
}

static void resize(void)
{
    char *block = with_flags(100, MALLOCX_ZERO | MALLOCX_ALIGN(4096));
    size_t real;

    REQUIRE((uintptr_t)block % 4096 == 0 && block[99] == 0);
    block[99] = 7;
    block = moved(block, 5000);
    REQUIRE(block != NULL && block[99] == 7 && block[4999] == 0);
    real = sallocx(block, 0);
    REQUIRE(real == nallocx(5000, 0));
    REQUIRE(in_place(block, 5001, 100) == real);
    REQUIRE(in_place(block, 1 << 20, 0) == real);
    REQUIRE(in_place(block, real, 1 << 20) == real);
    dallocx(block, MALLOCX_TCACHE_NONE);
}

int main(int count, char **arguments)
{
    void *block;
    char byte;

    (void)arguments;
    if (count > 1)
        REQUIRE(write(STDOUT_FILENO, ".", 1) == 1 &&
                read(STDIN_FILENO, &byte, 1) == 1);
    mix();
    resize();
    dallocx(by_table(300), 0);
    free(by_dlsym(400));
    victim_keep(by_dlsym(500));
    block = with_flags(40, 0);
    errno = 77;
    sdallocx(block, 40, 0);
    REQUIRE(errno == 77);
    REQUIRE(with_flags(PTRDIFF_MAX, 0) == NULL);
    return 0;
}
