/* SPDX-License-Identifier: Apache-2.0 */
/* marshalling.c - long scopes: whole epochs, and many blocks */
#include <pthread.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

/* Callbacks that become due before the end come after alloc, in order. */
static void check_ripe(void)
{
    void *kept, *gone_before, *gone_after, *large;

    memprof_marshal_begin();
    kept = malloc(100);
    gone_before = malloc(200);
    gone_after = malloc(300);
    large = malloc(5000);
    free(gone_before);
    memprof_advance();
    free(gone_after);
    free(malloc(400));
    expect("waiting", 0, 0, 0, 0, 0);
    memprof_marshal_end();
    expect("the end", 4, 1, 2, 2, 1);
    memprof_advance();
    expect("promoted before", 0, 0, 0, 0, 0);
    free(kept);
    free(large);
    expect("freed", 0, 0, 0, 0, 2);
}

/* Another thread ends the epoch; NULL from promote ends the reports. */
static void *advances(void *unused)
{
    (void)unused;
    memprof_advance();
    return NULL;
}

static void check_ripe_by_others(void)
{
    pthread_t thread;
    void *block;

    pthread_create(&thread, NULL, advances, NULL);
    pthread_join(thread, NULL);
    memprof_marshal_begin();
    block = malloc(7776);
    free(block);
    block = malloc(776);
    pthread_create(&thread, NULL, advances, NULL);
    pthread_join(thread, NULL);
    forget_all();
    memprof_marshal_end();
    CHECK_IS(allocs_major, 1);
    CHECK_IS(promotes, allocs_minor); /* with blocks that threads begin with */
    CHECK(promotes > 0);
    free(block);
    memprof_advance();
    forget_all();
}

/* The block stays the same, and is reported at the end. */
static void check_failed_realloc(void)
{
    volatile size_t all = SIZE_MAX / 2;
    void *block;

    memprof_marshal_begin();
    block = malloc(100);
    CHECK(realloc(block, all) == NULL);
    memprof_marshal_end();
    expect("alive", 1, 0, 0, 0, 0);
    memprof_advance();
    expect("promoted", 0, 0, 1, 0, 0);
    free(block);
    expect("freed", 0, 0, 0, 0, 1);

    memprof_marshal_begin();
    block = malloc(100);
    memprof_advance();
    CHECK(realloc(block, all) == NULL);
    block = realloc(block, 200);
    memprof_marshal_end();
    expect("resized", 2, 0, 1, 0, 1);
    free(block);
    expect("freed", 0, 0, 0, 1, 0);
}

/* All bulk blocks are allocated before the first object is registered. */
static void check_many_bulks(void)
{
    enum { COUNT = 1000 };
    char *bulks[COUNT];

    memprof_marshal_begin();
    for (int i = 0; i < COUNT; i++)
        bulks[i] = malloc(3000);
    for (int i = 0; i < COUNT; i++)
        memprof_marshal_object(bulks[i] + 2000, 16);
    memprof_marshal_end();
    expect("an object in each", COUNT, 0, 0, 0, 0);
    for (int i = 0; i < COUNT; i++)
        free(bulks[i]);
    expect("freed with them", 0, 0, 0, COUNT, 0);
}

/* Only the last 4,096 blocks of a scope are known: older ones are normal
   blocks. */
static void check_last_bulks(void)
{
    enum { KNOWN = 4096, COUNT = KNOWN + 1 };
    static char *bulks[COUNT];

    memprof_marshal_begin();
    for (int i = 0; i < COUNT; i++)
        bulks[i] = malloc(64);
    memprof_marshal_object(bulks[0] + 16, 16);
    memprof_marshal_object(bulks[1] + 16, 16);
    memprof_marshal_end();
    expect("the oldest is told of", COUNT + 1, 0, 0, 0, 0);
    free(bulks[0]);
    expect("freed without its object", 0, 0, 0, 1, 0);
    for (int i = 1; i < COUNT; i++)
        free(bulks[i]);
    expect("all but that object", 0, 0, 0, KNOWN, 0);
}

/* Ends of objects, by their bytes, in the order of their callbacks. */
static size_t ends[8];
static _Atomic unsigned end_count;

static void *keep_bytes(const struct memprof_allocation *allocation,
                        void *context)
{
    (void)context;
    return (void *)allocation->bytes;
}

static void note_end(void *bytes, void *context)
{
    (void)context;
    ends[end_count++ % 8] = (size_t)bytes;
}

/* Objects end in the order of their births, before or after the end of the
   scope. */
static void check_order(void)
{
    static const struct memprof_tracker ordered = { .alloc_minor = keep_bytes,
                                                    .dealloc_minor = note_end };

    for (int is_late = 0; is_late < 2; is_late++) {
        struct memprof *profile;
        char *bulk;

        CHECK_IS(memprof_start(1, 0, &ordered, &profile), 0);
        end_count = 0;
        memprof_marshal_begin();
        bulk = malloc(1000);
        for (size_t i = 0; i < 8; i++)
            memprof_marshal_object(bulk + 50 * i, 10 + i);
        if (is_late)
            memprof_marshal_end();
        free(bulk);
        CHECK_IS(end_count, is_late ? 8 : 0);
        if (!is_late)
            memprof_marshal_end();
        CHECK_IS(end_count, 8);
        for (size_t i = 0; i < 8; i++)
            CHECK_IS(ends[i], 10 + i);
        end(profile);
    }
}

int main(void)
{
    struct memprof *profile;

    setvbuf(stderr, NULL, _IONBF, 0);
    profile = start_at(1);
    check_ripe();
    check_ripe_by_others();
    check_failed_realloc();
    check_many_bulks();
    check_last_bulks();
    end(profile);
    check_order();
    return end_of_test();
}
