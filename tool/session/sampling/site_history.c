/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_history.c - see sampling.h
 *
 * Runs that are joined are never longer than they were apart: neither a sum of
 * two numbers nor a distance between ids needs more bytes.
 */
#include "tool/session/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/files.h"

enum {
    SITE_LIMIT = 1 << 20, /* sites above it have no history */
    LONGEST_CHANGE = 5 + 4 * 10,
    JOINED_LIMIT = 3,
    TRIES = 10, /* one read succeeds between two writes */
};

static size_t used(const struct site_history *history)
{
    return history->count == 0 ? 0 : history->instants[history->count - 1].end;
}

static bool make_room(struct site_history *history, uint32_t site)
{
    size_t count = history->site_count, wanted = 2 * (size_t)site + 4096;
    struct site_counts *sites;

    if (site >= SITE_LIMIT)
        return false;
    sites = realloc(history->sites, wanted * sizeof *sites);
    if (sites == NULL)
        return false;
    memset(sites + count, 0, (wanted - count) * sizeof *sites);
    history->sites = sites;
    history->site_count = wanted;
    return true;
}

void site_history_note(struct site_history *history, uint32_t site,
                       const struct ledger_counter *counter)
{
    if (site < history->site_count || make_room(history, site))
        memcpy(history->sites[site].now, counter, sizeof *counter);
    else
        history->missing++;
}

static unsigned char *put_number(unsigned char *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (unsigned char)(number | 0x80);
    *out++ = (unsigned char)number;
    return out;
}

static unsigned char *put_change(unsigned char *out, uint32_t before,
                                 const struct ledger_change *change)
{
    out = put_number(out, change->site - before);
    for (unsigned i = 0; i < LEDGER_GROWN; i++)
        out = put_number(out, change->grown[i]);
    return out;
}

/* Append a run of the changed sites. Return false if memory runs out. */
static bool put_run(struct site_history *history, size_t *end)
{
    uint32_t before = 0;

    *end = used(history);
    for (uint32_t site = 1; site < history->site_count; site++) {
        struct site_counts *counts = &history->sites[site];
        struct ledger_change change = { .site = site };
        unsigned char *runs = history->runs;

        if (memcmp(counts->now, counts->last, sizeof counts->now) == 0)
            continue;
        if (*end + LONGEST_CHANGE > history->room) {
            runs = realloc(runs, history->room * 2 + 4096);
            if (runs == NULL)
                return false;
            history->runs = runs;
            history->room = history->room * 2 + 4096;
        }
        for (unsigned i = 0; i < LEDGER_GROWN; i++)
            change.grown[i] = counts->now[i] - counts->last[i];
        memcpy(counts->last, counts->now, sizeof counts->now);
        *end = (size_t)(put_change(runs + *end, before, &change) - runs);
        before = site;
    }
    return true;
}

struct joined {
    struct ledger_run run;
    struct ledger_change next; /* `site` is UINT32_MAX at the end */
};

static void advance(struct joined *joined)
{
    if (ledger_run_next(&joined->run, &joined->next) <= 0)
        joined->next.site = UINT32_MAX;
}

/* Add runs up into one at `out`. Return its end. */
static unsigned char *join(unsigned char *out, struct joined *joined,
                           unsigned count)
{
    uint32_t before = 0;

    for (unsigned i = 0; i < count; i++)
        advance(&joined[i]);
    for (;;) {
        struct ledger_change sum = { .site = UINT32_MAX };

        for (unsigned i = 0; i < count; i++) {
            if (joined[i].next.site < sum.site)
                sum.site = joined[i].next.site;
        }
        if (sum.site == UINT32_MAX)
            return out;
        for (unsigned i = 0; i < count; i++) {
            if (joined[i].next.site != sum.site)
                continue;
            ledger_change_add(&joined[i].next, sum.grown);
            advance(&joined[i]);
        }
        out = put_change(out, before, &sum);
        before = sum.site;
    }
}

/* Return true if a data point stays. Fewer than all stay, unless there is only
   one. */
static bool is_kept(const struct site_history *history, uint32_t number)
{
    const struct ledger_instant *instant = &history->instants[number];

    if (number + 1 == history->count)
        return true;
    if (history->count == 2)
        return false;
    return number % 2 == 0 ? instant[0].live_bytes > instant[1].live_bytes
                           : instant[-1].live_bytes <= instant[0].live_bytes;
}

/* Remove every other data point. Return false if memory runs out. */
static bool thin_out(struct site_history *history)
{
    unsigned char *runs = malloc(history->room), *end = runs;
    struct ledger_instant *instants = history->instants;
    struct joined joined[JOINED_LIMIT];
    unsigned count = 0;
    uint32_t kept = 0;
    uint64_t from = 0;

    if (runs == NULL)
        return false;
    for (uint32_t i = 0; i < history->count; i++) {
        joined[count++].run =
            (struct ledger_run){ history->runs + from,
                                 history->runs + instants[i].end, 0 };
        from = instants[i].end;
        if (!is_kept(history, i))
            continue;
        end = join(end, joined, count);
        count = 0;
        instants[kept] = instants[i];
        instants[kept++].end = (uint64_t)(end - runs);
    }
    history->count = kept;
    free(history->runs);
    history->runs = runs;
    return true;
}

