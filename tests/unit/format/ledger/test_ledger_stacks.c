/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ledger_stacks.c - frames, peaks and temporary blocks, valid and hostile
 *
 * This file is long because optional segments are tested together.
 */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static uint32_t frame_of_site(struct fake_ledger *ledger)
{
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;

    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    return site.frame;
}

static int read_frame(struct ledger_reader *reader, uint32_t index,
                      struct ledger_frame_view *frame)
{
    uint32_t before = index - 1;

    return ledger_reader_next_frame(reader, index + 1, &before, frame);
}

static void a_ledger_without_frames_has_none(void **state)
{
    struct ledger_reader reader = open_ledger(*state);
    struct ledger_frame_view frame;
    uint32_t index = 0;

    assert_int_equal(ledger_reader_frame_limit(&reader), 0);
    assert_int_equal(read_frame(&reader, 0, &frame), 0);
    assert_int_equal(read_frame(&reader, 1, &frame), 0);
    assert_int_equal(ledger_reader_next_frame(&reader, 0, &index, &frame), 0);
}

static void a_walk_leads_from_the_site_to_the_root(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "", 0x1000);
    uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);
    uint32_t root = fake_ledger_add_frame(ledger, 0, module, 0x1200);
    uint32_t leaf = fake_ledger_add_frame(ledger, root, 0, 0x1300);
    struct ledger_reader reader;
    struct ledger_frame_view frame;

    fake_ledger_site(ledger, site)->frame = leaf;
    assert_int_equal(frame_of_site(ledger), leaf);
    reader = open_ledger(ledger);
    assert_int_equal(read_frame(&reader, leaf, &frame), 1);
    assert_int_equal(frame.parent, root);
    assert_int_equal(frame.module, 0);
    assert_int_equal(frame.address, 0x1300);
    assert_int_equal(read_frame(&reader, root, &frame), 1);
    assert_int_equal(frame.parent, 0);
    assert_int_equal(frame.module, module);
    assert_int_equal(frame.address, 0x1200);
}

static void whole_stacks_of_each_kind_have_frames(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1139);
    struct ledger_site *site = fake_ledger_site(ledger, id);

    site->frame = fake_ledger_add_frame(ledger, 0, 0, 0x1200);
    assert_int_equal(frame_of_site(ledger), 1);
    site->frame = LEDGER_FRAME_CUT;
    assert_int_equal(frame_of_site(ledger), LEDGER_FRAME_CUT);
    site->kind = LEDGER_SITE_MAP;
    assert_int_equal(frame_of_site(ledger), LEDGER_FRAME_CUT);
    site->kind = LEDGER_SITE_HEAP;
    site->place = fake_ledger_text(ledger, "a.c\0f\0", 6);
    assert_int_equal(frame_of_site(ledger), 0);
    site->place.length = 0;
    ledger->header->flags = 0;
    assert_int_equal(frame_of_site(ledger), 0);
}

/* A walk needs descending indices. */
static void a_parent_that_is_not_lower_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_frame_view frame;
    struct ledger_reader reader;
    const uint32_t parents[] = { 2, 3, UINT32_MAX - 1 };

    fake_ledger_add_frame(ledger, 0, 0, 0x1200);
    fake_ledger_add_frame(ledger, LEDGER_FRAME_CUT, 0, 0x1300);
    reader = open_ledger(ledger);
    assert_int_equal(read_frame(&reader, 2, &frame), 1);
    assert_int_equal(frame.parent, LEDGER_FRAME_CUT);
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
        fake_ledger_frame(ledger, 2)->parent = parents[i];
        assert_int_equal(read_frame(&reader, 2, &frame), LEDGER_E_FRAME);
        assert_int_equal(reader.error_offset,
                         (unsigned char *)fake_ledger_frame(ledger, 2) -
                             ledger->bytes);
    }
}

static void a_module_that_was_never_handed_out_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_frame_view frame;
    struct ledger_reader reader;

    fake_ledger_add_frame(ledger, 0, 1, 0x1200);
    reader = open_ledger(ledger);
    assert_int_equal(read_frame(&reader, 1, &frame), LEDGER_E_FRAME);
}

