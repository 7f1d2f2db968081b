/* SPDX-License-Identifier: Apache-2.0 */
/* test_load_stacks.c - frames built by hand become stacks, each once */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"
#include "tool/model/sources/sources.h"

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

static uint32_t add_site(struct fixture *fixture, uint64_t address,
                         uint32_t frame, uint64_t bytes)
{
    uint32_t id =
        fake_ledger_add_site(fixture->ledger, LEDGER_SITE_HEAP, 0, address);

    fake_ledger_site(fixture->ledger, id)->frame = frame;
    *fake_ledger_counter(fixture->ledger, id, 0) =
        (struct ledger_counter){ 1, bytes, 0, 0 };
    return id;
}

/* Compare the addresses of a stack, innermost first, with the expected ones, up
   to a 0. */
static void check_stack(const struct profile *profile, size_t number,
                        const uint64_t *expected, bool is_cut)
{
    const struct stacks *stacks = &profile->stacks;
    const struct profile_stack *stack = &stacks->stacks[number];
    uint32_t place = stack->place, frame = stack->frame;

    for (;; expected++) {
        assert_int_equal(stacks->places[place].address, *expected);
        if (!stacks_is_frame(frame))
            break;
        place = stacks->frames[frame].place;
        frame = stacks->frames[frame].parent;
    }
    assert_int_equal(expected[1], 0);
    assert_int_equal(stacks_is_cut(stacks, stack, NULL), is_cut);
}

static void a_ledger_without_the_flag_has_none(void **state)
{
    struct fixture *fixture = *state;

    add_site(fixture, 0x10, fake_ledger_add_frame(fixture->ledger, 0, 0, 0x20),
             5);
    fixture->ledger->header->flags = 0;
    load(fixture);
    assert_false(fixture->profile->has_stacks);
    assert_int_equal(fixture->profile->stacks.stack_count, 0);
    assert_int_equal(fixture->profile->stacks.frame_count, 0);
}

static void ids_of_one_stack_are_one(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;
    uint32_t root = fake_ledger_add_frame(fixture->ledger, 0, 0, 0x30);
    uint32_t a = fake_ledger_add_frame(fixture->ledger, root, 0, 0x20);
    uint32_t twin_root = fake_ledger_add_frame(fixture->ledger, 0, 0, 0x30);
    uint32_t twin = fake_ledger_add_frame(fixture->ledger, twin_root, 0, 0x20);
    uint32_t b = fake_ledger_add_frame(fixture->ledger, root, 0, 0x21);

    add_site(fixture, 0x10, a, 5);
    add_site(fixture, 0x10, twin, 7);
    add_site(fixture, 0x10, b, 11);
    add_site(fixture, 0x10, 0, 13);
    load(fixture);
    profile_finish(profile);
    assert_int_equal(profile->site_count, 1);
    assert_int_equal(profile->sites[0].amounts.live_bytes, 36);
    assert_int_equal(profile->stacks.stack_count, 3);
    assert_int_equal(profile->stacks.frame_count, 4);
    assert_int_equal(profile->stacks.place_count, 4);
    assert_int_equal(profile->stacks.stacks[0].amounts.live_bytes, 12);
    check_stack(profile, 0, (uint64_t[]){ 0x10, 0x20, 0x30, 0 }, false);
    assert_int_equal(profile->stacks.stacks[1].amounts.live_bytes, 11);
    check_stack(profile, 1, (uint64_t[]){ 0x10, 0x21, 0x30, 0 }, false);
    assert_int_equal(profile->stacks.stacks[2].amounts.live_bytes, 13);
    check_stack(profile, 2, (uint64_t[]){ 0x10, 0 }, false);
    assert_int_equal(profile->cut_stacks, 0);
}

static void what_could_not_be_followed_is_cut(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;
    uint32_t cut =
        fake_ledger_add_frame(fixture->ledger, LEDGER_FRAME_CUT, 0, 0x20);
    uint32_t gap = fake_ledger_add_frame(fixture->ledger, 0, 0, 0);

    add_site(fixture, 0x10, cut, 1);
    add_site(fixture, 0x11, LEDGER_FRAME_CUT, 1);
    add_site(fixture, 0x12, gap, 1);
    add_site(fixture, 0x13, 77777, 1);
    load(fixture);
    profile_finish(profile);
    check_stack(profile, 0, (uint64_t[]){ 0x10, 0x20, 0 }, true);
    check_stack(profile, 1, (uint64_t[]){ 0x11, 0 }, true);
    check_stack(profile, 2, (uint64_t[]){ 0x12, 0 }, true);
    check_stack(profile, 3, (uint64_t[]){ 0x13, 0 }, true);
    assert_int_equal(profile->cut_stacks, 4);
}

static void frames_are_known_by_their_file(void **state)
{
    struct fixture *fixture = *state;
    const struct stacks *stacks = &fixture->profile->stacks;
    uint32_t module =
        fake_ledger_add_module(fixture->ledger, "/lib/x", "", 0x1000);

    add_site(fixture, 0x10,
             fake_ledger_add_frame(fixture->ledger, 0, module, 0x1020), 1);
    load(fixture);
    assert_int_equal(stacks->places[stacks->frames[1].place].address, 0x20);
    assert_int_equal(stacks->places[stacks->frames[1].place].module, 0);
    assert_string_equal(fixture->profile->modules[0].path, "/lib/x");
}