/* If memory runs out, the history begins again. */
bool site_history_add(struct site_history *history, uint64_t ns,
                      uint64_t live_bytes)
{
    struct ledger_instant *instants = history->instants;
    bool is_coarser = history->count == LEDGER_INSTANT_CAPACITY;
    size_t end;

    if ((is_coarser && !thin_out(history)) || !put_run(history, &end)) {
        site_history_free(history);
        return true;
    }
    history->left_out = history->missing;
    history->missing = 0;
    if (history->count > 0 && instants[history->count - 1].ns >= ns)
        ns = instants[history->count - 1].ns + 1; /* the clock was set back */
    instants[history->count++] =
        (struct ledger_instant){ ns, live_bytes, end, history->resident };
    history->resident = 0;
    while (used(history) > SITE_HISTORY_BYTES) {
        is_coarser = true;
        if (history->count == 1 || !thin_out(history))
            site_history_free(history);
    }
    return is_coarser;
}

const unsigned char *site_history_store(const struct site_history *history,
                                        struct ledger_snapshot *snapshot)
{
    const struct ledger_history head = { .instant_count = history->count,
                                         .left_out = history->left_out };
    size_t size = history->count * sizeof *history->instants;
    unsigned char *at =
        history->count == 0
            ? NULL
            : ledger_snapshot_add(snapshot, LEDGER_SEGMENT_HISTORY, 0,
                                  sizeof head + size + used(history));

    if (at == NULL)
        return NULL;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, history->instants, size);
    if (used(history) > 0)
        memcpy(at + sizeof head + size, history->runs, used(history));
    return at;
}

void site_history_publish(const struct site_history *history,
                          struct ledger_snapshot *snapshot)
{
    const unsigned char *bytes = site_history_store(history, snapshot);
    off_t at = (off_t)(snapshot->offset + SESSION_HISTORY);
    struct session_history head = { 0 };

    if (bytes == NULL)
        return;
    head.size = (uint64_t)(snapshot->bytes + snapshot->size - bytes);
    if (pwrite(snapshot->fd, &head.ns, sizeof head.ns, at) < 0 ||
        pwrite(snapshot->fd, bytes, head.size, at + (off_t)sizeof head) !=
            (ssize_t)head.size)
        return;
    head.ns = history->instants[history->count - 1].ns;
    (void)!pwrite(snapshot->fd, &head, sizeof head, at);
}

/* The program can write to the session too: the bytes may be anything. */
void site_history_fetch(struct ledger_snapshot *snapshot)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    uint64_t at = snapshot->offset + SESSION_HISTORY, size;
    struct session_history head, now;
    unsigned char *bytes;

    if (regular_file_read(snapshot->fd, &head, sizeof head, at) < 0 ||
        head.size == 0 || head.size > SESSION_HISTORY_LIMIT)
        return;
    size = head.size;
    bytes = ledger_snapshot_add(snapshot, LEDGER_SEGMENT_HISTORY, 0, size);
    for (unsigned tries = 0; bytes != NULL && tries < TRIES; tries++) {
        if (regular_file_read(snapshot->fd, &head, sizeof head, at) == 0 &&
            regular_file_read(snapshot->fd, bytes, size, at + sizeof head) ==
                0 &&
            regular_file_read(snapshot->fd, &now, sizeof now, at) == 0 &&
            head.ns != 0 && head.ns == now.ns && head.size == size)
            return;
        memset(bytes, 0, size);
        nanosleep(&moment, NULL);
    }
}

void site_history_resume(struct site_history *history,
                         struct ledger_snapshot *snapshot)
{
    struct ledger_history_view view;
    struct ledger_reader reader;
    struct ledger_change change;

    site_history_fetch(snapshot);
    if (ledger_reader_open(&reader, snapshot->bytes, snapshot->size) !=
            LEDGER_E_OK ||
        ledger_reader_history(&reader, &view) <= 0)
        return;
    history->room = view.instants[view.count - 1].end;
    history->runs = malloc(history->room + 1);
    if (history->runs == NULL)
        return;
    memcpy(history->runs, view.runs, history->room);
    memcpy(history->instants, view.instants,
           view.count * sizeof *view.instants);
    history->count = view.count;
    for (uint32_t i = 0; i < view.count; i++) {
        struct ledger_run run = ledger_run_of(view.runs, view.instants, i);

        while (ledger_run_next(&run, &change) > 0)
            if (change.site < history->site_count ||
                make_room(history, change.site))
                ledger_change_add(&change, history->sites[change.site].last);
    }
}

void site_history_free(struct site_history *history)
{
    free(history->sites);
    free(history->runs);
    *history = (struct site_history){ 0 };
}
