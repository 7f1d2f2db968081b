/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - a profile at an earlier instant, and live bytes of stacks over
 * time
 *
 * A ledger may have each site's live values at some instants. A wish,
 * set before the profile is loaded, chooses the nearest one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/history_reader.h"
#include "tool/tables/tables.h"

enum history_time {
    HISTORY_NONE, /* counters as they were when the ledger was written */
    HISTORY_SINCE_START,
    HISTORY_DATE,
    HISTORY_PEAK, /* instant of the most live bytes */
    HISTORY_END,
    HISTORY_UNUSED, /* like HISTORY_NONE, and no history is loaded */
};

struct history_wish {
    enum history_time time;
    uint64_t ns; /* since the start, or CLOCK_REALTIME */
};

/* Begins as { 0 }; empty if there are several images. */
struct history {
    struct arena *arena;      /* of all of it, so that it can go early */
    struct history_wish wish; /* set before the profile is loaded */
    bool is_chosen;
    size_t chosen;     /* index of the chosen instant */
    uint64_t wish_ns;  /* wanted time, CLOCK_REALTIME */
    uint64_t start_ns; /* start of the image, CLOCK_REALTIME */
    uint64_t left_out; /* sites without a history */
    struct ledger_instant *instants;
    size_t count; /* instants; 0: no history */
    unsigned char *runs;
    uint32_t site_limit;            /* above all ids of sites that changed */
    uint32_t *rows;                 /* by id: history_row() + 1 */
    uint64_t (*held)[LEDGER_GROWN]; /* by id: counters at the chosen instant;
                                       NULL: none */
};

/* Parse "12.5s", "3m", "peak", "end" or "2026-01-31 12:00:00", local time. */
bool history_read_wish(const char *text, struct history_wish *wish);

/* Copy a history and choose its instant. Return 0, or LEDGER_E_HISTORY. */
int history_load(struct history *history,
                 const struct ledger_history_view *view, uint64_t start_ns);

/* Return the stack of a site that changed, or its row without stacks;
   UINT32_MAX if there is none. */
static inline uint32_t history_row(const struct history *history, uint32_t id)
{
    return history->rows[id] - 1;
}

/* Live values of rows at all instants, added up by series. */
struct history_series {
    const struct history *history;
    const uint32_t *numbers; /* by row: its series, or UINT32_MAX */
    int64_t *bytes, *blocks; /* of series s at instant i: [s * count + i]; the
                                caller sets the first to the inherited value */
};
void history_series(const struct history_series *series, size_t series_count);

/* Return seconds from the start of the image to `ns`. */
double history_seconds(const struct history *history, uint64_t ns);

/* Return seconds between an instant and the wanted time. */
double history_distance(const struct history *history, size_t number);

void history_free(struct history *history);
