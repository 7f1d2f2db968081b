/* SPDX-License-Identifier: Apache-2.0 */
/* test_countdown_blocks.c - blocks recorded by a client */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sampling/countdown/block_table.h"
#include "sampling/countdown/countdown.h"
#include "tests/fakes/run_alone.h"
#include "tests/unit/sampling/countdown/idle_client.h"

static void *kept;
static unsigned retires, returns;

static void *take(void *block)
{
    void *taken = kept == block ? block : NULL;

    if (taken != NULL)
        kept = NULL;
    return taken;
}

static void retire(struct counted_thread *thread, void *taken, bool is_replaced)
{
    (void)thread;
    (void)is_replaced;
    assert_non_null(taken);
    retires++;
}

static void put_back(void *taken)
{
    kept = taken;
    returns++;
}

static const struct countdown_client client = {
    .counts = COUNTDOWN_WORDS,
    IDLE_CLIENT,
    .take = take,
    .retire = retire,
    .put_back = put_back,
};

static void test_what_is_kept_in_mind(void **state)
{
    static char block[16];
    struct sample_taken taken;

    (void)state;
    countdown_lock();
    countdown_set_client(COUNTDOWN_MEMPROF, &client);
    countdown_unlock();
    assert_false(block_filter_may_have(block));
    assert_false(countdown_take(block, &taken));
    block_filter_add((uintptr_t)block);
    kept = block;
    assert_true(block_filter_may_have(block));
    assert_true(countdown_take(block, &taken));
    countdown_put_back(&taken);
    assert_int_equal(returns, 1);
    assert_true(countdown_take(block, &taken));
    countdown_retire(&taken);
    assert_int_equal(retires, 1);
    block_filter_drop((uintptr_t)block);
    assert_false(block_filter_may_have(block));
}

/* The near filter has one counter for both, the far one has two. */
static void test_a_block_that_is_64_kib_away(void **state)
{
    static char blocks[65536 + 16];

    (void)state;
    block_filter_add((uintptr_t)blocks);
    assert_true(block_near[(uintptr_t)(blocks + 65536) / 16 % 4096] != 0);
    assert_false(block_filter_may_have(blocks + 65536));
    assert_true(block_filter_may_have(blocks));
    block_filter_drop((uintptr_t)blocks);
    assert_false(block_filter_may_have(blocks));
}

/* A saturated counter stays saturated until all are cleared. */
static void test_a_filter_that_is_cleared(void **state)
{
    static char blocks[64];
    void *often = blocks, *once = blocks + 32;

    (void)state;
    for (int i = 0; i < 300; i++)
        block_filter_add((uintptr_t)often);
    block_filter_add((uintptr_t)once);
    assert_true(block_filter_confirms(once));
    assert_true(block_filter_may_have(once));
    for (int i = 0; i < 300; i++)
        block_filter_drop((uintptr_t)often);
    assert_true(block_filter_may_have(often));
    block_filter_clear();
    assert_false(block_filter_may_have(often));
    assert_false(block_filter_may_have(once));
    assert_false(block_filter_confirms(once));
}

/* Frees pass while they may, but for followed blocks and their neighbours. */
static void test_frees_that_pass(void **state)
{
    static char blocks[64];

    (void)state;
    assert_false(block_filter_passes(blocks));
    block_filter_open(true);
    assert_true(block_filter_passes(blocks));
    assert_true(block_filter_passes(NULL));
    assert_false(block_filter_may_have(blocks));
    for (int i = 0; i < 200; i++) /* more than a counter holds */
        block_filter_add((uintptr_t)blocks);
    assert_false(block_filter_passes(blocks));
    assert_true(block_filter_may_have(blocks));
    assert_true(block_filter_passes(blocks + 32));
    block_filter_add((uintptr_t)(blocks + 32));
    block_filter_open(false);
    assert_false(block_filter_passes(blocks + 16));
    assert_true(block_filter_may_have(blocks + 32));
    block_filter_drop((uintptr_t)(blocks + 32));
    block_filter_open(true);
    assert_true(block_filter_passes(blocks + 32));
    block_filter_clear();
    assert_false(block_filter_passes(blocks + 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_kept_in_mind),
        cmocka_unit_test(test_a_block_that_is_64_kib_away),
        cmocka_unit_test(test_a_filter_that_is_cleared),
        cmocka_unit_test(test_frees_that_pass),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
