/* SPDX-License-Identifier: Apache-2.0 */
/* render.h - text, tables, JSON and pictures */
#pragma once

#include "tool/model/names/call_tree.h"
#include "tool/model/trace/trace_figures.h"

/*
 * Limits of the place where output goes
 */

/*
 * If standard output is a terminal, keep what is written there until
 * terminal_release(), which shows it: what is longer than the screen through
 * $PAGER, or less. Functions here answer for that terminal. The latter
 * returns 0, or -1 with errno set.
 */
void terminal_hold(void);
int terminal_release(void);

/* Send standard output to a new file instead. Return 0, or -1 with errno. */
int terminal_redirect(const char *path);

/* `--color=auto|always|never` */
enum terminal_color {
    TERMINAL_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set */
    TERMINAL_COLOR_ALWAYS,
    TERMINAL_COLOR_NEVER,
};

/* names of the choices */
extern const struct word_list terminal_color_words;

bool terminal_has_color(enum terminal_color color, FILE *out);

/* Columns of the terminal behind `out`; 0 when it is none: no limit. */
unsigned terminal_width(FILE *out);

/* Return the columns of a line that is cut: those of the terminal or $COLUMNS,
   at least 40; INT_MAX without either. */
int terminal_room(FILE *out);

/* Return the width of the terminal, at least 80. */
unsigned terminal_text_width(FILE *out);

/* Columns that a safe text takes. */
unsigned terminal_columns(const char *text);

/* Return the text after so many columns. */
const char *terminal_skip(const char *text, unsigned columns);

/* A safe text, cut to that many columns: its beginning, or its end, and `mark`
   for the rest of it. */
void terminal_write_cut(FILE *out, const char *text, unsigned columns,
                        const char *mark, bool keeps_end);

/*
 * Rows and columns of text
 *
 * Columns are as wide as their widest cell. On a narrower terminal,
 * empty columns are left out, then columns of text are cut, the widest
 * first.
 *
 *     struct table *table = table_create(columns, 2);
 *
 *     table_add(table, "1,024");
 *     table_add(table, "main");
 *     table_show(table, TERMINAL_COLOR_AUTO);
 */

enum table_alignment {
    TABLE_RIGHT,    /* numbers; never cut */
    TABLE_EXTRA,    /* numbers; left out where it is narrow and all are 0 */
    TABLE_SPARE,    /* numbers; left out where texts would become too narrow */
    TABLE_LEFT,     /* cut at its end */
    TABLE_LEFT_END, /* cut at its beginning: the end of a path says more */
    TABLE_LEFT_SPARE, /* left out as TABLE_SPARE is */
};

enum { TABLE_COLUMNS = 16 }; /* at most */

enum table_style {
    TABLE_PLAIN,
    TABLE_COLORED,
};

struct table_column {
    const char *title;
    enum table_alignment alignment;
};

struct table;

/* The titles must outlive the table. */
struct table *table_create(const struct table_column *columns,
                           unsigned column_count);
void table_destroy(struct table *table);

/* Take all cells away: the titles stay. */
void table_clear(struct table *table);

/* Put a copy of `text` into the next cell, row by row. */
void table_add(struct table *table, const char *text);

/* Print the titles and all whole rows; `width` 0 is no limit. */
void table_print(const struct table *table, FILE *out, unsigned width,
                 enum table_style style);

/* Print it on standard output, as wide as that is, and destroy it. */
void table_show(struct table *table, enum terminal_color color);

/*
 * A JSON document, written as it comes
 *
 * Whatever the bytes of a string, the document is valid UTF-8. The caller pairs
 * begins and ends; write errors stay in the FILE, for ferror() at the end.
 *
 *     struct json json = { .out = stdout };
 *
 *     json_begin(&json, NULL, JSON_OBJECT);
 *     json_unsigned(&json, "allocations", 3);
 *     json_end(&json);
 *
 * `key` is NULL in an array and for the outermost value. Keys are a contract
 * with scripts: docs/json.md.
 */

struct json {
    FILE *out;
    unsigned depth;      /* private; at most 64 */
    uint64_t arrays;     /* private: of what is open, 1 is an array; the
                            innermost is bit 0 */
    bool has_members;    /* private: of the innermost object or array */
    unsigned line_depth; /* private: below this depth all is in one line; 0:
                            nothing is */
};

