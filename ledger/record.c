/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - everything but the hot path; record.h has the invariants */
#include "ledger/record.h"

#include "ledger/embedding.h"
#include "ledger/ledger_writer.h"
#include "ledger/modules.h"

/* Whether this thread listens, asked for good. */
static bool is_listening(void)
{
    if ((tally_listeners & TALLY_LISTENER_UNSETTLED) != 0)
        thread_settle();
    else if (tally_listeners != 0 && process.header == NULL)
        thread_settle(); /* a forked child */
    return tally_listeners != 0;
}

/* In 16 bits there is only room for a site's id; it takes a step more. */
struct ledger_counter *record_counter_of(uint32_t reference)
{
    return ledger_counter_of(
        process_is_compressed() ? ledger_reference_of(reference) : reference);
}

struct ledger_site *record_site_of(uint32_t reference)
{
    return process_is_compressed() ? ledger_site_at(reference)
                                   : ledger_site_of(reference);
}

/* One block more or less, in the shard that is right here. */
static void add(uint32_t reference, enum shard_side side, uint64_t size)
{
    struct ledger_counter *counter = record_counter_of(reference);

    if (counter == NULL)
        process_count(side == SHARD_ALLOC ? LEDGER_COUNT_lost_allocations
                                          : LEDGER_COUNT_lost_frees,
                      1);
    else if (recorder_thread.own_shard != 0)
        shard_add_own(account_in_shard(counter, recorder_thread.own_shard),
                      side, size);
    else if ((tally_listeners & TALLY_LISTENER_SHARED) != 0 ||
             !shard_add_cpu(counter, side, size))
        shard_add_shared(counter, side, size);
}

static bool is_in_module(uint32_t word, void *context)
{
    const struct ledger_site *site = record_site_of(word & ~REFERENCE_BIT);
    const uint32_t *module = context;

    return site != NULL && site->module == *module;
}

static void stop_for_want_of_references(void)
{
    if (__atomic_exchange_n(&process.header->control, LEDGER_CONTROL_NEVER,
                            __ATOMIC_ACQ_REL) != LEDGER_CONTROL_NEVER)
        ledger_write_notice(LEDGER_NOTICE_references_exhausted, "");
}

/* The first allocation at a place, or the first since its file came back. */
static uint32_t open_site(struct site_table *table, enum ledger_site_kind kind,
                          uintptr_t caller)
{
    uint32_t module = modules_find(caller);
    uint32_t word = site_table_wake(table, caller, is_in_module, &module);
    uint32_t id;

    if (word != 0)
        return word;
    /* While another thread makes room, the place goes without an entry. */
    id = site_table_has_room(table) || site_table_is_growing(table)
             ? ledger_write_site(kind, caller, module)
             : 0;
    if (id == 0) {
        process_count(LEDGER_COUNT_lost_sites, 1);
        return 0;
    }
    if (process_is_compressed()) {
        if (id > REFERENCE_COMPRESSED_LIMIT) {
            stop_for_want_of_references();
            return 0;
        }
        word = id;
    } else {
        word = ledger_reference_of(id);
        if (word < RECORD_NEAR_LIMIT)
            word |= REFERENCE_BIT;
    }
    site_table_enter(table, caller, word);
    return word;
}

uint32_t record_site(struct site_table *table, enum ledger_site_kind kind,
                     uintptr_t caller)
{
    uint32_t word = site_table_search(table, caller);

    if (word == 0)
        word = open_site(table, kind, caller);
    return word & ~REFERENCE_BIT;
}

static void drop_unseen(void *block)
{
    struct reference stale = shadow_take(block);

    if (stale.id == 0)
        return;
    add(stale.id, SHARD_FREE, stale.size);
    process_count(LEDGER_COUNT_unseen_frees, 1);
}

static void alloc(void *block, size_t size, uintptr_t caller)
{
    uint32_t reference;

    if (!record_is_on())
        return;
    drop_unseen(block);
    reference = record_site(&heap_sites, LEDGER_SITE_HEAP, caller);
    if (reference == 0 ||
        !shadow_put(block, (struct reference){ reference, size })) {
        process_count(LEDGER_COUNT_lost_allocations, 1);
        return;
    }
    add(reference, SHARD_ALLOC, size);
}

/* A settled thread that found no shard of its own, in an ordinary program. */
static bool is_on_cpus(void)
{
    return tally_listeners == TALLY_LISTENER_ACCOUNT &&
           recorder_thread.own_shard == 0 && process.base != NULL &&
           shadow_is_plain();
}

void *record_alloc_slow(void *block, size_t size, uintptr_t caller)
{
    if (is_on_cpus() && record_is_on() &&
        record_alloc_near(block, size, caller, process.base, RECORD_CPU))
        return block;
    /* What dlsym needs while we look for malloc is ours, not the program's. */
    if (tally_listeners == 0 || embedding_owns(block) || !is_listening())
        return block;
    if (block == NULL)
        record_failure();
    else
        alloc(block, size, caller);
    return block;
}

/* While profiling is off, blocks that nobody recorded are nothing special. */
static void count_foreign(void)
{
    if (tally_listeners != 0 && record_is_on())
        process_count(LEDGER_COUNT_foreign_frees, 1);
}

void record_free_slow(void *block)
{
    struct reference reference;

    if (block == NULL ||
        (is_on_cpus() && record_free_near(block, process.base, RECORD_CPU)))
        return;
    reference = record_take(block);
    if (reference.id != 0)
        add(reference.id, SHARD_FREE, reference.size);
    else
        count_foreign();
}

struct reference record_take(void *block)
{
    if (block == NULL || !is_listening())
        return (struct reference){ 0, 0 };
    return shadow_take(block);
}

void record_resized(void *block, struct reference old, void *moved, size_t size,
                    uintptr_t caller)
{
    bool is_freed = moved != NULL || (size == 0 && block != NULL);

    if (tally_listeners == 0)
        return;
    if (!is_freed) {
        if (old.id != 0)
            shadow_put(block, old);
        record_failure();
        return;
    }
    if (old.id != 0)
        add(old.id, SHARD_FREE, old.size);
    else if (block != NULL)
        count_foreign();
    if (moved != NULL)
        record_alloc(moved, size, caller);
}

void record_failure(void)
{
    if (is_listening() && record_is_on())
        process_count(LEDGER_COUNT_failed_allocations, 1);
}
