/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resizing.c - realloc of a block: alloc of the new one, dealloc of the old
 *
 * The alloc callback is called first, so that the program keeps its block if it
 * is rejected, or if there is no memory.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/memprof/tracker.h"

static volatile int refuses;
static void (*volatile operation)(void);
static struct memprof *running;
static char order[8]; /* of callbacks: a, p, d */
static unsigned steps;

static void note(char step)
{
    if (steps < sizeof order - 1)
        order[steps++] = step;
}

static void begin_order(void)
{
    memset(order, 0, sizeof order);
    steps = 0;
}

static void *answer(void *item)
{
    void (*once)(void) = operation;

    note('a');
    operation = NULL;
    if (once != NULL)
        once();
    errno = 4711;
    return refuses ? MEMPROF_REJECT : item;
}

static void *alloc_minor(const struct memprof_allocation *allocation,
                         void *context)
{
    return answer(track_alloc_minor(allocation, context));
}

static void *alloc_major(const struct memprof_allocation *allocation,
                         void *context)
{
    return answer(track_alloc_major(allocation, context));
}

static void *promote(void *minor, void *context)
{
    note('p');
    return track_promote(minor, context);
}

static void dealloc_minor(void *minor, void *context)
{
    note('d');
    track_dealloc_minor(minor, context);
}

static void dealloc_major(void *major, void *context)
{
    note('d');
    track_dealloc_major(major, context);
}

static const struct memprof_tracker acting = {
    alloc_minor, alloc_major, promote, dealloc_minor, dealloc_major, NULL,
};

static void start_acting(void)
{
    forget_all();
    CHECK_IS(memprof_start(1, 0, &acting, &running), 0);
}

static void fill(unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        block[i] = (unsigned char)(i * 7 + 3);
}

static bool is_filled(const unsigned char *block, size_t size)
{
    size_t i = 0;

    while (i < size && block[i] == (unsigned char)(i * 7 + 3))
        i++;
    return i == size;
}

static void *by_array(void *block, size_t size)
{
    return reallocarray(block, 1, size);
}

static void *by_realloc(void *block, size_t size)
{
    return realloc(block, size);
}

static void check_rejected(void *(*resize)(void *, size_t), size_t from,
                           size_t to)
{
    unsigned char *block = malloc(from), *moved;
    size_t usable = malloc_usable_size(block), least = from < to ? from : to;
    bool was_minor = from <= 2048, is_minor = to <= 2048;

    fill(block, from);
    forget_all();
    refuses = 1;
    errno = 0;
    CHECK(resize(block, to) == NULL);
    CHECK_IS(errno, ENOMEM);
    expect("rejected", is_minor, !is_minor, 0, 0, 0);
    CHECK_IS(last.bytes, to);
    CHECK_IS(malloc_usable_size(block), usable);
    CHECK(is_filled(block, from));
    refuses = 0;
    errno = 17;
    begin_order();
    moved = resize(block, to);
    CHECK(moved != NULL && is_filled(moved, least));
    CHECK_IS(errno, 17);
    CHECK(strcmp(order, "ad") == 0);
    expect("then not", is_minor, !is_minor, 0, was_minor, !was_minor);
    free(moved);
    expect("and given back", 0, 0, 0, is_minor, !is_minor);
}

static void check_all_rejected(void)
{
    static const size_t sizes[] = { 1,    24,    100,    2048,
                                    2049, 70000, 300000, 9000000 };
    enum { SIZES = sizeof sizes / sizeof sizes[0] };

    start_acting();
    for (int i = 0; i < SIZES; i++) {
        for (int j = 0; j < SIZES; j++) {
            check_rejected(by_realloc, sizes[i], sizes[j]);
            check_rejected(by_array, sizes[i], sizes[j]);
        }
    }
    end(running);
}

/* The block is followed as if no callback had been called. */
static void check_life_goes_on(void)
{
    void *block;

    start_acting();
    block = malloc(50);
    refuses = 1;
    for (int i = 0; i < 3; i++)
        CHECK(realloc(block, 60) == NULL);
    refuses = 0;
    memprof_advance();
    expect("rejected three times", 4, 0, 1, 0, 0);
    refuses = 1;
    CHECK(realloc(block, 70) == NULL);
    refuses = 0;
    memprof_advance();
    CHECK(realloc(block, 0) == NULL);
    expect("rejected when promoted", 1, 0, 0, 0, 1);
    end(running);
}

