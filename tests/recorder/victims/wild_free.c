/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wild_free.c - free pointers that were never blocks, by name
 *
 * libc aborts or crashes on most of them, and so must the recorded run: in the
 * same way, and no earlier. Everything recorded until then is kept.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *in_main(void)
{
    return victim_keep(malloc(100));
}

static void free_interior(char *block)
{
    free(victim_keep(block + 32));
}

static void free_misaligned(char *block)
{
    free(victim_keep(block + 1));
}

static void free_tagged(char *block)
{
    free(victim_keep((void *)((uintptr_t)block | (uintptr_t)0x5a << 56)));
}

static void free_stack(char *block)
{
    char local[64] __attribute__((aligned(16))) = { 0 };

    (void)block;
    free(victim_keep(local));
}

static void free_unmapped(char *block)
{
    (void)block;
    free(victim_keep((void *)(uintptr_t)0x10000));
}

static void free_highest(char *block)
{
    (void)block;
    free(victim_keep((void *)(UINTPTR_MAX - 15)));
}

static void free_twice(char *block)
{
    free(victim_keep(block));
    free(victim_keep(block));
}

static void realloc_interior(char *block)
{
    victim_keep(realloc(victim_keep(block + 16), 10));
}

static const struct {
    const char *name;
    void (*wrong)(char *block);
} wrongs[] = {
    { "interior", free_interior }, { "misaligned", free_misaligned },
    { "tagged", free_tagged },     { "stack", free_stack },
    { "unmapped", free_unmapped }, { "highest", free_highest },
    { "twice", free_twice },       { "realloc_interior", realloc_interior },
};

int main(int argc, char **argv)
{
    char *block = in_main();

    REQUIRE(block != NULL);
    memset(block, 0, 100);
    in_main();
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        if (argc == 2 && strcmp(argv[1], wrongs[i].name) == 0)
            wrongs[i].wrong(block);
    }
    return 0;
}