static void a_segment_that_is_too_small_is_refused(void **state)
{
    static const uint32_t kinds[] = { LEDGER_SEGMENT_FRAMES,
                                      LEDGER_SEGMENT_PEAKS,
                                      LEDGER_SEGMENT_SIZES };
    struct fake_ledger *ledger = *state;

    fake_ledger_add_frame(ledger, 0, 0, 0x1200);
    fake_ledger_peak(ledger, 1);
    fake_ledger_sizes(ledger, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct ledger_directory_entry *entry =
            &ledger->directory[fake_ledger_entry(ledger, kinds[i], 0)];
        struct ledger_reader reader;

        uint64_t size = entry->size;

        entry->size = 1;
        assert_int_equal(
            ledger_reader_open(&reader, ledger->bytes, ledger->size),
            LEDGER_E_DIRECTORY);
        entry->size = size;
    }
    open_ledger(ledger);
}

static void frames_come_in_order_and_gaps_do_not(void **state)
{
    struct fake_ledger *ledger = *state;
    const uint32_t far = 5 * LEDGER_FRAMES_PER_SEGMENT + 7;
    struct ledger_frame_view frame;
    struct ledger_reader reader;
    uint32_t index = 0, limit;

    *fake_ledger_frame(ledger, far) = (struct ledger_frame){ 4, 0, 0x3000 };
    *fake_ledger_frame(ledger, 4) = (struct ledger_frame){ 0, 0, 0x1000 };
    *fake_ledger_frame(ledger, 9) = (struct ledger_frame){ 4, 0, 0x2000 };
    reader = open_ledger(ledger);
    limit = ledger_reader_frame_limit(&reader);
    assert_int_equal(limit, 6 * LEDGER_FRAMES_PER_SEGMENT);
    assert_int_equal(ledger_reader_next_frame(&reader, limit, &index, &frame),
                     1);
    assert_int_equal(index, 4);
    assert_int_equal(ledger_reader_next_frame(&reader, limit, &index, &frame),
                     1);
    assert_int_equal(index, 9);
    assert_int_equal(ledger_reader_next_frame(&reader, limit, &index, &frame),
                     1);
    assert_int_equal(index, far);
    assert_int_equal(frame.address, 0x3000);
    assert_int_equal(ledger_reader_next_frame(&reader, limit, &index, &frame),
                     0);
}

static void the_heaps_peak_is_in_the_header(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_heap_peak peak;

    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 0);
    ledger->header->peak_bytes = 1000;
    ledger->header->peak_uncertainty = 2;
    ledger->header->peak_copied = 998;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 1000);
    assert_int_equal(peak.uncertainty, 2);
    assert_int_equal(peak.copied, 998);
}

static void a_peak_is_no_less_than_its_copy(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_heap_peak peak;

    ledger->header->peak_bytes = 1000;
    ledger->header->peak_uncertainty = 60;
    ledger->header->peak_copied = 1040;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 1040);
    assert_int_equal(peak.uncertainty, 20);
    ledger->header->peak_copied = 1070;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 1070);
    assert_int_equal(peak.uncertainty, 0);
}

static void a_total_that_was_not_added_counts(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_heap_peak peak;
    uint32_t site;

    ledger->header->peak_bytes = 1000;
    ledger->header->live_bytes = 900;
    ledger->header->totals[1] = (struct ledger_total){
        .room = LEDGER_TOTAL_BATCH + 149,
        .highest = 99,
        .is_used = 1,
        .others = 900,
    };
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 1000);
    assert_int_equal(peak.uncertainty, 0);
    ledger->header->totals[8] = (struct ledger_total){
        .room = LEDGER_TOTAL_BATCH + 1,
        .highest = 100,
        .is_used = 1,
        .others = 901,
    };
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 1001);
    assert_int_equal(peak.uncertainty, 0);
    site = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1000);
    fake_ledger_counter(ledger, site, 1)->alloc_bytes = 300;
    fake_ledger_counter(ledger, site, 1)->free_bytes = 500;
    fake_ledger_counter(ledger, site, 0)->alloc_bytes = 70000;
    site = fake_ledger_add_site(ledger, LEDGER_SITE_MAP, 0, 0x2000);
    fake_ledger_counter(ledger, site, 1)->alloc_bytes = 10000;
    reader = open_ledger(ledger);
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.uncertainty, 500 + LEDGER_TOTAL_BATCH);
    ledger->header->peak_bytes = 41 * LEDGER_TOTAL_BATCH;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.uncertainty, 2 * LEDGER_TOTAL_BATCH);
    ledger->header->peak_bytes = 1000;
    ledger->header->totals[8].room = LEDGER_TOTAL_BATCH - 53;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 900 + 99 - 149 + 100 + 53);
    ledger->header->peak_bytes = INT64_MIN / 2;
    ledger->header->live_bytes = INT64_MIN / 2;
    ledger->header->totals[1].others = ledger->header->totals[8].others =
        INT64_MIN / 2;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 0);
}

