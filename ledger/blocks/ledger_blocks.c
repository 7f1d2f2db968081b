/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_blocks.c - all but the hot path; ledger_blocks.h has invariants */
#include "ledger/blocks/ledger_blocks.h"

#include "ledger/blocks/attach.h"
#include "ledger/blocks/peak.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"

bool ledger_is_listening(void)
{
    if ((tally_listeners & TALLY_LISTENER_UNSETTLED) != 0)
        thread_attach();
    else if (process.header == NULL &&
             (tally_listeners != 0 || process_is_new_but_refused()))
        thread_attach(); /* a forked child */
    return tally_listeners != 0;
}

static NOINLINE void flush_total(enum shard_side side, struct reference block)
{
    struct ledger_total *total = thread_total();

    if (peak_deltas_flush(total, side, block))
        return;
    peak_watch(total, side == SHARD_FREE ? block.id : 0,
               side == SHARD_FREE ? block.size : 0);
}

/* While peaks follow each other, each allocation and free comes here. */
NOINLINE void *ledger_flush(void *block, struct reference made)
{
    made.id &= ~REFERENCE_BIT;
    if (UNLIKELY(!peak_deltas_add(SHARD_ALLOC, made)))
        flush_total(SHARD_ALLOC, made);
    return block;
}

NOINLINE void ledger_flush_free(struct reference freed)
{
    freed.id &= ~REFERENCE_BIT;
    if (UNLIKELY(!peak_deltas_add(SHARD_FREE, freed)))
        flush_total(SHARD_FREE, freed);
}

/* Flush the total of threads that own no shard, after a free. */
static NOINLINE void flush_shared(struct reference freed)
{
    peak_watch(&process.header->totals[0], freed.id & ~REFERENCE_BIT,
               freed.size);
}

void ledger_count_size_shared(size_t size)
{
    uint64_t *sizes = ledger_sizes_at(recorder_thread.own_shard);

    if (sizes != NULL)
        __atomic_fetch_add(&sizes[ledger_size_class(size)], 1,
                           __ATOMIC_RELAXED);
}

void ledger_count_temporary_shared(struct ledger_counter *in_shard_0)
{
    recorder_thread.newest = NULL;
    __atomic_fetch_add(
        ledger_space_temporary(in_shard_0, recorder_thread.own_shard), 1,
        __ATOMIC_RELAXED);
}

/* Add to the shard that this thread may use. */
void ledger_add_block(uint32_t reference, enum shard_side side, uint64_t size)
{
    struct ledger_counter *counter = ledger_counter_of(reference);

    INVARIANT(I2, reference != 0);
    if (counter == NULL) {
        process_count(side == SHARD_ALLOC ? LEDGER_COUNT_lost_allocations
                                          : LEDGER_COUNT_lost_frees,
                      1);
        return;
    }
    if (recorder_thread.own_shard != 0) {
        if (ledger_add_own(account_in_shard(counter, recorder_thread.own_shard),
                           thread_total(), side, size) == LEDGER_FLUSH)
            flush_total(side, (struct reference){ reference, size });
        return;
    }
    if ((tally_listeners & TALLY_LISTENER_SHARED) != 0 ||
        !shard_add_cpu(counter, side, size))
        shard_add_shared(counter, side, size);
    if (heap_total_add_shared(process.header, side, size))
        flush_shared((struct reference){ reference, size });
}

static bool is_in_module(uint32_t word, void *context)
{
    const struct ledger_site *site = ledger_site_of(word & ~REFERENCE_BIT);
    const uint32_t *module = context;

    return site != NULL && site->module == *module;
}

uint32_t ledger_word_of(uint32_t id)
{
    uint32_t place = ledger_place_of(id);
    bool is_near = place < ledger_space_near;

    if (!process_is_compressed)
        return is_near ? place | REFERENCE_BIT : place;
    if (id > REFERENCE_COMPRESSED_LIMIT) {
        if (__atomic_exchange_n(&process.header->control, LEDGER_CONTROL_NEVER,
                                __ATOMIC_ACQ_REL) != LEDGER_CONTROL_NEVER)
            ledger_write_notice(LEDGER_NOTICE_references_exhausted, "");
        return 0;
    }
    if (id >= REFERENCE_COMPRESSED_SIZE)
        __atomic_store_n(&shadow.is_wide, 1, __ATOMIC_RELAXED);
    if (is_near)
        __atomic_store_n(&site_places[id], place, __ATOMIC_RELEASE);
    return id;
}

