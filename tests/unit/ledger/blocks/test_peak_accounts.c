/* SPDX-License-Identifier: Apache-2.0 */
/* test_peak_accounts.c - when accounts are copied, and incomplete copies */
#include "ledger/blocks/map_peak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"

enum { SITE = 1, SHARDS = 3, SIZE = 100, MANY = 1000 };

static struct ledger_header header;
static struct ledger_site sites[LEDGER_SITES_PER_SEGMENT];
static struct ledger_counter counters[SHARDS][LEDGER_SITES_PER_SEGMENT]
    __attribute__((aligned(LEDGER_PAGE)));
static struct ledger_peak peaks[LEDGER_SITES_PER_SEGMENT];
static struct ledger_map_peak map_peaks[LEDGER_SITES_PER_SEGMENT];
/* Blocks freed by thread 2: during copying, and when all but a sum is done. */
static uint32_t freed_meanwhile, freed_at_last;

struct process process;
_Thread_local struct recorder_thread recorder_thread;

struct ledger_site *ledger_site_at(uint32_t id)
{
    return &sites[id];
}

struct ledger_counter *ledger_counter_at(uint32_t id)
{
    return &counters[0][id];
}

static bool change(uint32_t thread, enum shard_side side)
{
    shard_add_own(&counters[thread][SITE], side, SIZE);
    return heap_total_add(&header.totals[thread], side, SIZE);
}

/* Called when all accounts have been copied. */
uint32_t ledger_id_of(uint32_t reference)
{
    for (; freed_at_last > 0; freed_at_last--)
        change(2, SHARD_FREE);
    return reference;
}

bool ledger_peaks_are_plain(uint32_t site)
{
    (void)site;
    return header.flags == 0 && sites[SITE + 1].kind == LEDGER_SITE_HEAP;
}

/* Called in the middle of copying. */
uint32_t ledger_site_count(void)
{
    return process.header->site_count;
}

uint32_t ledger_space_shards(void)
{
    return process.header->shard_count;
}

struct ledger_map_peak *ledger_map_peak_at(uint32_t id)
{
    return &map_peaks[id];
}

struct ledger_peak *ledger_peak_at(uint32_t id)
{
    for (; freed_meanwhile > 0; freed_meanwhile--)
        change(2, SHARD_FREE);
    return &peaks[id];
}

