/* SPDX-License-Identifier: Apache-2.0 */
/* test_tracked_blocks.c - entries found by one thread, and claims */
#include "sampling/countdown/tracked_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sampling/countdown/block_table.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

enum { MANY = 100000 };

static char some;

static struct tracked *insert(uint64_t key)
{
    struct tracked *entry = tracked_make(key);

    assert_non_null(entry);
    entry->profile = (struct memprof *)(void *)&some;
    assert_null(tracked_insert(entry));
    return entry;
}

static void test_what_is_inserted_is_taken_once(void **state)
{
    struct tracked *entry = insert(4096);

    (void)state;
    assert_true(block_filter_may_have((void *)4096));
    assert_null(tracked_take(4112, TRACKED_DEAD));
    assert_ptr_equal(tracked_take(4096, TRACKED_DEAD), entry);
    assert_null(tracked_take(4096, TRACKED_DEAD));
    assert_false(block_filter_may_have((void *)4096));
    tracked_release(entry);
    assert_int_equal(tracked_count(), 0);
}

static void test_many(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= MANY; i++)
        insert(i * 16);
    assert_int_equal(tracked_count(), MANY);
    for (uint64_t i = 1; i <= MANY; i++) {
        struct tracked *entry = tracked_take(i * 16, TRACKED_DEAD);

        assert_non_null(entry);
        assert_int_equal(entry->block.key, i * 16);
        tracked_release(entry);
    }
    assert_int_equal(tracked_count(), 0);
}

static void test_an_address_that_is_there_already_comes_back(void **state)
{
    struct tracked *first = insert(32);
    struct tracked *second = tracked_make(32);

    (void)state;
    assert_ptr_equal(tracked_insert(second), first);
    assert_ptr_equal(tracked_take(32, TRACKED_DEAD), second);
}

static void test_a_name_is_of_one_life(void **state)
{
    struct tracked *entry = insert(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_true(tracked_claim(name));
    assert_false(tracked_claim(name));
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_STAYS);
    assert_false(tracked_claim(name)); /* it is major */
    assert_ptr_equal(tracked_take(64, TRACKED_DEAD), entry);
    tracked_release(entry);
    entry = insert(64);
    assert_false(tracked_claim(name));
    name.serial = entry->serial;
    assert_true(tracked_claim(name));
}

static void test_who_is_claimed_is_left_to_the_claim(void **state)
{
    struct tracked *entry = insert(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_true(tracked_claim(name));
    assert_null(tracked_take(64, TRACKED_DEAD));
    assert_true(entry->is_dead);
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_IS_CALLERS);
    assert_int_equal(tracked_count(), 0);
}

static struct tracked *insert_waiting(uint64_t key)
{
    struct tracked *entry = insert(key);

    entry->is_claimed = TRACKED_WAITS;
    return entry;
}

static void test_what_waits_is_promoted_when_its_wait_ends(void **state)
{
    struct tracked *entry = insert_waiting(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_false(tracked_claim(name));
    assert_int_equal(tracked_unclaim(entry, true, false), TRACKED_IS_PROMOTED);
    assert_false(tracked_claim(name)); /* it is being promoted */
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_STAYS);
    assert_ptr_equal(tracked_take(64, TRACKED_DEAD), entry);
}

static void test_what_died_first_is_not_promoted(void **state)
{
    struct tracked *entry = insert_waiting(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_null(tracked_take(64, TRACKED_DEAD));
    assert_false(tracked_claim(name));
    assert_int_equal(tracked_unclaim(entry, true, false), TRACKED_IS_CALLERS);
}

static void test_what_dies_later_is_promoted_first(void **state)
{
    struct tracked *entry = insert_waiting(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_false(tracked_claim(name));
    assert_null(tracked_take(64, TRACKED_DEAD));
    assert_int_equal(tracked_unclaim(entry, true, false), TRACKED_IS_PROMOTED);
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_IS_CALLERS);
}

static void test_what_is_ripe_and_not_kept_is_over(void **state)
{
    struct tracked *entry = insert_waiting(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_false(tracked_claim(name));
    assert_int_equal(tracked_unclaim(entry, false, false), TRACKED_IS_CALLERS);
    assert_null(tracked_take(64, TRACKED_DEAD));
}

static void test_what_is_lifted_may_come_back(void **state)
{
    struct tracked *entry = insert(64);

    (void)state;
    assert_ptr_equal(tracked_take(64, TRACKED_LIFTED), entry);
    assert_false(tracked_was_claimed(entry));
    assert_null(tracked_take(64, TRACKED_LIFTED));
    assert_null(tracked_insert(entry));
    assert_ptr_equal(tracked_take(64, TRACKED_DEAD), entry);
}

static struct tracked *lift_claimed(void)
{
    struct tracked *entry = insert(64);
    struct tracked_name name = { entry, entry->serial };

    assert_true(tracked_claim(name));
    assert_ptr_equal(tracked_take(64, TRACKED_LIFTED), entry);
    assert_true(tracked_was_claimed(entry));
    return entry;
}

static void test_a_claim_ends_when_its_entry_is_back(void **state)
{
    struct tracked *entry = lift_claimed();

    (void)state;
    assert_null(tracked_insert(entry));
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_STAYS);
    assert_ptr_equal(tracked_take(64, TRACKED_DEAD), entry);
}

static void test_a_claim_ends_while_its_entry_is_lifted(void **state)
{
    struct tracked *entry = lift_claimed();

    (void)state;
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_STAYS);
    assert_null(tracked_insert(entry));
    assert_ptr_equal(tracked_take(64, TRACKED_DEAD), entry);
}

