/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_residency.c - pages of a scripted process, charged to its stacks
 *
 * The process has a ledger with two sites, a shadow of one region at HEAP, and
 * a page map whose words are set by the test. Its blocks are those of libc,
 * with a word before each and rounded up to 16 bytes, unless a test says
 * otherwise.
 *
 * This file is long because each kind of page has a case of its own.
 */
#include "tool/session/sampling/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/ledger/reference.h"
#include "tests/fakes/fake_ledger.h"

#define HEAP   UINT64_C(0x40000000)
#define SHADOW UINT64_C(0x10000000)
#define LEAF   UINT64_C(0x20000000)
#define OURS   (PAGE_IS_PRESENT | PAGE_IS_OURS)

enum { PAGE = PAGE_BYTES, PAGES = 1024, LEAF_WORDS = 1 << 19 };

static struct {
    struct fake_ledger *ledger;
    struct ledger_snapshot snapshot;
    struct ledger_shadow shadow;
    uint32_t leaf[LEAF_WORDS + REFERENCE_WORDS + PAGE];
    uint64_t pages[PAGES]; /* of the heap */
    uint32_t a, b;         /* sites */
    struct heap_range range[2];
    struct heap_ranges ranges;
    bool is_leaf_readable;
} process;

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
    (void)context;
    if (address == SHADOW && size == sizeof process.shadow) {
        memcpy(to, &process.shadow, size);
        return true;
    }
    if (address < LEAF || address + size > LEAF + sizeof process.leaf ||
        !process.is_leaf_readable)
        return false;
    memcpy(to, (char *)process.leaf + (address - LEAF), size);
    return true;
}

static bool read_pages(void *context, uint64_t page, size_t count,
                       uint64_t *words)
{
    uint64_t first = HEAP / PAGE;

    (void)context;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = page + i;

        if (at >= first && at < first + PAGES)
            words[i] = process.pages[at - first];
        else
            words[i] = at >= LEAF / PAGE && at < first ? OURS : 0;
    }
    return true;
}

static const struct process_view view = { read_memory, read_pages, NULL };

static uint32_t reference_of(uint32_t site)
{
    return (uint32_t)((size_t)((unsigned char *)fake_ledger_counter(
                                   process.ledger, site, 0) -
                               process.ledger->bytes) /
                      sizeof(struct ledger_counter));
}

/* Add a block of `size` bytes at offset `at` of the heap. */
static void put(size_t at, uint32_t site, size_t size)
{
    reference_put(process.leaf + (at >> process.shadow.granule_log2),
                  reference_of(site), size);
}

static void set_pages(size_t from, size_t to, uint64_t word)
{
    for (size_t i = from; i < to; i++)
        process.pages[i] = word;
}

static int begin(void **state)
{
    (void)state;
    memset(&process, 0, sizeof process);
    process.ledger = fake_ledger_create(1);
    process.a =
        fake_ledger_add_site(process.ledger, LEDGER_SITE_HEAP, 0, 0x1000);
    process.b =
        fake_ledger_add_site(process.ledger, LEDGER_SITE_HEAP, 0, 0x2000);
    process.ledger->header->shadow = SHADOW;
    process.snapshot.bytes = process.ledger->bytes;
    process.snapshot.size = process.ledger->size;
    process.shadow.claims[7] = (HEAP >> LEDGER_SHADOW_REGION_SHIFT) + 1;
    process.shadow.slots[7] = (struct ledger_shadow_slot){ HEAP, LEAF };
    process.shadow.granule_log2 = 4;
    process.is_leaf_readable = true;
    process.range[0].start = HEAP;
    process.range[0].end = HEAP + PAGES * PAGE;
    process.ranges =
        (struct heap_ranges){ .ranges = process.range, .count = 1 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_ledger_destroy(process.ledger);
    return 0;
}

/* Return the sum of charges to the resident pages, and store those of each
   site. */
static struct ledger_residency *find(void)
{
    static struct ledger_residency sites[3];
    struct residency residency;

    process.snapshot.size = process.ledger->size;
    assert_true(
        residency_find(&view, &process.ranges, &process.snapshot, &residency));
    assert_int_equal(residency.count, 3);
    memcpy(sites, residency.sites, sizeof sites);
    free(residency.sites);
    return sites;
}

static void a_page_is_shared_by_what_lies_in_it(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 1000);  /* takes 1,008 */
    put(2048, process.b, 328); /* takes 336 */
    set_pages(0, 1, OURS);
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE * 3 / 4);
    assert_int_equal(sites[process.b].resident, PAGE / 4);
    assert_int_equal(sites[process.a].used, 1000);
    assert_int_equal(sites[process.b].used, 328);
    assert_int_equal(sites[process.a].alone + sites[process.b].alone, 0);
    assert_int_equal(sites[0].resident, 0);
}

