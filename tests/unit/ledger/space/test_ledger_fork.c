/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ledger_fork.c - a child has everything written before the fork
 *
 * A thread that creates a segment enters it in the directory shortly after
 * others may write to it. A fork in between loses that thread.
 */
#include "ledger/space/ledger_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/ledger/ledger_reader.h"
#include "format/ledger/session_layout.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/process.h"

enum { SHARDS = 3, SITES = 3 * LEDGER_SITES_PER_SEGMENT };

struct process process;
bool process_is_compressed;

void process_count(enum ledger_count which, uint64_t added)
{
    fail_msg("count %d: %d", (int)which, (int)added);
}

static int open_file(void)
{
    int file = memfd_create("ledger", MFD_CLOEXEC);

    assert_int_equal(ftruncate(file, (off_t)SESSION_EXTENT_SIZE), 0);
    return file;
}

/* State left by a thread that has not entered them yet. */
static void forget_entries(enum ledger_segment_kind kind)
{
    struct ledger_directory_entry *entries =
        (void *)((char *)process.header + LEDGER_HEADER_SIZE);

    for (uint32_t i = 0; i < process.header->directory_used; i++) {
        if (entries[i].kind == (uint32_t)kind)
            entries[i] = (struct ledger_directory_entry){ 0 };
    }
}

static void write_sites(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t id = ledger_write_site(LEDGER_SITE_HEAP, 0x1000 + i, 0);

        assert_int_equal(id, i + 1);
        ledger_counter_at(id)->alloc_blocks++;
    }
}

/* Return the number of sites, and the blocks counted there. */
static uint32_t read_sites(int file, uint64_t *blocks)
{
    size_t size = process.header->used_bytes;
    const unsigned char *bytes =
        mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view site;
    uint32_t count = 0;

    assert_ptr_not_equal(bytes, MAP_FAILED);
    memcpy(process.header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    assert_int_equal(ledger_reader_open(&reader, bytes, size), LEDGER_E_OK);
    *blocks = 0;
    while (ledger_reader_next_site(&reader, &cursor, &site) > 0) {
        assert_int_equal(site.address, 0x1000 + count);
        *blocks += site.counter.alloc_blocks;
        count++;
    }
    munmap((void *)(uintptr_t)bytes, size);
    return count;
}

static void nothing_written_is_lost(void **state)
{
    struct ledger_text text;
    uint64_t blocks;
    int file = open_file();

    (void)state;
    process.header = ledger_space_open(file, 0, SHARDS, true);
    assert_non_null(process.header);
    write_sites(0, SITES);
    text = ledger_write_text("here", 4);
    forget_entries(LEDGER_SEGMENT_SITES);
    forget_entries(LEDGER_SEGMENT_TEXT);

    file = open_file();
    process.header = ledger_space_fork(file, 0, ledger_writer_inherit);
    assert_non_null(process.header);
    assert_int_equal(read_sites(file, &blocks), SITES);
    assert_int_equal(blocks, 0);
    assert_memory_equal(ledger_space_at(text.offset), "here", 4);

    /* The child continues in the segment that was begun. */
    write_sites(SITES, 10);
    assert_int_equal(read_sites(file, &blocks), SITES + 10);
    assert_int_equal(blocks, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_written_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
