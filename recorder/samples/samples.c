/* SPDX-License-Identifier: Apache-2.0 */
/* samples.c - accounts out of samples; see samples.h */
#include "recorder/samples/samples.h"

#include "ledger/record/embedding.h"
#include "ledger/record/lifetimes_writer.h"
#include "ledger/record/record.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"
#include "recorder/events/events.h"
#include "recorder/samples/sample_table.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/countdown.h"
#include "sampling/countdown/sampler.h"
#include "unwind/unwind.h"

/* Bytes that a thread allocates until what is young and lives is promoted. */
enum { EPOCH = 262144 * 8 };

/* What each thread keeps. Begins as zeros. */
struct room {
    struct sampler sampler;
    uint64_t random;    /* for rounding */
    uint64_t seen;      /* of thread->allocated that the sampler has seen */
    uint64_t published; /* ... that are in the ledger's volume */
    uint64_t epoch_end; /* of thread->allocated */
    struct sample *young;
    uint32_t is_open;
};

_Static_assert(sizeof(struct room) <= COUNTDOWN_ROOM, "");

static struct {
    uint64_t interval; /* bytes between samples, on average */
    uint64_t seed;     /* of this process */
} samples;

static struct room *room_of(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_SAMPLES);
}

/* S3. The time now. */
static uint64_t publish(struct counted_thread *thread)
{
    uint64_t *volume = &process.header->sample_volume;
    struct room *room;
    uint64_t allocated, added;

    if (thread == NULL)
        return __atomic_load_n(volume, __ATOMIC_RELAXED);
    room = room_of(thread);
    allocated = countdown_allocated(thread);
    added = allocated - room->published;
    room->published = allocated;
    return __atomic_add_fetch(volume, added, __ATOMIC_RELAXED);
}

static void follow(struct counted_thread *thread)
{
    struct room *room = room_of(thread);

    if (room->is_open != 0)
        return;
    sampler_seed(&room->sampler, samples.seed, thread->number);
    sampler_start(&room->sampler, 1 / (double)samples.interval);
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

    /* An epoch without young blocks may end later: it promotes none. */
    return room->young != NULL && epoch < sample ? epoch : sample;
}

/* splitmix64 */
static uint64_t next_random(struct room *room)
{
    uint64_t mixed = room->random += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
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
    lifetimes_add(entry->site, LEDGER_LIFE_ALLOCATED, &entry->weight);
}

/* A parent's block is in none of this process's sums but what it inherited. */
static void discharge(const struct sample *entry, uint64_t now)
{
    struct ledger_counter *counter = ledger_counter_of(entry->reference);
    const struct ledger_counter added = {
        .free_blocks = entry->weight.blocks,
        .free_bytes = entry->weight.bytes,
    };
    uint64_t lifetime = now > entry->birth ? now - entry->birth : 0;

    if (counter != NULL)
        account_add(counter, &added);
    sample_peak_subtract(process.header, &entry->halves, entry->weight.bytes);
    if (!entry->is_inherited)
        lifetimes_add(entry->site,
                      LEDGER_LIFE_FREED + ledger_life_class(lifetime),
                      &entry->weight);
}

/* In a trace there are calls of sampled blocks alone. */
static void tell_alloc(const struct sample *made, size_t size)
{
    const struct ledger_site *site = ledger_site_of(made->reference);
    const struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC,
        .result = made->address,
        .caller = site == NULL ? 0 : site->address,
        .size = size,
    };

    if (events_are_on())
        events_add_of_stack(&event, site == NULL ? 0 : site->frame);
}

static void tell(const struct sample *entry, enum mem_trace_op op)
{
    const struct mem_trace_event event = {
        .op = (uint8_t)op,
        .pointer = entry->address,
    };

    if (events_are_on() && !entry->is_inherited)
        events_add(&event);
}

static void promote(struct room *room)
{
    struct sample entry;

    while (sample_table_promote(&room->young, &entry)) {
        tell(&entry, MEM_TRACE_PROMOTE);
        lifetimes_add(entry.site, LEDGER_LIFE_PROMOTED, &entry.weight);
    }
}

/* Also where nothing was young for so long that several have passed. */
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