static void what_one_stack_pins_could_go_back(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(3 * PAGE - 32, process.a, 3 * PAGE); /* page 2, 3, 4 and most of 5 */
    put(8 * PAGE + 16, process.b, 8);
    set_pages(0, 10, OURS);
    sites = find();
    assert_int_equal(sites[process.a].alone, 4 * PAGE);
    assert_int_equal(sites[process.a].alone_blocks, 1);
    assert_int_equal(sites[process.a].resident, 4 * PAGE);
    assert_int_equal(sites[process.a].used, 3 * PAGE);
    assert_int_equal(sites[process.b].alone, PAGE);
    assert_int_equal(sites[process.b].alone_blocks, 1);
    assert_int_equal(sites[0].resident, 5 * PAGE);
}

/* libc keeps a word right before a block. */
static void the_word_before_a_block_pins_its_page(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(PAGE, process.a, 24);
    set_pages(0, 2, OURS);
    sites = find();
    assert_int_equal(sites[process.a].alone, 2 * PAGE);
    assert_int_equal(sites[process.a].used, 24);

    process.shadow.granule_log2 = 3; /* other allocators do not */
    memset(process.leaf, 0, sizeof process.leaf);
    put(PAGE, process.a, 24);
    sites = find();
    assert_int_equal(sites[process.a].alone, PAGE);
    assert_int_equal(sites[0].resident, PAGE);
}

static void what_is_not_in_memory_is_not_charged(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 8 * PAGE - 100);
    set_pages(2, 4, OURS);
    set_pages(4, 5, PAGE_IS_SWAPPED);
    set_pages(20, 22, PAGE_IS_SWAPPED);
    sites = find();
    assert_int_equal(sites[process.a].resident, 2 * PAGE);
    assert_int_equal(sites[process.a].used, 2 * PAGE);
    assert_int_equal(sites[process.a].swapped, PAGE);
    assert_int_equal(sites[process.a].untouched, 5 * PAGE - 100);
    assert_int_equal(sites[process.a].alone, 2 * PAGE);
    assert_int_equal(sites[0].resident, 0);
    assert_int_equal(sites[0].swapped, 2 * PAGE);
}

static void shared_pages_are_told_apart(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 2 * PAGE - 100);
    set_pages(0, 1, PAGE_IS_PRESENT);
    set_pages(1, 2, OURS);
    process.range[0].has_shared = true;
    sites = find();
    assert_int_equal(sites[process.a].resident, 2 * PAGE);
    assert_int_equal(sites[process.a].shared, PAGE);
    assert_int_equal(sites[process.a].alone, PAGE);

    process.range[0].has_shared = false; /* then it is the zero page */
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[process.a].shared, 0);
}

static void a_huge_page_is_pinned_by_64_bytes(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(100 * PAGE + 16, process.a, 64);
    set_pages(0, 1024, OURS);
    process.range[0].huge = 512 * PAGE;
    sites = find();
    assert_int_equal(sites[process.a].resident, 512 * PAGE);
    assert_int_equal(sites[process.a].huge, 512 * PAGE);
    assert_int_equal(sites[process.a].untouched, 0);
    assert_int_equal(sites[process.a].used, 64);
    assert_int_equal(sites[process.a].alone, 512 * PAGE);
    assert_int_equal(sites[process.a].alone_blocks, 1);
    assert_int_equal(sites[0].resident, 512 * PAGE);
    assert_int_equal(sites[0].huge, 0);
}

static void a_huge_page_of_two_is_shared_and_can_be_split(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(100 * PAGE + 16, process.a, 3000 - 16);
    put(200 * PAGE + 16, process.b, 1000 - 8);
    put(200 * PAGE + 2048, process.b, 2000);
    set_pages(0, 512, OURS);
    process.range[0].huge = 512 * PAGE;
    sites = find();
    assert_int_equal(sites[process.a].resident,
                     512 * PAGE - 512 * PAGE * 3024L / 6016);
    assert_int_equal(sites[process.a].resident + sites[process.b].resident,
                     512 * PAGE);
    assert_int_equal(sites[process.a].alone, PAGE);
    assert_int_equal(sites[process.b].alone, PAGE);
    assert_int_equal(sites[process.b].alone_blocks, 2);
}

static void a_range_with_a_hole_is_in_small_pages(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(100 * PAGE + 16, process.a, 64);
    set_pages(0, 512, OURS);
    set_pages(300, 301, 0);
    process.range[0].huge = 512 * PAGE;
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[0].resident, 510 * PAGE);
    assert_int_equal(sites[0].huge, 0);
}

static void blocks_elsewhere_are_left_out(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 64);
    put(100 * PAGE + 16, process.a, 64);
    put(200 * PAGE, process.b, 100 * PAGE); /* part of it is in the heap */
    set_pages(0, 512, OURS);
    process.range[0].start = HEAP + 100 * PAGE;
    process.range[0].end = HEAP + 101 * PAGE;
    process.range[1] =
        (struct heap_range){ HEAP + 250 * PAGE, HEAP + 260 * PAGE, 0, false };
    process.ranges.count = 2;
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[process.b].resident, 10 * PAGE);
    assert_int_equal(sites[0].resident, 0);
    assert_int_equal(sites[0].alone_blocks, 1);
}

