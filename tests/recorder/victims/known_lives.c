/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known_lives.c - call sites named for the number, size and lifetime of their
 * blocks
 *
 *     at_once   200,000 of 40 bytes, each freed before the next is allocated
 *     later     20,000 of 200 bytes, each freed when 100 more are there: 20,000
 *               bytes or more have been allocated by then
 *     promoted  2,000 of 1,000 bytes, freed at the end
 *     kept      500 of 3,000 bytes
 *     large     40 of 100,000 bytes, freed at the end
 */
#include <stdlib.h>

enum {
    AT_ONCE = 200000,
    LATER = 20000,
    PROMOTED = 2000,
    KEPT = 500,
    LARGE = 40
};
enum { WAITING = 100 };

static void *held[PROMOTED + LARGE];
static void *waiting[WAITING];

static __attribute__((noinline)) void *make(size_t size)
{
    void *block = malloc(size);

    if (block == NULL)
        exit(99);
    return block;
}

static __attribute__((noinline)) void at_once(void)
{
    for (int i = 0; i < AT_ONCE; i++)
        free(make(40));
}

static __attribute__((noinline)) void later(void)
{
    for (int i = 0; i < LATER; i++) {
        free(waiting[i % WAITING]);
        waiting[i % WAITING] = make(200);
    }
    for (int i = 0; i < WAITING; i++)
        free(waiting[i]);
}

static __attribute__((noinline)) void promoted(void)
{
    for (int i = 0; i < PROMOTED; i++)
        held[i] = make(1000);
}

static __attribute__((noinline)) void kept(void)
{
    for (int i = 0; i < KEPT; i++)
        make(3000);
}

static __attribute__((noinline)) void large(void)
{
    for (int i = 0; i < LARGE; i++)
        held[PROMOTED + i] = make(100000);
}

int main(void)
{
    promoted();
    large();
    kept();
    at_once();
    later();
    for (int i = 0; i < PROMOTED + LARGE; i++)
        free(held[i]);
    return 0;
}
