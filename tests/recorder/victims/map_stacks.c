/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_stacks.c - mappings made by one line that several functions call
 *
 * Each stack has its own figures, also in a second thread, after half of a
 * mapping was unmapped, and where it grew by mremap.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096 };

static void *map(size_t pages)
{
    void *mapped = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    return victim_keep(mapped);
}

static void *by_one(void)
{
    return victim_keep(map(1));
}

static void *by_two(void)
{
    return victim_keep(map(8));
}

/* Unmap at once, after another mapping, or only half. */
static void temporary(void)
{
    for (int i = 0; i < 5; i++) {
        void *mapped = map(2);

        free(victim_keep(malloc(20)));
        REQUIRE(munmap(mapped, 2 * PAGE) == 0);
    }
}

static void lasting(void)
{
    char *first = map(2), *second = map(2);

    REQUIRE(munmap(first, 2 * PAGE) == 0);
    REQUIRE(munmap(second, PAGE) == 0);
    REQUIRE(munmap(second + PAGE, PAGE) == 0);
}

static void *in_thread(void *unused)
{
    by_two();
    return unused;
}

int main(void)
{
    pthread_t thread;
    char *grown;

    for (int i = 0; i < 3; i++)
        by_one();
    temporary();
    lasting();
    REQUIRE(munmap((char *)by_two() + 4 * PAGE, 4 * PAGE) == 0);
    REQUIRE(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    grown = by_one();
    REQUIRE(mremap(grown, PAGE, 3 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED);
    return 0;
}
