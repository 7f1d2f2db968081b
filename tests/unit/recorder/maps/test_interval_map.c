/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_interval_map.c - pieces of address space, compared with a page-by-page
 * model
 *
 * The model stores the insertion of each page. A piece is a run of pages of one
 * insertion: a hole in the middle makes two.
 */
#include "recorder/maps/interval_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"
#include "tests/fakes/random_sequence.h"

enum { PAGES = 512, SITES = 6, STEPS = 100000, FIRST_CAPACITY = 128 };

#define BASE UINT64_C(0x7f1234560000)

struct sums {
    int64_t pieces[SITES];
    int64_t bytes[SITES];
};

static struct interval_map map;
static struct sums told;
static struct interval_map before; /* the change, in separate memory */
static unsigned forks;

static uint32_t insertion_of[PAGES]; /* 0: none */
static uint32_t site_of[PAGES];
static uint32_t insertions;

/* Copy the map as a fork does. */
static struct interval_map clone(const struct interval_map *of)
{
    struct interval_map made = *of;
    size_t size = 2 * of->capacity * sizeof *of->items;

    made.items = malloc(size + 1);
    assert_non_null(made.items);
    if (size != 0)
        memcpy(made.items, of->items, size);
    return made;
}

static void assert_child_has(struct interval_map child,
                             const struct interval_map *expected)
{
    interval_map_recover(&child);
    assert_int_equal(child.change, INTERVAL_CHANGE_NONE);
    for (unsigned half = 0; half < 2; half++) {
        assert_int_equal(half == 0 ? child.count : child.copy_count,
                         expected->count);
        if (expected->count != 0)
            assert_memory_equal(child.items + half * child.capacity,
                                expected->items,
                                expected->count * sizeof *child.items);
    }
    free(child.items);
}

/* A fork during a change gives the child the state before it. */
static void on_change(uint32_t site, int64_t pieces, int64_t bytes)
{
    assert_true(site < SITES);
    told.pieces[site] += pieces;
    told.bytes[site] += bytes;
    if (before.items != NULL) {
        assert_child_has(clone(&map), &before);
        forks++;
    }
}

static uintptr_t address_of(uint32_t page)
{
    return (uintptr_t)BASE + (uintptr_t)page * 4096;
}

static int open_map(void **state)
{
    (void)state;
    fake_port_reset();
    map = (struct interval_map){ .on_change = on_change };
    told = (struct sums){ 0 };
    forks = 0;
    memset(insertion_of, 0, sizeof insertion_of);
    memset(site_of, 0, sizeof site_of);
    return 0;
}

static void model_set(uint32_t first, uint32_t last, uint32_t site)
{
    uint32_t insertion = site == 0 ? 0 : ++insertions;

    for (uint32_t page = first; page < last; page++) {
        insertion_of[page] = insertion;
        site_of[page] = site;
    }
}

static bool is_piece_start(uint32_t page)
{
    return insertion_of[page] != 0 &&
           (page == 0 || insertion_of[page] != insertion_of[page - 1]);
}

static void assert_items_sorted(void)
{
    assert_true(map.count <= map.capacity);
    for (size_t i = 0; i < map.count; i++) {
        assert_true(map.items[i].start < map.items[i].end);
        if (i > 0)
            assert_true(map.items[i - 1].end <= map.items[i].start);
    }
}

static void assert_equals_model(void)
{
    struct sums expected = { 0 };
    size_t pieces = 0;

    for (uint32_t page = 0; page < PAGES; page++) {
        if (is_piece_start(page)) {
            expected.pieces[site_of[page]]++;
            assert_true(pieces < map.count);
            assert_int_equal(map.items[pieces++].start, address_of(page));
        }
        expected.bytes[site_of[page]] += site_of[page] == 0 ? 0 : 4096;
    }
    assert_int_equal(map.count, pieces);
    for (uint32_t site = 0; site < SITES; site++) {
        assert_int_equal(told.pieces[site], expected.pieces[site]);
        assert_int_equal(told.bytes[site], expected.bytes[site]);
    }
}