static void check_no_memory(void)
{
    static const size_t sizes[] = { SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 60,
                                    (size_t)1 << 47, (size_t)1 << 45 };
    struct rlimit before, little = { 1 << 30, 1 << 30 };
    void *volatile block;

    start_acting();
    block = malloc(50);
    forget_all();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 0;
        CHECK(realloc(block, sizes[i]) == NULL && errno == ENOMEM);
    }
    CHECK_IS(getrlimit(RLIMIT_AS, &before), 0);
    little.rlim_max = before.rlim_max;
    if (setrlimit(RLIMIT_AS, &little) == 0)
        CHECK(realloc(block, (size_t)1 << 31) == NULL);
    CHECK_IS(setrlimit(RLIMIT_AS, &before), 0);
    expect("no memory", 0, 0, 0, 0, 0);
    free(block);
    expect("given back", 0, 0, 0, 1, 0);
    end(running);
}

static void stops(void)
{
    CHECK_IS(memprof_stop(), 0);
}

static void discards(void)
{
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(running), 0);
}

static void check_stopped(void)
{
    void *block;

    start_acting();
    block = malloc(50);
    operation = stops;
    block = realloc(block, 5000);
    expect("stopped by realloc", 1, 1, 0, 1, 0);
    free(block);
    expect("and freed", 0, 0, 0, 0, 1);
    CHECK_IS(memprof_discard(running), 0);
}

static void check_discarded(void)
{
    void *block;

    start_acting();
    block = malloc(50);
    operation = discards;
    block = realloc(block, 5000);
    free(block);
    expect("discarded by realloc", 1, 1, 0, 0, 0);

    start_acting();
    block = malloc(50);
    operation = discards;
    refuses = 1;
    CHECK(realloc(block, 5000) == NULL);
    refuses = 0;
    free(block);
    expect("discarded and rejected", 1, 1, 0, 0, 0);
}

/* A block that is not sampled is resized, or not, like others. */
static void check_not_followed(void)
{
    unsigned char *block = malloc(500);

    fill(block, 500);
    start_acting();
    refuses = 1;
    CHECK(realloc(block, 90000) == NULL && is_filled(block, 500));
    refuses = 0;
    block = realloc(block, 90000);
    CHECK(is_filled(block, 500));
    expect("of before", 0, 2, 0, 0, 0);
    free(block);
    expect("of before, freed", 0, 0, 0, 0, 1);
    end(running);
}

/* Reported later, when it is too late to refuse. */
static void check_marshalled(void)
{
    void *block;

    start_acting();
    block = malloc(50);
    memprof_marshal_begin();
    refuses = 1;
    block = realloc(block, 5000);
    expect("in a scope", 1, 0, 0, 1, 0);
    memprof_marshal_end();
    refuses = 0;
    expect("after it", 0, 1, 0, 0, 0);
    CHECK_IS(last.source, MEMPROF_MARSHAL);
    free(block);
    expect("not followed", 0, 0, 0, 0, 0);
    end(running);
}

/* The entry of a bulk block only refers to its objects. */
static void check_bulk(void)
{
    char *bulk;

    start_acting();
    memprof_marshal_begin();
    bulk = malloc(1000);
    memprof_marshal_object(bulk + 100, 50);
    memprof_marshal_end();
    expect("an object", 1, 0, 0, 0, 0);
    refuses = 1;
    CHECK(realloc(bulk, 5000) == NULL);
    refuses = 0;
    expect("a bulk block that stays", 0, 1, 0, 0, 0);
    memprof_advance();
    expect("and is not promoted", 0, 0, 1, 0, 0);
    bulk = realloc(bulk, 5000);
    expect("but resized", 0, 1, 0, 0, 1);
    free(bulk);
    expect("and freed", 0, 0, 0, 0, 1);
    end(running);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_all_rejected();
    check_life_goes_on();
    check_no_memory();
    check_stopped();
    check_discarded();
    check_not_followed();
    check_marshalled();
    check_bulk();
    return end_of_test();
}
