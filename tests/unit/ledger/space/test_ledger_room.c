/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ledger_room.c - room for as many stacks as the documents promise
 *
 * A ledger is filled until it is full, in an extent of the real size, for
 * machines of few and of many CPUs. Counters are never touched, so it needs
 * little memory.
 */
#include "ledger/space/ledger_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/ledger/ledger_reader.h"
#include "format/ledger/session_layout.h"
#include "ledger/shards/shard_add.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/process.h"

/* Limits stated in docs/hazards.md and CHANGELOG.md. */
enum {
    FEW_CPUS = 32,
    FEW_CPUS_STACKS = 2000000,
    MANY_CPUS = SHARD_CPU_LIMIT, /* no machine has more shards */
    MANY_CPUS_STACKS = 1250000,
    FRAMES = 8,       /* own frames of each stack */
    IN_VAIN = 500000, /* stacks without room */
    CALLS = 2000,     /* ... whose call sites still have accounts */
};

struct process process;
bool process_is_compressed;

void process_count(enum ledger_count which, uint64_t added)
{
    fail_msg("count %d: %d", (int)which, (int)added);
}

struct filled {
    uint32_t stacks;
    uint32_t calls; /* written when there was no room for a stack */
};

static bool write_stack(uint32_t number)
{
    uint32_t frame = 0;

    for (uint32_t i = 0; i < FRAMES; i++) {
        frame = ledger_write_frame(frame, 0x1000 + i, 0);
        if (frame == 0)
            return false;
    }
    return ledger_write_stack(LEDGER_SITE_HEAP, 0x2000 + number, 0, frame) != 0;
}

/* The reader accepts the writer's ledger. */
static void read_back(int file, uint32_t stacks)
{
    size_t size = process.header->used_bytes;
    struct ledger_reader reader;
    struct ledger_frame_view frame;
    uint32_t before = stacks * FRAMES - 1;
    unsigned char *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);

    assert_ptr_not_equal(bytes, MAP_FAILED);
    memcpy(process.header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    assert_int_equal(ledger_reader_open(&reader, bytes, size), LEDGER_E_OK);
    assert_int_equal(
        ledger_reader_next_frame(&reader, UINT32_MAX, &before, &frame), 1);
    assert_int_equal(frame.address, 0x1000 + FRAMES - 1);
    munmap(bytes, size);
}

static struct filled fill_here(uint32_t cpus)
{
    struct filled filled = { 0, 0 };
    int file = memfd_create("ledger", MFD_CLOEXEC);

    assert_int_equal(ftruncate(file, (off_t)SESSION_EXTENT_SIZE), 0);
    process.header = ledger_space_open(file, 0, SHARD_FIRST_CPU + cpus, true);
    assert_non_null(process.header);
    while (write_stack(filled.stacks))
        filled.stacks++;
    for (uint32_t i = 0; i < IN_VAIN; i++)
        assert_false(write_stack(filled.stacks + i));
    while (filled.calls < CALLS &&
           ledger_write_stack(LEDGER_SITE_HEAP, 0x3000 + filled.calls, 0,
                              LEDGER_FRAME_CUT) != 0)
        filled.calls++;
    read_back(file, filled.stacks);
    return filled;
}

/* A process has one ledger. */
static struct filled fill(uint32_t cpus)
{
    struct filled filled = { 0, 0 };
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_int_not_equal(child, -1);
    if (child == 0) {
        filled = fill_here(cpus);
        _exit(write(ends[1], &filled, sizeof filled) != sizeof filled);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &filled, sizeof filled), sizeof filled);
    close(ends[0]);
    return filled;
}

static void two_million_stacks_have_room(void **state)
{
    struct filled filled = fill(FEW_CPUS);

    (void)state;
    assert_in_range(filled.stacks, FEW_CPUS_STACKS, UINT32_MAX);
    assert_int_equal(filled.calls, CALLS);
}

static void fewer_where_there_are_many_cpus(void **state)
{
    struct filled filled = fill(MANY_CPUS);

    (void)state;
    assert_in_range(filled.stacks, MANY_CPUS_STACKS, FEW_CPUS_STACKS);
    assert_int_equal(filled.calls, CALLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_million_stacks_have_room),
        cmocka_unit_test(fewer_where_there_are_many_cpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