static uint32_t owner_of(uintptr_t address)
{
    return interval_map_clip(&map, address, address).site;
}

static void assert_owners(void)
{
    for (uint32_t page = 0; page < PAGES; page++) {
        assert_int_equal(owner_of(address_of(page)), site_of[page]);
        assert_int_equal(owner_of(address_of(page) + 4095), site_of[page]);
    }
    assert_int_equal(owner_of(address_of(0) - 1), 0);
    assert_int_equal(owner_of(address_of(PAGES)), 0);
}

static void random_steps_agree_with_the_model(void **state)
{
    struct random_sequence random = { 4096 };

    (void)state;
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t first = random_below(&random, PAGES);
        uint32_t most = step % 64 == 0 ? PAGES : 8;
        uint32_t last = first + random_below(&random, most);
        uint32_t site = random_below(&random, SITES); /* 0: remove */

        before = clone(&map);
        if (last > PAGES)
            last = PAGES;
        if (site == 0)
            assert_true(interval_map_assign(&map, address_of(first),
                                            address_of(last), 0));
        else
            assert_true(interval_map_assign(&map, address_of(first),
                                            address_of(last), site));
        model_set(first, last, site);
        free(before.items);
        before.items = NULL;
        assert_child_has(clone(&map), &map);
        assert_items_sorted();
        assert_equals_model();
        if (step % 256 == 0)
            assert_owners();
    }
    assert_owners();
    assert_in_range(forks, STEPS, 10 * STEPS);
}

static void a_hole_makes_two_pieces_and_an_overlay_three(void **state)
{
    (void)state;
    interval_map_assign(&map, address_of(0), address_of(10), 1);
    interval_map_assign(&map, address_of(4), address_of(6), 0);
    assert_int_equal(told.pieces[1], 2);
    assert_int_equal(told.bytes[1], 8 * 4096);
    interval_map_assign(&map, address_of(1), address_of(2), 2);
    assert_int_equal(told.pieces[1], 3);
    assert_int_equal(told.pieces[2], 1);
    assert_int_equal(told.bytes[1], 7 * 4096);
    assert_int_equal(map.count, 4);
}

static void an_empty_range_changes_nothing(void **state)
{
    (void)state;
    assert_true(interval_map_assign(&map, address_of(0), address_of(4), 0));
    assert_true(interval_map_assign(&map, address_of(3), address_of(3), 1));
    assert_true(interval_map_assign(&map, address_of(3), address_of(2), 1));
    interval_map_assign(&map, address_of(0), address_of(4), 1);
    assert_true(interval_map_assign(&map, address_of(3), address_of(2), 0));
    assert_int_equal(map.count, 1);
    assert_int_equal(told.pieces[1], 1);
    assert_int_equal(told.bytes[1], 4 * 4096);
}

static void the_whole_address_space_can_be_owned(void **state)
{
    (void)state;
    assert_true(interval_map_assign(&map, 0, UINTPTR_MAX, 1));
    assert_int_equal(owner_of(0), 1);
    assert_int_equal(owner_of(UINTPTR_MAX - 1), 1);
    assert_int_equal(owner_of(UINTPTR_MAX), 0);
    assert_true(interval_map_assign(&map, 0, UINTPTR_MAX, 0));
    assert_int_equal(map.count, 0);
    assert_int_equal(told.pieces[1], 0);
    assert_int_equal(told.bytes[1], 0);
}

static void a_copy_that_is_not_whole_is_made_anew(void **state)
{
    struct interval_map child;

    (void)state;
    interval_map_assign(&map, address_of(0), address_of(4), 1);
    interval_map_assign(&map, address_of(6), address_of(7), 1);
    child = clone(&map);
    child.change = INTERVAL_CHANGE_COPY;
    child.copy_count = 1;
    memset(child.items + child.capacity, 0xff, 2 * sizeof *child.items);
    assert_child_has(child, &map);
    assert_int_equal(told.bytes[1], 5 * 4096);
}