static void run(uint32_t thread, enum shard_side side, uint32_t times)
{
    struct ledger_total *total = &header.totals[thread];

    for (uint32_t i = 0; i < times; i++) {
        if (!change(thread, side))
            continue;
        peak_watch(total, side == SHARD_FREE ? SITE : 0,
                   side == SHARD_FREE ? SIZE : 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&header, 0, sizeof header);
    memset(&process, 0, sizeof process);
    memset(counters, 0, sizeof counters);
    memset(peaks, 0, sizeof peaks);
    process.header = &header;
    header.shard_count = SHARDS;
    header.site_count = 1;
    for (uint32_t i = 0; i < LEDGER_SITES_PER_SEGMENT; i++)
        sites[i] = (struct ledger_site){ .kind = LEDGER_SITE_HEAP };
    for (int i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        header.totals[i].room = LEDGER_TOTAL_BATCH;
        header.totals[i].fall_at = 2 * LEDGER_TOTAL_BATCH;
    }
    header.totals[1].is_used = 1;
    freed_meanwhile = freed_at_last = 0;
    return 0;
}

static int set_up_two(void **state)
{
    set_up(state);
    header.totals[2].is_used = 1;
    return 0;
}

static void of_one_thread_before_the_first_free(void **state)
{
    (void)state;
    run(1, SHARD_ALLOC, MANY);
    assert_int_equal(header.peak_copied, 0);
    run(1, SHARD_FREE, MANY);
    assert_int_equal(header.peak_copied, MANY * SIZE);
    assert_int_equal(peaks[SITE].blocks, MANY);
    run(1, SHARD_ALLOC, MANY + 1);
    run(1, SHARD_FREE, 1);
    assert_int_equal(peaks[SITE].blocks, MANY + 1);
}

/* No thread frees enough to be added. */
static void of_two_that_fall_in_turn(void **state)
{
    (void)state;
    run(1, SHARD_ALLOC, MANY);
    run(2, SHARD_ALLOC, MANY);
    for (int i = 0; i < 20; i++) {
        run(1, SHARD_FREE, 1);
        run(2, SHARD_FREE, 1);
    }
    assert_in_range(peaks[SITE].blocks, 2 * MANY - 5, 2 * MANY);
}

static void what_rises_above_a_poor_copy_is_copied(void **state)
{
    (void)state;
    run(1, SHARD_ALLOC, MANY);
    run(2, SHARD_ALLOC, MANY);
    freed_meanwhile = MANY;
    run(1, SHARD_FREE, 10);
    assert_in_range(peaks[SITE].blocks, MANY - 10, MANY);
    run(2, SHARD_ALLOC, MANY / 2);
    run(2, SHARD_FREE, 10);
    assert_in_range(peaks[SITE].blocks, MANY + MANY / 2 - 15,
                    MANY + MANY / 2 - 5);
}

static void less_than_the_last_is_not_copied(void **state)
{
    uint64_t copied;

    (void)state;
    run(1, SHARD_ALLOC, MANY);
    run(1, SHARD_FREE, 1);
    run(1, SHARD_FREE, MANY / 2);
    copied = header.peak_copied;
    process.peak.top = MANY * SIZE * 2; /* its end was not seen */
    run(1, SHARD_FREE, MANY / 2 - 1);
    assert_int_equal(header.peak_copied, copied);
    assert_int_equal(peaks[SITE].blocks, MANY);
}

static void files_are_in_no_copy(void **state)
{
    (void)state;
    sites[SITE + 1].kind = LEDGER_SITE_FILE;
    header.site_count = 2;
    counters[1][SITE + 1] =
        (struct ledger_counter){ .alloc_blocks = 1, .alloc_bytes = 1 << 20 };
    run(1, SHARD_ALLOC, MANY);
    run(1, SHARD_FREE, 10);
    assert_int_equal(peaks[SITE + 1].bytes, 0);
    assert_int_equal(header.peak_copied, MANY * SIZE);
}

/* In a forked child. */
static void of_what_was_inherited(void **state)
{
    (void)state;
    header.flags = LEDGER_FLAG_FORKED;
    sites[SITE].inherited_blocks = 3;
    sites[SITE].inherited_bytes = 3000;
    header.live_bytes = 3000;
    run(1, SHARD_ALLOC, MANY);
    run(1, SHARD_FREE, 10);
    assert_int_equal(peaks[SITE].blocks, MANY + 3);
    assert_int_equal(peaks[SITE].bytes, MANY * SIZE + 3000);
    assert_int_equal(header.peak_copied, MANY * SIZE + 3000);
    memset(sites, 0, sizeof sites);
}

/* Mapped and unmapped by a thread that shares the heap with another. */
static void maps_of_several_threads_have_an_exact_peak(void **state)
{
    (void)state;
    recorder_thread.own_shard = 2;
    header.site_count = 2;
    sites[SITE + 1].kind = LEDGER_SITE_MAP;
    run(1, SHARD_ALLOC, MANY);
    counters[2][SITE + 1] =
        (struct ledger_counter){ .alloc_blocks = 1, .alloc_bytes = 1 << 20 };
    map_peak_add((struct peak_change){ SITE + 1, 1, 1 << 20 }, false);
    run(1, SHARD_ALLOC, MANY);
    counters[2][SITE + 1].free_bytes = 3 * 4096;
    counters[2][SITE + 1].alloc_blocks = 2;
    map_peak_add((struct peak_change){ SITE + 1, 1, -3 * 4096 }, false);
    assert_int_equal(map_peaks[SITE + 1].number, header.map_peak_number);
    assert_int_equal(map_peaks[SITE + 1].pieces, -1);
    assert_int_equal(map_peaks[SITE + 1].bytes, 3 * 4096);
    run(1, SHARD_FREE, MANY);
    assert_in_range(peaks[SITE].bytes, (2 * MANY - 1) * SIZE, 2 * MANY * SIZE);
    assert_int_equal(peaks[SITE + 1].bytes, 0);
    assert_int_equal(header.peak_copied, peaks[SITE].bytes);
    assert_int_equal(heap_total_peak(&header, true),
                     2 * MANY * SIZE + (1 << 20));
    assert_int_equal(heap_total_peak(&header, false), 2 * MANY * SIZE);
    recorder_thread.own_shard = 0;
}

static bool is_page_there(uint32_t shard)
{
    unsigned char is_there;

    assert_int_equal(mincore(counters[shard], LEDGER_PAGE, &is_there), 0);
    return (is_there & 1) != 0;
}

/* Reading them would allocate memory for nothing; but a page may be swapped
   out. */
static void pages_of_others_are_read_when_something_is_missing(void **state)
{
    (void)state;
    header.totals[1].is_used = 0;
    header.totals[2].is_used = 1;
    assert_int_equal(madvise(counters, sizeof counters, MADV_DONTNEED), 0);
    run(2, SHARD_ALLOC, MANY);
    run(2, SHARD_FREE, 10);
    assert_int_equal(peaks[SITE].blocks, MANY);
    assert_false(is_page_there(0));
    assert_false(is_page_there(1));
    header.live_bytes += SIZE;
    run(2, SHARD_ALLOC, MANY);
    run(2, SHARD_FREE, 10);
    assert_true(is_page_there(0));
}

/* Reading them would allocate each page of each shard. */
static void what_was_freed_meanwhile_is_not_missing(void **state)
{
    (void)state;
    header.totals[1].is_used = header.totals[2].is_used = 1;
    assert_int_equal(madvise(counters, sizeof counters, MADV_DONTNEED), 0);
    run(1, SHARD_ALLOC, MANY);
    run(2, SHARD_ALLOC, MANY);
    freed_at_last = MANY;
    run(1, SHARD_FREE, 10);
    assert_int_equal(freed_at_last, 0);
    assert_in_range(header.peak_copied, (2 * MANY - 10) * SIZE,
                    2 * MANY * SIZE);
    assert_false(is_page_there(0));
}

/* The wait may have been cancelled, or be the code that this handler
   interrupts. */
static void nobody_waits_for_ever(void **state)
{
    const void *gone = &header;

    (void)state;
    run(1, SHARD_ALLOC, MANY);
    process.peak.copier = gone;
    run(1, SHARD_FREE, MANY);
    assert_ptr_equal(process.peak.given_up, gone);
    assert_int_equal(header.peak_copied, 0);
    process.peak.given_up = NULL;
    process.peak.copier = &recorder_thread;
    run(1, SHARD_ALLOC, MANY);
    run(1, SHARD_FREE, MANY);
    assert_null(process.peak.given_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(of_one_thread_before_the_first_free, set_up),
        cmocka_unit_test_setup(of_two_that_fall_in_turn, set_up_two),
        cmocka_unit_test_setup(what_rises_above_a_poor_copy_is_copied,
                               set_up_two),
        cmocka_unit_test_setup(less_than_the_last_is_not_copied, set_up),
        cmocka_unit_test_setup(
            pages_of_others_are_read_when_something_is_missing, set_up),
        cmocka_unit_test_setup(what_was_freed_meanwhile_is_not_missing, set_up),
        cmocka_unit_test_setup(files_are_in_no_copy, set_up),
        cmocka_unit_test_setup(of_what_was_inherited, set_up),
        cmocka_unit_test_setup(maps_of_several_threads_have_an_exact_peak,
                               set_up_two),
        cmocka_unit_test_setup(nobody_waits_for_ever, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