static void compressed_references_are_ids(void **state)
{
    uint16_t *words = (uint16_t *)process.leaf;
    struct ledger_residency *sites;

    (void)state;
    process.shadow.is_compressed = 1;
    reference_put_compressed(words + 1, process.a, 64);
    reference_put_compressed(words + PAGE / 16 + 1, process.b, 3 * PAGE);
    words[3] = 0x8123; /* the size of a freed block */
    set_pages(0, 6, OURS);
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[process.a].used, 64);
    assert_int_equal(sites[process.b].resident, 4 * PAGE);
    assert_int_equal(sites[process.b].used, 3 * PAGE);
    assert_int_equal(sites[0].resident, PAGE);
    assert_int_equal(sites[0].alone_blocks, 0);
}

static void what_contradicts_itself_is_left_out(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 2 * PAGE); /* freed: the next block overlaps it */
    put(PAGE + 16, process.b, 64);
    put(4 * PAGE, process.b, (size_t)1 << 50);
    reference_put(process.leaf + (5 * PAGE >> 4), 0x1234567, 64);
    set_pages(0, 3, OURS);
    sites = find();
    assert_int_equal(sites[process.a].resident, 2 * PAGE - PAGE * 80 / 88);
    assert_int_equal(sites[process.b].resident, PAGE * 80 / 88);
    assert_int_equal(sites[0].resident, PAGE);
    assert_int_equal(sites[0].alone_blocks, 3);
}

static void unreadable_words_are_said(void **state)
{
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 64);
    set_pages(0, 1, OURS);
    process.is_leaf_readable = false;
    sites = find();
    assert_int_equal(sites[0].resident, PAGE);
    assert_int_equal(sites[0].alone_blocks, 1);
}

static void more_pages_than_are_looked_at_are_said(void **state)
{
    const uint64_t most = UINT64_C(1) << 24;
    struct ledger_residency *sites;

    (void)state;
    put(16, process.a, 64);
    set_pages(0, 1, OURS);
    process.range[0].end = HEAP + (most + 5) * PAGE;
    sites = find();
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[0].alone, 5 * PAGE);
}

static void what_is_no_heap_is_charged_as_it_is(void **state)
{
    struct ledger_map maps[] = {
        { .site = 0 },          { .site = 0 },
        { .site = 0 },          { .site = LEDGER_MAP_SITE },
        { .site = UINT32_MAX },
    };
    uint64_t resident[] = { 3 * PAGE, 4 * PAGE, PAGE, PAGE, PAGE };
    struct ledger_residency *sites;

    (void)state;
    fake_ledger_site(process.ledger, process.b)->kind = LEDGER_SITE_STACK;
    put(16, process.a, 1000);
    put(2048, process.b, 1000); /* no block has such a site */
    set_pages(0, 1, OURS);
    maps[0].site = reference_of(process.b) | LEDGER_MAP_STACK;
    maps[1].site = reference_of(process.b) | LEDGER_MAP_PARENTS;
    maps[2].site = reference_of(process.a);
    process.ranges.maps =
        (struct program_maps){ .maps = maps, .count = 5, .resident = resident };
    sites = find();
    assert_int_equal(sites[process.b].resident, 3 * PAGE);
    assert_int_equal(sites[process.b].used, 0);
    assert_int_equal(sites[process.a].resident, PAGE);
    assert_int_equal(sites[0].resident, 0);
}

static void what_is_no_shadow_is_refused(void **state)
{
    struct residency residency;

    (void)state;
    process.shadow.granule_log2 = 5;
    assert_false(
        residency_find(&view, &process.ranges, &process.snapshot, &residency));
    process.ledger->header->shadow = SHADOW + 8;
    assert_false(
        residency_find(&view, &process.ranges, &process.snapshot, &residency));
}

static void what_cannot_be_told_is_refused(void **state)
{
    struct session_failure failure;

    (void)state;
    process.ledger->header->flags |= LEDGER_FLAG_SAMPLED;
    assert_int_equal(
        residency_add(1, &process.ranges, &process.snapshot, &failure), -1);
    assert_non_null(strstr(failure.text, "samples"));
    process.ledger->header->flags &= ~(uint32_t)LEDGER_FLAG_SAMPLED;
    process.ledger->header->shadow = 0;
    assert_int_equal(
        residency_add(1, &process.ranges, &process.snapshot, &failure), -1);
    assert_non_null(strstr(failure.text, "cannot be read"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_page_is_shared_by_what_lies_in_it),
        TEST(what_one_stack_pins_could_go_back),
        TEST(the_word_before_a_block_pins_its_page),
        TEST(what_is_not_in_memory_is_not_charged),
        TEST(shared_pages_are_told_apart),
        TEST(a_huge_page_is_pinned_by_64_bytes),
        TEST(a_huge_page_of_two_is_shared_and_can_be_split),
        TEST(a_range_with_a_hole_is_in_small_pages),
        TEST(blocks_elsewhere_are_left_out),
        TEST(compressed_references_are_ids),
        TEST(what_contradicts_itself_is_left_out),
        TEST(unreadable_words_are_said),
        TEST(more_pages_than_are_looked_at_are_said),
        TEST(what_is_no_heap_is_charged_as_it_is),
        TEST(what_is_no_shadow_is_refused),
        TEST(what_cannot_be_told_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
