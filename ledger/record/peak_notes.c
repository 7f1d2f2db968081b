/* SPDX-License-Identifier: Apache-2.0 */
/* peak_notes.c - see peak_notes.h */
#include "ledger/record/peak_notes.h"

#include "ledger/record/peak_accounts.h"
#include "ledger/record/peak_copy.h"
#include "ledger/record/process.h"
#include "ledger/record/record.h"
#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"

enum { NOTES_AT_LEAST = 16, SITES_PER_NOTE = 8, PASSES_AT_MOST = 8 };

/* Taken off `room` and `highest` while notes are kept. */
#define UNDER (INT64_C(1) << 61)

struct peak_notes peak_notes;

static struct ledger_peak *find(uint32_t reference)
{
    uint32_t id = record_id_of(reference);
    struct ledger_peak *peak = id == 0 ? NULL : ledger_peak_at(id);

    if (peak != NULL && (uintptr_t)peak >> PEAK_NOTES_ADDRESS == 0)
        peak_notes.known[reference % PEAK_NOTES_KNOWN] =
            (uint64_t)(reference / PEAK_NOTES_KNOWN) << PEAK_NOTES_ADDRESS |
            (uintptr_t)peak;
    return peak;
}

static inline void note(enum shard_side side, struct reference block)
{
    struct ledger_peak *peak = peak_notes_known(block.id);

    if (peak == NULL)
        peak = find(block.id);
    if (peak != NULL)
        peak_notes_write(peak, side, block.size);
}

/* N2; also what a signal handler notes meanwhile. */
static void forget(void)
{
    int64_t *count = &process.peak.noted;
    int64_t held = *count;

    do {
        for (int64_t i = 0; i < held; i++)
            *peak_notes.changed[i % PEAK_NOTES_CAPACITY] =
                (struct ledger_peak){ 0, 0 };
    } while (!shard_replace_word(count, &held, 0));
}

/* N3, N4: until it is done, what each site held at the peak is unknown. */
static void add_up(const struct ledger_total *total)
{
    struct ledger_header *header = process.header;

    if (!peak_accounts_claim())
        return;
    if (header->peak_noted != 0) {
        __atomic_store_n(&header->peak_noted, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&header->peak_copied,
                         peak_complete((uint32_t)(total - header->totals)),
                         __ATOMIC_RELEASE);
    }
    peak_accounts_release();
}

static void look_at(struct ledger_total *total, int64_t rise_at,
                    int64_t fall_at)
{
    total->rise_at = rise_at;
    total->fall_at = fall_at;
}

/* The sum of live bytes is the same before and after, and never higher meanwhile. */
static void put_under(struct ledger_total *total)
{
    int64_t highest = total->highest;

    look_at(total, HEAP_TOTAL_UNDER, 0);
    while (!shard_replace_word(&total->highest, &highest, -UNDER))
        ;
    shard_add_word(&total->room, 0 - (uint64_t)(highest + UNDER));
}

static bool is_under(const struct ledger_total *total)
{
    return total->rise_at == HEAP_TOTAL_UNDER;
}