static void a_site_that_the_source_names_is_a_stack_of_one(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;
    uint32_t id = add_site(
        fixture, 0x10, fake_ledger_add_frame(fixture->ledger, 0, 0, 0x20), 9);

    fake_ledger_site(fixture->ledger, id)->place =
        fake_ledger_text(fixture->ledger, "a.c\0f\0", 6);
    load(fixture);
    assert_int_equal(profile->stacks.stack_count, 1);
    assert_int_equal(profile->stacks.stacks[0].place, STACK_NO_PLACE);
    assert_int_equal(profile->stacks.stacks[0].frame, STACK_WHOLE);
    assert_string_equal(profile->sites[0].label->function, "f");
}

static void peak_and_temporary_blocks_are_added_up(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;
    uint32_t a = add_site(fixture, 0x10, 0, 5);
    uint32_t b = add_site(fixture, 0x10, 0, 7);

    fixture->ledger->header->flags = LEDGER_FLAG_STACKS;
    fixture->ledger->header->peak_bytes = 1000;
    fixture->ledger->header->peak_uncertainty = 3;
    fixture->ledger->header->peak_copied = 500;
    *fake_ledger_peak(fixture->ledger, a) = (struct ledger_peak){ 2, 200 };
    *fake_ledger_peak(fixture->ledger, b) = (struct ledger_peak){ 3, 300 };
    *fake_ledger_temporary(fixture->ledger, a, 0) = 4;
    *fake_ledger_temporary(fixture->ledger, b, 1) = 5;
    load(fixture);
    profile_finish(profile);
    assert_true(profile->has_peaks);
    assert_true(profile->has_temporary);
    assert_int_equal(profile->peak_bytes, 1000);
    assert_int_equal(profile->peak_uncertainty, 3);
    assert_int_equal(profile->sites[0].amounts.peak_blocks, 5);
    assert_int_equal(profile->sites[0].amounts.peak_bytes, 500);
    assert_int_equal(profile->sites[0].amounts.temporary_blocks, 9);
    assert_int_equal(profile->stacks.stacks[0].amounts.peak_bytes, 500);
    assert_int_equal(profile->heap.temporary_blocks, 9);
    load(fixture); /* another image: its peak was at another time */
    assert_false(profile->has_peaks);
    assert_int_equal(profile->peak_bytes, 0);
    assert_true(profile->has_temporary);
}

/* A heap that only grows is not copied. */
static void what_is_live_is_the_peak(void **state)
{
    struct fixture *fixture = *state;
    struct ledger_header *header = fixture->ledger->header;
    uint32_t site = add_site(fixture, 0x10, 0, 5);

    header->flags = LEDGER_FLAG_STACKS;
    header->peak_bytes = header->live_bytes = 1000;
    header->peak_copied = 900;
    *fake_ledger_peak(fixture->ledger, site) = (struct ledger_peak){ 2, 200 };
    fake_ledger_counter(fixture->ledger, site, 0)->alloc_bytes = 1000;
    load(fixture);
    assert_true(fixture->profile->has_peaks);
    assert_int_equal(fixture->profile->peak_copied, 1000);
    profile_finish(fixture->profile);
    assert_int_equal(fixture->profile->sites[0].amounts.peak_bytes, 1000);
}

static void what_is_not_known_is_not_zero(void **state)
{
    struct fixture *fixture = *state;

    add_site(fixture, 0x10, 0, 5);
    load(fixture);
    assert_false(fixture->profile->has_peaks);
    assert_false(fixture->profile->has_temporary);
}

static void stacks_may_come_behind_an_image_without(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;

    add_site(fixture, 0x10, 0, 5);
    load(fixture);
    fake_ledger_site(fixture->ledger, 1)->frame =
        fake_ledger_add_frame(fixture->ledger, 0, 0, 0x20);
    load(fixture);
    profile_finish(profile);
    assert_int_equal(profile->stacks.stack_count, 2);
    check_stack(profile, 0, (uint64_t[]){ 0x10, 0 }, false);
    check_stack(profile, 1, (uint64_t[]){ 0x10, 0x20, 0 }, false);
    assert_int_equal(profile->sites[0].amounts.live_bytes, 10);
}

/* Impossible chains, so that a file cannot make the reader loop. */
static void what_is_too_deep_is_cut(void **state)
{
    struct fixture *fixture = *state;
    struct profile *profile = fixture->profile;
    uint32_t frame = 0, depth = 0;

    for (uint32_t i = 1; i <= 70000; i++)
        frame = fake_ledger_add_frame(fixture->ledger, frame, 0, i);
    add_site(fixture, 0x10, frame, 5);
    load(fixture);
    profile_finish(profile);
    assert_int_equal(profile->cut_stacks, 1);
    frame = profile->stacks.stacks[0].frame;
    for (; stacks_is_frame(frame); depth++)
        frame = profile->stacks.frames[frame].parent;
    assert_int_equal(depth, 70000 - 65536);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_without_the_flag_has_none),
        TEST(ids_of_one_stack_are_one),
        TEST(what_could_not_be_followed_is_cut),
        TEST(frames_are_known_by_their_file),
        TEST(a_site_that_the_source_names_is_a_stack_of_one),
        TEST(peak_and_temporary_blocks_are_added_up),
        TEST(what_is_live_is_the_peak),
        TEST(what_is_not_known_is_not_zero),
        TEST(stacks_may_come_behind_an_image_without),
        TEST(what_is_too_deep_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
