/* SPDX-License-Identifier: Apache-2.0 */
/* sample_table.c - the sampled blocks that live; see sample_table.h */
#include "recorder/samples/sample_table.h"

#include "core/base/own_memory.h"
#include "ledger/record/attach.h"
#include "ledger/space/process.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"
#include "sampling/countdown/block_filter.h"

enum {
    CHUNK = 65536,
    FIRST_HEADS = 1024,
    YIELDS = 100000,
    LOOKS =
        50000000, /* where a sandbox forbids yielding: a tenth of a second */
};

/* Entries are allocated by the chunk; chunks are never freed. */
struct chunk {
    struct chunk *next;
    struct sample entries[(CHUNK - sizeof(void *)) / sizeof(struct sample)];
};

enum { PER_CHUNK = sizeof((struct chunk *)0)->entries / sizeof(struct sample) };

static struct {
    const struct recorder_thread *owner;    /* of the lock */
    const struct recorder_thread *given_up; /* not waited for again */
    struct sample **heads;
    uint32_t head_count; /* a power of two */
    uint32_t count;
    struct chunk *chunks;
    struct sample *unused;
} table;

static struct own_memory own = {
    .tag = { .file = __FILE__,
             .function = "sample_table",
             .modname = "tally",
             .lineno = __LINE__,
             .flags = ALLOC_TAG_OWN },
};

static const struct recorder_thread *owner_now(void)
{
    return __atomic_load_n(&table.owner, __ATOMIC_RELAXED);
}

static const struct recorder_thread *given_up(void)
{
    return __atomic_load_n(&table.given_up, __ATOMIC_RELAXED);
}

