/* SPDX-License-Identifier: Apache-2.0 */
/*
 * samples.c - tally record --stacks=sampled: sites from samples
 *
 * A client of countdown.h. Each requested byte is a sample with the same
 * probability. The ledger counts a block with a sample in it when it is
 * allocated, when it outlives its thread's epoch, and when it is freed
 * (segments_layout.h). Other blocks cost only the countdown.
 *
 * Sums go to the ledger at once: nothing is lost when the process is killed. A
 * block subtracts exactly the bytes it added. Time is measured in bytes: the
 * bytes that all threads had allocated at their latest samples, plus those of
 * the calling thread since.
 *
 * With a budget (sample_budget.h) the interval moves. A thread takes it between
 * two blocks and draws again: the previous draw is independent of later bytes.
 * Each block is weighed by the interval that its thread had.
 *
 * Sampled live blocks are in a table. A free first asks block_table.h, which
 * knows their addresses. There is one lock, held for a few instructions:
 * samples are few. A signal handler that interrupts its own thread there gives
 * up.
 *
 *   T1  an entry is in the table, or belongs to the call that took it out
 *   T2  a young entry is in the list of the thread that allocated the block,
 *       until it is promoted or taken out
 *
 * A forked child has its parent's entries, except one that another thread was
 * changing at the fork: block_table_adopt().
 *
 * This file is long because an entry goes through all of it.
 */
#include "recorder/samples/sample_budget.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sdt.h>
#include <time.h>

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/blocks/sample_accounts.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/tick_clock.h"
#include "recorder/calls/mode.h"
#include "recorder/events/events.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/block_table.h"
#include "sampling/countdown/countdown.h"
#include "sampling/countdown/sampler.h"
#include "unwind/unwind.h"

enum {
    YIELDS = 100000,
    /* used if a sandbox forbids yielding: a tenth of a second */
    LOOKS = 50000000,
};

struct sample {
    struct block_entry block;
    struct sample *next_young; /* T2 */
    struct sample **young;     /* pointer to this entry; NULL: not young */
    struct sample_weight weight;
    struct sample_halves halves;
    uint64_t birth;     /* time: bytes that the process had allocated */
    uint64_t allocated; /* ... and its thread, the block included */
    uint32_t thread;    /* number of its thread */
    uint32_t reference; /* of the site */
    uint32_t site;      /* the site's id */
    bool is_inside;     /* in the table, not taken out: T1 */
    bool is_inherited;  /* allocated before this process was forked */
};

static struct block_table_kind kind = {
    .own = OWN_MEMORY_OF("sample_table"),
    .entry = sizeof(struct sample),
    .chunk = 65536,
    .heads = 1024,
};

static struct {
    struct block_table blocks;
    const struct recorder_thread *owner;    /* holder of the lock */
    const struct recorder_thread *given_up; /* not waited for again */
} table;

/* Lock the table. Return false if the calling thread holds the lock, below a
   signal handler, or its owner does not run. */
