/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_snapshot.c - copies of ledgers in a session */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"
#include "tool/session/find/session_ledgers.h"

static struct session_file session;

static int make_session(void **state)
{
    struct session_header settings = { .control = LEDGER_CONTROL_ON };
    struct session_failure failure;

    (void)state;
    return session_file_create(&session, &settings, &failure);
}

static int close_session(void **state)
{
    (void)state;
    session_file_close(&session);
    return 0;
}

static void put(uint64_t offset, const void *bytes, size_t size)
{
    assert_int_equal(pwrite(session.fd, bytes, size, (off_t)offset), size);
}

static void put_header(uint32_t number, uint32_t pid)
{
    struct ledger_header header = { .pid = pid, .used_bytes = 1 };

    memcpy(header.magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    put(session_extent_offset(number), &header, sizeof header);
    if (number >= session.header->ledger_count)
        session.header->ledger_count = number + 1;
}

static void put_entry(uint32_t number, uint32_t index,
                      struct ledger_directory_entry entry)
{
    put(session_extent_offset(number) + LEDGER_HEADER_SIZE +
            index * sizeof entry,
        &entry, sizeof entry);
}

static void nothing_is_no_ledger(void **state)
{
    struct ledger_snapshot snapshot;

    (void)state;
    assert_int_equal(
        ledger_snapshot_take(session.fd, session_extent_offset(0), &snapshot),
        -1);
    assert_int_equal(errno, ENOMSG);
}

static void what_the_directory_names_is_copied(void **state)
{
    struct ledger_snapshot snapshot;
    uint64_t base = session_extent_offset(3);
    uint64_t text = 2 * LEDGER_FIRST_SEGMENT;

    (void)state;
    put_header(3, 10);
    put_entry(3, 7,
              (struct ledger_directory_entry){ .kind = LEDGER_SEGMENT_TEXT,
                                               .offset = text,
                                               .size = LEDGER_PAGE });
    put(base + text, "text", 4);
    put(base + text + LEDGER_PAGE, "not named", 9);
    assert_int_equal(ledger_snapshot_take(session.fd, base, &snapshot), 0);
    assert_int_equal(snapshot.size, text + LEDGER_PAGE);
    assert_int_equal(snapshot.header->used_bytes, snapshot.size);
    assert_memory_equal(snapshot.bytes + text, "text", 4);
    ledger_snapshot_free(&snapshot);
}

static void every_kind_is_copied(void **state)
{
    struct ledger_snapshot snapshot;
    uint64_t base = session_extent_offset(4);

    (void)state;
    put_header(4, 10);
    for (uint32_t kind = 1; kind <= LEDGER_SEGMENT_SIZES + 1; kind++) {
        uint64_t at = LEDGER_FIRST_SEGMENT + kind * (uint64_t)LEDGER_PAGE;

        put_entry(4, kind,
                  (struct ledger_directory_entry){
                      .kind = kind, .offset = at, .size = LEDGER_PAGE });
        put(base + at, &kind, sizeof kind);
    }
    assert_int_equal(ledger_snapshot_take(session.fd, base, &snapshot), 0);
    for (uint32_t kind = 1; kind <= LEDGER_SEGMENT_SIZES + 1; kind++)
        assert_memory_equal(snapshot.bytes + LEDGER_FIRST_SEGMENT +
                                kind * (uint64_t)LEDGER_PAGE,
                            &kind, sizeof kind);
    ledger_snapshot_free(&snapshot);
}

/* The reader reports it later; the copy must not leave the extent. */
static void a_directory_that_leads_outside_is_not_followed(void **state)
{
    static const struct ledger_directory_entry wild[] = {
        { .kind = LEDGER_SEGMENT_SITES, .offset = 0, .size = LEDGER_PAGE },
        { .kind = LEDGER_SEGMENT_TEXT,
          .offset = SESSION_EXTENT_SIZE,
          .size = LEDGER_PAGE },
        { .kind = LEDGER_SEGMENT_TEXT,
          .offset = LEDGER_FIRST_SEGMENT,
          .size = SESSION_EXTENT_SIZE },
        { .kind = LEDGER_SEGMENT_MODULES,
          .offset = UINT64_MAX - LEDGER_PAGE + 1,
          .size = 2 * LEDGER_PAGE },
        { .kind = LEDGER_SEGMENT_NOTICES,
          .offset = LEDGER_FIRST_SEGMENT + 1,
          .size = LEDGER_PAGE },
    };
    struct ledger_snapshot snapshot;

    (void)state;
    put_header(1, 10);
    for (uint32_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        put_entry(1, i, wild[i]);
    assert_int_equal(
        ledger_snapshot_take(session.fd, session_extent_offset(1), &snapshot),
        0);
    assert_int_equal(snapshot.size, LEDGER_FIRST_SEGMENT);
    assert_memory_equal(snapshot.bytes + LEDGER_HEADER_SIZE, wild, sizeof wild);
    ledger_snapshot_free(&snapshot);
}

static void to_look_at_a_ledger_takes_no_memory(void **state)
{
    struct ledger_snapshot snapshot;
    uint64_t before;

    (void)state;
    put_header(2, 10);
    put_entry(2, 0,
              (struct ledger_directory_entry){ .kind = LEDGER_SEGMENT_SITES,
                                               .offset = LEDGER_FIRST_SEGMENT,
                                               .size = 256 * LEDGER_PAGE });
    before = session_file_resident_bytes(&session);
    assert_int_equal(
        ledger_snapshot_take(session.fd, session_extent_offset(2), &snapshot),
        0);
    assert_int_equal(session_file_resident_bytes(&session), before);
    ledger_snapshot_free(&snapshot);
    session_file_release(&session, 2);
    assert_true(session_file_resident_bytes(&session) < before);
}

/*
 * A directory that names the same 8 MiB repeatedly: twice the session's size is
 * copied, plus 64 MiB for growth. So there is no room for the last 8 MiB,
 * unless the directory names little.
 */
static void copying_is_bounded_by_what_there_is(void **state)
{
    enum { LARGE = 8 << 20, MANY = 40 };
    static char first[LARGE], last[LARGE], nothing[LARGE];
    struct ledger_snapshot snapshot;
    uint64_t base = session_extent_offset(5);
    uint64_t behind = LEDGER_FIRST_SEGMENT + LARGE;

    (void)state;
    put_header(5, 10);
    memset(first, 'f', sizeof first);
    memset(last, 'l', sizeof last);
    put(base + LEDGER_FIRST_SEGMENT, first, sizeof first);
    put(base + behind, last, sizeof last);
    for (uint32_t count = 2; count <= MANY; count *= 20) {
        for (uint32_t i = 0; i <= count; i++)
            put_entry(5, i,
                      (struct ledger_directory_entry){
                          .kind = LEDGER_SEGMENT_TEXT,
                          .offset = i < count ? LEDGER_FIRST_SEGMENT : behind,
                          .size = LARGE });
        assert_int_equal(ledger_snapshot_take(session.fd, base, &snapshot), 0);
        assert_memory_equal(snapshot.bytes + LEDGER_FIRST_SEGMENT, first,
                            LARGE);
        assert_memory_equal(snapshot.bytes + behind,
                            count == 2 ? last : nothing, LARGE);
        ledger_snapshot_free(&snapshot);
    }
}

static void generations_count_the_images_of_a_pid(void **state)
{
    struct image_table table = { 0 };

    (void)state;
    put_header(0, 100);
    put_header(1, 200);
    put_header(2, 100);
    session.header->ledger_count = 5; /* 3 and 4 are not open yet */
    session_file_release(&session, 3);
    assert_true(image_table_refresh(&table, &session));
    assert_int_equal(table.images[0].generation, 0);
    assert_int_equal(table.images[1].generation, 0);
    assert_int_equal(table.images[2].generation, 1);
    assert_false(table.images[3].is_open);
    assert_true(image_has_ended(&table, 0)); /* replaced by image 2 */
    put_header(3, 100);
    put_header(4, 300);
    assert_true(image_table_refresh(&table, &session));
    assert_int_equal(table.images[3].generation, 2);
    assert_int_equal(table.images[4].generation, 0);
    assert_int_equal(image_table_find_first(&table, 100), 0);
    assert_int_equal(image_table_find_first(&table, 400), -1);
    image_table_free(&table);
}

static const struct ledger_directory_entry *
entry_of(const struct ledger_snapshot *snapshot, uint32_t number)
{
    return (const void *)(snapshot->bytes + LEDGER_HEADER_SIZE +
                          number * sizeof(struct ledger_directory_entry));
}

static void a_segment_is_added_behind_all_others(void **state)
{
    struct ledger_snapshot snapshot;
    const struct ledger_directory_entry *entry;
    size_t size;
    unsigned char *bytes;

    (void)state;
    assert_int_equal(
        ledger_snapshot_make_empty(&snapshot, "a", (char *[]){ NULL }), 0);
    size = snapshot.size;
    snapshot.header->minor = 0;
    bytes = ledger_snapshot_add(&snapshot, LEDGER_SEGMENT_HISTORY, 3, 5000);
    assert_ptr_equal(snapshot.bytes + size, bytes);
    assert_int_equal(size + 8192, snapshot.size);
    assert_int_equal(size + 8192, snapshot.header->used_bytes);
    assert_int_equal(2, snapshot.header->directory_used);
    assert_int_equal(LEDGER_MINOR, snapshot.header->minor);
    entry = entry_of(&snapshot, 1);
    assert_int_equal(LEDGER_SEGMENT_HISTORY, entry->kind);
    assert_int_equal(3, entry->index);
    assert_int_equal(size, entry->offset);
    assert_int_equal(8192, entry->size);
    assert_int_equal(0, bytes[8191]);
    ledger_snapshot_free(&snapshot);
}

/* The last entry is reserved for more entries, none of which may be free. */
static void a_full_directory_takes_no_segment(void **state)
{
    struct ledger_snapshot snapshot;
    struct ledger_directory_entry *entries;

    (void)state;
    assert_int_equal(
        ledger_snapshot_make_empty(&snapshot, "a", (char *[]){ NULL }), 0);
    entries = (void *)(snapshot.bytes + LEDGER_HEADER_SIZE);
    for (uint32_t i = 0; i < LEDGER_DIRECTORY_CAPACITY - 1; i++)
        entries[i].kind = LEDGER_SEGMENT_TEXT;
    assert_null(ledger_snapshot_add(&snapshot, LEDGER_SEGMENT_HISTORY, 0, 1));
    ledger_snapshot_free(&snapshot);
}

static void more_entries_are_used(void **state)
{
    const size_t size =
        LEDGER_MORE_ENTRIES * sizeof(struct ledger_directory_entry);
    struct ledger_snapshot snapshot;
    struct ledger_directory_entry *entries, *more;
    unsigned char *bytes;
    uint64_t at;

    (void)state;
    assert_int_equal(
        ledger_snapshot_make_empty(&snapshot, "a", (char *[]){ NULL }), 0);
    bytes = ledger_snapshot_add(&snapshot, LEDGER_SEGMENT_DIRECTORY, 0, size);
    at = (uint64_t)(bytes - snapshot.bytes);
    entries = (void *)(snapshot.bytes + LEDGER_HEADER_SIZE);
    for (uint32_t i = 0; i < LEDGER_DIRECTORY_CAPACITY; i++)
        entries[i].kind = LEDGER_SEGMENT_TEXT;
    entries[LEDGER_DIRECTORY_CAPACITY - 1] =
        (struct ledger_directory_entry){ LEDGER_SEGMENT_DIRECTORY, 0, at, size,
                                         0 };
    more = (void *)(snapshot.bytes + at);
    more[0].kind = LEDGER_SEGMENT_TEXT;
    assert_non_null(
        ledger_snapshot_add(&snapshot, LEDGER_SEGMENT_HISTORY, 0, 1));
    more = (void *)(snapshot.bytes + at);
    assert_int_equal(LEDGER_SEGMENT_HISTORY, more[1].kind);
    assert_int_equal(LEDGER_DIRECTORY_CAPACITY + 2,
                     snapshot.header->directory_used);
    for (uint32_t i = 0; i < LEDGER_MORE_ENTRIES; i++)
        more[i].kind = LEDGER_SEGMENT_TEXT;
    assert_null(ledger_snapshot_add(&snapshot, LEDGER_SEGMENT_HISTORY, 0, 1));
    ledger_snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_no_ledger),
        cmocka_unit_test(what_the_directory_names_is_copied),
        cmocka_unit_test(every_kind_is_copied),
        cmocka_unit_test(a_directory_that_leads_outside_is_not_followed),
        cmocka_unit_test(to_look_at_a_ledger_takes_no_memory),
        cmocka_unit_test(copying_is_bounded_by_what_there_is),
        cmocka_unit_test(generations_count_the_images_of_a_pid),
        cmocka_unit_test(a_segment_is_added_behind_all_others),
        cmocka_unit_test(a_full_directory_takes_no_segment),
        cmocka_unit_test(more_entries_are_used),
    };

    return cmocka_run_group_tests(tests, make_session, close_session);
}