/* A line object or array has all that is in it in one line. */
enum json_shape {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_LINE_OBJECT,
    JSON_LINE_ARRAY,
};

void json_begin(struct json *json, const char *key, enum json_shape shape);
void json_end(struct json *json);

void json_signed(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* The member "version" of a whole document: what a member means never changes
   within a version, but there may be more of them. */
void json_version(struct json *json);

/* Null where nothing is known: NULL, told so, or not finite. */
void json_string(struct json *json, const char *key, const char *value);
void json_number_or_null(struct json *json, const char *key, bool is_known,
                         uint64_t value);
void json_fraction(struct json *json, const char *key, double value);

/* An array of them. */
void json_strings(struct json *json, const char *key, enum json_shape shape,
                  char *const *texts, size_t count);

/*
 * Facts about one thing, once for people and for scripts
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

/*
 * Stacks for scripts, each text, frame and caller once
 *
 *     struct stack_tables tables = { 0 };
 *     uint32_t stack = STACK_TABLES_NONE; // of no call
 *
 *     stack = stack_tables_add(&tables, stack, &of_main, &its_address);
 *     stack = stack_tables_add(&tables, stack, &of_serve, NULL);
 *     json_unsigned(&json, "stack", stack);
 *     stack_tables_write(&tables, &json);
 *     stack_tables_free(&tables);
 */

#define STACK_TABLES_NONE UINT32_MAX

struct stack_tables { /* all of it private */
    struct text_pool strings;
    struct table_frame *frames;
    size_t frame_count;
    struct index_table frame_table;
    struct table_stack *stacks;
    size_t stack_count;
    struct index_table stack_table;
};

/* The number of the stack of a call and its callers, new or known. `address`,
   as in the module's file, may be NULL: unknown. */
uint32_t stack_tables_add(struct stack_tables *tables, uint32_t callers,
                          const struct site_name *name,
                          const uint64_t *address);

/* The members "stack_table", "frame_table" and "strings". */
void stack_tables_write(const struct stack_tables *tables, struct json *json);
void stack_tables_free(struct stack_tables *tables);

/*
 * A tree of calls as lines
 *
 *          100.0 %  parse (parser.c:120)
 *                   main (main.c:14)
 *
 * A line has the share of its node where that differs from the line before.
 * Only where a call goes on in several ways does the next line stand further
 * right, so that deep stacks stay narrow.
 */

struct call_tree_text {
    const struct call_tree *tree;
    const struct call_totals *totals;
    unsigned width;       /* columns; names are cut to fit */
    double least_percent; /* nodes below this are summed in one line */
    unsigned chain_limit; /* lines of calls without a branch; 0: all */
};

/* To standard output: what lies above `node`, in percent of it; nothing when it
   weighs nothing. */
void call_tree_text_write(const struct call_tree_text *text, uint32_t node);

/* "FUNCTION (FILE:LINE)" or "FUNCTION [MODULE]", safe, in so many columns. */
void call_tree_text_write_name(const struct frame_name *name, unsigned width);

/*
 * The use of regions over time
 */

enum {
    REGION_LINE_MOST = 200, /* characters */
    REGION_LINE_SIZE = 3 * REGION_LINE_MOST + 1,
};

enum { REGION_PLACE_SIZE = 40 };

/* "1.234 s" or, in a trace without times, "event 5". Returns `out`. */
char *region_place_text(char out[REGION_PLACE_SIZE],
                        const struct regions *regions, region_place place);

/*
 * One region as a line of text: ▁▁▂▃▅▇█▁. A character is a part of the trace's
 * time and as high as the most that was used in it, of the region's size: '.'
 * is nothing at all, ' ' not known yet. Returns `out`; `columns` is at most
 * REGION_LINE_MOST.
 */
char *region_line(char out[REGION_LINE_SIZE], const struct region *region,
                  const struct regions *regions, unsigned columns);

/*
 * A plot for each region, one above the other on the same line of time, from 0
 * to the region's size. Write errors stay in the FILE.
 */
void region_svg_write(FILE *out, const struct regions *regions,
                      const char *title);

/* Return bytes in base64 (RFC 4648), to be freed. */
char *base64_text(const char *bytes, size_t size);
