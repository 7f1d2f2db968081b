/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unseen.c - blocks that code without the header frees, or resizes
 *
 * Random calls in a program with one source that has the header and one that
 * has not, with blocks of every size beside each other. The program counts its
 * live blocks, and the stale records that unseen calls have left behind: such a
 * record is removed when a tagged block gets the same address, or one so near
 * that both use one word of a leaf, or when the block there is freed by code
 * with the header. By this count every row is exact, to the byte; stale records
 * found are in its unseen_frees; a row without unseen calls equals the
 * program's live blocks.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

#ifdef IS_COMPRESSED
#define SETTING "sysctl.vm.mem_profiling=1,compressed"
#else
#define SETTING "sysctl.vm.mem_profiling=1"
#endif

void *untagged_allocate(size_t size);
void *untagged_resize(void *block, size_t size);
void untagged_free(void *block);

enum {
    SEEDS = 40,
    CALLS = 3000,
    SLOTS = 300,
    RECORDS = 65536,
    GRANULE = 16,
    REGION =
        4 << 20, /* words of two regions never touch, ledger/shards/shadow.h */
#ifdef IS_COMPRESSED
    ESCAPE = 32767, /* larger sizes take more than two words */
#else
    ESCAPE = 1 << 30,
#endif
    NO_MAKER = -1,
};

/* Each has a tag, identified by its function. */
#define MAKER_LIST(X)                                        \
    X(by_malloc, malloc(size))                               \
    X(by_other_malloc, malloc(size))                         \
    X(by_calloc, calloc(1, size))                            \
    X(by_realloc, realloc(NULL, size))                       \
    X(by_reallocarray, reallocarray(NULL, 1, size))          \
    X(by_aligned_alloc, aligned_alloc(64, size))             \
    X(by_memalign, memalign(32, size))                       \
    X(by_strndup, strndup(letters(size), size - 1))          \
    X(by_posix_memalign,                                     \
      posix_memalign(&block, 256, size) == 0 ? block : NULL) \
    X(kept_in_sight, malloc(size))

static const char *letters(size_t size)
{
    static char text[1 << 18];

    memset(text, 'x', size);
    return text;
}

#define MAKER(name, call)          \
    static void *name(size_t size) \
    {                              \
        void *block = NULL;        \
                                   \
        block = (call);            \
        return block;              \
    }
MAKER_LIST(MAKER)
#undef MAKER

static void *resize(void *block, size_t size)
{
    return realloc(block, size);
}

struct maker {
    const char *name;
    void *(*make)(size_t size);
    uint64_t held_bytes, held_blocks; /* live blocks of its own */
    uint64_t row_bytes, row_blocks;   /* ... plus blocks with stale records */
    uint64_t unseen;
};

#define MAKER(name, call) { #name, name, 0, 0, 0, 0, 0 },
static struct maker makers[] = { MAKER_LIST(MAKER){ "resize", NULL, 0, 0, 0, 0,
                                                    0 } };
#undef MAKER

enum {
    TAGS = sizeof makers / sizeof makers[0],
    RESIZE = TAGS - 1,
    IN_SIGHT = TAGS - 2,
};

static struct held {
    void *block;
    size_t size;
    int maker;
} slots[SLOTS];

static struct record {
    uintptr_t address; /* 0: none */
    size_t size;
    int maker;
} records[RECORDS];

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % limit;
}

static size_t some_size(void)
{
    switch (below(8)) {
    case 0:
        return 1 + below(16);
    case 1:
    case 2:
    case 3:
        return 8 + below(120);
    case 4:
    case 5:
        return 1 + below(1200);
    case 6:
        return 1 + below(40000);
    default:
        return 4096 * (1 + (size_t)below(40)) - below(64);
    }
}

static struct record *record_at(uintptr_t address)
{
    size_t at = address / GRANULE * 40503 % RECORDS;

    while (records[at].address != 0 && records[at].address != address)
        at = (at + 1) % RECORDS;
    return &records[at];
}

/* A removed record keeps its place in the table. */
static bool close_record(uintptr_t address)
{
    struct record *record = record_at(address);
    bool was_there = record->address != 0 && record->maker != NO_MAKER;

    if (was_there) {
        makers[record->maker].row_bytes -= record->size;
        makers[record->maker].row_blocks--;
        record->maker = NO_MAKER;
    }
    return was_there;
}

/* Return the bytes covered by the words of a block of this size,
   format/ledger/reference.h. */
static uintptr_t reach(size_t size)
{
    return GRANULE * (size < ESCAPE ? 2 : 6);
}

static void open_record(void *block, size_t size, int maker)
{
    uintptr_t address = (uintptr_t)block;
    struct record *record;

    for (uintptr_t at = address - 5 * GRANULE; at < address + reach(size);
         at += GRANULE) {
        int whose;

        if (at / REGION != address / REGION)
            continue;
        record = record_at(at);
        whose = record->maker;
        if ((at >= address || at + reach(record->size) > address) &&
            close_record(at))
            makers[whose].unseen++;
    }
    record = record_at(address);
    *record = (struct record){ address, size, maker };
    makers[maker].row_bytes += size;
    makers[maker].row_blocks++;
}

