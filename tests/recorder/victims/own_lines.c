/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_lines.c - allocate while shared memory is read-only
 *
 * When each thread has used its stacks once, make the recorder's data
 * read-only, and the ledger except pages that belong to one thread. The header
 * shares a page with the totals of threads, so compare its other words. With an
 * argument each block is too large for a thread's own cache.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"
#include "tests/recorder/victims/victim.h"

enum { THREADS = 4, WARM = 1000, PAIRS = 250000, RANGES = 16, OWNERS = 8 };

static pthread_barrier_t have_begun, step;
static size_t size = 40;

static struct {
    char *start;
    size_t size;
} ranges[RANGES]; /* of the recorder's data */
static unsigned range_count;

static char *ledger;

static __attribute__((noinline)) void pass(void)
{
    void *one = victim_keep(malloc(size));
    void *other = victim_keep(malloc(2 * size));

    free(one);
    free(other);
}

/* Allocate from one line, because the line is part of the stack. A thread that
   starts has the others look once more, before they are watched. */
static void *pass_often(void *nothing)
{
    pass();
    pthread_barrier_wait(&have_begun);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < (round == 0 ? WARM : PAIRS); i++)
            pass();
        pthread_barrier_wait(&step);
        pthread_barrier_wait(&step);
    }
    return nothing;
}

static void note_range(uintptr_t start, uintptr_t end)
{
    REQUIRE(range_count < RANGES);
    ranges[range_count].start = (char *)start;
    ranges[range_count++].size = end - start;
}

/* Find the library's mappings; its .bss is mapped right behind its data. */
static void find_mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    uintptr_t library_end = 0;
    char line[512];

    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t start, end;
        char access[8];
        int is_library = strstr(line, "libtally-record.so") != NULL;

        REQUIRE(sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &start, &end,
                       access) == 3);
        if (start == library_end && strpbrk(line, "/[") == NULL)
            is_library = 1;
        if (is_library) {
            library_end = end;
            if (access[1] == 'w')
                note_range(start, end);
        }
        if (ledger == NULL && strstr(line, "/memfd:") != NULL &&
            memcmp((char *)start, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) == 0)
            ledger = (char *)start;
    }
    fclose(file);
}

static void allow(uint64_t offset, uint64_t length, int access)
{
    REQUIRE(mprotect(ledger + offset, length, access) == 0);
}

/* Allow writes to counters and temporary blocks of shards that threads own. */
static void allow_own_pages(const struct ledger_directory_entry *entry)
{
    const struct ledger_header *header = (const void *)ledger;
    uint64_t counters =
        entry->offset + LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_site);
    uint64_t temporary = counters + header->shard_count * LEDGER_PAGE;

    allow(counters + LEDGER_PAGE, OWNERS * LEDGER_PAGE, PROT_READ | PROT_WRITE);
    allow(temporary, entry->offset + entry->size - temporary,
          PROT_READ | PROT_WRITE);
}

static void protect_ledger(void)
{
    const struct ledger_header *header = (const void *)ledger;
    const struct ledger_directory_entry *entries =
        (const void *)(ledger + LEDGER_HEADER_SIZE);

    REQUIRE(header->used_bytes <= 0x200000); /* one mapping */
    allow(LEDGER_HEADER_SIZE, header->used_bytes - LEDGER_HEADER_SIZE,
          PROT_READ);
    for (uint32_t i = 0; i < header->directory_used; i++) {
        if (entries[i].kind == LEDGER_SEGMENT_SITES)
            allow_own_pages(&entries[i]);
        else if (entries[i].kind == LEDGER_SEGMENT_SIZES)
            allow(entries[i].offset, entries[i].size, PROT_READ | PROT_WRITE);
    }
}

static void protect_data(int access)
{
    for (unsigned i = 0; i < range_count; i++)
        REQUIRE(mprotect(ranges[i].start, ranges[i].size, access) == 0);
}

int main(int argc, char **argv)
{
    enum {
        SHARED = offsetof(struct ledger_header, totals) +
                 sizeof(struct ledger_total),
        READING = offsetof(struct ledger_header, map_reading),
        READING_END =
            offsetof(struct ledger_header, map_resident) + sizeof(uint64_t)
    };
    pthread_t threads[THREADS];
    char before[SHARED];

    (void)argv;
    if (argc > 1)
        size = LEDGER_TOTAL_BATCH;
    find_mappings();
    pthread_barrier_init(&have_begun, NULL, THREADS);
    pthread_barrier_init(&step, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, pass_often, NULL) == 0);
    pthread_barrier_wait(&step);
    if (ledger != NULL) {
        protect_ledger();
        protect_data(PROT_READ);
        memcpy(before, ledger, SHARED);
    }
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    if (ledger != NULL) {
        /* tally record may have written a reading. */
        memcpy(before + READING, ledger + READING, READING_END - READING);
        REQUIRE(memcmp(before, ledger, SHARED) == 0);
        protect_data(PROT_READ | PROT_WRITE);
        allow(0,
              ((const struct ledger_header *)(const void *)ledger)->used_bytes,
              PROT_READ | PROT_WRITE);
    }
    pthread_barrier_wait(&step);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    victim_say(ledger == NULL || range_count == 0
                   ? "not recorded\n"
                   : "nothing shared was written\n");
    return 0;
}
