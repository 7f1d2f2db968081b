/* SPDX-License-Identifier: Apache-2.0 */
/* test_load_ledger.c - ledgers built by hand become rows and totals */
#include "tool/model/sources/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"

struct fixture {
    struct fake_ledger *ledger;
    struct profile *profile;
};

static int create(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    fixture->ledger = fake_ledger_create(2);
    fixture->profile = profile_create();
    *state = fixture;
    return 0;
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;

    fake_ledger_destroy(fixture->ledger);
    profile_destroy(fixture->profile);
    free(fixture);
    return 0;
}

static void load(struct fixture *fixture)
{
    struct source_failure failure;

    assert_int_equal(load_ledger(fixture->ledger->bytes, fixture->ledger->size,
                                 fixture->profile, &failure),
                     0);
}

static uint32_t add_site(struct fixture *fixture, uint32_t kind,
                         uint32_t module, uint64_t address,
                         struct ledger_counter counter)
{
    uint32_t id = fake_ledger_add_site(fixture->ledger, kind, module, address);

    *fake_ledger_counter(fixture->ledger, id, id % 2) = counter;
    return id;
}

static void heap_and_maps_have_totals_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;

    add_site(fixture, LEDGER_SITE_HEAP, 0, 1,
             (struct ledger_counter){ 10, 1000, 4, 400 });
    add_site(fixture, LEDGER_SITE_HEAP, 0, 2,
             (struct ledger_counter){ 1, 7, 0, 0 });
    add_site(fixture, LEDGER_SITE_MAP, 0, 1,
             (struct ledger_counter){ 2, 8192, 1, 4096 });
    load(fixture);
    profile_finish(profile);

    assert_int_equal(profile->site_count, 3);
    assert_int_equal(profile->heap.alloc_blocks, 11);
    assert_int_equal(profile->heap.alloc_bytes, 1007);
    assert_int_equal(profile->heap.free_blocks, 4);
    assert_int_equal(profile->heap.free_bytes, 400);
    assert_int_equal(profile->heap.live_blocks, 7);
    assert_int_equal(profile->heap.live_bytes, 607);
    assert_int_equal(profile->maps.live_blocks, 1);
    assert_int_equal(profile->maps.live_bytes, 4096);
}

static void ids_of_one_place_are_one_row(void **state)
{
    struct fixture *fixture = *state;
    uint32_t module =
        fake_ledger_add_module(fixture->ledger, "/lib/x", "id", 0x1000);

    add_site(fixture, LEDGER_SITE_HEAP, module, 0x1010,
             (struct ledger_counter){ 1, 10, 0, 0 });
    add_site(fixture, LEDGER_SITE_HEAP, module, 0x1010,
             (struct ledger_counter){ 2, 20, 0, 0 });
    load(fixture);
    profile_finish(fixture->profile);

    assert_int_equal(fixture->profile->site_count, 1);
    assert_int_equal(fixture->profile->sites[0].place, 0x10);
    assert_int_equal(fixture->profile->sites[0].amounts.live_blocks, 3);
    assert_int_equal(fixture->profile->sites[0].amounts.live_bytes, 30);
}

/* A file loaded twice, at two addresses, is one module. */
static void a_module_is_known_by_path_and_build_id(void **state)
{
    struct fixture *fixture = *state;
    struct fake_ledger *ledger = fixture->ledger;
    struct profile *profile = fixture->profile;
    uint32_t first = fake_ledger_add_module(ledger, "/lib/x", "id", 0x1000);
    uint32_t again = fake_ledger_add_module(ledger, "/lib/x", "id", 0x9000);
    uint32_t newer = fake_ledger_add_module(ledger, "/lib/x", "ID", 0x1000);
    uint32_t other = fake_ledger_add_module(ledger, "/lib/y", "id", 0x1000);
    struct ledger_counter one = { 1, 1, 0, 0 };

    add_site(fixture, LEDGER_SITE_HEAP, first, 0x1010, one);
    add_site(fixture, LEDGER_SITE_HEAP, again, 0x9010, one);
    add_site(fixture, LEDGER_SITE_HEAP, newer, 0x1010, one);
    add_site(fixture, LEDGER_SITE_HEAP, other, 0x1010, one);
    load(fixture);

    assert_int_equal(profile->module_count, 3);
    assert_int_equal(profile->site_count, 3);
    assert_int_equal(profile->sites[0].amounts.alloc_blocks, 2);
    assert_string_equal(profile->modules[2].path, "/lib/y");
}

static void two_images_add_up(void **state)
{
    struct fixture *fixture = *state;
    uint32_t module =
        fake_ledger_add_module(fixture->ledger, "/lib/x", "id", 0x1000);

    add_site(fixture, LEDGER_SITE_HEAP, module, 0x1010,
             (struct ledger_counter){ 3, 30, 1, 10 });
    fixture->ledger->header->counts[LEDGER_COUNT_lost_frees] = 2;
    fake_ledger_add_notice(fixture->ledger, LEDGER_NOTICE_deepbind, "x");
    load(fixture);
    fake_ledger_module(fixture->ledger, module)->bias = 0x500;
    fake_ledger_site(fixture->ledger, 1)->address = 0x510;
    load(fixture);
    profile_finish(fixture->profile);

    assert_int_equal(fixture->profile->image_count, 2);
    assert_int_equal(fixture->profile->site_count, 1);
    assert_int_equal(fixture->profile->heap.live_blocks, 4);
    assert_int_equal(fixture->profile->counts[LEDGER_COUNT_lost_frees], 4);
    assert_int_equal(fixture->profile->notice_count, 1);
    assert_int_equal(fixture->profile->notices[0].times, 2);
}