static bool lock(void)
{
    const struct recorder_thread *self = &recorder_thread, *owner = NULL;
    bool may_yield = !sandbox_is_closed();
    unsigned limit = may_yield ? YIELDS : LOOKS;

    for (unsigned tries = 0; tries < limit; tries++) {
        owner = __atomic_load_n(&table.owner, __ATOMIC_RELAXED);
        if (owner == NULL &&
            __atomic_compare_exchange_n(&table.owner, &owner, self, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        if (owner == self ||
            (owner != NULL &&
             owner == __atomic_load_n(&table.given_up, __ATOMIC_RELAXED)))
            return false;
        if (may_yield)
            raw_yield();
    }
    __atomic_store_n(&table.given_up, owner, __ATOMIC_RELAXED);
    return false;
}

static void unlock(void)
{
    __atomic_store_n(&table.given_up, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&table.owner, NULL, __ATOMIC_RELEASE);
}

static void leave_young(struct sample *entry)
{
    if (entry->young == NULL)
        return;
    INVARIANT(T2, *entry->young == entry);
    *entry->young = entry->next_young;
    if (entry->next_young != NULL)
        entry->next_young->young = entry->young;
    entry->young = NULL;
}

static struct sample *take_out(uint64_t address)
{
    void **place = block_table_find(&table.blocks, address);
    struct sample *entry;

    if (*place == NULL)
        return NULL;
    entry = block_table_remove(&table.blocks, place);
    entry->is_inside = false;
    leave_young(entry);
    return entry;
}

static void insert(struct sample *entry)
{
    block_table_insert(&table.blocks, entry);
    entry->is_inside = true;
}

/*
 * Add a block, as young if there is a list. An older entry of this address,
 * whose free was missed, goes to `*before`. Return false if there is no space,
 * or the lock is not free.
 */
static bool add_block(const struct sample *made, struct sample **young,
                      struct sample *before)
{
    struct sample *entry;

    before->block.key = 0;
    if (!lock())
        return false;
    entry = take_out(made->block.key);
    if (entry != NULL) {
        *before = *entry;
        block_table_release(&table.blocks, entry);
    }
    entry = block_table_make_room(&table.blocks, &kind)
                ? block_table_make(&table.blocks, &kind)
                : NULL;
    if (entry != NULL) {
        *entry = *made;
        entry->young = young;
        insert(entry);
        if (young != NULL) {
            entry->next_young = *young;
            if (*young != NULL)
                (*young)->young = &entry->next_young;
            *young = entry;
        }
    }
    unlock();
    return entry != NULL;
}

/* Take a block out; return its entry or NULL. Release it or put it back
   afterwards. */
static void *take(void *block)
{
    struct sample *entry;

    if (!lock()) {
        process_count(LEDGER_COUNT_lost_frees, 1);
        return NULL;
    }
    entry = take_out((uintptr_t)block);
    unlock();
    return entry;
}

static void put_back(void *taken)
{
    struct sample *entry = taken;

    if (!lock())
        return;
    insert(entry);
    unlock();
}

/* Take an entry out of a list of young ones, and copy it. Return false if there
   is none. */
static bool take_young(struct sample **young, struct sample *promoted)
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

/* Take over an entry in a forked child with one thread: none is young. */
static bool inherit(void *inherited)
{
    struct sample *entry = inherited;
    struct ledger_site *site;

    if (!entry->is_inside)
        return false;
    site = ledger_site_of(entry->reference);
    entry->young = NULL;
    entry->is_inherited = true;
    if (site != NULL) {
        site->inherited_blocks += entry->weight.blocks;
        site->inherited_bytes += entry->weight.bytes;
        sample_peak_add(process.header, &entry->halves, entry->weight.bytes);
        ledger_add_inherited(entry->site, &entry->weight, 1);
    }
    return true;
}

/* length of an epoch, in bytes: live young blocks are promoted at its end */
enum { EPOCH = 262144 * 8 };

/* with a budget: most bytes until a thread takes the current interval */
enum { MOST_TO_LOOK = 32 * EPOCH };

/* bytes that a kernel without limits maps: larger requests are seen to fail */
enum { MAY_FAIL = 1 << 20 };

/* state of each thread; begins as zeros */
struct room {
    struct sampler sampler;
    uint64_t interval; /* bytes between its samples, on average */
    uint64_t random;   /* state of random rounding */
    uint64_t seen; /* bytes of thread->allocated that the sampler has seen */
    uint64_t published; /* bytes of it that are in the ledger's volume */
    uint64_t epoch_end; /* in bytes of thread->allocated */
    struct sample *young;
    uint32_t is_open;
};

_Static_assert(sizeof(struct room) <= COUNTDOWN_ROOM, "");

static struct {
    struct sample_budget budget;
    uint64_t seed;    /* of this process */
    bool reads_ticks; /* ticks are the processor's counter, not a clock */
} samples;

/* Return the time in ticks; 0: the cost of samples is not needed, or
   unknown. */
static uint64_t ticks_now(void)
{
    struct timespec now = { 0, 0 };

    if (samples.budget.share <= 0)
        return 0;
    if (samples.reads_ticks)
        return tick_clock_read(false);
    /* If libc has to ask the kernel, a filter may forbid that. */
    if (!sandbox_is_closed())
        clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Add the time since `begun` to the cost; return the time. */
static uint64_t spend_since(uint64_t begun)
{
    uint64_t now = begun == 0 ? 0 : ticks_now();

    /* Counters of two CPUs may differ. */
    if (now > begun)
        sample_budget_spend(&samples.budget, now - begun);
    return now;
}

static struct room *room_of(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_SAMPLES);
}

/* Add the thread's bytes to the ledger's volume; return the volume, which is
   the time. */
static uint64_t publish(struct counted_thread *thread)
{
    uint64_t *volume = &process.header->sample_volume;
    uint64_t *volumes = process.header->sample_volumes;
    struct room *room;
    uint64_t allocated, added;

    if (thread == NULL)
        return __atomic_load_n(volume, __ATOMIC_RELAXED);
    room = room_of(thread);
    allocated = countdown_allocated(thread);
    added = allocated - room->published;
    room->published = allocated;
    if (samples.budget.share > 0)
        __atomic_fetch_add(&volumes[63 - __builtin_clzll(room->interval | 1)],
                           added, __ATOMIC_RELAXED);
    return __atomic_add_fetch(volume, added, __ATOMIC_RELAXED);
}

/* Draw by the current interval. Bytes drawn before count as seen. */
static void take_interval(struct room *room)
{
    uint64_t interval =
        __atomic_load_n(&samples.budget.interval, __ATOMIC_RELAXED);

    if (room->interval == interval)
        return;
    room->interval = interval;
    sampler_start(&room->sampler, 1 / (double)interval);
}

static void follow(struct counted_thread *thread)
{
    struct room *room = room_of(thread);

    if (room->is_open != 0)
        return;
    sampler_seed(&room->sampler, samples.seed, thread->number);
    take_interval(room);
    __atomic_fetch_add(&samples.budget.threads, 1, __ATOMIC_RELAXED);
    room->random = samples.seed ^ thread->number * UINT64_C(0x9e3779b97f4a7c15);
    room->seen = room->published = thread->allocated;
    room->epoch_end = thread->allocated + EPOCH;
    room->is_open = 1;
}

static uint64_t distance(struct counted_thread *thread)
{
    const struct room *room = room_of(thread);
    uint64_t passed = thread->allocated - room->seen;
    uint64_t sample =
        room->sampler.next > passed ? room->sampler.next - passed : 0;
    uint64_t epoch = room->epoch_end > thread->allocated
                         ? room->epoch_end - thread->allocated
                         : 0;

    /* An epoch without young blocks may end later, as it promotes none. But if
       the interval moves, no thread keeps an old one for long; checks of it
       shall cost less than samples do. */
    if (room->young == NULL && samples.budget.share <= 0)
        epoch = sample;
    else if (room->young == NULL) {
        uint64_t part = room->interval / 8;

        if (part > MOST_TO_LOOK)
            part = MOST_TO_LOOK;
        if (part > epoch)
            epoch = part;
    }
    if (epoch > sample)
        epoch = sample;
    return epoch > MAY_FAIL && mode_counts_failed() ? MAY_FAIL : epoch;
}

static void charge(const struct sample *entry)
{
    struct ledger_counter *counter = ledger_counter_of(entry->reference);
    const struct ledger_counter added = {
        .alloc_blocks = entry->weight.blocks,
        .alloc_bytes = entry->weight.bytes,
    };

    if (counter != NULL)
        account_add(counter, &added);
    sample_peak_add(process.header, &entry->halves, entry->weight.bytes);
    ledger_add_sample(entry->site, LEDGER_LIFE_ALLOCATED, &entry->weight);
}

/* Count a free. A parent's block is only in the inherited sums of this
   process. */
static void discharge(const struct sample *entry, uint64_t now,
                      bool is_temporary)
{
    struct ledger_counter *counter = ledger_counter_of(entry->reference);
    const struct ledger_counter added = {
        .free_blocks = entry->weight.blocks,
        .free_bytes = entry->weight.bytes,
    };
    uint64_t lifetime = now > entry->birth ? now - entry->birth : 1;

    if (counter != NULL)
        account_add(counter, &added);
    sample_peak_subtract(process.header, &entry->halves, entry->weight.bytes);
    if (entry->is_inherited)
        ledger_add_inherited(entry->site, &entry->weight, -1);
    else
        ledger_add_sample(entry->site,
                          LEDGER_LIFE_FREED +
                              ledger_life_class(is_temporary ? 0 : lifetime),
                          &entry->weight);
}

/*
 * Sampled blocks as USDT probes, as OpenTelemetry's eBPF profiler defines them,
 * of provider otel_memory. The weight is the number of bytes the ledger charges
 * for the block. Without a listener each is one nop: <sys/sdt.h> adds a note to
 * the file and no code. There is no semaphore, as samples are taken anyway.
 *
 * Each is a separate function, because some listeners ignore the note and look
 * for the arguments in the places of a function's arguments.
 */
static __attribute__((noinline)) void
probe_alloc(uint64_t pointer, uint64_t size, uint64_t weighted_bytes)
{
    STAP_PROBE3(otel_memory, alloc, pointer, size, weighted_bytes);
}

static __attribute__((noinline)) void probe_free(uint64_t pointer)
{
    STAP_PROBE1(otel_memory, free, pointer);
}

/* Report a sampled block to probes and to the trace, which has no other
   calls. */
static void report(const struct sample *entry, enum mem_trace_op op,
                   size_t size)
{
    bool is_alloc = op == MEM_TRACE_MALLOC;
    const struct ledger_site *site =
        is_alloc ? ledger_site_of(entry->reference) : NULL;
    const struct mem_trace_event event = {
        .op = (uint8_t)op,
        .result = is_alloc ? entry->block.key : 0,
        .pointer = is_alloc ? 0 : entry->block.key,
        .caller = site == NULL ? 0 : site->address,
        .size = size,
    };

    if (op == MEM_TRACE_FREE)
        probe_free(entry->block.key);
    else if (is_alloc)
        probe_alloc(entry->block.key, size, entry->weight.bytes);
    if (events_are_on() && !entry->is_inherited)
        events_add(&event, site == NULL ? 0 : site->frame);
}

static void promote(struct room *room)
{
    struct sample entry;

    while (take_young(&room->young, &entry)) {
        report(&entry, MEM_TRACE_PROMOTE, 0);
        ledger_add_sample(entry.site, LEDGER_LIFE_PROMOTED, &entry.weight);
    }
}

/* End an epoch, or several if nothing was young for long. */
static void end_epochs(struct counted_thread *thread)
{
    struct room *room = room_of(thread);
    uint64_t passed;

    if (thread->allocated < room->epoch_end)
        return;
    promote(room);
    passed = thread->allocated - room->epoch_end;
    room->epoch_end += (passed / EPOCH + 1) * EPOCH;
}

struct drawn {
    uint64_t hits, interval;
};

_Static_assert(sizeof(struct drawn) <= COUNTDOWN_KEPT, "");

static void add_sample(struct counted_thread *thread,
                       const struct counted_block *counted, struct drawn drawn,
                       uint64_t now)
{
    struct room *room = room_of(thread);
    bool is_young = counted->size <= LEDGER_YOUNG_LIMIT;
    struct sample made = { .block.key = (uintptr_t)counted->block,
                           .birth = now,
                           .allocated = room->published,
                           .thread = thread->number };
    const struct unwind_origin *origin = counted->origin;
    struct sample before;

    made.reference =
        origin == NULL ? 0
                       : stacks_word(origin, counted->caller) & ~REFERENCE_BIT;
    made.site = ledger_sampled_id_of(made.reference);
    made.weight =
        sample_weigh(drawn.interval, counted->size, sampler_mix(&room->random));
    if (samples.budget.share > 0)
        sample_budget_count(&samples.budget, made.weight.blocks);
    made.halves =
        sample_peak_split(drawn.interval, counted->size, drawn.hits,
                          (const uint64_t[]){ sampler_mix(&room->random),
                                              sampler_mix(&room->random) });
    if (made.site == 0 ||
        !add_block(&made, is_young ? &room->young : NULL, &before)) {
        process_count(LEDGER_COUNT_lost_allocations, 1);
        return;
    }
    if (before.block.key != 0) {
        report(&before, MEM_TRACE_FREE, 0);
        discharge(&before, now, false);
        process_count(LEDGER_COUNT_unseen_frees, 1);
    }
    charge(&made);
    report(&made, MEM_TRACE_MALLOC, counted->size);
    if (is_young)
        ledger_add_sample(made.site, LEDGER_LIFE_YOUNG, &made.weight);
}

/* Draw the samples of a block. Another client may have caused an early look. */
static struct drawn draw(struct counted_thread *thread, size_t size)
{
    struct room *room = room_of(thread);
    struct drawn drawn = { .interval = room->interval };

    sampler_take(&room->sampler, thread->allocated - size - room->seen);
    drawn.hits = sampler_take(&room->sampler, size);
    room->seen = thread->allocated;
    return drawn;
}

static bool announce(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    struct drawn *drawn = countdown_kept(counted, COUNTDOWN_SAMPLES);

    *drawn = draw(thread, counted->size);
    return true;
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    uint64_t begun = ticks_now(), now;
    const struct drawn *kept;
    struct drawn drawn;

    if (counted->block == NULL) /* its bytes are no longer counted */
        room_of(thread)->seen = thread->allocated;
    if (counted->is_suballocated || counted->block == NULL)
        return true; /* not in `allocated` either */
    now = publish(thread);
    kept = counted->announcement != NULL
               ? countdown_kept(counted, COUNTDOWN_SAMPLES)
               : NULL;
    drawn = kept != NULL ? *kept : draw(thread, counted->size);
    end_epochs(thread);
    if (drawn.hits > 0 && tally_listeners != 0 && ledger_is_on() &&
        !ledger_is_detached())
        add_sample(thread, counted, drawn, now);
    now = spend_since(begun);
    if (now != 0)
        sample_budget_move(&samples.budget, now, process.header);
    take_interval(room_of(thread));
    return true;
}

/*
 * Make the trials of a request that failed, and forget their successes. In
 * MODE_SAMPLED a request that passes the countdown also makes its trials,
 * because the fast path does not check results. Failures therefore do not
 * change the chance of later bytes.
 * docs/decisions/0058-failed-requests-are-trials.md has the proof.
 */
static void fail(struct counted_thread *thread, size_t size)
{
    struct room *room = room_of(thread);

    if (!mode_counts_failed())
        return;
    sampler_take(&room->sampler, thread->allocated - room->seen);
    room->seen = thread->allocated;
    sampler_skip(&room->sampler, size);
}

static bool has_room(int resource)
{
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

    raw_call(SYS_prlimit64, 0, resource, 0, RAW_ARGUMENT(&limit), 0, 0);
    return limit.rlim_cur == RLIM_INFINITY;
}

static void leave(struct counted_thread *thread)
{
    struct room *room = room_of(thread);

    publish(thread);
    promote(room);
    __atomic_fetch_sub(&samples.budget.threads, room->is_open != 0,
                       __ATOMIC_RELAXED);
}

/* A block is temporary if its thread frees it, not by realloc, before it
   allocates another one: as in exact recordings. */
static void retire(struct counted_thread *thread, void *taken, bool is_replaced)
{
    uint64_t begun = ticks_now();
    struct sample *entry = taken;
    uint64_t now = publish(thread);

    report(entry, MEM_TRACE_FREE, 0);
    discharge(entry, now,
              !is_replaced && thread != NULL &&
                  thread->number == entry->thread &&
                  room_of(thread)->published == entry->allocated);
    INVARIANT(T1, !entry->is_inside);
    if (lock()) { /* else its space is lost */
        block_table_release(&table.blocks, entry);
        unlock();
    }
    spend_since(begun);
}

static const struct countdown_client client = {
    .counts = COUNTDOWN_ALLOCATED,
    .follow = follow,
    .distance = distance,
    .count = count,
    .announce = announce,
    .fail = fail,
    .leave = leave,
    .take = take,
    .retire = retire,
    .put_back = put_back,
};

void samples_begin(const struct session_claim *claim)
{
    samples.reads_ticks =
        claim->header.sample_ticks != 0 && tick_clock_is_readable();
    sample_budget_begin(&samples.budget, &claim->header,
                        samples.reads_ticks ? claim->header.sample_ticks
                                            : 1000000000);
    samples.budget.begun = ticks_now();
    process.header->sample_budget = claim->header.sample_budget;
    samples.seed =
        claim->header.sample_seed ^
        claim->offset / SESSION_EXTENT_SIZE * UINT64_C(0xd1342543de82ef95);
    /* Frees pass only where a fork closes the filter. */
    process.frees_pass =
        has_room(RLIMIT_AS) && has_room(RLIMIT_DATA) &&
        raw_madvise(block_near, sizeof block_near, MADV_WIPEONFORK) == 0;
    countdown_lock();
    unlock();
    block_table_adopt(&table.blocks, &kind, inherit);
    countdown_set_client(COUNTDOWN_SAMPLES, &client);
    countdown_unlock();
}
