/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - a profile at an instant, and what its stacks held over time
 *
 * A ledger may tell what each site held at some instants while the program ran.
 * Before it is loaded, a wish says which of them the profile is to be of, and
 * the nearest one is chosen.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/history_reader.h"
#include "tool/tables/arena.h"

enum history_time {
    HISTORY_NONE, /* the accounts as the ledger has them */
    HISTORY_SINCE_START,
    HISTORY_DATE,
    HISTORY_PEAK, /* when it is known to have held most */
    HISTORY_END,
    HISTORY_UNUSED, /* as HISTORY_NONE, and it is not loaded */
};

struct history_wish {
    enum history_time time;
    uint64_t ns; /* since the start, or of CLOCK_REALTIME */
};

/* Begins as { 0 }; of one image alone. */
struct history {
    struct arena *arena;      /* of all of it, so that it can go early */
    struct history_wish wish; /* set before the profile is loaded */
    bool is_chosen;
    size_t chosen;     /* the instant that was wished for */
    uint64_t wish_ns;  /* ... in CLOCK_REALTIME */
    uint64_t start_ns; /* of the image */
    uint64_t left_out; /* sites of which it does not tell */
    struct ledger_instant *instants;
    size_t count; /* 0: there is none */
    unsigned char *runs;
    uint32_t site_limit;            /* ids of sites that changed are below */
    uint32_t *rows;                 /* by id: history_row(), and 1 more */
    uint64_t (*held)[LEDGER_GROWN]; /* by id: counters at the chosen instant;
                                       NULL: none is chosen */
};

/* "12.5s", "3m", "peak", "end" or "2026-01-31 12:00:00", in local time; false:
   it is none of these. */
bool history_read_wish(const char *text, struct history_wish *wish);

/* Take over what was read, and choose the instant that is wished for, if it has
   that: 0, or LEDGER_E_HISTORY. */
int history_load(struct history *history,
                 const struct ledger_history_view *view, uint64_t start_ns);

/* The number of a site's stack, or of the profile's site; UINT32_MAX: there is
   none. Of a site that changed at some instant. */
static inline uint32_t history_row(const struct history *history, uint32_t id)
{
    return history->rows[id] - 1;
}

/* What rows held at all instants, which the caller puts into the series. */
struct history_series {
    const struct history *history;
    const uint32_t *numbers; /* of each row its series, or UINT32_MAX */
    int64_t *bytes, *blocks; /* of series s at instant i: [s * count + i]; the
                                first of each begins as what it inherited */
};
void history_series(const struct history_series *series, size_t series_count);

/* Seconds from the start of the image. */
double history_seconds(const struct history *history, uint64_t ns);

/* ... between an instant and the time that was wished for. */
double history_distance(const struct history *history, size_t number);

void history_free(struct history *history);
