/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_heap.c - malloc defined in the executable; maps and starts threads as
 * told
 *
 * A letter is a step, answered by a dot. malloc itself maps its pools. The
 * allocator's own operators new and delete are named as its functions.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096, POOL = 1 << 15, MAPS = 30, KEPT = 11, THREADS = 4 };

static char first[POOL] __attribute__((aligned(16)));
static char *pool = first;
static size_t used;

static void *map_pages(size_t count)
{
    void *mapped = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    return mapped;
}

static void more(void)
{
    pool = map_pages(POOL / PAGE);
    used = 0;
}

static void *take(size_t size)
{
    size_t whole = (size + 31) & ~(size_t)15;

    REQUIRE(whole <= POOL);
    if (used + whole > POOL)
        more();
    used += whole;
    memcpy(pool + used - whole, &size, sizeof size);
    return pool + used - whole + 16;
}

void *malloc(size_t size)
{
    return take(size);
}

void *new (size_t size) __asm__("_Znwm");
void *new (size_t size)
{
    return take(size);
}

void delete (void *block) __asm__("_ZdlPv");
void delete (void *block)
{
    (void)block;
}

void *tc_new(size_t size);
void *tc_new(size_t size)
{
    return new (size);
}

void free(void *block)
{
    (void)block;
}

/* A pool is zero. */
void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    size_t old;

    if (block != NULL) {
        memcpy(&old, (char *)block - 16, sizeof old);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

static void *block(void)
{
    return victim_keep(malloc(1000));
}

static void by_new(void)
{
    delete (victim_keep(new (24)));
}

static void *map(void)
{
    return map_pages(2);
}

static void grown(void)
{
    REQUIRE(mremap(map_pages(2), (size_t)2 * PAGE, (size_t)5 * PAGE,
                   MREMAP_MAYMOVE) != MAP_FAILED);
}

static void *run(void *argument)
{
    return argument;
}

static void threads(void)
{
    pthread_t thread;

    for (int i = 0; i < THREADS; i++) {
        REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
}

int main(void)
{
    char step;

    victim_say(".");
    while (read(STDIN_FILENO, &step, 1) == 1 && step != 'e') {
        for (int i = 0; i < 100 && step == 'a'; i++)
            block();
        for (int i = 0; i < 50 && step == 'n'; i++)
            by_new();
        for (int i = 0; i < MAPS && step == 'm'; i++) {
            void *mapped = map();

            if (i >= KEPT)
                REQUIRE(munmap(mapped, (size_t)2 * PAGE) == 0);
        }
        if (step == 'm')
            grown();
        if (step == 't')
            threads();
        victim_say(".");
    }
    return 4;
}