/* Open the site of a first allocation, or the first since its file was
   reloaded. */
static uint32_t open_site(struct site_table *table, enum ledger_site_kind kind,
                          uintptr_t caller)
{
    uint32_t module = modules_find(caller);
    uint32_t word = site_table_wake(table, caller, is_in_module, &module);
    uint32_t id;

    if (word != 0)
        return word;
    id = site_table_takes_more(table) ? ledger_write_site(kind, caller, module)
                                      : 0;
    if (id == 0) {
        process_count(LEDGER_COUNT_lost_sites, 1);
        return 0;
    }
    word = ledger_word_of(id);
    if (word == 0)
        return 0;
    site_table_enter(table, caller, word);
    return word;
}

uint32_t ledger_site_reference(struct site_table *table,
                               enum ledger_site_kind kind, uintptr_t caller)
{
    uint32_t word = site_table_search(table, caller);

    if (word == 0)
        word = open_site(table, kind, caller);
    return word & ~REFERENCE_BIT;
}

const uint8_t *ledger_jump;

/* Drop references left under the new block by frees that we missed. */
static void drop_unseen(void *block, size_t size)
{
    struct reference stale;

    while ((stale = shadow_take_stale(block, size)).id != 0) {
        struct ledger_site *site = ledger_site_of(stale.id);

        ledger_add_block(stale.id, SHARD_FREE, stale.size);
        process_count(LEDGER_COUNT_unseen_frees, 1);
        if (site != NULL)
            __atomic_fetch_add(&site->place.unseen_frees, 1, __ATOMIC_RELAXED);
    }
}

/* Record a block; `reference` 0: there was no space for one more site. */
static void alloc(void *block, size_t size, uint32_t reference)
{
    if (reference == 0 ||
        !shadow_put(block, (struct reference){ reference, size })) {
        process_count(LEDGER_COUNT_lost_allocations, 1);
        return;
    }
    recorder_thread.newest = block;
    ledger_count_size_shared(size);
    ledger_add_block(reference, SHARD_ALLOC, size);
}

/* Return true for a settled thread without a shard, in an ordinary program. */
static bool is_on_cpus(void)
{
    return tally_listeners == TALLY_LISTENER_ACCOUNT &&
           process.is_sampled == 0 && recorder_thread.own_shard == 0 &&
           process.base != NULL && shadow_is_plain();
}

/* Record a block in 16 bits if the thread has its own shard. */
static inline bool alloc_compact(void *block, size_t size, uint32_t word)
{
    char *base = thread_compact_shard();

    return base != NULL && ledger_is_on() &&
           ledger_alloc_compact(block, size, word, base);
}

static bool alloc_on_cpu(void *block, size_t size, uint32_t word)
{
    return is_on_cpus() && ledger_is_on() && word != 0 &&
           ledger_alloc_near(block, size, word, process.base,
                             LEDGER_CPU_SHARD) != LEDGER_SLOW_PATH;
}

/* Return true if the caller must record this block; else nothing is left to
   do. */
static bool is_wanted(void *block, size_t size)
{
    if (tally_listeners == 0 || !ledger_is_listening() || ledger_is_detached())
        return false;
    if (block == NULL)
        ledger_count_failure();
    else if (ledger_is_on() && process.is_sampled == 0)
        drop_unseen(block, size);
    return block != NULL && ledger_is_on() && process.is_sampled == 0;
}

static NOINLINE void *alloc_at_place(void *block, size_t size, uintptr_t caller)
{
    if (process.base != NULL &&
        alloc_on_cpu(block, size, site_table_find(&heap_sites, caller)))
        return block;
    if (is_wanted(block, size))
        alloc(block, size,
              ledger_site_reference(&heap_sites, LEDGER_SITE_HEAP, caller));
    return block;
}

