/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_site_table.c - the table against a plain array
 *
 * For each key of a small address space, the model keeps the active id and the
 * dormant ids. test_site_table_threads.c has several threads.
 */
#include "core/accounts/site_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tally/error.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

enum {
    STEPS = 100000,
    PLACES = 40000,
    ASLEEP_LIMIT = 8, /* dormant places under one key */
    SPACING = 5,      /* between keys, so that probes collide */
};

#define CODE_START UINT64_C(0x7f0000001000)

struct place {
    uint32_t awake;
    uint32_t asleep[ASLEEP_LIMIT];
    unsigned asleep_count;
};

struct model {
    struct place places[PLACES];
    uint32_t next_id;
};

static struct site_table table;
static uint32_t first_slots; /* slots before the table first grows */
static struct model model;

static uintptr_t key_of(uint32_t place)
{
    return (uintptr_t)CODE_START + (uintptr_t)place * SPACING;
}

static int open_table(void **state)
{
    (void)state;
    fake_port_reset();
    memset(&table, 0, sizeof table);
    memset(&model, 0, sizeof model);
    assert_int_equal(site_table_open(&table, SITE_TABLE_LARGE), TALLY_OK);
    first_slots = (uint32_t)table.mask + 1;
    return 0;
}

static bool is_id(uint32_t id, void *wanted)
{
    return id == *(uint32_t *)wanted;
}

static bool is_any(uint32_t id, void *context)
{
    (void)context;
    return id != 0;
}

static uint32_t wake_any(uintptr_t key)
{
    return site_table_wake(&table, key, is_any, NULL);
}

static void check_place(uint32_t place)
{
    uint32_t found = site_table_find(&table, key_of(place));

    assert_int_equal(site_table_search(&table, key_of(place)),
                     model.places[place].awake);
    if (found != 0) /* the first probe may miss, but must not be wrong */
        assert_int_equal(found, model.places[place].awake);
}

static void enter_place(uint32_t place)
{
    uint32_t id = ++model.next_id;
    uint32_t entered = site_table_enter(&table, key_of(place), id);

    if (model.places[place].awake == 0)
        model.places[place].awake = id;
    assert_int_equal(entered, model.places[place].awake);
}

/* Make places [first, last) dormant, unless one of them has no room in the
   model. */
static void sleep_places(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        if (model.places[i].asleep_count == ASLEEP_LIMIT)
            return;
    }
    site_table_sleep(&table, key_of(first), key_of(last));
    for (uint32_t i = first; i < last; i++) {
        struct place *place = &model.places[i];

        if (place->awake != 0)
            place->asleep[place->asleep_count++] = place->awake;
        place->awake = 0;
    }
}

/* Wake one of the dormant ids of a place without an active id. */
static void wake_place(uint32_t number, struct random_sequence *random)
{
    struct place *place = &model.places[number];
    uint32_t wanted = ++model.next_id; /* unused */
    unsigned at;

    assert_int_equal(site_table_wake(&table, key_of(number), is_id, &wanted),
                     0);
    if (place->awake != 0 || place->asleep_count == 0)
        return;
    at = random_below(random, place->asleep_count);
    wanted = place->asleep[at];
    assert_int_equal(site_table_wake(&table, key_of(number), is_id, &wanted),
                     wanted);
    place->awake = wanted;
    place->asleep[at] = place->asleep[--place->asleep_count];
}

static void random_steps_agree_with_the_model(void **state)
{
    struct random_sequence random = { 7 };

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t place = random_below(&random, PLACES);
        uint32_t kind = random_below(&random, 16);

        if (kind < 9)
            enter_place(place);
        else if (kind < 10)
            wake_place(place, &random);
        else if (kind < 11 && step % 8 == 0)
            sleep_places(place,
                         place + random_below(&random, PLACES - place) % 64);
        check_place(place);
        check_place(random_below(&random, PLACES));
    }
    for (uint32_t place = 0; place < PLACES; place++)
        check_place(place);
    assert_true(table.mask + 1 >= first_slots * 4);
}

