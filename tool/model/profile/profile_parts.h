/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_parts.h - names, stacks, and values over time of a profile
 */
#pragma once

#include "format/ledger/history_reader.h"
#include "tool/model/profile/quantities.h"
#include "tool/symbols/lookup.h"

/*
 * Names of places that come with their source
 *
 * A file that was merged from many machines has names without their programs.
 */

struct given_place {
    uint64_t address; /* in the module's file */
    uint64_t module;  /* index in the profile's modules */
    size_t count;
    struct symbol *chain; /* innermost first */
};

struct given_names {
    struct given_place *places;
    size_t count;
    struct index_table table; /* private, in the profile's arena */
    struct text_pool texts;   /* of the symbols */
};

/* Name a place, unless it has a name; texts are copied. */
void given_names_add(struct given_names *names, uint32_t module,
                     uint64_t address, const struct symbol *chain,
                     size_t count);

/* Return the names of a place, or NULL. */
const struct given_place *given_names_find(const struct given_names *names,
                                           uint32_t module, uint64_t address);

/*
 * The stacks of a profile, each once
 *
 * A stack is the place of a site, then its callers' frames up to the root.
 * Frames form a tree that has each frame once; places are kept once, too, so
 * that a place in 10,000 stacks is named once.
 *
 *     const struct profile_stack *stack = &stacks->stacks[i];
 *
 *     show(stack->place);
 *     for (uint32_t f = stack->frame; stacks_is_frame(f);
 *          f = stacks->frames[f].parent)
 *         show(stacks->frames[f].place);
 */

enum { STACK_WHOLE = 0 };         /* instead of a frame: no caller */
#define STACK_CUT      UINT32_MAX /* ... caller unknown: the stack is cut */
#define STACK_NO_PLACE UINT32_MAX /* the site has a label instead */

/* Address of the innermost place, in no module, in stacks of other memory than
   the heap. */
#define STACK_OF(kind) (UINT64_MAX - ((kind)-LEDGER_SITE_MAP))

/* Return address in the module's file. */
struct profile_place {
    uint64_t address;
    uint32_t module; /* index in the profile, or PROFILE_NO_MODULE */
};

struct profile_frame {
    uint32_t place;
    uint32_t parent; /* lower number, STACK_WHOLE or STACK_CUT */
};

struct profile_stack {
    uint32_t site;      /* index in the profile's callers */
    uint32_t frame;     /* caller, STACK_WHOLE or STACK_CUT */
    uint32_t place;     /* of the site, or STACK_NO_PLACE */
    uint32_t lifetimes; /* number of those of its samples; 0: none */
    struct profile_amounts amounts;
};

struct stacks {
    struct profile_place *places;
    size_t place_count;
    struct profile_frame *frames; /* number 0 is unused, and counted */
    size_t frame_count;
    struct profile_stack *stacks;
    size_t stack_count;
    struct lifetimes **lifetimes; /* few stacks have any */
    size_t lifetime_count;
    size_t kind_count;              /* places that are STACK_OF() something */
    struct index_table place_table; /* private, as are these */
    struct index_table frame_table;
    struct index_table stack_table;
};

/* Return the kind that a place stands for; 0 if it is code. */
static inline uint64_t stacks_kind(const struct stacks *stacks, uint32_t place)
{
    uint64_t number = UINT64_MAX - stacks->places[place].address;

    return number < LEDGER_SITE_KINDS - LEDGER_SITE_MAP
               ? number + LEDGER_SITE_MAP
               : 0;
}

/* Return the number of places in code. */
static inline size_t stacks_code_places(const struct stacks *stacks)
{
    return stacks->place_count - stacks->kind_count;
}

static inline bool stacks_is_frame(uint32_t frame)
{
    return frame != STACK_WHOLE && frame != STACK_CUT;
}

/* Free the indices, after the last stack was added. */
void stacks_finish(struct stacks *stacks);

/* Return the number of a place, or of a frame, new or known. */
uint32_t stacks_add_place(struct stacks *stacks,
                          const struct profile_place *place);
uint32_t stacks_add_frame(struct stacks *stacks,
                          const struct profile_frame *frame);

/* Add amounts and lifetimes, which may be NULL, to the stack of this site and
   frame; return its number. */
uint32_t stacks_add(struct stacks *stacks, const struct profile_stack *stack,
                    struct lifetimes *lifetimes);

/* Return the lifetimes of a stack's samples; NULL: none. */
static inline struct lifetimes *
stacks_lifetimes(const struct stacks *stacks, const struct profile_stack *stack)
{
    return stack->lifetimes == 0 ? NULL : stacks->lifetimes[stack->lifetimes];
}

/* Return true if its outermost frames are unknown; set *place, which may be
   NULL, to the outermost known place. */
bool stacks_is_cut(const struct stacks *stacks,
                   const struct profile_stack *stack, uint32_t *place);

/*
 * Totals of the heap over time, of one or more process images
 *
 * Data points of several images become those of their sum: at each time, the
 * last known value of each image, and 0 after its end.
 */

struct timeline_sample {
    uint64_t ns;    /* CLOCK_REALTIME */
    uint64_t image; /* number chosen by the caller */
    int64_t live_bytes;
    int64_t live_blocks;
    uint64_t total_bytes; /* allocated until then */
    bool is_end;          /* private: the image has ended */
};

struct timeline {
    struct arena *arena;             /* the profile's */
    struct timeline_sample *samples; /* by time, once finished */
    size_t count;
};

/* Add a data point, in any order; duplicates do no harm. */
void timeline_add_sample(struct timeline *timeline,
                         const struct timeline_sample *sample);

/* End the image that was added last, at `ns`. */
void timeline_end_image(struct timeline *timeline, uint64_t image, uint64_t ns);

/* Merge the points of all images into one line, once. */
void timeline_finish(struct timeline *timeline);

/*
 * A profile at an earlier instant, and live bytes of stacks over time
 *
 * A ledger may have each site's live values at some instants. A wish,
 * set before the profile is loaded, chooses the nearest one.
 */

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
    bool is_joined;           /* rows were joined: series have none */
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
