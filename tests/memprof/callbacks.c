/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callbacks.c - callbacks may call any function
 *
 * Each operation runs in each of the five callbacks. Callbacks that become due
 * meanwhile follow right after, and allocations in a callback are not sampled.
 */
#include <errno.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

enum where { IN_ALLOC, IN_PROMOTE, IN_DEALLOC_MINOR, IN_DEALLOC_MAJOR };

static volatile enum where place;
static void (*volatile operation)(void);
static struct memprof *running, *started;
static void *kept;
static volatile int refuses, nulls;

static void operate(enum where here)
{
    if (place == here && operation != NULL) {
        void (*once)(void) = operation;

        operation = NULL;
        once();
    }
}

static void *alloc_minor(const struct memprof_allocation *allocation,
                         void *context)
{
    void *item = track_alloc_minor(allocation, context);

    inside = 1;
    operate(IN_ALLOC);
    inside = 0;
    return refuses ? MEMPROF_REJECT : nulls ? NULL : item;
}

static void *promote(void *minor, void *context)
{
    void *item = track_promote(minor, context);

    inside = 1;
    operate(IN_PROMOTE);
    inside = 0;
    return refuses ? MEMPROF_REJECT : nulls ? NULL : item;
}

static void dealloc_minor(void *minor, void *context)
{
    track_dealloc_minor(minor, context);
    inside = 1;
    operate(IN_DEALLOC_MINOR);
    inside = 0;
}

static void dealloc_major(void *major, void *context)
{
    track_dealloc_major(major, context);
    inside = 1;
    operate(IN_DEALLOC_MAJOR);
    inside = 0;
}

static const struct memprof_tracker acting = {
    alloc_minor, track_alloc_major, promote, dealloc_minor, dealloc_major, NULL,
};

static void allocates(void)
{
    for (int i = 0; i < 1000; i++)
        free(realloc(malloc(5000), 10));
}

static void fails(void)
{
    errno = ENOENT;
}

static void frees(void)
{
    free(kept);
    kept = NULL;
}

static void advances(void)
{
    memprof_advance();
}

static void stops(void)
{
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_stop(), -ESRCH);
}

static void discards(void)
{
    CHECK_IS(memprof_discard(running), -EBUSY);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(running), 0);
    CHECK_IS(memprof_discard(running), -EALREADY);
    running = NULL;
}

/* Start others until one has the same handle, if any ever has. */
static void discards_many(void)
{
    const struct memprof *first = running;

    discards();
    for (int i = 0; i < 5000; i++) {
        CHECK_IS(memprof_start(1, 0, &tracker, &started), 0);
        if (started == first)
            return;
        CHECK_IS(memprof_stop(), 0);
        CHECK_IS(memprof_discard(started), 0);
    }
    CHECK_IS(memprof_start(1, 0, &tracker, &started), 0);
}

static void restarts(void)
{
    struct memprof *none;

    CHECK_IS(memprof_start(1, 0, &tracker, &none), -EALREADY);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_start(1, 0, &tracker, &started), 0);
}

static void run(enum where where, void (*what)(void))
{
    void *block, *other;

    forget_all();
    CHECK_IS(memprof_start(1, 0, &acting, &running), 0);
    kept = malloc(8);
    place = where;
    operation = what;
    block = malloc(16);
    memprof_advance();
    other = malloc(24);
    free(other);
    free(block);
    free(kept);
    kept = NULL;
    operation = NULL;
    if (memprof_is_sampling())
        CHECK_IS(memprof_stop(), 0);
    if (running != NULL)
        CHECK_IS(memprof_discard(running), 0);
    if (started != NULL)
        CHECK_IS(memprof_discard(started), 0);
    started = NULL;
}

/* Expected counts: allocs of minor and major blocks, promotes, deallocs of
   minor and major ones. */