static void an_entered_key_keeps_its_first_id(void **state)
{
    (void)state;
    assert_int_equal(site_table_search(&table, 4096), 0);
    assert_int_equal(site_table_enter(&table, 4096, 5), 5);
    assert_int_equal(site_table_enter(&table, 4096, 6), 5);
    assert_int_equal(site_table_search(&table, 4096), 5);
    assert_int_equal(site_table_find(&table, 4096), 5);
    assert_int_equal(site_table_search(&table, 4097), 0);
    assert_int_equal(site_table_find(&table, 4097), 0);
}

static void a_table_not_yet_open_has_nothing(void **state)
{
    (void)state;
    fake_port_reset();
    memset(&table, 0, sizeof table);
    assert_int_equal(site_table_search(&table, 4096), 0);
    site_table_sleep(&table, 1, UINTPTR_MAX);
    fake_port_fail_at(1);
    assert_int_equal(site_table_open(&table, SITE_TABLE_LARGE),
                     TALLY_E_NO_MEMORY);
    assert_int_equal(site_table_search(&table, 4096), 0);
    assert_int_equal(site_table_open(&table, SITE_TABLE_LARGE), TALLY_OK);
    assert_int_equal(site_table_enter(&table, 4096, 1), 1);
}

/* Keys that all hash to one slot, at the end of the table. */
static void colliding_keys_wrap_around(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 100; i++) {
        uintptr_t key = (uintptr_t)i * first_slots + first_slots - 1;

        assert_int_equal(site_table_enter(&table, key, i), i);
    }
    for (uint32_t i = 1; i <= 100; i++) {
        uintptr_t key = (uintptr_t)i * first_slots + first_slots - 1;

        assert_int_equal(site_table_search(&table, key), i);
    }
}

static void growing_keeps_every_key_awake_or_asleep(void **state)
{
    uint32_t keys = first_slots * 9;

    (void)state;
    for (uint32_t i = 1; i <= keys; i++) {
        assert_int_equal(site_table_enter(&table, (uintptr_t)i * 16, i), i);
        if (i == 1000)
            site_table_sleep(&table, 16, 16 * 501);
    }
    assert_int_equal(table.mask + 1, first_slots * 32);
    for (uint32_t i = 1; i <= keys; i++) {
        uintptr_t key = (uintptr_t)i * 16;

        assert_int_equal(site_table_search(&table, key), i <= 500 ? 0 : i);
        if (i <= 500)
            assert_int_equal(wake_any(key), i);
    }
}

static void sleep_hides_only_its_range(void **state)
{
    (void)state;
    site_table_enter(&table, 100, 1);
    site_table_enter(&table, 200, 2);
    site_table_enter(&table, 300, 3);
    site_table_sleep(&table, 100, 300);
    assert_int_equal(site_table_search(&table, 100), 0);
    assert_int_equal(site_table_search(&table, 200), 0);
    assert_int_equal(site_table_search(&table, 300), 3);
    assert_int_equal(wake_any(300), 0);
    assert_int_equal(wake_any(400), 0);
    assert_int_equal(wake_any(200), 2);
    assert_int_equal(wake_any(200), 0);
    assert_int_equal(site_table_search(&table, 200), 2);
    assert_int_equal(site_table_search(&table, 100), 0);
}

static void several_places_sleep_under_one_key(void **state)
{
    uint32_t wanted = 1;

    (void)state;
    for (uint32_t id = 1; id <= 3; id++) {
        assert_int_equal(site_table_enter(&table, 100, id), id);
        site_table_sleep(&table, 1, 4096);
    }
    assert_int_equal(site_table_wake(&table, 100, is_id, &wanted), 1);
    assert_int_equal(site_table_search(&table, 100), 1);
}

/* Neither place is lost when the table grows. */
static void growing_keeps_all_that_sleep_under_one_key(void **state)
{
    uint32_t wanted;

    (void)state;
    for (uint32_t id = 1; id <= 3; id++) {
        site_table_enter(&table, 100, id);
        site_table_sleep(&table, 1, 4096);
    }
    for (uint32_t id = 10; id < first_slots; id++)
        assert_int_equal(site_table_enter(&table, 4096 + id, id), id);
    assert_true(table.mask >= first_slots);
    for (wanted = 1; wanted <= 3; wanted++) {
        assert_int_equal(site_table_wake(&table, 100, is_id, &wanted), wanted);
        site_table_sleep(&table, 1, 4096);
    }
}