static void test_what_is_dropped_is_left_to_its_claim(void **state)
{
    struct tracked *entry = lift_claimed();

    (void)state;
    assert_false(tracked_drop(entry));
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_IS_CALLERS);
    assert_int_equal(tracked_count(), 0);
}

static void test_a_claim_that_has_ended_leaves_what_is_dropped(void **state)
{
    struct tracked *entry = lift_claimed();

    (void)state;
    assert_int_equal(tracked_unclaim(entry, true, true), TRACKED_STAYS);
    assert_true(tracked_drop(entry));
}

static void test_what_is_over_does_not_come_back(void **state)
{
    struct tracked *entry = lift_claimed();

    (void)state;
    assert_int_equal(tracked_unclaim(entry, false, true), TRACKED_STAYS);
    assert_ptr_equal(tracked_insert(entry), entry);
    assert_true(tracked_drop(entry));
    assert_int_equal(tracked_count(), 0);
}

static void test_what_waits_is_ripe_while_it_is_lifted(void **state)
{
    struct tracked *entry = insert_waiting(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_ptr_equal(tracked_take(64, TRACKED_LIFTED), entry);
    assert_true(tracked_is_minor(name));
    assert_false(tracked_claim(name));
    assert_null(tracked_insert(entry));
    assert_int_equal(tracked_unclaim(entry, true, false), TRACKED_IS_PROMOTED);
}

static void test_what_is_not_kept_is_taken_out(void **state)
{
    struct tracked *entry = insert(64);
    struct tracked_name name = { entry, entry->serial };

    (void)state;
    assert_true(tracked_claim(name));
    assert_int_equal(tracked_unclaim(entry, false, true), TRACKED_IS_CALLERS);
    assert_null(tracked_take(64, TRACKED_DEAD));
    assert_int_equal(tracked_count(), 0);
}

static void test_all_of_a_profile(void **state)
{
    struct memprof *mine = (void *)&mine, *other = (void *)&other;

    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        insert(i * 16)->profile = i % 2 == 0 ? mine : other;
    tracked_release_all(mine);
    assert_int_equal(tracked_count(), 50);
    assert_null(tracked_take(32, TRACKED_DEAD));
    assert_non_null(tracked_take(16, TRACKED_DEAD));
}

/* A bulk block is not followed itself: counting does not continue for it. */
static void test_one_without_a_profile_is_not_counted(void **state)
{
    struct tracked *bulk = tracked_make(48);

    (void)state;
    bulk->profile = NULL;
    assert_null(tracked_insert(bulk));
    assert_int_equal(tracked_count(), 0);
    assert_true(tracked_is_empty());
    insert(64);
    assert_false(tracked_is_empty());
    assert_ptr_equal(tracked_take(48, TRACKED_DEAD), bulk);
    assert_int_equal(tracked_count(), 1);
}

static void test_without_memory(void **state)
{
    struct tracked *entry;

    (void)state;
    fake_port_fail_from(1);
    assert_null(tracked_make(16));
    fake_port_fail_at(2);
    entry = tracked_make(16);
    assert_ptr_equal(tracked_insert(entry), entry); /* no table */
    assert_null(tracked_take(16, TRACKED_DEAD));
    fake_port_fail_at(0);
    assert_null(tracked_insert(entry));
    assert_ptr_equal(tracked_take(16, TRACKED_DEAD), entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_inserted_is_taken_once),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_an_address_that_is_there_already_comes_back),
        cmocka_unit_test(test_a_name_is_of_one_life),
        cmocka_unit_test(test_who_is_claimed_is_left_to_the_claim),
        cmocka_unit_test(test_what_is_lifted_may_come_back),
        cmocka_unit_test(test_a_claim_ends_when_its_entry_is_back),
        cmocka_unit_test(test_a_claim_ends_while_its_entry_is_lifted),
        cmocka_unit_test(test_what_is_dropped_is_left_to_its_claim),
        cmocka_unit_test(test_a_claim_that_has_ended_leaves_what_is_dropped),
        cmocka_unit_test(test_what_is_over_does_not_come_back),
        cmocka_unit_test(test_what_waits_is_ripe_while_it_is_lifted),
        cmocka_unit_test(test_what_waits_is_promoted_when_its_wait_ends),
        cmocka_unit_test(test_what_died_first_is_not_promoted),
        cmocka_unit_test(test_what_dies_later_is_promoted_first),
        cmocka_unit_test(test_what_is_ripe_and_not_kept_is_over),
        cmocka_unit_test(test_what_is_not_kept_is_taken_out),
        cmocka_unit_test(test_all_of_a_profile),
        cmocka_unit_test(test_one_without_a_profile_is_not_counted),
        cmocka_unit_test(test_without_memory),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
