/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_reader.c - reading ledgers built by hand */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static void the_header_tells_the_process(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;

    ledger->header->flags = LEDGER_FLAG_FORKED;
    ledger->header->start_ticks = 77;
    reader = open_ledger(ledger);
    assert_int_equal(reader.process.pid, 4242);
    assert_int_equal(reader.process.parent_pid, 4241);
    assert_int_equal(reader.process.start_ns, 1000);
    assert_int_equal(reader.process.end_ns, 2000);
    assert_int_equal(reader.process.start_ticks, 77);
    assert_int_equal(reader.process.ended, 1);
    assert_int_equal(reader.process.control, LEDGER_CONTROL_ON);
    assert_int_equal(reader.process.flags, LEDGER_FLAG_FORKED);
    assert_int_equal(reader.process.program.length, 9);
    assert_memory_equal(reader.process.program.bytes, "/bin/fake", 9);
    assert_int_equal(reader.process.command_line.length, 7);
    assert_memory_equal(reader.process.command_line.bytes, "fake\0-x", 7);
}

static void counters_are_summed_over_shards(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "", 0x1000);
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_MAP, module, 0x1139);
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;

    *fake_ledger_counter(ledger, id, 0) =
        (struct ledger_counter){ 1, 100, 1000, 10000 };
    *fake_ledger_counter(ledger, id, 1) =
        (struct ledger_counter){ 2, 200, 2000, 20000 };
    fake_ledger_site(ledger, id)->inherited_blocks = 5;
    fake_ledger_site(ledger, id)->inherited_bytes = 6;
    reader = open_ledger(ledger);

    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    assert_int_equal(site.id, 1);
    assert_int_equal(site.kind, LEDGER_SITE_MAP);
    assert_int_equal(site.module, module);
    assert_int_equal(site.address, 0x1139);
    assert_int_equal(site.inherited_blocks, 5);
    assert_int_equal(site.inherited_bytes, 6);
    assert_int_equal(site.peak_seen, 0);
    assert_int_equal(site.counter.alloc_blocks, 3);
    assert_int_equal(site.counter.alloc_bytes, 300);
    assert_int_equal(site.counter.free_blocks, 3000);
    assert_int_equal(site.counter.free_bytes, 30000);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 0);
}

/* Those of others are zeros, which need not be read. */
static void only_shards_that_threads_marked_are_read(void **state)
{
    static const uint64_t sums[] = { 3, 1, 3 };
    struct fake_ledger *ledger = *state;
    uint32_t module = fake_ledger_add_module(ledger, "/bin/fake", "", 0x1000);
    uint32_t id =
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, module, 0x1139);

    fake_ledger_counter(ledger, id, 0)->alloc_blocks = 1;
    fake_ledger_counter(ledger, id, 1)->alloc_blocks = 2;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        struct ledger_cursor cursor = { 0 };
        struct ledger_site_view site;
        struct ledger_reader reader;

        ledger->header->totals[2].is_used = i == 1;
        ledger->header->totals[1].is_used = i == 2;
        reader = open_ledger(ledger);
        assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
        assert_int_equal(site.counter.alloc_blocks, sums[i]);
    }
}

static void a_peak_is_no_more_than_there_ever_was(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1139);
    struct ledger_cursor start = { 0 }, cursor = start;
    struct ledger_reader reader;
    struct ledger_site_view site;

    fake_ledger_counter(ledger, id, 0)->alloc_bytes = 100;
    fake_ledger_site(ledger, id)->inherited_bytes = 6;
    fake_ledger_site(ledger, id)->peak_seen = 70;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    assert_int_equal(site.peak_seen, 70);
    fake_ledger_site(ledger, id)->peak_seen = UINT64_MAX;
    cursor = start;
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    assert_int_equal(site.peak_seen, 106);
}

static void sites_of_every_segment_are_found_in_order(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;

    for (uint64_t i = 1; i <= 300; i++)
        fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1000 + i);
    reader = open_ledger(ledger);
    for (uint32_t i = 1; i <= 300; i++) {
        assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
        assert_int_equal(site.id, i);
        assert_int_equal(site.address, 0x1000 + i);
    }
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 0);
}