static void lift(struct ledger_total *total)
{
    int64_t room = total->room;

    while (!shard_replace_word(&total->room, &room, LEDGER_TOTAL_BATCH))
        ;
    __atomic_fetch_add(&process.header->live_bytes,
                       total->highest - heap_total_below(room),
                       __ATOMIC_RELAXED);
    total->highest = 0;
    look_at(total, 1, LEDGER_TOTAL_BATCH + 1);
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* N4 */
static void stop(const struct ledger_total *total)
{
    process.peak.note_limit = 0;
    add_up(total);
}

static void begin(struct ledger_total *total, struct reference freed,
                  int64_t top)
{
    struct peak_state *state = &process.peak;
    struct ledger_header *header = process.header;

    if (!peak_accounts_claim())
        return; /* this is a signal handler */
    if (header->peak_noted == 0) {
        __atomic_store_n(&header->peak_copied, 0, __ATOMIC_RELEASE);
        peak_clear();
    }
    state->held = state->passed = state->top = top;
    state->noted = 0;
    state->passes = 0;
    state->note_limit = within(header->site_count / SITES_PER_NOTE,
                               NOTES_AT_LEAST, PEAK_NOTES_CAPACITY);
    __atomic_store_n(&state->noting, total, __ATOMIC_SEQ_CST);
    put_under(total);
    state->top_room = total->room - (int64_t)freed.size;
    note(SHARD_FREE, freed);
    header->peak_copied_ns = 0;
    __atomic_store_n(&header->peak_noted, (uint64_t)top, __ATOMIC_RELEASE);
    peak_accounts_release();
    if (__atomic_load_n(&state->is_shared, __ATOMIC_SEQ_CST) != 0)
        stop(total); /* the other thread found this one at it */
}

static void end(struct ledger_total *total)
{
    __atomic_store_n(&process.peak.noting, NULL, __ATOMIC_RELEASE);
    lift(total);
}

void peak_notes_pass(struct ledger_total *total)
{
    struct peak_state *state = &process.peak;

    if (state->noted != 0)
        forget();
    state->top_room = total->room;
    if (++state->passes > PASSES_AT_MOST)
        end(total);
}

void peak_notes_fall(const struct ledger_total *total, struct reference freed)
{
    struct peak_state *state = &process.peak;
    struct ledger_header *header = process.header;
    int64_t top =
        header->live_bytes + total->highest - heap_total_below(state->top_room);
    uint64_t noted = header->peak_noted;

    heap_total_raise(&header->peak_bytes, top);
    state->held = state->passed = state->top = top;
    state->passes = 0;
    if (noted != 0) /* else another thread has come: N4 */
        __atomic_compare_exchange_n(&header->peak_noted, &noted, (uint64_t)top,
                                    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    note(SHARD_FREE, freed);
}

/* While they are kept. */
static void go_on(struct ledger_total *total, enum shard_side side,
                  struct reference block)
{
    if (peak_notes_are_passed(total)) {
        peak_notes_pass(total);
        return;
    }
    if (side == SHARD_FREE && process.peak.passes != 0)
        peak_notes_fall(total, block);
    else
        note(side, block);
    if (peak_notes_kept() == NULL) {
        add_up(total);
        end(total);
    }
}

static void look(struct ledger_total *total, struct reference block,
                 int64_t top, int64_t live)
{
    struct ledger_header *header = process.header;

    if (top > process.peak.passed && top > live) {
        heap_total_raise(&header->peak_bytes, top);
        begin(total, block, top);
        return;
    }
    heap_total_settle(header, total, live, (uint64_t)(top - live));
    if (top > process.peak.passed)
        look_at(total, 1, LEDGER_TOTAL_BATCH + 1);
    else
        look_at(total,
                within(process.peak.passed - header->live_bytes, 1,
                       LEDGER_TOTAL_BATCH),
                2 * LEDGER_TOTAL_BATCH);
}

bool peak_notes_settle(struct ledger_total *total, enum shard_side side,
                       struct reference block)
{
    int64_t live;

    if (is_under(total)) {
        if (__atomic_load_n(&process.peak.noting, __ATOMIC_ACQUIRE) == total) {
            go_on(total, side, block);
            return true;
        }
        lift(total);
    }
    if (process.peak.is_shared != 0 || total != process.peak.only)
        return false;
    live = process.header->live_bytes + heap_total_held(total);
    look(total, block, side == SHARD_FREE ? live + (int64_t)block.size : live,
         live);
    return true;
}

void peak_notes_share(const struct ledger_total *total)
{
    struct peak_state *state = &process.peak;
    const struct ledger_total *none = NULL;

    if (total != NULL &&
        (__atomic_compare_exchange_n(&state->only, &none, total, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
         none == total))
        return;
    heap_total_share(process.header);
    __atomic_store_n(&state->is_shared, 1, __ATOMIC_SEQ_CST);
    total = __atomic_exchange_n(&state->noting, NULL, __ATOMIC_SEQ_CST);
    if (total != NULL)
        stop(total);
}
