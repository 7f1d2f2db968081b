/* SPDX-License-Identifier: Apache-2.0 */
/* meeting.c - a block is freed, or nearly, while another thread promotes it */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

static atomic_int is_promoting, may_go_on;
static volatile int nulls;
static void *block;

static void wait_for(atomic_int *flag)
{
    while (*flag == 0)
        usleep(100);
}

static void *promote(void *minor, void *context)
{
    void *item = track_promote(minor, context);

    is_promoting = 1;
    wait_for(&may_go_on);
    return nulls ? NULL : item;
}

static const struct memprof_tracker waiting = {
    track_alloc_minor,   track_alloc_major,   promote,
    track_dealloc_minor, track_dealloc_major, NULL,
};

static void *advances(void *unused)
{
    (void)unused;
    memprof_advance();
    return NULL;
}

static void is_freed(void)
{
    free(block);
    block = NULL;
}

static void is_resized(void)
{
    block = realloc(block, 200);
}

static void is_too_large(void)
{
    volatile size_t all = SIZE_MAX / 2;

    CHECK(realloc(block, all) == NULL);
}

static void *map;

static void is_not_moved(void)
{
    CHECK(mremap(map, 100, SIZE_MAX, MREMAP_MAYMOVE) == MAP_FAILED);
}

static void meet(void (*what)(void))
{
    pthread_t thread;

    is_promoting = may_go_on = 0;
    pthread_create(&thread, NULL, advances, NULL);
    wait_for(&is_promoting);
    what();
    may_go_on = 1;
    pthread_join(thread, NULL);
}

/* Hide the allocations that a thread begins with. */
static struct memprof *begin(void)
{
    struct memprof *profile;
    pthread_t thread;

    pthread_create(&thread, NULL, advances, NULL);
    pthread_join(thread, NULL);
    CHECK_IS(memprof_start(1, 0, &waiting, &profile), 0);
    block = malloc(100);
    CHECK_IS(memprof_stop(), 0);
    forget_all();
    return profile;
}

static void check(void (*what)(void), const char *name, unsigned at_once,
                  unsigned at_free)
{
    struct memprof *profile = begin();

    meet(what);
    expect(name, 0, 0, 1, 0, at_once);
    free(block);
    expect(name, 0, 0, 0, 0, at_free);
    CHECK_IS(memprof_discard(profile), 0);
}

static void check_map(void)
{
    struct memprof *profile;
    char name[] = "/tmp/memprof-XXXXXX";
    int file = mkstemp(name);

    CHECK(file >= 0 && ftruncate(file, 100) == 0);
    unlink(name);
    CHECK_IS(memprof_start(1, 0, &waiting, &profile), 0);
    map = mmap(NULL, 100, PROT_READ, MAP_SHARED, file, 0);
    CHECK_IS(memprof_stop(), 0);
    forget_all();
    meet(is_not_moved);
    expect("not moved", 0, 0, 1, 0, 0);
    munmap(map, 100);
    expect("unmapped", 0, 0, 0, 0, 1);
    CHECK_IS(memprof_discard(profile), 0);
    close(file);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check(is_freed, "freed", 1, 0);
    check(is_resized, "resized", 1, 0);
    check(is_too_large, "too large", 0, 1);
    check_map();
    nulls = 1;
    check(is_freed, "not kept, freed", 0, 0);
    check(is_resized, "not kept, resized", 0, 0);
    check(is_too_large, "not kept, too large", 0, 0);
    return end_of_test();
}