static bool take_lock(const struct recorder_thread *self)
{
    const struct recorder_thread *expected = NULL;

    return __atomic_compare_exchange_n(&table.owner, &expected, self, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/*
 * False: the calling thread owns it, below a signal handler, or its owner does
 * not run.
 */
static bool lock(void)
{
    const struct recorder_thread *self = &recorder_thread;
    bool may_yield = !sandbox_is_closed();
    unsigned limit = may_yield ? YIELDS : LOOKS;
    const struct recorder_thread *owner;

    for (unsigned tries = 0; tries < limit; tries++) {
        owner = owner_now();
        if (owner == NULL && take_lock(self))
            return true;
        if (owner == self || (owner != NULL && owner == given_up()))
            return false;
        if (may_yield)
            raw_yield();
    }
    __atomic_store_n(&table.given_up, owner_now(), __ATOMIC_RELAXED);
    return false;
}

static void unlock(void)
{
    __atomic_store_n(&table.given_up, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&table.owner, NULL, __ATOMIC_RELEASE);
}

static struct sample **head_of(uint64_t address)
{
    return &table.heads[block_hash(address) & (table.head_count - 1)];
}

static void hang(struct sample *entry)
{
    struct sample **head = head_of(entry->address);

    entry->next = *head;
    *head = entry;
}

/* All entries of the table into heads that hold none. */
static void hang_all(void)
{
    for (struct chunk *chunk = table.chunks; chunk != NULL;
         chunk = chunk->next) {
        for (unsigned i = 0; i < PER_CHUNK; i++) {
            if (chunk->entries[i].is_inside)
                hang(&chunk->entries[i]);
        }
    }
}

/* As many heads as entries; where there is no memory chains get longer. */
static bool make_heads(void)
{
    uint32_t count = table.heads == NULL ? FIRST_HEADS : 2 * table.head_count;
    struct sample **heads;

    if (table.heads != NULL && table.count < table.head_count)
        return true;
    heads = own_memory_alloc(&own, count * sizeof(struct sample *));
    if (heads == NULL)
        return table.heads != NULL;
    if (table.heads != NULL)
        own_memory_free(&own, table.heads,
                        table.head_count * sizeof(struct sample *));
    table.heads = heads;
    table.head_count = count;
    hang_all();
    return true;
}

static void add_unused(struct sample *entry)
{
    entry->is_inside = false;
    entry->next = table.unused;
    table.unused = entry;
}

static struct sample *take_unused(void)
{
    struct sample *entry;

    if (table.unused == NULL) {
        struct chunk *chunk = own_memory_alloc(&own, sizeof *chunk);

        if (chunk == NULL)
            return NULL;
        chunk->next = table.chunks;
        table.chunks = chunk;
        for (unsigned i = 0; i < PER_CHUNK; i++)
            add_unused(&chunk->entries[i]);
    }
    entry = table.unused;
    table.unused = entry->next;
    return entry;
}

static void leave_young(struct sample *entry)
{
    if (entry->young == NULL)
        return;
    *entry->young = entry->next_young;
    if (entry->next_young != NULL)
        entry->next_young->young = entry->young;
    entry->young = NULL;
}

static void join_young(struct sample *entry, struct sample **young)
{
    entry->young = young;
    entry->next_young = *young;
    if (*young != NULL)
        (*young)->young = &entry->next_young;
    *young = entry;
}

/* The entry stays one that `next` leads on from. */
static struct sample *unhang(uint64_t address)
{
    struct sample **at;

    if (table.heads == NULL)
        return NULL;
    for (at = head_of(address); *at != NULL; at = &(*at)->next) {
        struct sample *entry = *at;

        if (entry->address == address) {
            *at = entry->next;
            entry->is_inside = false;
            leave_young(entry);
            table.count--;
            block_filter_drop(address);
            return entry;
        }
    }
    return NULL;
}

static void insert(struct sample *entry)
{
    hang(entry);
    entry->is_inside = true;
    table.count++;
    block_filter_add(entry->address);
}

bool sample_table_add(const struct sample *made, struct sample **young,
                      struct sample *before)
{
    struct sample *entry;

    before->address = 0;
    if (!lock())
        return false;
    entry = unhang(made->address);
    if (entry != NULL) {
        *before = *entry;
        add_unused(entry);
    }
    entry = make_heads() ? take_unused() : NULL;
    if (entry != NULL) {
        *entry = *made;
        entry->young = NULL;
        insert(entry);
        if (young != NULL)
            join_young(entry, young);
    }
    unlock();
    return entry != NULL;
}

struct sample *sample_table_take(const void *block)
{
    struct sample *entry;

    if (!lock()) {
        process_count(LEDGER_COUNT_lost_frees, 1);
        return NULL;
    }
    entry = unhang((uintptr_t)block);
    unlock();
    return entry;
}

void sample_table_release(struct sample *entry)
{
    if (!lock())
        return; /* its room is lost */
    add_unused(entry);
    unlock();
}

void sample_table_put_back(struct sample *entry)
{
    if (!lock())
        return;
    insert(entry);
    unlock();
}

bool sample_table_promote(struct sample **young, struct sample *promoted)
{
    struct sample *entry;

    if (*young == NULL || !lock())
        return false;
    entry = *young;
    if (entry != NULL) {
        leave_young(entry);
        *promoted = *entry;
    }
    unlock();
    return entry != NULL;
}

/* Chains may be as another thread has left them: they are made anew. */
void sample_table_adopt(void (*inherited)(struct sample *entry))
{
    unlock();
    table.unused = NULL;
    table.count = 0;
    for (uint32_t i = 0; table.heads != NULL && i < table.head_count; i++)
        table.heads[i] = NULL;
    for (struct chunk *chunk = table.chunks; chunk != NULL;
         chunk = chunk->next) {
        for (unsigned i = 0; i < PER_CHUNK; i++) {
            struct sample *entry = &chunk->entries[i];

            if (!entry->is_inside) {
                add_unused(entry);
                continue;
            }
            entry->young = NULL;
            insert(entry);
            inherited(entry);
        }
    }
}