void *ledger_alloc_slow(void *block, size_t size, uintptr_t caller)
{
    if (process.base != NULL &&
        alloc_compact(block, size, site_table_find(&heap_sites, caller)))
        return block;
    return alloc_at_place(block, size, caller);
}

static NOINLINE void *alloc_word(void *block, size_t size, uint32_t word)
{
    if (!alloc_on_cpu(block, size, word) && is_wanted(block, size))
        alloc(block, size, word & ~REFERENCE_BIT);
    return block;
}

void *ledger_alloc_word_slow(void *block, size_t size, uint32_t word)
{
    return alloc_compact(block, size, word) ? block
                                            : alloc_word(block, size, word);
}

/* Count a free of an unrecorded block, unless recording is off. */
static void count_foreign(void)
{
    if (tally_listeners != 0 && ledger_is_on() && process.is_sampled == 0)
        process_count((process.header->flags & LEDGER_FLAG_ATTACHED) != 0
                          ? LEDGER_COUNT_older_frees
                          : LEDGER_COUNT_foreign_frees,
                      1);
}

static void close_block(void *block, struct reference reference)
{
    struct ledger_counter *counter = block == recorder_thread.newest
                                         ? ledger_counter_of(reference.id)
                                         : NULL;

    if (counter != NULL)
        ledger_count_temporary_shared(counter);
    ledger_add_block(reference.id, SHARD_FREE, reference.size);
}

void ledger_drop(void *block)
{
    struct reference reference = ledger_take(block);

    if (reference.id != 0)
        close_block(block, reference);
}

static NOINLINE void free_anywhere(void *block)
{
    struct reference reference;
    enum ledger_result result = LEDGER_SLOW_PATH;

    if (block == NULL)
        return;
    if (is_on_cpus())
        result = ledger_free_near(block, &ledger_space_near, LEDGER_CPU_SHARD,
                                  &reference);
    if (result == LEDGER_FLUSH)
        flush_shared(reference);
    if (result != LEDGER_SLOW_PATH)
        return;
    reference = ledger_take(block);
    if (reference.id != 0)
        close_block(block, reference);
    else
        count_foreign();
}

void ledger_free_slow(void *block)
{
    char *base = thread_compact_shard();

    thread_follow_near(recorder_thread.fast_path);
    if (base == NULL || !ledger_free_compact(block, base))
        free_anywhere(block);
}

struct reference ledger_take(void *block)
{
    struct reference reference;

    if (block == NULL || !ledger_is_listening())
        return (struct reference){ 0, 0 };
    reference = shadow_take(block);
    INVARIANT(I1, shadow_get(block).id == 0);
    return reference;
}

/* Count, at the old block's site, its growth to `size` bytes. */
static void count_growth(struct reference old, size_t size)
{
    struct ledger_counter *counter =
        size > old.size ? ledger_counter_of(old.id & ~REFERENCE_BIT) : NULL;

    if (counter != NULL)
        ledger_space_count_grown(counter, size - old.size);
}

bool ledger_resized(void *block, struct reference old, void *moved, size_t size)
{
    bool is_freed = moved != NULL || (size == 0 && block != NULL);

    if (tally_listeners == 0)
        return false;
    if (!is_freed) {
        if (old.id != 0)
            shadow_put(block, old);
        ledger_count_failure();
        return false;
    }
    if (old.id != 0) {
        count_growth(old, size);
        ledger_add_block(old.id, SHARD_FREE, old.size);
    } else if (block != NULL)
        count_foreign();
    return moved != NULL;
}

void ledger_resized_word(void *block, struct reference old, void *moved,
                         size_t size, uint32_t word)
{
    if (ledger_resized(block, old, moved, size) && word != 0)
        ledger_alloc_word(moved, size, word);
}

void ledger_count_failure(void)
{
    if (ledger_is_listening() && ledger_is_on())
        process_count(LEDGER_COUNT_failed_allocations, 1);
}
