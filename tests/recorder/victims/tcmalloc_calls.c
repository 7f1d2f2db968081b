/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcmalloc_calls.c - tcmalloc's functions by their own names; either free()
 * works
 *
 * With an argument the program reports that it runs, and starts at a byte.
 */
#include <gperftools/tcmalloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

/* C++ functions that C can call. */
void *tc_new(size_t size);
void *tc_newarray(size_t size);
void tc_delete(void *block);
void tc_delete_sized(void *block, size_t size);
void tc_deletearray(void *block);

enum { BLOCKS = 1000 };

static void *by_malloc(size_t size)
{
    return tc_malloc(size);
}

static void *by_calloc(size_t count, size_t size)
{
    return tc_calloc(count, size);
}

static void *by_realloc(void *block, size_t size)
{
    return tc_realloc(block, size);
}

static void *aligned(size_t alignment, size_t size)
{
    void *block = NULL;

    REQUIRE(tc_posix_memalign(&block, alignment, size) == 0);
    tc_free(tc_memalign(alignment, size));
    tc_free(tc_valloc(size));
    return block;
}

static void *by_new(size_t size)
{
    return size % 2 == 0 ? tc_new(size) : tc_newarray(size);
}

static void *plain(size_t size)
{
    return malloc(size);
}

int main(int count, char **arguments)
{
    void *blocks[BLOCKS];
    char *zeroed, byte;

    (void)arguments;
    if (count > 1)
        REQUIRE(write(STDOUT_FILENO, ".", 1) == 1 &&
                read(STDIN_FILENO, &byte, 1) == 1);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i % 2 == 0 ? by_malloc(8) : plain(24);
        REQUIRE(blocks[i] != NULL);
        memset(blocks[i], i, 8);
    }
    for (int i = 0; i < BLOCKS; i += 4) {
        free(blocks[i]);
        tc_free(blocks[i + 1]);
    }
    zeroed = by_calloc(3, 7);
    REQUIRE(zeroed[20] == 0);
    zeroed[20] = 5;
    zeroed = by_realloc(zeroed, 4000);
    REQUIRE(zeroed[20] == 5);
    tc_free_sized(zeroed, 4000);
    free(aligned(64, 640));
    REQUIRE(by_calloc(SIZE_MAX / 2, 4) == NULL);
    tc_delete(by_new(10));
    tc_delete_sized(by_new(20), 20);
    tc_deletearray(by_new(31));
    victim_keep(by_new(40));
    return 0;
}
