/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figure.h - what is known of something, once for people and for scripts
 *
 *     const struct figure figures[] = {
 *         { "kind", "KIND", FIGURE_TEXT, .text = "slab" },
 *         { "used", "USED", .number = region->used },
 *     };
 *
 *     figures_put(&table, NULL, figures, 2); // the cells of a row
 *     figures_put(NULL, &json, figures, 2);  // the members of an object
 *
 * A figure whose place differs in both stands twice, once without its key and
 * once without its title.
 */
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/render/json.h"
#include "tool/render/table.h"

enum { ESTIMATE_MARGIN_SIZE = 100, ESTIMATE_TEXT_SIZE = 160 };

/* "1,234,567 ± 12 %", "1,234 (130 to 5,600)" where the interval is wider than
   the number, "0 (at most 5,600)"; a bare number where nothing is uncertain. */
char *estimate_text(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                    struct interval interval);

/* "± 12 %" and so on, without the number; "" where nothing is uncertain. */
char *estimate_margin(char out[ESTIMATE_MARGIN_SIZE], int64_t value,
                      struct interval interval);

/* "+1,000 (-400 to 2,400)": what grew has its sign. */
char *estimate_growth(char out[ESTIMATE_TEXT_SIZE], int64_t value,
                      struct interval interval);

/* "12 % (3-30)", "11.1 % (11.0-11.3)", "0.0 %" where the bounds are no other
   tenths; "-" when nothing is known. */
char *estimate_share(char out[ESTIMATE_TEXT_SIZE], const struct share *share);

enum figure_unit {
    FIGURE_NUMBER = 0, /* "1,234", without a sign; the default */
    FIGURE_ABOUT,      /* "about 1,234" */
    FIGURE_SIGNED,     /* "-1,234" */
    FIGURE_GROWTH,     /* "+1,234" */
    FIGURE_ADDRESS,    /* "0x4d2" */
    FIGURE_PER_MILLE,  /* "12.3 %" of 123 */
    FIGURE_SHARE,      /* "12 % (3-30)"; an object */
    FIGURE_TEXT,       /* NULL is not known; its column is to the left */
    FIGURE_TEXT_RIGHT, /* text, aligned as numbers are */
    FIGURE_FRACTION,   /* of scripts alone; null unless it is finite */
    FIGURE_FLAG,       /* of scripts alone */
};

struct figure {
    const char *key;   /* in JSON; NULL: for people alone */
    const char *title; /* of its column; NULL: for scripts alone */
    enum figure_unit unit;
    enum table_alignment alignment; /* 0: what is usual for the unit */
    bool is_unknown;                /* "-", and null */
    bool is_estimate;               /* a number that has an interval */
    union {
        uint64_t number; /* also what is signed, and a flag */
        double fraction;
        const char *text;
        struct share share;
    };
    struct interval interval;
};

/* Return the text of a cell: `out`, or the figure's own text. */
const char *figure_text(char out[ESTIMATE_TEXT_SIZE],
                        const struct figure *figure);

/*
 * Put figures with a title as cells into `table`, and those with a key as
 * members into `json`; either may be NULL. If *table is NULL, create it with
 * the titles; for a table that may stay empty put anything, then
 * table_clear().
 */
void figures_put(struct table **table, struct json *json,
                 const struct figure *figures, size_t count);

/* A member with the intervals of those that have one. */
void figures_write_intervals(struct json *json, const struct figure *figures,
                             size_t count);