static void heap_and_maps_have_a_peak_together(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_heap_peak peak;

    ledger->header->peak_bytes = 700;
    ledger->header->live_bytes = 600;
    ledger->header->peak_with_maps = 9000;
    ledger->header->map_bytes = 8000;
    ledger->header->map_peak_number = 7;
    ledger->header->totals[1] = (struct ledger_total){
        .room = LEDGER_TOTAL_BATCH + 49,
        .highest = 99,
        .is_used = 1,
        .others = 600,
        .maps = 8000,
    };
    ledger_reader_heap_peak(&reader, &peak);
    assert_false(peak.is_joint);
    assert_true(peak.has_maps);
    assert_int_equal(peak.bytes, 700);
    assert_int_equal(peak.with_maps, 9000);
    ledger->header->totals[1].others = 8200;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 8299);
    assert_int_equal(peak.with_maps, 8299 + 8000);
    ledger->header->map_bytes = 20000;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.with_maps, 600 + 50 + 20000);
    ledger->header->peak_bytes = 100000;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.with_maps, 100000);
}

/* Minor versions 7 to 9 knew who held the peak of heap and maps. */
static void an_old_ledger_has_one_peak_of_heap_and_maps(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_heap_peak peak;

    ledger->header->peak_bytes = 9000;
    ledger->header->live_bytes = 600;
    ledger->header->heap_peak = 700;
    ledger->header->map_bytes = 8000;
    ledger->header->peak_has_maps = 1;
    ledger->header->totals[1] = (struct ledger_total){
        .room = LEDGER_TOTAL_BATCH + 49,
        .highest = 99,
        .is_used = 1,
        .others = 8600,
        .maps = 8000,
    };
    ledger_reader_heap_peak(&reader, &peak);
    assert_true(peak.is_joint);
    assert_int_equal(peak.with_maps, 9000);
    assert_int_equal(peak.bytes, 700);
    ledger->header->totals[1].maps = 7900;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.bytes, 8699 - 7900);
    ledger->header->map_bytes = 8500;
    ledger->header->heap_peak = 100000;
    ledger_reader_heap_peak(&reader, &peak);
    assert_int_equal(peak.with_maps, 600 + 50 + 8500);
    assert_true(peak.is_live);
    assert_int_equal(peak.bytes, peak.with_maps);
}

static void peaks_and_readings_of_maps_have_numbers(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_map_peak *record = fake_ledger_map_peak(ledger, 3);
    struct ledger_map_peak_view peak;
    struct ledger_reader reader;

    *record = (struct ledger_map_peak){ 7, -2, -4096, 8192, 5, 0 };
    ledger->header->map_peak_number = 7;
    ledger->header->map_reading = 5;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_map_peak(&reader, 3, &peak), 1);
    assert_int_equal((int64_t)peak.more.blocks, -2);
    assert_int_equal((int64_t)peak.more.bytes, -4096);
    assert_int_equal(peak.resident, 8192);
    ledger->header->map_peak_number = 8;
    ledger->header->map_reading = 6;
    assert_int_equal(ledger_reader_map_peak(&reader, 3, &peak), 1);
    assert_int_equal(peak.more.bytes, 0);
    assert_int_equal(peak.resident, 0);
    assert_int_equal(
        ledger_reader_map_peak(&reader, LEDGER_PEAKS_PER_SEGMENT, &peak), 0);
}

/* The heap's and the most resident maps: of different instants. */
static void a_process_has_one_peak(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);

    ledger->header->map_peak_number = 1;
    ledger->header->map_peak.accessible = 5000;
    assert_int_equal(ledger_reader_process_peak(&reader), 5000);
    ledger->header->peak_bytes = 700;
    assert_int_equal(ledger_reader_process_peak(&reader), 700);
    ledger->header->map_resident = 4096;
    ledger->header->map_reading = 1;
    assert_int_equal(ledger_reader_process_peak(&reader), 4796);
    ledger->header->map_resident = UINT64_MAX;
    assert_int_equal(ledger_reader_process_peak(&reader), 700);
}

static void peaks_are_found_by_site(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_peak peak;

    *fake_ledger_peak(ledger, LEDGER_PEAKS_PER_SEGMENT + 3) =
        (struct ledger_peak){ 5, 600 };
    reader = open_ledger(ledger);
    assert_int_equal(
        ledger_reader_peak(&reader, LEDGER_PEAKS_PER_SEGMENT + 3, &peak), 1);
    assert_int_equal(peak.blocks, 5);
    assert_int_equal(peak.bytes, 600);
    assert_int_equal(
        ledger_reader_peak(&reader, LEDGER_PEAKS_PER_SEGMENT + 4, &peak), 1);
    assert_int_equal(peak.bytes, 0);
    assert_int_equal(ledger_reader_peak(&reader, 3, &peak), 0);
}

