/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_directory.c - ledgers that a reader refuses as a whole */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

/* Check that opening fails with `error` at byte `offset`. */
static void assert_refused(struct fake_ledger *ledger, size_t size, int error,
                           uint64_t offset)
{
    struct ledger_reader reader;

    assert_int_equal(ledger_reader_open(&reader, ledger->bytes, size), error);
    assert_int_equal(reader.error, error);
    assert_int_equal(reader.error_offset, offset);
}

static void a_foreign_file_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;

    assert_refused(ledger, 0, LEDGER_E_MAGIC, 0);
    assert_refused(ledger, 7, LEDGER_E_MAGIC, 0);
    ledger->header->magic[7] = 'X';
    assert_refused(ledger, ledger->size, LEDGER_E_MAGIC, 0);
}

static void another_major_version_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;

    ledger->header->major = LEDGER_MAJOR + 1;
    assert_refused(ledger, ledger->size, LEDGER_E_MAJOR, 8);
}

static void another_byte_order_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;

    ledger->header->byte_order = UINT32_C(0x04030201);
    assert_refused(ledger, ledger->size, LEDGER_E_BYTE_ORDER, 12);
}

static void a_cut_file_is_refused_with_its_length(void **state)
{
    struct fake_ledger *ledger = *state;

    assert_refused(ledger, 8, LEDGER_E_TRUNCATED, 8);
    assert_refused(ledger, 65535, LEDGER_E_TRUNCATED, 65535);
    assert_refused(ledger, ledger->size - 1, LEDGER_E_TRUNCATED,
                   ledger->size - 1);
}

static void impossible_geometry_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;

    ledger->header->shard_count = 0;
    assert_refused(ledger, ledger->size, LEDGER_E_GEOMETRY, 32);
    ledger->header->shard_count = UINT32_MAX;
    assert_refused(ledger, ledger->size, LEDGER_E_GEOMETRY, 32);
    ledger->header->shard_count = 2;
    ledger->header->directory_capacity++;
    assert_refused(ledger, ledger->size, LEDGER_E_GEOMETRY, 36);
    ledger->header->directory_capacity--;
    ledger->header->control = 3;
    assert_refused(ledger, ledger->size, LEDGER_E_GEOMETRY, 24);
    ledger->header->control = 0;
    ledger->header->used_bytes = 4096;
    assert_refused(ledger, ledger->size, LEDGER_E_GEOMETRY, 16);
}

/* Each wrong value of an entry is refused with the entry's offset. */
static void a_segment_outside_the_file_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t entry;
    uint64_t place;
    struct ledger_directory_entry sound;

    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1);
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_SITES, 0);
    place = 4096 + entry * UINT64_C(32);
    sound = ledger->directory[entry];

    ledger->directory[entry].offset = ledger->size;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->directory[entry].offset = 4096;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->directory[entry].offset = UINT64_MAX - 4095;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->directory[entry].offset = sound.offset + 8;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->directory[entry] = sound;
    ledger->directory[entry].size = UINT64_MAX;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->header->flags |= LEDGER_FLAG_TEMPORARY;
    ledger->directory[entry].size = sound.size - 1; /* a shard is missing */
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY, place);
    ledger->directory[entry] = sound;
    ledger->directory[entry].index = LEDGER_ENTRY_LIMIT;
    assert_refused(ledger, ledger->size, LEDGER_E_SEGMENT, place);
}

/* Each segment may lie anywhere, but they must not overlap. */
static void segments_that_overlap_are_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t first, last;

    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1);
    first = fake_ledger_entry(ledger, LEDGER_SEGMENT_SITES, 0);
    last = ledger->header->directory_used;
    assert_true(last < LEDGER_DIRECTORY_CAPACITY);
    ledger->directory[last] = ledger->directory[first];
    ledger->directory[last].index = 1;
    ledger->header->directory_used++;
    assert_refused(ledger, ledger->size, LEDGER_E_OVERLAP,
                   4096 + last * UINT64_C(32));
}

/* A text that all sites name: each use is valid, all together are too much. */
static void work_is_bounded_by_the_size(void **state)
{
    struct fake_ledger *ledger = *state;
    static char name[65536];
    struct ledger_text text;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    uint64_t bytes = 0, limit;
    int found;

    memset(name, 'x', sizeof name);
    text = fake_ledger_text(ledger, name, sizeof name);
    for (unsigned i = 0; i < 1000; i++)
        fake_ledger_site(ledger,
                         fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, i))
            ->place = text;
    limit = ledger_reader_work_limit(ledger->size);
    assert_true(limit < UINT64_C(1000) * sizeof name);
    reader = open_ledger(ledger);
    while ((found = ledger_reader_next_site(&reader, &cursor, &site)) > 0)
        bytes += site.place.length;
    assert_int_equal(found, LEDGER_E_WORK);
    assert_true(reader.work <= limit && bytes <= limit);
    assert_true(bytes > limit - 2 * sizeof name);
}

/* A newer minor version may have more kinds; ours has not. */
static void an_unknown_kind_is_for_newer_readers(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t entry;

    fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1);
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_SITES, 0);
    ledger->directory[entry].kind = LEDGER_SEGMENT_KINDS;
    assert_refused(ledger, ledger->size, LEDGER_E_SEGMENT,
                   4096 + entry * UINT64_C(32));
    ledger->header->minor = LEDGER_MINOR + 1;
    open_ledger(ledger);
}