static const struct {
    void (*what)(void);
    enum where where;
    const char *name;
    unsigned counts[5];
} cases[] = {
    { allocates, IN_ALLOC, "allocates in alloc", { 3, 0, 2, 1, 2 } },
    { allocates, IN_PROMOTE, "... in promote", { 3, 0, 2, 1, 2 } },
    { allocates, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 2 } },
    { allocates, IN_DEALLOC_MAJOR, "... in dealloc_major", { 3, 0, 2, 1, 2 } },
    { advances, IN_ALLOC, "advances in alloc", { 3, 0, 2, 1, 2 } },
    { advances, IN_PROMOTE, "... in promote", { 3, 0, 2, 1, 2 } },
    { advances, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 2 } },
    { advances, IN_DEALLOC_MAJOR, "... in dealloc_major", { 3, 0, 2, 1, 2 } },
    /* `kept` is freed in the callback, and reported after it. */
    { frees, IN_ALLOC, "frees in alloc", { 3, 0, 1, 2, 1 } },
    { frees, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 2 } },
    { frees, IN_DEALLOC_MAJOR, "... in dealloc_major", { 3, 0, 2, 1, 2 } },
    /* `block` is still followed, `other` is not. */
    { stops, IN_ALLOC, "stops in alloc", { 2, 0, 2, 0, 2 } },
    { stops, IN_PROMOTE, "... in promote", { 2, 0, 2, 0, 2 } },
    { stops, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 2 } },
    { stops, IN_DEALLOC_MAJOR, "... in dealloc_major", { 3, 0, 2, 1, 2 } },
    { discards, IN_ALLOC, "discards in alloc", { 2, 0, 0, 0, 0 } },
    { discards, IN_PROMOTE, "... in promote", { 2, 0, 1, 0, 0 } },
    { discards, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 0 } },
    { discards, IN_DEALLOC_MAJOR, "... in dealloc_major", { 3, 0, 2, 1, 1 } },
    /* No callback of the new profile for a block of the old one. */
    { discards_many, IN_ALLOC, "discards many in alloc", { 3, 0, 0, 1, 0 } },
    { discards_many, IN_PROMOTE, "... in promote", { 3, 0, 1, 1, 0 } },
    /* The block whose alloc callback has run is freed, and not followed. */
    { restarts, IN_ALLOC, "restarts in alloc", { 3, 0, 1, 2, 1 } },
    { restarts, IN_PROMOTE, "... in promote", { 3, 0, 2, 1, 2 } },
    { restarts, IN_DEALLOC_MINOR, "... in dealloc_minor", { 3, 0, 2, 1, 2 } },
};

static void check_all(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const unsigned *counts = cases[i].counts;

        run(cases[i].where, cases[i].what);
        expect(cases[i].name, counts[0], counts[1], counts[2], counts[3],
               counts[4]);
    }
}

/* The order of the two promoted blocks is unspecified. */
static void check_free_in_promote(void)
{
    run(IN_PROMOTE, frees);
    CHECK_IS(allocs_minor, 3);
    CHECK_IS(deallocs_minor + deallocs_major, 3);
}

/* The only followed block is not followed yet while its alloc callback runs. */
static void check_stop_in_the_first(void)
{
    void *block;

    forget_all();
    CHECK_IS(memprof_start(1, 0, &acting, &running), 0);
    place = IN_ALLOC;
    operation = stops;
    block = malloc(16);
    operation = NULL;
    memprof_advance();
    expect("stopped in the first alloc", 1, 0, 1, 0, 0);
    free(block);
    expect("stopped in the first alloc", 0, 0, 0, 0, 1);
    CHECK_IS(memprof_discard(running), 0);
}

static void check_reject(void)
{
    void *block;

    forget_all();
    CHECK_IS(memprof_start(1, 0, &acting, &running), 0);
    refuses = 1;
    errno = 0;
    CHECK(malloc(10) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(10, 3) == NULL && errno == ENOMEM);
    CHECK(aligned_alloc(64, 64) == NULL && errno == ENOMEM);
    CHECK_IS(posix_memalign(&block, 64, 64), ENOMEM);
    CHECK(realloc(NULL, 10) == NULL && errno == ENOMEM);
    CHECK(memprof_custom_alloc(10) == 0);
    expect("rejected", 6, 0, 0, 0, 0);
    refuses = 0;
    block = malloc(10);
    refuses = 1;
    memprof_advance();
    free(block);
    expect("rejected in promote", 1, 0, 1, 0, 0);
    refuses = 0;
    nulls = 1;
    free(malloc(10));
    expect("NULL from alloc", 1, 0, 0, 0, 0);
    nulls = 0;
    block = malloc(10);
    nulls = 1;
    memprof_advance();
    free(block);
    expect("NULL from promote", 1, 0, 1, 0, 0);
    nulls = 0;
    end(running);
}

/* Also in calls that are not allocations. */
static void expect_errno_kept(enum where where, void (*what)(void))
{
    place = where;
    operation = fails;
    errno = 0;
    what();
    CHECK_IS(errno, 0);
    CHECK(operation == NULL);
}

static uint64_t token;

static void charges(void)
{
    token = memprof_custom_alloc(16);
}

static void gives_back(void)
{
    memprof_custom_free(token);
}

static void marshals(void)
{
    memprof_marshal_begin();
    kept = malloc(16);
    memprof_marshal_end();
}

static void registers(void)
{
    memprof_marshal_object(&token, sizeof token);
}

static void check_errno(void)
{
    CHECK_IS(memprof_start(1, 0, &acting, &running), 0);
    expect_errno_kept(IN_ALLOC, charges);
    expect_errno_kept(IN_DEALLOC_MINOR, gives_back);
    charges();
    expect_errno_kept(IN_PROMOTE, advances);
    expect_errno_kept(IN_DEALLOC_MAJOR, gives_back);
    expect_errno_kept(IN_ALLOC, marshals);
    expect_errno_kept(IN_DEALLOC_MINOR, frees);
    expect_errno_kept(IN_ALLOC, registers);
    end(running);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_all();
    check_free_in_promote();
    check_stop_in_the_first();
    check_reject();
    check_errno();
    return end_of_test();
}