/* Enter consecutive keys until one is refused. */
static uint32_t fill(void)
{
    uint32_t id = 1;

    while (id < 10 * first_slots &&
           site_table_enter(&table, (uintptr_t)id * 16, id) == id)
        id++;
    return id - 1;
}

static void assert_filled(uint32_t count)
{
    for (uint32_t id = 1; id <= count; id++)
        assert_int_equal(site_table_search(&table, (uintptr_t)id * 16), id);
    assert_int_equal(site_table_search(&table, (uintptr_t)(count + 1) * 16), 0);
}

/*
 * Without memory the table fills past a half, refuses, and recovers. A place
 * may be opened while another thread grows the table.
 */
static void a_table_that_cannot_grow_refuses(void **state)
{
    uint32_t filled;

    (void)state;
    fake_port_fail_from(1);
    filled = fill();
    assert_in_range(filled, first_slots / 2, first_slots - 1);
    assert_filled(filled);
    assert_int_equal(site_table_enter(&table, 16, 999), 0);
    assert_false(site_table_takes_more(&table));
    table.growing = 1;
    assert_true(site_table_takes_more(&table));
    table.growing = 0;
    fake_port_fail_from(0);
    assert_true(site_table_takes_more(&table));
    assert_int_equal(site_table_enter(&table, 16, 999), 1);
    assert_int_equal(
        site_table_enter(&table, (uintptr_t)(filled + 1) * 16, filled + 1),
        filled + 1);
    assert_filled(filled + 1);
}

static uint32_t filled_meanwhile;

static void fill_meanwhile(void)
{
    filled_meanwhile = fill();
}

/* Other threads fill the new room: it grows again, and refuses none. */
static void room_that_others_fill_is_made_again(void **state)
{
    uint32_t half = first_slots / 2;

    (void)state;
    for (uint32_t id = 1; id <= half; id++)
        assert_int_equal(site_table_enter(&table, (uintptr_t)id * 16, id), id);
    fake_port_at_forget(fill_meanwhile);
    assert_true(site_table_takes_more(&table));
    assert_int_equal(filled_meanwhile, first_slots * 2 * 7 / 8);
    assert_int_equal(table.mask + 1, first_slots * 4);
    assert_int_equal(table.growing, 0);
    assert_filled(filled_meanwhile);
    assert_int_equal(site_table_enter(&table, 8, 999), 999);
}

/* If any request fails, growth is tried again and nothing is lost. */
static void one_failed_request_is_made_up_for(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 4; n++) {
        uint32_t keys = first_slots * 4;

        open_table(state);
        fake_port_fail_at(n);
        for (uint32_t id = 1; id <= keys; id++)
            assert_int_equal(site_table_enter(&table, (uintptr_t)id * 16, id),
                             id);
        assert_filled(keys);
        assert_int_equal(fake_port_requests(), n <= 3 ? 5 : 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_not_yet_open_has_nothing),
        cmocka_unit_test_setup(an_entered_key_keeps_its_first_id, open_table),
        cmocka_unit_test_setup(colliding_keys_wrap_around, open_table),
        cmocka_unit_test_setup(sleep_hides_only_its_range, open_table),
        cmocka_unit_test_setup(several_places_sleep_under_one_key, open_table),
        cmocka_unit_test_setup(growing_keeps_every_key_awake_or_asleep,
                               open_table),
        cmocka_unit_test_setup(growing_keeps_all_that_sleep_under_one_key,
                               open_table),
        cmocka_unit_test_setup(a_table_that_cannot_grow_refuses, open_table),
        cmocka_unit_test_setup(room_that_others_fill_is_made_again, open_table),
        cmocka_unit_test_setup(one_failed_request_is_made_up_for, open_table),
        cmocka_unit_test_setup(random_steps_agree_with_the_model, open_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