static void hold(struct held *held, void *block, size_t size, int maker)
{
    EXPECT(block != NULL);
    *held = (struct held){ block, size, maker };
    if (maker != NO_MAKER) {
        makers[maker].held_bytes += size;
        makers[maker].held_blocks++;
    }
}

static void let_go(struct held *held)
{
    if (held->maker != NO_MAKER) {
        makers[held->maker].held_bytes -= held->size;
        makers[held->maker].held_blocks--;
    }
    held->block = NULL;
}

static void make(struct held *held)
{
    int maker = (int)below(TAGS + 3) - 4;
    size_t size = some_size();

    if (maker < 0) {
        hold(held, untagged_allocate(size), size, NO_MAKER);
        return;
    }
    if (makers[maker].make == by_aligned_alloc)
        size = (size + 63) / 64 * 64;
    hold(held, makers[maker].make(size), size, maker);
    open_record(held->block, size, maker);
}

static void free_in_sight(struct held *held)
{
    close_record((uintptr_t)held->block);
    free(held->block);
    let_go(held);
}

static void change(struct held *held)
{
    bool is_seen = held->maker == IN_SIGHT || below(3) != 0;
    size_t size = some_size();
    void *block = held->block;

    switch (below(4)) {
    case 0:
        if (is_seen) {
            close_record((uintptr_t)block);
            block = resize(block, size);
            let_go(held);
            hold(held, block, size, RESIZE);
            open_record(block, size, RESIZE);
        } else {
            block = untagged_resize(block, size);
            let_go(held);
            hold(held, block, size, NO_MAKER);
        }
        break;
    default:
        if (is_seen) {
            free_in_sight(held);
        } else {
            untagged_free(block);
            let_go(held);
        }
    }
}

static int check_tag(struct alloc_tag *tag, void *context)
{
    int *found = context;

    for (int i = 0; i < TAGS; i++) {
        const struct maker *maker = &makers[i];
        struct alloc_tag_counters row;

        if (strcmp(tag->function, maker->name) != 0)
            continue;
        row = alloc_tag_read(tag);
        if (row.bytes != maker->row_bytes)
            rows_fail(maker->name, (uint32_t)state, "bytes are", row.bytes,
                      maker->row_bytes);
        if (row.calls != maker->row_blocks)
            rows_fail(maker->name, (uint32_t)state, "blocks are", row.calls,
                      maker->row_blocks);
        if (row.unseen_frees != maker->unseen)
            rows_fail(maker->name, (uint32_t)state, "unseen frees are",
                      row.unseen_frees, maker->unseen);
        ++*found;
    }
    return 0;
}

static void check(void)
{
    int found = 0;

    alloc_tag_for_each(check_tag, &found);
    EXPECT(found == TAGS);
}

/* Expected pairs of a row: "accurate:no unseen_frees:N", or nothing. */
static char text[1 << 16];

static int keep_text(const char *piece, size_t size, void *context)
{
    (void)context;
    EXPECT(strlen(text) + size < sizeof text);
    strncat(text, piece, size);
    return 0;
}

static void check_text(void)
{
    EXPECT(allocinfo_write_to(keep_text, NULL, NULL) == 0);
    EXPECT(strncmp(text, "allocinfo - version: 2.0\n", 25) == 0);
    for (int i = 0; i < TAGS; i++) {
        char wanted[100], *row;

        snprintf(wanted, sizeof wanted, " func:%s%c", makers[i].name, ' ');
        row = strstr(text, wanted);
        EXPECT(row != NULL);
        row += strlen(wanted);
        snprintf(wanted, sizeof wanted, "accurate:no unseen_frees:%llu \n",
                 (unsigned long long)makers[i].unseen);
        if (i == IN_SIGHT)
            EXPECT(makers[i].unseen == 0 && *row == '\n');
        else
            EXPECT(makers[i].unseen > 0 &&
                   strncmp(row, wanted, strlen(wanted)) == 0);
    }
}

int main(void)
{
    EXPECT(tally_sysctl(SETTING) == 0);
    for (int seed = 1; seed <= SEEDS; seed++) {
        state = (uint64_t)seed;
        for (int i = 0; i < CALLS; i++) {
            struct held *held = &slots[below(SLOTS)];

            if (held->block == NULL)
                make(held);
            else
                change(held);
            if (i % 50 == 0)
                check();
        }
        for (int i = 0; i < SLOTS; i++) {
            if (slots[i].block != NULL)
                free_in_sight(&slots[i]);
        }
        check();
    }
    EXPECT(makers[IN_SIGHT].row_bytes == 0);
    check_text();
    rows_save("unseen.allocinfo", 2, true);
    return 0;
}