static void add_sample(struct counted_thread *thread,
                       const struct counted_block *counted, uint64_t hits,
                       uint64_t now)
{
    struct room *room = room_of(thread);
    bool is_young = counted->size <= LEDGER_YOUNG_LIMIT;
    struct sample made = { .address = (uintptr_t)counted->block, .birth = now };
    const struct unwind_origin *origin = counted->origin;
    struct sample before;

    made.reference =
        origin == NULL
            ? 0
            : stacks_word(origin, origin->return_address) & ~REFERENCE_BIT;
    made.site = lifetimes_site(made.reference);
    made.weight =
        sample_weigh(samples.interval, counted->size, next_random(room));
    made.halves = sample_peak_split(
        samples.interval, counted->size, hits,
        (const uint64_t[]){ next_random(room), next_random(room) });
    if (made.site == 0 ||
        !sample_table_add(&made, is_young ? &room->young : NULL, &before)) {
        process_count(LEDGER_COUNT_lost_allocations, 1);
        return;
    }
    if (before.address != 0) {
        tell(&before, MEM_TRACE_FREE);
        discharge(&before, now);
        process_count(LEDGER_COUNT_unseen_frees, 1);
    }
    charge(&made);
    tell_alloc(&made, counted->size);
    if (is_young)
        lifetimes_add(made.site, LEDGER_LIFE_YOUNG, &made.weight);
}

/* Samples of a block. Others may have asked for a look before one was due. */
static uint64_t draw(struct counted_thread *thread, size_t size)
{
    struct room *room = room_of(thread);
    uint64_t hits;

    sampler_take(&room->sampler, thread->allocated - size - room->seen);
    hits = sampler_take(&room->sampler, size);
    room->seen = thread->allocated;
    return hits;
}

static bool announce(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    uint64_t *hits = countdown_kept(counted, COUNTDOWN_SAMPLES);

    *hits = draw(thread, counted->size);
    return true;
}

static uint64_t announced_hits(const struct counted_block *counted)
{
    const uint64_t *hits = countdown_kept(counted, COUNTDOWN_SAMPLES);

    return *hits;
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    uint64_t hits, now;

    if (counted->block == NULL) /* nor is it any more */
        room_of(thread)->seen = thread->allocated;
    if (counted->is_set_aside || counted->block == NULL)
        return true; /* and not in `allocated` */
    now = publish(thread);
    hits = counted->announcement != NULL ? announced_hits(counted)
                                         : draw(thread, counted->size);
    end_epochs(thread);
    if (hits > 0 && tally_listeners != 0 && record_is_on())
        add_sample(thread, counted, hits, now);
    return true;
}

static void leave(struct counted_thread *thread)
{
    publish(thread);
    promote(room_of(thread));
}

static void *take(void *block)
{
    return sample_table_take(block);
}

static void retire(struct counted_thread *thread, void *taken)
{
    tell(taken, MEM_TRACE_FREE);
    discharge(taken, publish(thread));
    sample_table_release(taken);
}

static void put_back(void *taken)
{
    sample_table_put_back(taken);
}

static const struct countdown_client client = {
    .counts_bytes = true,
    .follow = follow,
    .distance = distance,
    .count = count,
    .announce = announce,
    .leave = leave,
    .take = take,
    .retire = retire,
    .put_back = put_back,
};

static void inherit(struct sample *entry)
{
    struct ledger_site *site = ledger_site_of(entry->reference);

    entry->is_inherited = true;
    if (site == NULL)
        return;
    site->inherited_blocks += entry->weight.blocks;
    site->inherited_bytes += entry->weight.bytes;
    sample_peak_add(process.header, &entry->halves, entry->weight.bytes);
}

void samples_begin(const struct session_claim *claim)
{
    samples.interval = claim->sample_interval == 0 ? 1 : claim->sample_interval;
    samples.seed = claim->sample_seed ^ claim->offset / SESSION_EXTENT_SIZE *
                                            UINT64_C(0xd1342543de82ef95);
    countdown_lock();
    sample_table_adopt(inherit);
    countdown_turn(COUNTDOWN_SAMPLES, &client);
    countdown_unlock();
}