/* The state left by a program killed between two stores. */
static void what_was_handed_out_but_not_stored_is_skipped(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t entry;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    struct ledger_module_view module;

    fake_ledger_add_site(ledger, LEDGER_SITE_NONE, 9999, 0x1);
    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x2);
    fake_ledger_add_module(ledger, "/lib/x", "", 0x1000);
    fake_ledger_module(ledger, 1)->state = LEDGER_MODULE_NONE;
    entry = ledger->header->directory_used++;
    ledger->directory[entry].offset = UINT64_MAX;
    ledger->header->site_count = 100000;
    ledger->header->directory_used = UINT32_MAX;

    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    assert_int_equal(site.address, 0x2);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 0);
    assert_int_equal(ledger_reader_module(&reader, 1, &module), 0);
    assert_int_equal(ledger_reader_module(&reader, 0, &module), 0);
    assert_int_equal(ledger_reader_module(&reader, UINT32_MAX, &module), 0);
}

static void a_site_stored_while_we_read_is_found(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;

    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1);
    reader = open_ledger(ledger);
    reader.size = ledger->size * 2; /* a mapping is larger than its used part */
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x2);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site), 1);
    assert_int_equal(site.address, 0x2);
}

static void a_module_is_read_by_its_index(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_module_view module;

    for (int i = 0; i < 130; i++)
        fake_ledger_add_module(ledger, "/lib/filler", "", 0x1000);
    fake_ledger_add_module(ledger, "/lib/last", "build-id", 0x70000);
    fake_ledger_module(ledger, 131)->state = LEDGER_MODULE_UNLOADED;
    reader = open_ledger(ledger);

    assert_int_equal(ledger_reader_module_limit(&reader), 132);
    assert_int_equal(ledger_reader_module(&reader, 131, &module), 1);
    assert_int_equal(module.state, LEDGER_MODULE_UNLOADED);
    assert_int_equal(module.start, 0x70000);
    assert_int_equal(module.end, 0x170000);
    assert_int_equal(module.bias, 0x70000);
    assert_int_equal(module.path.length, 9);
    assert_memory_equal(module.path.bytes, "/lib/last", 9);
    assert_int_equal(module.build_id_size, 8);
    assert_memory_equal(module.build_id, "build-id", 8);
}

static void notices_and_counts_are_read(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view notice;

    fake_ledger_add_notice(ledger, LEDGER_NOTICE_deepbind, "libdeep.so");
    fake_ledger_notice(ledger, 1)->times = 3;
    fake_ledger_add_notice(ledger, LEDGER_NOTICE_sandboxed, "");
    fake_ledger_notice(ledger, 2)->times = 0; /* withdrawn */
    ledger->header->counts[LEDGER_COUNT_foreign_frees] = 12;
    reader = open_ledger(ledger);

    assert_int_equal(ledger_reader_next_notice(&reader, &cursor, &notice), 1);
    assert_int_equal(notice.code, LEDGER_NOTICE_deepbind);
    assert_int_equal(notice.times, 3);
    assert_int_equal(notice.text.length, 10);
    assert_memory_equal(notice.text.bytes, "libdeep.so", 10);
    assert_int_equal(ledger_reader_next_notice(&reader, &cursor, &notice), 0);
    assert_int_equal(ledger_reader_count(&reader, LEDGER_COUNT_foreign_frees),
                     12);
    assert_int_equal(ledger_reader_count(&reader, LEDGER_COUNT_lost_sites), 0);
}

static void a_damaged_site_ends_the_iteration(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1);
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;

    fake_ledger_site(ledger, id)->module = 1; /* no such module */
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site),
                     LEDGER_E_SITE);
    fake_ledger_site(ledger, id)->module = 0;
    fake_ledger_site(ledger, id)->kind = LEDGER_SITE_KINDS;
    cursor = (struct ledger_cursor){ 0 };
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &site),
                     LEDGER_E_SITE);
    assert_int_equal(reader.error_offset,
                     (unsigned char *)fake_ledger_site(ledger, id) -
                         ledger->bytes);
}

static void a_damaged_module_or_notice_is_an_error(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_module_view module;
    struct ledger_notice_view notice;

    fake_ledger_add_module(ledger, "/lib/x", "", 0x1000);
    fake_ledger_add_notice(ledger, LEDGER_NOTICE_COUNT, "x");
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_next_notice(&reader, &cursor, &notice),
                     LEDGER_E_NOTICE);
    fake_ledger_module(ledger, 1)->build_id_size = 21;
    assert_int_equal(ledger_reader_module(&reader, 1, &module),
                     LEDGER_E_MODULE);
    fake_ledger_module(ledger, 1)->build_id_size = 0;
    fake_ledger_module(ledger, 1)->state = 3;
    assert_int_equal(ledger_reader_module(&reader, 1, &module),
                     LEDGER_E_MODULE);
    fake_ledger_module(ledger, 1)->state = 1;
    fake_ledger_module(ledger, 1)->start = UINT64_MAX;
    assert_int_equal(ledger_reader_module(&reader, 1, &module),
                     LEDGER_E_MODULE);
}