static void inherited_blocks_are_live_and_no_allocations(void **state)
{
    struct fixture *fixture = *state;
    uint32_t id = add_site(fixture, LEDGER_SITE_HEAP, 0, 1,
                           (struct ledger_counter){ 1, 10, 2, 200 });

    fake_ledger_site(fixture->ledger, id)->inherited_blocks = 5;
    fake_ledger_site(fixture->ledger, id)->inherited_bytes = 500;
    load(fixture);
    profile_finish(fixture->profile);

    assert_true(profile_has_inherited(fixture->profile));
    assert_int_equal(fixture->profile->heap.alloc_blocks, 1);
    assert_int_equal(fixture->profile->heap.live_blocks, 4);
    assert_int_equal(fixture->profile->heap.live_bytes, 310);
}

static void below_zero_is_shown_when_the_program_has_ended(void **state)
{
    struct fixture *fixture = *state;

    add_site(fixture, LEDGER_SITE_HEAP, 0, 1,
             (struct ledger_counter){ 1, 10, 2, 30 });
    load(fixture);
    profile_finish(fixture->profile);
    assert_false(profile_is_running(fixture->profile));
    assert_int_equal(fixture->profile->sites[0].amounts.live_blocks, -1);
    assert_int_equal(fixture->profile->sites[0].amounts.live_bytes, -20);
    assert_int_equal(fixture->profile->torn_sites, 0);
}

static void below_zero_is_a_torn_reading_while_the_program_runs(void **state)
{
    struct fixture *fixture = *state;

    fixture->ledger->header->ended = 0;
    add_site(fixture, LEDGER_SITE_HEAP, 0, 1,
             (struct ledger_counter){ 1, 10, 2, 30 });
    add_site(fixture, LEDGER_SITE_HEAP, 0, 2,
             (struct ledger_counter){ 1, 10, 0, 0 });
    load(fixture);
    profile_finish(fixture->profile);
    assert_true(profile_is_running(fixture->profile));
    assert_int_equal(fixture->profile->sites[0].amounts.live_blocks, 0);
    assert_int_equal(fixture->profile->sites[0].amounts.live_bytes, 0);
    assert_int_equal(fixture->profile->sites[1].amounts.live_bytes, 10);
    assert_int_equal(fixture->profile->torn_sites, 1);
}

static void the_image_is_described(void **state)
{
    struct fixture *fixture = *state;
    const struct profile_image *image;
    uint32_t module =
        fake_ledger_add_module(fixture->ledger, "/bin/fake", "", 0);

    add_site(fixture, LEDGER_SITE_HEAP, module, 1,
             (struct ledger_counter){ 0 });
    load(fixture);
    image = &fixture->profile->images[0];
    assert_int_equal(image->pid, 4242);
    assert_string_equal(image->program, "/bin/fake");
    assert_string_equal(image->command_line, "fake -x");
    assert_true(image->has_ended);
    assert_true(fixture->profile->modules[0].is_executable);
}

static void a_site_of_no_module_keeps_its_address(void **state)
{
    struct fixture *fixture = *state;

    add_site(fixture, LEDGER_SITE_HEAP, 0, 0x7fff1000,
             (struct ledger_counter){ 0 });
    load(fixture);
    assert_int_equal(fixture->profile->sites[0].module, PROFILE_NO_MODULE);
    assert_int_equal(fixture->profile->sites[0].place, 0x7fff1000);
}

/* More than the first table holds, so that it grows. */
static void many_places_stay_apart(void **state)
{
    struct fixture *fixture = *state;

    for (uint64_t i = 0; i < 1000; i++)
        add_site(fixture, LEDGER_SITE_HEAP, 0, i * 4096,
                 (struct ledger_counter){ 1, i, 0, 0 });
    load(fixture);
    load(fixture);
    assert_int_equal(fixture->profile->site_count, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(fixture->profile->sites[i].amounts.alloc_bytes, 2 * i);
}

static void damage_is_told_with_its_place(void **state)
{
    struct fixture *fixture = *state;
    struct source_failure failure;

    fixture->ledger->header->shard_count = 0;
    assert_int_equal(load_ledger(fixture->ledger->bytes, fixture->ledger->size,
                                 fixture->profile, &failure),
                     -1);
    assert_string_equal(failure.why, "the recording's header is inconsistent");
    assert_true(failure.has_offset);
    assert_int_equal(failure.offset, 32);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(heap_and_maps_have_totals_of_their_own),
        TEST(ids_of_one_place_are_one_row),
        TEST(a_module_is_known_by_path_and_build_id),
        TEST(two_images_add_up),
        TEST(inherited_blocks_are_live_and_no_allocations),
        TEST(below_zero_is_shown_when_the_program_has_ended),
        TEST(below_zero_is_a_torn_reading_while_the_program_runs),
        TEST(the_image_is_described),
        TEST(a_site_of_no_module_keeps_its_address),
        TEST(many_places_stay_apart),
        TEST(damage_is_told_with_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