static void an_empty_map_is_recovered(void **state)
{
    (void)state;
    interval_map_recover(&map);
    assert_int_equal(map.count, 0);
    assert_true(interval_map_assign(&map, address_of(0), address_of(1), 2));
    assert_int_equal(told.bytes[2], 4096);
}

/* Insert every other page, so that pieces do not touch. */
static void insert_apart(size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(interval_map_assign(&map, address_of((uint32_t)(2 * i)),
                                        address_of((uint32_t)(2 * i + 1)), 1));
}

static void assert_refused_unchanged(bool (*change)(void))
{
    static struct interval kept[PAGES];
    struct sums told_before = told;
    size_t count = map.count;

    memcpy(kept, map.items, count * sizeof kept[0]);
    assert_false(change());
    assert_int_equal(map.change, INTERVAL_CHANGE_NONE);
    assert_int_equal(map.count, count);
    assert_memory_equal(map.items, kept, count * sizeof kept[0]);
    assert_memory_equal(&told, &told_before, sizeof told);
}

static bool insert_first(void)
{
    return interval_map_assign(&map, address_of(400), address_of(410), 2);
}

/* Insert into the middle of a large piece: two more pieces. */
static bool insert_into_large(void)
{
    return interval_map_assign(&map, address_of(402), address_of(404), 3);
}

static bool remove_from_large(void)
{
    return interval_map_assign(&map, address_of(406), address_of(407), 0);
}

static void without_memory_nothing_is_inserted(void **state)
{
    (void)state;
    fake_port_fail_from(1);
    assert_false(insert_first());
    assert_int_equal(map.change, INTERVAL_CHANGE_NONE);
    assert_int_equal(map.count, 0);
    assert_int_equal(told.bytes[2], 0);
    fake_port_fail_from(0);
    assert_true(insert_first());
    assert_int_equal(told.bytes[2], 10 * 4096);
}

/*
 * Fill up to each number of pieces around the first capacity. A change that
 * finds no room is refused as a whole, and succeeds when there is memory again.
 */
static void a_refused_change_leaves_the_map_as_it_was(void **state)
{
    unsigned refused = 0;

    for (size_t pieces = FIRST_CAPACITY - 5; pieces < FIRST_CAPACITY;
         pieces++) {
        open_map(state);
        assert_true(insert_first());
        insert_apart(pieces - 1);
        fake_port_fail_at(1);
        if (pieces + 2 > map.capacity) {
            assert_refused_unchanged(insert_into_large);
            fake_port_fail_at(1);
            assert_refused_unchanged(remove_from_large);
            refused++;
        }
        assert_true(insert_into_large());
        assert_int_equal(told.pieces[2], 2);
        assert_int_equal(told.bytes[2], 8 * 4096);
        assert_int_equal(told.bytes[3], 2 * 4096);
        assert_int_equal(map.count, pieces + 2);
    }
    assert_int_equal(refused, 1);
}

static void outgrown_arrays_are_given_back(void **state)
{
    (void)state;
    insert_apart(200);
    assert_int_equal(map.count, 200);
    assert_int_equal(fake_port_requests(), 2);
    assert_int_equal(fake_port_pages_out(),
                     (2 * map.capacity * sizeof(struct interval) + 4095) /
                         4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(random_steps_agree_with_the_model, open_map),
        cmocka_unit_test_setup(a_hole_makes_two_pieces_and_an_overlay_three,
                               open_map),
        cmocka_unit_test_setup(an_empty_range_changes_nothing, open_map),
        cmocka_unit_test_setup(the_whole_address_space_can_be_owned, open_map),
        cmocka_unit_test_setup(a_copy_that_is_not_whole_is_made_anew, open_map),
        cmocka_unit_test_setup(an_empty_map_is_recovered, open_map),
        cmocka_unit_test_setup(without_memory_nothing_is_inserted, open_map),
        cmocka_unit_test_setup(a_refused_change_leaves_the_map_as_it_was,
                               open_map),
        cmocka_unit_test_setup(outgrown_arrays_are_given_back, open_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