/* Add the directory's last entry, which points to more entries, and return the
   first of those. */
static struct ledger_directory_entry *add_directory(struct fake_ledger *ledger)
{
    struct ledger_directory_entry *last =
        &ledger->directory[LEDGER_DIRECTORY_CAPACITY - 1];
    uint64_t size = LEDGER_MORE_ENTRIES * sizeof *last;

    *last = (struct ledger_directory_entry){
        .kind = LEDGER_SEGMENT_DIRECTORY,
        .offset = ledger->size,
        .size = size,
    };
    ledger->size += size;
    ledger->header->used_bytes = ledger->size;
    ledger->header->directory_used = LEDGER_DIRECTORY_CAPACITY + 1;
    return (void *)(ledger->bytes + last->offset);
}

static void what_more_entries_lead_to_is_found(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t site = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 0x1234);
    uint32_t sites = fake_ledger_entry(ledger, LEDGER_SEGMENT_SITES, 0);
    uint32_t first = (LEDGER_ENTRY_LIMIT - 1) * LEDGER_PEAKS_PER_SEGMENT;
    struct ledger_directory_entry *more;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view view;
    struct ledger_reader reader;
    struct ledger_peak peak;
    uint32_t peaks;

    fake_ledger_peak(ledger, 3)->blocks = 7;
    peaks = fake_ledger_entry(ledger, LEDGER_SEGMENT_PEAKS, 0);
    more = add_directory(ledger);
    ledger->header->directory_used++;
    more[0] = ledger->directory[sites];
    more[1] = ledger->directory[peaks];
    more[0].index = more[1].index = LEDGER_ENTRY_LIMIT - 1;
    ledger->directory[sites].kind = LEDGER_SEGMENT_NONE;
    ledger->directory[peaks].kind = LEDGER_SEGMENT_NONE;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_peak(&reader, first + 3, &peak), 1);
    assert_int_equal(peak.blocks, 7);
    assert_int_equal(ledger_reader_peak(&reader, 3, &peak), 0);
    assert_int_equal(ledger_reader_next_site(&reader, &cursor, &view), 1);
    assert_int_equal(view.address, 0x1234);
    assert_int_equal(view.id, (LEDGER_ENTRY_LIMIT - 1) * 128 + site);

    /* They are checked like all others. */
    more->offset = ledger->size;
    assert_refused(ledger, ledger->size, LEDGER_E_DIRECTORY,
                   ledger->directory[LEDGER_DIRECTORY_CAPACITY - 1].offset);
}

/* A reader of frames allocates memory for the highest index. */
static void what_is_no_sites_has_low_numbers_alone(void **state)
{
    struct fake_ledger *ledger = *state;
    uint32_t entry;

    fake_ledger_add_frame(ledger, 0, 0, 0x1000);
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_FRAMES, 0);
    ledger->directory[entry].index = LEDGER_FRAME_SEGMENTS - 1;
    open_ledger(ledger);
    ledger->directory[entry].index = LEDGER_FRAME_SEGMENTS;
    assert_refused(ledger, ledger->size, LEDGER_E_SEGMENT,
                   4096 + entry * UINT64_C(32));
}

/* Each entry visited counts as work. */
static uint64_t entries_read(struct ledger_reader *reader)
{
    uint64_t before = reader->work;

    ledger_reader_frame_limit(reader);
    return reader->work - before;
}

static void entries_that_nothing_leads_to_are_not_read(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_directory_entry *more = add_directory(ledger);
    struct ledger_reader reader;

    more->kind = 99;
    ledger->directory[LEDGER_DIRECTORY_CAPACITY - 1].kind = LEDGER_SEGMENT_NONE;
    reader = open_ledger(ledger);
    assert_int_equal(entries_read(&reader), LEDGER_DIRECTORY_CAPACITY);
    ledger->header->directory_used = UINT32_MAX;
    assert_int_equal(entries_read(&reader), LEDGER_DIRECTORY_CAPACITY);
}

static void a_text_outside_the_texts_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_text sound = ledger->header->program;

    ledger->header->program.offset = 0;
    assert_refused(ledger, ledger->size, LEDGER_E_TEXT, 96);
    ledger->header->program.offset = UINT64_MAX;
    assert_refused(ledger, ledger->size, LEDGER_E_TEXT, 96);
    ledger->header->program = sound;
    ledger->header->program.length = 4097; /* one byte after its segment */
    assert_refused(ledger, ledger->size, LEDGER_E_TEXT, 96);
    ledger->header->program.length = 4096;
    open_ledger(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_foreign_file_is_refused),
        TEST(another_major_version_is_refused),
        TEST(another_byte_order_is_refused),
        TEST(a_cut_file_is_refused_with_its_length),
        TEST(impossible_geometry_is_refused),
        TEST(a_segment_outside_the_file_is_refused),
        TEST(what_more_entries_lead_to_is_found),
        TEST(what_is_no_sites_has_low_numbers_alone),
        TEST(entries_that_nothing_leads_to_are_not_read),
        TEST(segments_that_overlap_are_refused),
        TEST(work_is_bounded_by_the_size),
        TEST(an_unknown_kind_is_for_newer_readers),
        TEST(a_text_outside_the_texts_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