static void temporary_blocks_are_summed_over_shards(void **state)
{
    struct fake_ledger *ledger = *state;
    const uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1300);
    struct ledger_reader reader;
    uint64_t blocks;

    *fake_ledger_temporary(ledger, site, 0) = 3;
    *fake_ledger_temporary(ledger, site, 1) = 4;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_temporary(&reader, site, &blocks), 1);
    assert_int_equal(blocks, 7);
    assert_int_equal(
        ledger_reader_temporary(&reader, LEDGER_SITES_PER_SEGMENT, &blocks), 0);
    assert_int_equal(blocks, 0);
    ledger->header->flags &= ~(uint32_t)LEDGER_FLAG_TEMPORARY;
    assert_int_equal(ledger_reader_temporary(&reader, site, &blocks), 0);
}

/* Two rows after those of the shards, shared by all shards. */
static void growth_lies_behind_temporary_blocks(void **state)
{
    struct fake_ledger *ledger = *state;
    const uint32_t site =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1300);
    uint32_t shards = ledger->header->shard_count;
    struct ledger_reader reader;
    uint64_t blocks, bytes;

    *fake_ledger_temporary(ledger, site, shards) = 5;
    *fake_ledger_temporary(ledger, site, shards + 1) = 320;
    ledger->header->flags |= LEDGER_FLAG_GROWN;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_grown(&reader, site, &blocks, &bytes), 1);
    assert_int_equal(blocks, 5);
    assert_int_equal(bytes, 320);
    ledger->header->flags &= ~(uint32_t)LEDGER_FLAG_TEMPORARY;
    assert_int_equal(ledger_reader_grown(&reader, site, &blocks, &bytes), 0);
}

static void sizes_are_summed_over_shards(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader = open_ledger(ledger);
    uint64_t sizes[LEDGER_SIZE_CLASSES];

    assert_int_equal(ledger_reader_sizes(&reader, sizes), 0);
    fake_ledger_sizes(ledger, 0)[0] = 1;
    fake_ledger_sizes(ledger, 0)[63] = 2;
    fake_ledger_sizes(ledger, 1)[63] = 3;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_sizes(&reader, sizes), 1);
    assert_int_equal(sizes[0], 1);
    assert_int_equal(sizes[1], 0);
    assert_int_equal(sizes[63], 5);
}

static void a_class_of_sizes_ends_below_a_power_of_two(void **state)
{
    (void)state;
    assert_int_equal(ledger_size_class(0), 0);
    assert_int_equal(ledger_size_class(1), 1);
    assert_int_equal(ledger_size_class(2), 2);
    assert_int_equal(ledger_size_class(3), 2);
    assert_int_equal(ledger_size_class(4), 3);
    assert_int_equal(ledger_size_class(1023), 10);
    assert_int_equal(ledger_size_class(1024), 11);
    assert_int_equal(ledger_size_class(UINT64_MAX / 2), 63);
    assert_int_equal(ledger_size_class(UINT64_MAX / 2 + 1), 63);
    assert_int_equal(ledger_size_class(UINT64_MAX / 2 + 6), 63);
    assert_int_equal(ledger_size_class(UINT64_MAX), 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_without_frames_has_none),
        TEST(a_walk_leads_from_the_site_to_the_root),
        TEST(whole_stacks_of_each_kind_have_frames),
        TEST(a_parent_that_is_not_lower_is_refused),
        TEST(a_module_that_was_never_handed_out_is_refused),
        TEST(a_segment_that_is_too_small_is_refused),
        TEST(frames_come_in_order_and_gaps_do_not),
        TEST(a_peak_is_no_less_than_its_copy),
        TEST(the_heaps_peak_is_in_the_header),
        TEST(a_total_that_was_not_added_counts),
        TEST(heap_and_maps_have_a_peak_together),
        TEST(an_old_ledger_has_one_peak_of_heap_and_maps),
        TEST(peaks_and_readings_of_maps_have_numbers),
        TEST(a_process_has_one_peak),
        TEST(peaks_are_found_by_site),
        TEST(temporary_blocks_are_summed_over_shards),
        TEST(growth_lies_behind_temporary_blocks),
        TEST(sizes_are_summed_over_shards),
        cmocka_unit_test(a_class_of_sizes_ends_below_a_power_of_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