static void regions_are_read_and_bounded(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_region *stored = fake_ledger_add_region(ledger, "packets");
    struct ledger_reader reader = open_ledger(ledger);
    struct ledger_cursor cursor = { 0 };
    struct ledger_region_view region;

    stored->address = 0x1000;
    stored->size = 2400;
    stored->block_size = 400;
    stored->used = 800;
    stored->peak = UINT64_MAX; /* at most the region's size */
    stored->refused = 5;
    stored->faults = 7;
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region), 1);
    assert_int_equal(region.kind, LEDGER_REGION_SLAB);
    assert_memory_equal(region.name.bytes, "packets", 7);
    assert_int_equal(region.name.length, 7);
    assert_int_equal(region.address, 0x1000);
    assert_int_equal(region.size, 2400);
    assert_int_equal(region.block_size, 400);
    assert_int_equal(region.used, 800);
    assert_int_equal(region.peak, 2400);
    assert_int_equal(region.refused, 5);
    assert_int_equal(region.faults, 7);
    assert_false(region.knows_largest);
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region), 0);

    stored->largest_and_1 = 1;
    cursor = (struct ledger_cursor){ 0 };
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region), 1);
    assert_true(region.knows_largest);
    assert_int_equal(region.largest, 0);
    stored->largest_and_1 = 5000; /* more than the unused bytes */
    cursor = (struct ledger_cursor){ 0 };
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region), 1);
    assert_int_equal(region.largest, 1600);

    stored->kind = LEDGER_REGION_K_HEAP + 1;
    cursor = (struct ledger_cursor){ 0 };
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region),
                     LEDGER_E_REGION);
    stored->kind = LEDGER_REGION_NONE;
    cursor = (struct ledger_cursor){ 0 };
    assert_int_equal(ledger_reader_next_region(&reader, &cursor, &region), 0);
}

/* Last events lie in the same place as a history. */
static void last_events_end_in_their_segment(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_events *stored =
        (void *)fake_ledger_add_history(ledger, 8192);
    struct ledger_events_view view;
    struct ledger_reader reader = open_ledger(ledger);

    assert_int_equal(ledger_reader_events(&reader, &view), 0);
    ledger->directory[fake_ledger_entry(ledger, LEDGER_SEGMENT_HISTORY, 0)]
        .kind = LEDGER_SEGMENT_EVENTS;
    *stored = (struct ledger_events){ 8192 - 64, 7, 9, 5, 6, { 0 } };
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_events(&reader, &view), 1);
    assert_int_equal(view.size, 8192 - 64);
    assert_int_equal(view.offset, (unsigned char *)(stored + 1) - reader.bytes);
    assert_int_equal(view.events, 7);
    assert_int_equal(view.overwritten, 9);
    assert_int_equal(view.last_ns - view.first_ns, 1);
    assert_int_equal(view.limit, 0);
    ledger->header->copied_limit = 1000;
    ledger->header->copied_used = 950;
    assert_int_equal(ledger_reader_events(&reader, &view), 1);
    assert_int_equal(view.limit, 1000);
    assert_int_equal(view.used, 950);
    stored->size++;
    assert_int_equal(ledger_reader_events(&reader, &view), LEDGER_E_EVENTS);
}

static void every_error_has_its_own_sentence(void **state)
{
    (void)state;
    for (int error = LEDGER_E_EVENTS; error < 0; error++) {
        assert_string_not_equal(ledger_error_why(error), "an unknown error");
        assert_string_not_equal(ledger_error_why(error),
                                ledger_error_why(error + 1));
    }
    assert_string_equal(ledger_error_why(1), "an unknown error");
    assert_string_equal(ledger_error_why(LEDGER_E_EVENTS - 1),
                        "an unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_header_tells_the_process),
        TEST(counters_are_summed_over_shards),
        TEST(only_shards_that_threads_marked_are_read),
        TEST(a_peak_is_no_more_than_there_ever_was),
        TEST(sites_of_every_segment_are_found_in_order),
        TEST(what_was_handed_out_but_not_stored_is_skipped),
        TEST(a_site_stored_while_we_read_is_found),
        TEST(a_module_is_read_by_its_index),
        TEST(notices_and_counts_are_read),
        TEST(a_damaged_site_ends_the_iteration),
        TEST(a_damaged_module_or_notice_is_an_error),
        TEST(regions_are_read_and_bounded),
        TEST(last_events_end_in_their_segment),
        cmocka_unit_test(every_error_has_its_own_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
