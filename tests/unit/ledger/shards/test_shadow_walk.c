/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_shadow_walk.c - every block of the shadow, from each thread
 *
 * A walk must visit each block once, in every form of words; threads that need
 * the same leaf at the same time must create only one. test_shadow.c tests
 * single blocks.
 */
#include "ledger/shards/shadow.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ports/posix/memory/pages.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

#define REGION ((uintptr_t)SHADOW_REGION)

/* A region like those of a heap, and one that asks for the same slot first. */
#define HEAP    (UINT64_C(0x555500000000) / SHADOW_REGION * SHADOW_REGION)
#define FARAWAY (HEAP + REGION * SHADOW_SLOTS)

enum {
    WALKED = 3000,
    THREADS = 4,
    THREAD_REGIONS = 16,
    THREAD_BLOCKS = 64, /* in each region */
};

struct form {
    bool is_compressed;
    bool has_small_blocks;
    uintptr_t block; /* bytes of the smallest block */
};

static const struct form forms[] = {
    { false, false, 32 },
    { true, false, 32 },
    { false, true, 16 },
};

enum { FORMS = sizeof forms / sizeof forms[0] };

void pages_advise(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

void pages_unlock(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

static void open_form(const struct form *form)
{
    fake_port_reset();
    memset(&shadow, 0, sizeof shadow);
    shadow_open(form->is_compressed, form->has_small_blocks);
}

static const void *at(uintptr_t address)
{
    return (const void *)address;
}

static void assert_holds(struct reference reference, uint32_t id, size_t size)
{
    assert_int_equal(reference.id, id);
    assert_int_equal(reference.size, size);
}

struct walk {
    unsigned met[WALKED + 1];
    unsigned wrong;
};

static size_t walked_size(uint32_t id)
{
    return id % 50 == 0 ? 65535 + (size_t)id : id % 3 == 0 ? id : id * 7;
}

static void visit(struct reference reference, void *context)
{
    struct walk *walk = context;

    if (reference.id > WALKED || reference.size != walked_size(reference.id))
        walk->wrong++;
    else
        walk->met[reference.id]++;
}

static void a_walk_meets_each_block_once(void **state)
{
    static struct walk walk;

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        struct random_sequence random = { i };
        uintptr_t address = HEAP;

        open_form(&forms[i]);
        memset(&walk, 0, sizeof walk);
        for (uint32_t id = 1; id <= WALKED; id++) {
            assert_true(shadow_put(at(address),
                                   (struct reference){ id, walked_size(id) }));
            address += (walked_size(id) / 32 + 1) * 32;
            if (random_below(&random, 100) == 0)
                address += REGION; /* a hole */
        }
        /* The last block lies at the end of a region. */
        shadow_take(at(HEAP));
        address = (address / REGION + 1) * REGION - forms[i].block;
        shadow_put(at(address), (struct reference){ 1, walked_size(1) });
        shadow_walk(visit, &walk);
        assert_int_equal(walk.wrong, 0);
        for (uint32_t id = 1; id <= WALKED; id++)
            assert_int_equal(walk.met[id], 1);
    }
}

/* The size of a removed block is not taken for a block. */
static void a_walk_meets_nothing_that_was_taken(void **state)
{
    static struct walk walk;

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        open_form(&forms[i]);
        memset(&walk, 0, sizeof walk);
        shadow_put(at(HEAP), (struct reference){ 50, SIZE_MAX >> 2 });
        shadow_take(at(HEAP));
        shadow_put(at(HEAP), (struct reference){ 50, walked_size(50) });
        shadow_put(at(HEAP + REGION - 32), (struct reference){ 7, 49 });
        shadow_take(at(HEAP));
        shadow_walk(visit, &walk);
        assert_int_equal(walk.wrong, 0);
        assert_int_equal(walk.met[50], 0);
        assert_int_equal(walk.met[7], 1);
    }
}

struct putter {
    pthread_t thread;
    uint32_t number; /* from 0 */
    unsigned refused;
};

static pthread_barrier_t start;

static uintptr_t thread_block(uint32_t region, uint32_t number, uint32_t block)
{
    uintptr_t base = region % 2 == 0 ? HEAP : FARAWAY; /* they collide */

    return base + region / 2 * REGION + (block * THREADS + number) * 32;
}

static void *put_in_each_region(void *argument)
{
    struct putter *self = argument;

    for (uint32_t region = 0; region < THREAD_REGIONS; region++) {
        pthread_barrier_wait(&start);
        for (uint32_t block = 0; block < THREAD_BLOCKS; block++) {
            const void *put = at(thread_block(region, self->number, block));

            self->refused +=
                !shadow_put(put, (struct reference){ self->number + 1, block });
            self->refused += shadow_get(put).id != self->number + 1;
        }
    }
    return NULL;
}

static void threads_make_each_leaf_once(void **state)
{
    struct putter putters[THREADS];

    (void)state;
    open_form(&forms[0]);
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        putters[i] = (struct putter){ .number = i };
        assert_int_equal(pthread_create(&putters[i].thread, NULL,
                                        put_in_each_region, &putters[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(putters[i].thread, NULL);
        assert_int_equal(putters[i].refused, 0);
    }
    pthread_barrier_destroy(&start);
    for (uint32_t region = 0; region < THREAD_REGIONS; region++)
        for (uint32_t block = 0; block < THREAD_BLOCKS * THREADS; block++)
            assert_holds(shadow_take(at(thread_block(region, block % THREADS,
                                                     block / THREADS))),
                         block % THREADS + 1, block / THREADS);
    /* A leaf of 1 MiB and the page of its spare words, for each region. */
    assert_int_equal(fake_port_pages_out(), THREAD_REGIONS * (256 + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_meets_each_block_once),
        cmocka_unit_test(a_walk_meets_nothing_that_was_taken),
        cmocka_unit_test(threads_make_each_leaf_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
